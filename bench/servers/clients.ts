import { askUntilGone } from "../../test/support/clients.ts";
import { serve } from "./serve.ts";

/** Clients that send requests until the server is gone: clients.js <url> <key> <clients> */

const [, , url = "", key = "", clients = ""] = process.argv;
serve({ port: 0, close: () => undefined, answers: { gone: () => askUntilGone(url, key, Number(clients)) } });
