import { z } from "zod";
import { nearestName } from "../domain/text/nearest.ts";
import { oncePer } from "../lib/memo.ts";
import type { AnswerOptions } from "./context.ts";
import { inputSchema, isStrict, type JsonSchema } from "./json-schema.ts";
import { type Operation, pathNames } from "./operation.ts";
import { invalid, type Problem, type ProblemCode, problem } from "./problem.ts";
import { findUnstorable, type InputFault, unstorables } from "./unstorable.ts";

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
  .describe("A repeat with the same key writes nothing and returns the first response.");

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
