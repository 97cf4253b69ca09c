/** A separate process that makes one POST and does not close its client: `posting.ts <url> <ms> [name server]`. */
import { createGuardedClient } from "../../src/lib/http-client/client.ts";

const [url = "", deadlineMs = "", server] = process.argv.slice(2);
const lookup = async () => [{ address: "127.0.0.1" }, { address: "127.0.0.2" }];
const client = createGuardedClient({
  allowPrivate: true,
  ...(server === undefined ? { lookup } : { resolver: { servers: [server] } }),
});
const outcome = await client.post(new URL(url), { body: "", read: 0, deadlineMs: Number(deadlineMs) }).then(
  ({ status }) => status,
  ({ reason }) => reason,
);
process.send?.(outcome);
process.disconnect?.();
