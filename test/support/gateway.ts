import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { Observation } from "../../examples/browser-agent/outcomes.ts";

const NOW = "2026-11-20T09:00:00.000Z";
export const OWN = "https://socialnet.example/in/robin";

type Input = Record<string, any>;
/** The answer to each command: its data, or `{ refuse }` with the body of a refusal. */
export type Script = Record<string, (input: Input) => object>;

export const action = (id: string, kind = "message") => ({ id, kind, approvedAt: NOW, blockedBy: null });
const ACCOUNT = { id: "account", label: "Robin", profileUrl: OWN };

/** A gateway with two pending actions, where everything succeeds. */
export const WELL: Script = {
  setup: () => ({ bound: true, executionActivated: true, events: [] }),
  brief: () => ({ account: ACCOUNT, windows: { timeZone: "Europe/London" }, reconnect: null }),
  list: () => [action("b"), action("a")],
  claim: ({ actionId }) => ({ leaseToken: `lease of ${actionId}` }),
  start: ({ actionId }) => ({
    copy: `copy of ${actionId}`,
    recipient: { profileUrl: `https://s.example/${actionId}` },
  }),
  result: () => ({ status: "completed" }),
  sync: ({ observations }) => ({
    results: observations.map(({ externalKey }: Observation) => ({ externalKey, status: "recorded" })),
  }),
};

/** Speaks MCP and answers by script; the rest is a real gateway's. */
export async function startGateway(t: Pick<TestContext, "after">, script: Script) {
  const calls: { command: string; input: Input }[] = [];
  let http: { status: number; headers?: Record<string, string> } | undefined;
  const serve = toNodeHandler(
    createMcpHandler(
      () => {
        const server = new Server({ name: "double", version: "1" }, { capabilities: { tools: {} } });
        server.setRequestHandler("tools/call", ({ params }) => {
          const { command = "list", ...input } = (params.arguments ?? {}) as Input;
          calls.push({ command, input });
          const answer = (script[command] ?? WELL[command] ?? (() => ({})))(input);
          if ("refuse" in answer) return { content: [], structuredContent: answer.refuse, isError: true };
          return { content: [], structuredContent: { data: answer, error: null } };
        });
        return server;
      },
      { legacy: "reject" },
    ),
  );
  const server = createServer((request, response) => {
    const given = http;
    http = undefined;
    if (given === undefined) void serve(request as Parameters<typeof serve>[0], response);
    else response.writeHead(given.status, given.headers).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Sets the answer to the next request, whatever it is. */
  const answerNext = (answer: NonNullable<typeof http>) => {
    http = answer;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls, answerNext };
}
