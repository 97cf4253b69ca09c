import { z } from "zod";
import { nearestName } from "../domain/text/nearest.ts";
import { MAX_FREE_DEPTH, MAX_JSON_DEPTH } from "../lib/json-text.ts";
import { oncePer } from "../lib/memo.ts";
import type { AnswerOptions } from "./context.ts";
import { Refusal } from "./envelope.ts";
import { type Operation, pathNames } from "./operation.ts";
import { invalid, isBare, type Problem, type ProblemCode, problem } from "./problem.ts";

/** Values of the names in an operation's path. */
export type PathParams = Readonly<Record<string, string>>;

/** Splits the flat object of tools and the command line into the path's values and the rest, as a route has them. */
export async function splitFlat(
  operation: Operation,
  read: () => unknown,
): Promise<{ params: PathParams; input: () => unknown }> {
  const names = pathNames(operation);
  if (names.length === 0) return { params: {}, input: read };
  const flat = await read();
  if (typeof flat !== "object" || flat === null) return { params: {}, input: () => flat };
  const inPath = ([name, value]: [string, unknown]) => names.includes(name) && typeof value === "string";
  const all = Object.entries(flat);
  return {
    params: Object.fromEntries(all.filter(inPath)) as PathParams,
    input: () => Object.fromEntries(all.filter((entry) => !inPath(entry))),
  };
}

/**
 * @param asTool whether the input is the arguments of a tool, which are stricter than a route
 * @throws Problem invalid_id for a name of the path, validation_failed for anything else
 */
export function parseInput(operation: Operation, params: PathParams, given: unknown, asTool = false): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw problem("validation_failed", `${asTool ? "arguments" : "The request body"} must be a JSON object.`);
  }
  const { raw, unknown } = asTool ? toolArguments(operation, given) : { raw: given, unknown: [] };
  const parsed = operation.input.safeParse({ ...raw, ...params });
  const shadowed = Object.keys(params).filter((name) => Object.hasOwn(raw, name) && isStrict(operation.input));
  const kept = parsed.success && shadowed.length === 0 && unknown.length === 0 ? parsed.data : undefined;
  if (kept !== undefined && findUnstorable(kept, operation.freeForm) === undefined) return kept;
  const issues = parsed.success ? [] : allIssues(operation.input, parsed.error, { ...raw, ...params });
  const inPath = issues.some(({ path }) => path.length === 1 && Object.hasOwn(params, String(path[0])));
  const faults = issues.flatMap((issue) => faultsOf(issue, operation, raw, params));
  const isWhole = ({ path }: InputFault) => path === "";
  throw inputProblem(inPath ? "invalid_id" : "validation_failed", [
    ...faults.filter((fault) => !isWhole(fault)),
    ...unknown,
    ...faults.filter(isWhole),
    ...shadowed.map((path) => ({ path, fault: "is set in the path. Remove it from the body" })),
    ...unstorables(parsed.success ? parsed.data : declared(operation.input, { ...raw, ...params }), operation.freeForm),
  ]);
}

/** Where an input is wrong, and how: `filter.email`, `must be an email address`. */
interface InputFault {
  path: string;
  fault: string;
  /** The fault is a sentence that names the field itself. */
  isSentence?: true;
  /** What helps with every fault of this kind, and so is said once. */
  hint?: string;
}

/** What the caller of a tool asks of the tool itself. The operation, and so its route, never sees it. */
export interface ToolArguments {
  detail: "compact" | "full";
  idempotencyKey: string | undefined;
  options: AnswerOptions;
}

const DETAIL = z.enum(["compact", "full"]).default("compact").describe("full: all fields.");
const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe("A repeat with the same key writes nothing and returns the first answer.");

/** The arguments of a tool that are not fields of its operation. */
export const toolOnly = oncePer(({ tool, idempotent }: Operation) => {
  const { compact, options = {} } = tool || {};
  return z.object({
    ...(compact !== undefined && { detail: DETAIL }),
    ...(idempotent && { idempotency_key: IDEMPOTENCY_KEY }),
    ...options,
  });
});

/**
 * Splits what a tool was given into its own arguments and the operation's input.
 *
 * @throws Problem validation_failed
 */
export function takeToolArguments(operation: Operation, given: object): { own: ToolArguments; input: object } {
  const schema = toolOnly(operation);
  const isOwn = ([name]: [string, unknown]) => Object.hasOwn(schema.shape, name);
  const all = Object.entries(given);
  if (!all.some(isOwn)) return { own: defaultArguments(operation), input: given };
  const parsed = schema.safeParse(Object.fromEntries(all.filter((entry) => isOwn(entry) && entry[1] !== null)));
  if (!parsed.success)
    throw inputProblem(
      "validation_failed",
      parsed.error.issues.flatMap((issue) => faultsOf(issue, operation, given)),
    );
  return { own: toArguments(parsed.data), input: Object.fromEntries(all.filter((entry) => !isOwn(entry))) };
}

