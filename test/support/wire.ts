import { createHash } from "node:crypto";
import { post } from "./mcp.ts";
import type { TestServer } from "./server.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** What clients read about the API before they call it. */
export interface Wire {
  openapi: JsonObject;
  tools: JsonObject[];
  events: JsonObject[];
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads everything that a server describes, with the key of every scope. */
export async function wireOf(server: TestServer): Promise<Wire> {
  const [openapi, tools, events] = await Promise.all([
    fetch(`${server.base}/openapi.json`).then((response) => response.json()),
    post(server, "2026-07-28", "tools/list"),
    post(server, "2026-07-28", "events/list"),
  ]);
  return { openapi: openapi as JsonObject, tools: tools.body.result.tools, events: events.body.result.events };
}

/** The same value with the keys of every object sorted, so that equal documents are equal texts. */
export function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key] as Json)]),
  );
}

/** SHA-256 of the canonical JSON text, in hex. */
export function digest(value: Json): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(value)))
    .digest("hex");
}

/**
 * Every difference between two documents, one per line, by JSON path. List items are matched by name if each has one,
 * otherwise by position.
 */
export function differences(before: Json | undefined, after: Json | undefined, path = "$"): string[] {
  if (before === undefined) return [`+ ${path}: ${JSON.stringify(after)}`];
  if (after === undefined) return [`- ${path}: ${JSON.stringify(before)}`];
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], path + step(key)));
  }
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, path);
  return before === after ? [] : [`~ ${path}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`];
}

function listDifferences(before: Json[], after: Json[], path: string): string[] {
  const [was, is] = [byName(before), byName(after)];
  if (was === undefined || is === undefined) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, i) => differences(before[i], after[i], `${path}[${i}]`)).flat();
  }
  const order = [...was.keys()].filter((name) => is.has(name));
  const newOrder = [...is.keys()].filter((name) => was.has(name));
  return [
    ...(order.join() === newOrder.join()
      ? []
      : [`~ ${path}: the order ${order.join(", ")} became ${newOrder.join(", ")}`]),
    ...[...new Set([...was.keys(), ...is.keys()])].flatMap((name) =>
      differences(was.get(name), is.get(name), path + step(name)),
    ),
  ];
}

function byName(list: Json[]): Map<string, Json> | undefined {
  const names = list.map((item) => (isObject(item) ? item.name : undefined));
  const unique = new Set(names).size === list.length && names.every((name) => typeof name === "string");
  return unique ? new Map(list.map((item, i) => [names[i] as string, item])) : undefined;
}

const step = (key: string) => (/^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
