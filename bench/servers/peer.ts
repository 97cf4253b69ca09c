import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { serve } from "./serve.ts";

/** Another product's server, started by its own command: peer.js <its module> <port> <health path> [its arguments] */

const READY_WITHIN_MS = 180_000;

const [, , module = "", port = "", health = "", ...args] = process.argv;
process.argv.splice(1, process.argv.length, module, ...args);
// Some servers tell their parent that they are ready. The bench expects its own messages only.
const { send } = process;
Object.assign(process, { send: undefined });
process.once("disconnect", () => process.exit(1));
await import(pathToFileURL(module).href);

const from = performance.now();
while (!(await isReady())) {
  if (performance.now() - from > READY_WITHIN_MS)
    throw new Error(`The server isn't ready after ${READY_WITHIN_MS} ms.`);
  await sleep(100);
}
Object.assign(process, { send });
serve({ port: Number(port), close: () => undefined });

async function isReady(): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${health}`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}