const defaultArguments = oncePer((operation: Operation) => toArguments(toolOnly(operation).parse({})));

function toArguments(parsed: Record<string, unknown>): ToolArguments {
  const { detail = "full", idempotency_key: idempotencyKey, ...options } = parsed;
  return { detail, idempotencyKey, options } as ToolArguments;
}

/** The arguments that a tool has, and those that it needs. */
const argumentNames = oncePer((operation: Operation) => {
  const { properties = {}, required = [] } = inputSchema(operation);
  return {
    known: new Set([...Object.keys(properties), ...Object.keys(toolOnly(operation).shape)]),
    required: new Set(required),
  };
});

/**
 * The arguments of a tool without those that it does not have, which are faults, and without optional ones that are
 * null: models send null for what they leave out. Nulls deeper inside are values.
 */
function toolArguments(operation: Operation, given: object): { raw: object; unknown: InputFault[] } {
  const { known, required } = argumentNames(operation);
  const all = Object.entries(given);
  const isAbsent = ([name, value]: [string, unknown]) => value === null && !required.has(name);
  if (all.every((entry) => known.has(entry[0]) && !isAbsent(entry))) return { raw: given, unknown: [] };
  return {
    raw: Object.fromEntries(all.filter((entry) => known.has(entry[0]) && !isAbsent(entry))),
    unknown: all.filter(([name]) => !known.has(name)).map(([path]) => unknownField(path, path, [...known], given)),
  };
}

/**
 * A field that the input does not have, with the one that was probably meant. A field that was given as well is not
 * suggested.
 */
function unknownField(path: string, name: string, known: readonly string[], given: unknown): InputFault {
  if (known.includes(name)) return { path, fault: "can't be used here. Remove it" };
  const isGiven = (field: string) => typeof given === "object" && given !== null && Object.hasOwn(given, field);
  const free = known.filter((field) => !isGiven(field));
  const nearest = nearestName(name, free);
  const shown = name.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
  const unknown = { path, isSentence: true } as const;
  if (nearest !== undefined) return { ...unknown, fault: `Unknown field "${shown}". Did you mean "${nearest}"?` };
  const hint = known.length === 0 ? "" : ` Allowed fields: ${known.join(", ")}.`;
  return { ...unknown, fault: `Unknown field "${shown}". Remove it.`, hint };
}

/** Longer names are cut in messages. */
const MAX_SHOWN = 100;

/** More faults than this are counted, not listed. */
const MAX_FAULTS = 20;

/** One refusal that names every fault, so that a caller fixes an input in one go. */
function inputProblem(code: ProblemCode, found: readonly InputFault[]): Problem {
  const texts = new Map<string, string>();
  const hints = new Set([""]);
  for (const { path, fault, isSentence, hint = "" } of found) {
    const text = fault.replace(/(?<![.?])$/, ".") + (hints.has(hint) ? "" : hint);
    hints.add(hint);
    if (!texts.has(path)) texts.set(path, isSentence || path === "" ? upperFirst(text) : `${path}: ${text}`);
  }
  const faults = [...texts.values()];
  const more = faults.length - MAX_FAULTS;
  return invalid(
    more > 0
      ? [...faults.slice(0, MAX_FAULTS), `${more} more ${more === 1 ? "field is" : "fields are"} wrong.`]
      : faults,
    code,
  );
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A pipe stops after its first schema: here the second one looks at the same input too. */
function allIssues(schema: z.ZodType, error: z.ZodError, raw: unknown): z.core.$ZodIssue[] {
  const { in: entry, out } = schema.def as { in?: z.ZodType; out?: z.ZodType };
  if (entry === undefined || out === undefined) return error.issues;
  const second = out.safeParse(raw);
  return second.success ? error.issues : [...error.issues, ...second.error.issues];
}

/** What of an input its schema knows: the rest is ignored, or named as unknown. */
function declared(schema: z.ZodType, raw: object): object {
  const { shape, in: entry } = schema.def as { shape?: object; in?: z.ZodType };
  if (entry !== undefined) return declared(entry, raw);
  return Object.fromEntries(Object.entries(raw).filter(([name]) => shape !== undefined && Object.hasOwn(shape, name)));
}

function faultsOf(
  issue: z.core.$ZodIssue,
  operation: Operation,
  given: unknown,
  params: PathParams = {},
): InputFault[] {
  const path = (...names: PropertyKey[]) => [...issue.path, ...names].join(".");
  if (issue.code !== "unrecognized_keys") return [{ path: path(), fault: issue.message }];
  const known = Object.keys(propertiesAt(inputSchema(operation), issue.path)).filter((name) => !(name in params));
  const beside = issue.path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown>)?.[name], given);
  return issue.keys.map((name) => unknownField(path(name), name, known, beside));
}

