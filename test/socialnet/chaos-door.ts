import { CLIENTS, type Agent as Client } from "../support/mcp.ts";
import type { Life } from "./chaos-lives.ts";

/** The answer never came: nobody knows whether the call did anything. */
export class Lost extends Error {}

/** What a call came to: data, or the reason or code of its refusal. */
export type Answer = { data: any; refused?: undefined } | { refused: string; data?: undefined };

/** A server, in whichever of its lives. */
interface Server {
  current(): Promise<Life>;
}

/** How an agent calls it. */
export interface Door {
  command(input: Record<string, unknown>): Promise<Answer>;
  list(query: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

function answerOf(body: any): Answer {
  return body.error === null ? { data: body.data } : { refused: body.reason ?? body.code ?? body.error };
}

/** An error of a call in a life that was cut short says nothing; any other is a failure. */
async function during<T>(server: Server, call: (life: Life) => Promise<T>): Promise<T> {
  const life = await server.current();
  try {
    return await call(life);
  } catch (error) {
    if (life.over) throw new Lost();
    throw error;
  }
}

export function restDoor(server: Server, key: string): Door {
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

export function mcpDoor(server: Server, key: string, which: (typeof CLIENTS)[number]): Door {
  let connected: { life: Life; client: Promise<Client> } | undefined;
  const tool = (name: string, input: Record<string, unknown>) =>
    during(server, async (life) => {
      if (connected?.life !== life) {
        const client = which.connect(new URL(`${life.base}/mcp`), key).then(({ agent }) => agent);
        connected = { life, client };
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

/** Four doors for the agents of an account: two by REST, two by MCP, of either era. */
export function doorOf(server: Server, key: string, agent: number): Door {
  const client = CLIENTS[agent % 4 < 2 ? 0 : 2] as (typeof CLIENTS)[number];
  return agent % 2 === 0 ? restDoor(server, key) : mcpDoor(server, key, client);
}
