import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A port of loopback that was free a moment ago, for a program that can't choose one by itself. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
