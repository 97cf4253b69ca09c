import type { IncomingMessage } from "node:http";

/** Kept at most. Clients of one kind send equal requests, so that few are enough. */
const MAX_KEPT = 1_000;
/** A request with a longer text than this is not kept. */
const MAX_KEY_LENGTH = 2_000;
/** The headers that the SDK reads. */
const HEADERS = /^(?:accept|content-type|host|last-event-id|origin|mcp-.*)$/;

/** What is known of requests that the SDK has accepted, by their keys. The oldest is dropped first. */
export class Accepted<Known> {
  readonly #known = new Map<string, Known>();

  find(key: string): Known | undefined {
    return this.#known.get(key);
  }

  keep(key: string, known: Known): void {
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** A message that has a key. */
export interface AcceptedMessage {
  id: string | number;
  method: "tools/call" | "tools/list";
  params: Record<string, unknown>;
}

/**
 * All that the SDK reads before it hands a request on: its headers, and its message without id, arguments and what a
 * client notes for itself. It accepts two requests of one key both or neither. Undefined for other methods, and for what no client sends.
 */
export function requestKey({ headers }: IncomingMessage, body: unknown): string | undefined {
  const message = (body ?? {}) as Record<string, unknown>;
  const { method, id, params } = message;
  if (method !== "tools/call" && method !== "tools/list") return undefined;
  if (!isId(id) || !isObject(params)) return undefined;
  const { _meta: meta = {} } = params;
  if (!isObject(meta)) return undefined;
  const parts: unknown[] = [];
  // In JSON, values of other types could look like those of another request.
  if (!addStrings(parts, message, ["id", "params"]) || !addStrings(parts, params, ["arguments", "_meta"]))
    return undefined;
  for (const name in meta) if (isRead(name, meta[name])) parts.push(name, meta[name]);
  let key = JSON.stringify(parts);
  for (const name in headers) if (HEADERS.test(name)) key += `\n${name}: ${headers[name]}`;
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** Adds the names and values of an object's members, then a null. Returns false if a value isn't a string. */
function addStrings(parts: unknown[], object: Record<string, unknown>, without: readonly string[]): boolean {
  for (const name in object) {
    if (without.includes(name)) continue;
    if (typeof object[name] !== "string") return false;
    parts.push(name, object[name]);
  }
  parts.push(null);
  return true;
}

const isId = (value: unknown) => typeof value === "string" || Number.isSafeInteger(value);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A trace's ids. The SDK hands them on unread. */
const TRACE = ["traceparent", "tracestate", "baggage"];

/** A vendor's own fields, a trace, and the token of progress that is never told, differ from call to call. */
function isRead(name: string, value: unknown): boolean {
  if (name === "progressToken") return !isId(value);
  if (TRACE.includes(name)) return typeof value !== "string";
  const prefix = name.slice(0, name.lastIndexOf("/") + 1);
  return prefix === "" || /(?:^|\.)(?:mcp|modelcontextprotocol)[./]/.test(prefix);
}
