import type { IncomingMessage } from "node:http";
import type { McpCall } from "./server.ts";

/** Answers kept. Clients of one kind send the same request, so that few are enough. */
const MAX_ANSWERS = 100;
/** Answers to requests with a longer text than this are not kept. */
const MAX_KEY_LENGTH = 2_000;
/** What the SDK reads, beside the headers of MCP itself. */
const HEADERS = /^(?:accept|content-type|host|last-event-id|origin|mcp-.*)$/;

/**
 * Answers of `tools/list`. The same request by a key of the same scopes has the same answer but for its id, and to
 * build and write the list costs more than ten calls of a tool. An answer is kept as the SDK gave it: a request that
 * it refuses has none.
 */
export class ListAnswers {
  readonly #results = new Map<string, string>();

  /** The text of the answer, where an equal request had one. */
  find(call: McpCall, request: IncomingMessage, body: unknown): string | undefined {
    const key = keyOf(call, request, body);
    const result = key === undefined ? undefined : this.#results.get(key);
    if (result === undefined) return undefined;
    return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify((body as { id: unknown }).id)}}`;
  }

  keep(call: McpCall, request: IncomingMessage, body: unknown, status: number, text: string): void {
    const key = status === 200 ? keyOf(call, request, body) : undefined;
    if (key === undefined) return;
    const { result } = JSON.parse(text) as { result?: object };
    if (result === undefined) return;
    const written = JSON.stringify(result);
    const equal = [...this.#results.values()].find((one) => one === written);
    this.#results.set(key, equal ?? written);
    const [oldest] = this.#results.keys();
    if (this.#results.size > MAX_ANSWERS && oldest !== undefined) this.#results.delete(oldest);
  }
}

function keyOf({ actor }: McpCall, { headers }: IncomingMessage, body: unknown): string | undefined {
  const { id, ...message } = (body ?? {}) as { id?: unknown; method?: unknown };
  if (message.method !== "tools/list" || (typeof id !== "string" && !Number.isSafeInteger(id))) return undefined;
  if (actor.kind !== "key") return undefined;
  const read = Object.entries(headers).filter(([name]) => HEADERS.test(name));
  const key = JSON.stringify([[...actor.scopes].sort(), read, message]);
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}