/** The fields of an object inside an input. Empty where the schema leaves a choice between objects. */
function propertiesAt(schema: JsonSchema, path: readonly PropertyKey[]): Record<string, JsonSchema> {
  let at: JsonSchema | undefined = schema;
  for (const name of path) {
    at = typeof name === "number" ? (at?.items as JsonSchema | undefined) : at?.properties?.[String(name)];
  }
  return at?.properties ?? {};
}

/** Fields whose JSON is kept as it was parsed. */
type FreeForm = readonly string[] | undefined;

/**
 * Finds what cannot be stored or shown in a value: a NUL character or half a surrogate pair in a string or a name, or a
 * number that is not finite. Returns the path and what is wrong, or undefined. A free-form field is stored as JSON,
 * which can escape every character.
 */
export function findUnstorable(value: unknown, freeForm?: FreeForm): InputFault | undefined {
  return walk(value, freeForm);
}

function unstorables(value: unknown, freeForm: FreeForm): InputFault[] {
  const all: InputFault[] = [];
  walk(value, freeForm, all);
  return all;
}

/** Answers the first fault; given a list, adds every fault to it. */
function walk(
  value: unknown,
  freeForm: FreeForm,
  all?: InputFault[],
  path = "",
  depth = 0,
  isFree = false,
): InputFault | undefined {
  if (typeof value === "string") return isFree ? undefined : found(path, textFault(value), all);
  if (typeof value === "number" && !Number.isFinite(value))
    return found(path, "is too large a number. Send a smaller one", all);
  if (typeof value !== "object" || value === null) return undefined;
  const most = isFree ? MAX_FREE_DEPTH : MAX_JSON_DEPTH;
  if (depth >= most) return found(path, `can't be nested deeper than ${most} levels`, all);
  for (const [name, member] of Object.entries(value)) {
    const fault = isFree ? undefined : textFault(name);
    const named = fault === undefined ? undefined : found(path, `has a field name that ${fault}`, all);
    const free = isFree || (depth === 0 && freeForm !== undefined && freeForm.includes(name));
    const first = named ?? walk(member, freeForm, all, path === "" ? name : `${path}.${name}`, depth + 1, free);
    if (first !== undefined) return first;
  }
  return undefined;
}

function found(path: string, fault: string | undefined, all: InputFault[] | undefined): InputFault | undefined {
  if (fault === undefined) return undefined;
  if (all === undefined) return { path, fault };
  all.push({ path, fault });
  return undefined;
}

function textFault(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL character. Remove it";
  if (!text.isWellFormed()) return "contains half of a surrogate pair. Send well-formed Unicode";
  return undefined;
}

/** Whether a schema refuses unknown fields; of a pipe, its input decides. */
function isStrict(schema: z.ZodType): boolean {
  const { catchall, in: entry } = schema.def as { catchall?: z.ZodType; in?: z.ZodType };
  return entry === undefined ? catchall?.def.type === "never" : isStrict(entry);
}

/** What is wrong with a value, to follow the field's name: `limit must be 100 or less.` */
function explain(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${typeName(issue.expected)}`;
    case "too_big":
      return issue.origin === "string"
        ? `must be ${issue.maximum} characters or fewer`
        : issue.origin === "array"
          ? `can have ${issue.maximum} entries at most`
          : issue.inclusive === false
            ? `must be less than ${issue.maximum}`
            : `must be ${issue.maximum} or less`;
    case "too_small":
      return issue.origin === "string"
        ? issue.minimum === 1
          ? "can't be empty"
          : `must be at least ${issue.minimum} characters long`
        : issue.origin === "array"
          ? `must have at least ${issue.minimum === 1 ? "one entry" : `${issue.minimum} entries`}`
          : issue.inclusive === false
            ? `must be more than ${issue.minimum}`
            : `must be ${issue.minimum} or more`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${oneOf(issue.values.map(String))}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "has the wrong format";
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has a value of the wrong kind";
    default:
      return "has a value that isn't allowed";
  }
}

const oneOf = (values: readonly string[]) => (values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`);

const FORMATS: Record<string, string> = {
  datetime: "must be a date and time such as 2026-11-20T09:30:00Z",
  date: "must be a date such as 2026-11-20",
  email: "must be an email address such as name@example.com",
  guid: "must be a UUID",
  uuid: "must be a UUID",
  url: "must be a URL such as https://example.com",
};

function typeName(expected: string): string {
  if (expected === "int") return "a whole number";
  if (expected === "record") return "an object";
  if (expected === "boolean") return "true or false";
  if (expected === "null") return expected;
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

/** Makes every schema use these messages, except where it declares its own. */
export function useErrorMessages(): void {
  z.config({ customError: explain });
}

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
      code: { type: "string", description: "Of a refusal: its stable code." },
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
