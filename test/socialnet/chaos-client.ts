import { CLIENTS, type Agent as Client } from "../support/mcp.ts";
import type { ServerRun } from "./chaos-restarts.ts";

/** No answer came: the result of the call is unknown. */
export class Lost extends Error {}

/** The result of a call: data, or the reason or code of its refusal. */
export type Answer = { data: any; refused?: undefined } | { refused: string; data?: undefined };

/** The current run of a server. */
interface Server {
  current(): Promise<ServerRun>;
}

/** How an agent calls the server. */
export interface AgentApi {
  command(input: Record<string, unknown>): Promise<Answer>;
  list(query: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

function answerOf(body: any): Answer {
  return body.error === null ? { data: body.data } : { refused: body.reason ?? body.code ?? body.error };
}

/** An error of a call in a killed run means nothing; any other is a failure. */
async function during<T>(server: Server, call: (run: ServerRun) => Promise<T>): Promise<T> {
  const run = await server.current();
  try {
    return await call(run);
  } catch (error) {
    if (run.over) throw new Lost();
    throw error;
  }
}

export function restApi(server: Server, key: string): AgentApi {
  const ask = (query: string, init: RequestInit) =>
    during(server, async ({ base }) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(`${base}/socialnet/actions${query}`, { ...init, headers });
      return answerOf(await response.json());
    });
  return {
    command: (input) => ask("", { method: "POST", body: JSON.stringify(input) }),
    list: (query) => ask(`?${new URLSearchParams(query)}`, {}),
    close: async () => undefined,
  };
}

function mcpApi(server: Server, key: string, which: (typeof CLIENTS)[number]): AgentApi {
  let connected: { run: ServerRun; client: Promise<Client> } | undefined;
  const tool = (name: string, input: Record<string, unknown>) =>
    during(server, async (run) => {
      if (connected?.run !== run) {
        const client = which.connect(new URL(`${run.base}/mcp`), key).then(({ agent }) => agent);
        connected = { run, client };
      }
      const client = await connected.client;
      return answerOf((await client.callTool({ name, arguments: input })).structuredContent);
    });
  return {
    command: (input) => tool("socialnet_command", input),
    list: (query) => tool("list_socialnet_actions", query),
    close: async () => (await connected?.client.catch(() => undefined))?.close(),
  };
}

/** Four clients for the agents of an account: two by REST, two by MCP, of either era. */
export function apiOf(server: Server, key: string, agent: number): AgentApi {
  const client = CLIENTS[agent % 4 < 2 ? 0 : 2] as (typeof CLIENTS)[number];
  return agent % 2 === 0 ? restApi(server, key) : mcpApi(server, key, client);
}
