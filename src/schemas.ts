import { z } from "zod";
import { Refusal } from "./envelope.ts";
import type { Operation } from "./operation.ts";
import { isBare } from "./problem.ts";

/** A JSON Schema of draft 2020-12, as far as we look into one. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

type Direction = "input" | "output";

/** What a caller may send, every schema written in place. */
export function inputSchema(operation: Operation): JsonSchema {
  return inPlace(operation.input, "input");
}

export function inputProperties(operation: Operation): Record<string, JsonSchema> {
  return inputSchema(operation).properties ?? {};
}

const BARE = ["reason", "nextWindowAt"];

/**
 * The envelope that a tool answers, refusals included: `data` may be null and only `error` is always there, so that a
 * client which validates structured content accepts a refusal too.
 */
export function envelopeSchema(operation: Operation): JsonSchema {
  const refusal = inPlace(Refusal, "output").properties ?? {};
  return {
    type: "object",
    properties: {
      data: { anyOf: [inPlace(operation.output, "output"), { type: "null" }] },
      ...(operation.meta === undefined ? {} : { meta: inPlace(operation.meta, "output") }),
      error: { type: ["string", "null"], description: "null, or what was wrong and how to mend it." },
      code: { type: "string", description: "Of a refusal: its stable code." },
      correlationId: { type: "string" },
      ...(operation.errors.some(isBare) ? Object.fromEntries(BARE.map((name) => [name, refusal[name]])) : {}),
    },
    required: ["error"],
  };
}

/** Whether the answer holds something that is shown this once. */
export function hasSecret({ output }: Operation): boolean {
  const { shape = {} } = output as { shape?: Record<string, z.ZodType> };
  return Object.values(shape).some((field) => field.meta()?.secret === true);
}

/** A schema in which those with a name are references below `prefix`, and the named ones beside it. */
export function namedSchemas(
  schema: z.ZodType,
  io: Direction,
  prefix: string,
): { schema: JsonSchema; named: Record<string, JsonSchema> } {
  const { $defs = {}, ...root } = convert(schema, io);
  const refer = (name: string) => ({ $ref: prefix + name });
  const named = Object.entries($defs as Record<string, JsonSchema>);
  return {
    schema: mapRefs(root, refer),
    named: Object.fromEntries(named.map(([name, definition]) => [name, mapRefs(definition, refer)])),
  };
}

function inPlace(schema: z.ZodType, io: Direction): JsonSchema {
  const { $defs = {}, ...root } = convert(schema, io);
  const definitions = $defs as Record<string, JsonSchema>;
  const place = (name: string): JsonSchema => mapRefs(definitions[name] ?? {}, place);
  return mapRefs(root, place);
}

function convert(schema: z.ZodType, io: Direction): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      // A format says it better than the pattern that stands behind it, and answers may gain fields.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return json as JsonSchema;
}

/** Copies a schema, each reference to a definition replaced. */
function mapRefs(value: JsonSchema, replace: (name: string) => JsonSchema): JsonSchema {
  if (typeof value.$ref === "string") return replace(value.$ref.replace("#/$defs/", ""));
  const copy = (member: unknown): unknown => {
    if (Array.isArray(member)) return member.map(copy);
    return typeof member === "object" && member !== null ? mapRefs(member as JsonSchema, replace) : member;
  };
  return Object.fromEntries(Object.entries(value).map(([keyword, member]) => [keyword, copy(member)]));
}
