/**
 * The schemas of tools. A model reads them before it does anything, so they say what it needs and no more, and some
 * providers refuse keywords that others take. The API description has the same schemas in full.
 */

import { z } from "zod";
import { envelopeSchema, inputSchema, type JsonSchema } from "../core/json-schema.ts";
import type { Operation } from "../core/operation.ts";
import { toolOnly } from "../core/schema.ts";

/** Providers differ in which formats they take, but for this one. */
const FORMAT = "date-time";
/** The server checks these and names what is wrong. They would take a tenth of the budget. */
const LEFT_OUT = new Set<unknown>(["additionalProperties", "examples", "pattern", "minLength", "maxLength"]);
/** Bounds that no honest value meets. */
const FAR = 10_000;
const isWide: Record<string, (bound: unknown) => boolean> = {
  minimum: (bound) => bound === 0 || Number(bound) <= -FAR,
  maximum: (bound) => Number(bound) >= FAR,
};

/** The arguments of a tool, those of its operation first: an object at the root. */
export function toolInput(operation: Operation): JsonSchema {
  const { properties, ...input } = inputSchema(operation);
  const own = z.toJSONSchema(toolOnly(operation), { io: "input" }).properties as Record<string, JsonSchema>;
  return { ...slim({ ...input, properties: { ...properties, ...own } }), additionalProperties: false };
}

function slim(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !LEFT_OUT.has(keyword) && !(keyword === "format" && value !== FORMAT) && isWide[keyword]?.(value) !== true,
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, keyword === "properties" ? slimEach(value) : slimValue(value)]),
  );
}

const slimEach = (properties: unknown) =>
  Object.fromEntries(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => [name, slim(property)]),
  );

function slimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimValue);
  return typeof value === "object" && value !== null ? slim(value as JsonSchema) : value;
}

/**
 * The answer of a tool, refusals included: `data` may be null, and only `error` is always there. The keys of the first
 * two levels are declared. What is below them, and what answers gain later, is open.
 */
export function toolOutput(operation: Operation): JsonSchema {
  const { properties = {}, required } = envelopeSchema(operation);
  const { data, meta, ...refusal } = properties;
  return {
    type: "object",
    properties: {
      data: outline(data as JsonSchema, DEPTH),
      ...(meta === undefined ? {} : { meta: outline(meta, 1) }),
      ...Object.fromEntries(Object.keys(refusal).map((name) => [name, name === "error" ? ERROR : {}])),
    },
    required,
  } as JsonSchema;
}

const DEPTH = 2;
const ERROR = { type: ["string", "null"] };

/** The keys of a schema, so many levels deep. Alternatives become one schema with the keys of all. */
function outline(schema: JsonSchema, depth: number): JsonSchema {
  const all = alternatives(schema);
  const types = [...new Set(all.flatMap(({ type }) => type ?? []))];
  const type = types.length === 1 ? types[0] : types;
  if (depth === 0 || !types.some((one) => one === "object" || one === "array")) return {};
  const items = all.flatMap(({ items }) => (items === undefined ? [] : [items as JsonSchema]));
  const keys = new Map<string, JsonSchema[]>();
  for (const { properties = {} } of all) {
    for (const [name, property] of Object.entries(properties)) keys.set(name, [...(keys.get(name) ?? []), property]);
  }
  return {
    type,
    ...(items.length > 0 && { items: outline({ anyOf: items }, depth) }),
    ...(keys.size > 0 && {
      properties: Object.fromEntries([...keys].map(([name, each]) => [name, outline({ anyOf: each }, depth - 1)])),
    }),
  };
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  const { anyOf, oneOf, allOf, ...own } = schema as Record<string, JsonSchema[] | undefined>;
  const nested = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])].flatMap(alternatives);
  if (nested.length > 0) return nested;
  if ("const" in own || "enum" in own) return [{ type: (own as JsonSchema).type ?? "string" }];
  return [own as JsonSchema];
}
