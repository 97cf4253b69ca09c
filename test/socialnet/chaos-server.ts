import { once } from "node:events";
import { startApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { unlimited } from "../../src/core/policy.ts";
import { createLog } from "../../src/lib/log.ts";
import { SharedClock } from "./shared-clock.ts";

/**
 * A server whose clock a test moves: `chaos-server.ts FOLDER CLOCK`. It starts once it is sent a line, so that one can be
 * kept ready, and ends with whoever launched it.
 */

const [folder, clock] = process.argv.slice(2) as [string, string];
process.stdin.once("close", () => process.exit(1));
await once(process.stdin, "data");

const config = readConfig(
  { port: "0", data: folder },
  { ROSTRUM_SOCIALNET_EXECUTION: "on", ROSTRUM_OUTBOUND_GATE: "open" },
);
const running = await startApp(config, createLog("warn"), { clock: new SharedClock(clock), limits: unlimited });
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ url: running.url, base_url: `${running.url}/api/v1` })}\n`);
