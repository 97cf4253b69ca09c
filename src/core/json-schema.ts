import { z } from "zod";
import { oncePer } from "../lib/memo.ts";
import { Refusal } from "./envelope.ts";
import type { Operation } from "./operation.ts";
import { isBare } from "./problem.ts";

/** A JSON Schema of draft 2020-12, with the keywords that we read. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

type Direction = "input" | "output";

/** The schema of what a caller may send, with every definition inlined. */
export function inputSchema(operation: Operation): JsonSchema {
  return inlined(operation.input, "input");
}

export const inputProperties = oncePer(
  (operation: Operation): Record<string, JsonSchema> => inputSchema(operation).properties ?? {},
);

/** Whether a field of the body may hold any JSON: it is kept as it is, or the operation ignores it. */
export const isFreeForm = oncePer((operation: Operation) => {
  const known = new Set(Object.keys(inputProperties(operation)));
  const ignoresOthers = !isStrict(operation.input);
  return (field: string) => (operation.freeForm?.includes(field) ?? false) || (ignoresOthers && !known.has(field));
});

const BARE = ["reason", "nextWindowAt"];

/**
 * The envelope that a tool answers, refusals included: `data` may be null and only `error` is always there, so that a
 * client which validates structured content accepts a refusal too.
 */
export function envelopeSchema(operation: Operation): JsonSchema {
  const refusal = inlined(Refusal, "output").properties ?? {};
  return {
    type: "object",
    properties: {
      data: { anyOf: [inlined(operation.output, "output"), { type: "null" }] },
      ...(operation.meta === undefined ? {} : { meta: inlined(operation.meta, "output") }),
      error: { type: ["string", "null"], description: "null, or what is wrong and how to fix it." },
      code: { type: "string", description: "The stable code of a refusal." },
      correlationId: { type: "string" },
      ...(operation.errors.some(isBare) ? Object.fromEntries(BARE.map((name) => [name, refusal[name]])) : {}),
    },
    required: ["error"],
  };
}

/** Whether the answer holds a secret that is shown only once. */
export const hasSecret = oncePer(({ output }: Operation) => holdsSecret(output));

function holdsSecret(schema: z.ZodType): boolean {
  const { shape = {}, options = [] } = schema as { shape?: Record<string, z.ZodType>; options?: readonly z.ZodType[] };
  return options.some(holdsSecret) || Object.values(shape).some((field) => field.meta()?.secret === true);
}

/** A schema with references below `prefix` to the schemas that have a name, and those named schemas. */
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

function inlined(schema: z.ZodType, io: Direction): JsonSchema {
  const { $defs = {}, ...root } = convert(schema, io);
  const definitions = $defs as Record<string, JsonSchema>;
  const inline = (name: string): JsonSchema => mapRefs(definitions[name] ?? {}, inline);
  return mapRefs(root, inline);
}

function convert(schema: z.ZodType, io: Direction): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      delete jsonSchema.secret;
      // The format already implies the pattern, and answers may gain fields.
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

/** Whether a schema refuses unknown fields; of a pipe, its input decides. */
export function isStrict(schema: z.ZodType): boolean {
  const { catchall, in: entry } = schema.def as { catchall?: z.ZodType; in?: z.ZodType };
  return entry === undefined ? catchall?.def.type === "never" : isStrict(entry);
}
