import type { TestContext } from "node:test";
import { type Era, post } from "./mcp.ts";
import type { Receiver } from "./receiver.ts";
import { type ServerOptions, startServer, type TestServer } from "./server.ts";

export const RECONNECT = "socialnet.reconnect.requested";

/** A server that can send to this machine. */
export function startLocal(t: Pick<TestContext, "after">, options: ServerOptions = {}): Promise<TestServer> {
  return startServer(t, { ...options, env: { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1", ...options.env } });
}

export function newAccount(server: TestServer, label = "Ada's account"): Promise<{ id: string }> {
  return server.operator("create_socialnet_account", { label, profile_url: "https://socialnet.example/in/ada" });
}

interface Subscribing {
  era?: Era;
  key?: string;
  name?: string;
  arguments?: object;
  delivery?: object;
  [more: string]: unknown;
}

/** Subscribes the receiver, and returns the whole JSON-RPC message. */
export async function subscribe(server: TestServer, receiver: Receiver, options: Subscribing = {}) {
  const { era = "2026-07-28", key, delivery, ...params } = options;
  const { body } = await post(
    server,
    era,
    "events/subscribe",
    {
      name: RECONNECT,
      delivery: { mode: "webhook", url: receiver.url, secret: receiver.secret, ...delivery },
      ...params,
    },
    { headers: { "mcp-name": undefined }, ...(key === undefined ? {} : { key }) },
  );
  return body;
}
