import { startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { unlimited } from "../../src/core/policy.ts";
import { createLog } from "../../src/lib/log.ts";
import { serve } from "./serve.ts";

/** Rostrum on PostgreSQL, with the budgets lifted: rostrum-postgres.js <data folder> <database URL> <connections> */

const [, , data = "", url = "", connections = ""] = process.argv;
const env = { ROSTRUM_DATABASE_URL: url, ROSTRUM_DATABASE_CONNECTIONS: connections };
const { port, close } = await startApp(readConfig({ port: "0", data }, env), createLog("warn"), { limits: unlimited });
serve({ port, close });
