import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { hashSecret, mintKey } from "../../src/lib/secrets.ts";
import type { Envelope, TestServer } from "./server.ts";

/** The protocol's two eras, by the newest version of each. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

/** A client as the tests use one, independent of its library. */
export interface Agent {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ToolResult {
  content: { type: string; text?: string }[];
  structuredContent?: Envelope;
  isError?: boolean;
}

const identity = { name: "test", version: "1" };
const bearer = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

const connectWith = (mode: "legacy" | "auto" | { pin: string }) => async (url: URL, key: string) => {
  const client = new Client(identity, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, bearer(key)));
  return { agent: client as unknown as Agent, version: client.getNegotiatedProtocolVersion() };
};

/** The official clients, each with the version that it must negotiate. */
export const CLIENTS = [
  { label: "client 2.x pinned to 2026-07-28", era: "2026-07-28", connect: connectWith({ pin: "2026-07-28" }) },
  { label: "client 2.x that negotiates", era: "2026-07-28", connect: connectWith("auto") },
  { label: "client 2.x of the 2025 era", era: "2025-11-25", connect: connectWith("legacy") },
  {
    label: "sdk 1.x",
    era: "2025-11-25",
    async connect(url: URL, key: string) {
      const client = new Client1(identity);
      const transport = new Transport1(url, bearer(key));
      await client.connect(transport as Parameters<Client1["connect"]>[0]);
      return { agent: client as unknown as Agent, version: transport.protocolVersion };
    },
  },
] as const;

/** Connects a client of the server, which is closed after the test. */
export async function connect(
  t: Pick<TestContext, "after">,
  client: (typeof CLIENTS)[number],
  server: TestServer,
  key = server.key,
): Promise<Agent> {
  const { agent } = await client.connect(server.mcpUrl, key);
  t.after(() => agent.close());
  return agent;
}

export interface RpcReply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

export interface Sending {
  key?: string;
  /** Id of the message; null sends a notification. */
  id?: unknown;
  /** Headers to add to or replace those that the era needs; undefined removes one. */
  headers?: Record<string, string | undefined>;
  /** Sent as the body, instead of the message. */
  raw?: string | Uint8Array;
}

/** Fields of every request of the 2026-07-28 era. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": identity,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Posts one message as a client of the era would, without a client library. */
export async function post(
  server: TestServer,
  era: Era,
  method: string,
  params: Record<string, unknown> = {},
  { key, id = 1, headers, raw }: Sending = {},
): Promise<RpcReply> {
  const modern = era === "2026-07-28";
  const message = {
    jsonrpc: "2.0",
    ...(id === null ? {} : { id }),
    method,
    params: modern ? { _meta: META, ...params } : params,
  };
  const name = params.name ?? params.uri;
  const sent = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": era,
    ...(modern ? { "mcp-method": method } : {}),
    ...(modern && typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  };
  const given = Object.entries(sent).filter((header): header is [string, string] => header[1] !== undefined);
  const reply = await server.rest("POST", "/mcp", {
    key,
    headers: Object.fromEntries(given),
    ...(raw === undefined ? { body: message } : { raw }),
  });
  return { ...reply, body: reply.text === "" ? undefined : JSON.parse(reply.text) };
}

/** A key that can't be created: one without any scope. */
export async function keyWithoutScopes(server: TestServer): Promise<string> {
  const { key, prefix } = mintKey();
  const row = {
    id: "0190aaaa-0000-7000-8000-000000000001",
    name: "none",
    prefix,
    scopes: [],
    creator: "test",
    creatorId: null,
    createdAt: Date.now(),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    connectorName: null,
    socialnetAccountId: null,
  };
  await server.running.store.write(server.workspaceId, ({ keys }) => keys.insert(row, hashSecret(key)));
  return key;
}
