/** A process of its own that makes one post and does not close its client: `posting.ts <url> <ms>`. */
import { createGuardedClient } from "../../src/net/client.ts";

const [url = "", deadlineMs = ""] = process.argv.slice(2);
const lookup = async () => [{ address: "127.0.0.1" }, { address: "127.0.0.2" }];
const client = createGuardedClient({ allowPrivate: true, lookup });
const outcome = await client.post(new URL(url), { body: "", read: 0, deadlineMs: Number(deadlineMs) }).then(
  ({ status }) => status,
  ({ reason }) => reason,
);
process.send?.(outcome);
process.disconnect?.();
