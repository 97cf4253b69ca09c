import { createServer as createHttp, type RequestListener, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Certificate } from "./certificate.ts";

export interface Receiver {
  port: number;
  url: URL;
  /** All connections ever made, in order. */
  connections: Socket[];
  open(): number;
  /** The maximum open at once. */
  most(): number;
}

type Listener = Pick<Server, "listen" | "close" | "on" | "address">;

async function listen(t: TestContext, server: Listener, scheme: string, host: string): Promise<Receiver> {
  const connections: Socket[] = [];
  const open = () => connections.filter((socket) => !socket.destroyed).length;
  let most = 0;
  server.on("connection", (socket: Socket) => {
    connections.push(socket);
    socket.on("error", () => undefined);
    most = Math.max(most, open());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: new URL(`${scheme}://${host}:${port}/hook`), connections, open, most: () => most };
}

export function receiveHttp(t: TestContext, handle: RequestListener): Promise<Receiver> {
  return listen(t, createHttp({ keepAliveTimeout: 60_000 }, handle), "http", "127.0.0.1");
}

export function receiveHttps(
  t: TestContext,
  certificate: Certificate,
  handle: RequestListener,
  host = "127.0.0.1",
): Promise<Receiver> {
  return listen(t, createHttps({ ...certificate, keepAliveTimeout: 60_000 }, handle), "https", host);
}

/** Speaks no protocol. */
export function receiveTcp(t: TestContext, handle: (socket: Socket) => void, scheme = "http"): Promise<Receiver> {
  return listen(t, createTcp(handle) as unknown as Listener, scheme, "127.0.0.1");
}

/** A loopback port without a listener. */
export async function deadPort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
