import assert from "node:assert/strict";
import { test } from "node:test";
import { useErrorMessages } from "../../src/core/error-messages.ts";
import { inputSchema, type JsonSchema } from "../../src/core/json-schema.ts";
import type { Operation } from "../../src/core/operation.ts";
import { Problem, problem, problems } from "../../src/core/problem.ts";
import { parseInput } from "../../src/core/schema.ts";
import { operations } from "../../src/tools/index.ts";

/** Validator jargon, text without a next step, and words that the project does not use. */
const JARGON = [
  /\bInvalid (?:GUID|UUID|input|string|email|option|key|element|ISO|format|URL)/i,
  /\bis not a record\b/,
  /\bfewer than 1 entries\b/,
  /\bexpected [\w"]+, received\b/i,
  /\bToo (?:small|big)\b/,
  /\bUnrecognized key/i,
  /\bis not a field of this operation\b/,
  /\bZodError\b|"code":|\[object|\bundefined\b|\bNaN\b/,
  /\bleave it out\b|\banew\b|\bmend\b|\be-mail\b|\bnobody\b|\bsomebody\b|\bwhoever\b|\bhand in\b/i,
];

function assertPlain(message: string, about: string): void {
  for (const jargon of JARGON) assert.doesNotMatch(message, jargon, about);
  assert.match(message, /[.?]$/, about);
}

test("every code has its own message: sentences without jargon, with the next step", () => {
  const seen = new Set<string>();
  for (const [code, { means }] of Object.entries(problems)) {
    assertPlain(means, code);
    const sentences = means.split(/[.?] (?=[A-Z])/);
    assert.ok(sentences.length <= 3 && means.length >= 40, `${code}: ${means}`);
    assert.ok(means.split(" ").length <= 35 && !means.includes(";"), `${code}: ${means}`);
    assert.ok(!seen.has(means), code);
    seen.add(means);
  }
});

test("a message about a field reads as a sentence, and keeps the field for forms", () => {
  const said = problem("validation_failed", "limit: must be 100 or less.");
  assert.deepEqual([said.message, said.faults], ["limit must be 100 or less.", ["limit: must be 100 or less."]]);
  assert.equal(problem("validation_failed", "It stays: as it is.").message, "It stays: as it is.");
});

/** A field of an input, or of a nested object or list. */
interface Field {
  path: (string | number)[];
  schema: JsonSchema;
  isRequired: boolean;
  /** An input with the field: an object around it, with its other required fields. */
  around: object;
}

const choicesOf = (schema: JsonSchema) => (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;

const FORMATTED: Record<string, string> = {
  uuid: "0190aaaa-0000-7000-8000-00000000abcd",
  email: "ada@acme.example",
};

/** A value that the schema accepts, as far as it says. */
function valid(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = choicesOf(schema);
  if (choices !== undefined) return valid(choices[0] as JsonSchema);
  switch (schema.type) {
    case "object":
      return Object.fromEntries((schema.required ?? []).map((name) => [name, valid(schema.properties?.[name] ?? {})]));
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 0) }, () => valid(schema.items as JsonSchema));
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return FORMATTED[String(schema.format)] ?? "x";
  }
}

/** Every field of a schema, at any depth. */
function fieldsOf(schema: JsonSchema, path: Field["path"], wrap: (value: unknown) => object): Field[] {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.flatMap((choice) => fieldsOf(choice, path, wrap));
  if (schema.type === "array") {
    return fieldsOf((schema.items ?? {}) as JsonSchema, [...path, 0], (value) => wrap([value]));
  }
  const whole = valid(schema) as object;
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = [...path, name];
    const isRequired = schema.required?.includes(name) === true;
    const own = { path: at, schema: field, isRequired, around: wrap(whole) };
    return [own, ...fieldsOf(field, at, (value) => wrap({ ...whole, [name]: value }))];
  });
}

/** The input with another value in one place; undefined removes it. */
function withValue(input: unknown, [name, ...rest]: Field["path"], value: unknown): unknown {
  if (name === undefined) return value;
  const copy = (Array.isArray(input) ? [...input] : { ...(input as object) }) as Record<string | number, unknown>;
  if (rest.length === 0 && value === undefined) delete copy[name];
  else copy[name] = withValue(copy[name], rest, value);
  return copy;
}

/** Ways to break a field: each with a value that its schema refuses. */
function broken({ schema, isRequired }: Field): [way: string, value: unknown][] {
  const { maxLength, minLength, maximum, minimum, maxItems, minItems } = schema as Record<string, number | undefined>;
  const choices = choicesOf(schema) ?? [schema];
  const takes = (type: string) => choices.some((one) => one.type === type || one.type === undefined);
  return [
    ...(isRequired ? ([["missing", undefined]] as [string, unknown][]) : []),
    ...(takes("string") || choices.some((one) => one.enum || one.const) ? [] : [["a text", "x"] as [string, unknown]]),
    ...(takes("object") ? [] : [["an object", {}] as [string, unknown]]),
    ...(takes("array") ? [] : [["a list", [[]]] as [string, unknown]]),
    ...(takes("boolean") ? [] : [["a boolean", true] as [string, unknown]]),
    ...(takes("number") || takes("integer") ? [["an enormous number", Infinity] as [string, unknown]] : []),
    ...(maxLength === undefined ? [] : [["too long", "x".repeat(maxLength + 1)] as [string, unknown]]),
    ...(minLength === undefined ? [] : [["empty", ""] as [string, unknown]]),
    ...(maximum === undefined ? [] : [["too large", maximum + 1] as [string, unknown]]),
    ...(minimum === undefined ? [] : [["too small", minimum - 1] as [string, unknown]]),
    ...(schema.type === "integer" ? [["a fraction", 1.5] as [string, unknown]] : []),
    ...(maxItems === undefined
      ? []
      : [["too many", Array(maxItems + 1).fill(valid(schema.items as JsonSchema))] as [string, unknown]]),
    ...(minItems === undefined ? [] : [["too few", []] as [string, unknown]]),
    ...(schema.format === undefined && schema.pattern === undefined
      ? []
      : [["of a bad format", "?"] as [string, unknown]]),
    ...(schema.enum === undefined ? [] : [["not in the list", "no such value"] as [string, unknown]]),
  ];
}

function refusalOf(operation: Operation, input: unknown, asTool: boolean): Problem | undefined {
  try {
    parseInput(operation, {}, input, asTool);
    return undefined;
  } catch (refusal) {
    if (refusal instanceof Problem) return refusal;
    throw refusal;
  }
}

/** Whether a message is about a field, or about the object that contains it. */
function names(message: string, path: Field["path"]): boolean {
  const at = path.join(".");
  return [`${at} `, `"${at}"`, `${at}.`].some((text) => message.includes(text));
}

test("the message for any invalid field names it in plain words", () => {
  useErrorMessages();
  let refused = 0;
  for (const operation of operations as readonly Operation[]) {
    const schema = inputSchema(operation);
    for (const field of fieldsOf(schema, [], (value) => value as object)) {
      for (const [way, value] of broken(field)) {
        for (const asTool of [false, true]) {
          const refusal = refusalOf(operation, withValue(field.around, field.path, value), asTool);
          const about = `${operation.name} ${field.path.join(".")}, ${way}: ${refusal?.message}`;
          // An unsupported delivery mode has its own code, checked before any field.
          if (refusal === undefined || refusal.code === "delivery_mode_unsupported") continue;
          refused += 1;
          assertPlain(refusal.message, about);
          assert.ok(names(refusal.message, field.path), about);
        }
      }
    }
  }
  assert.ok(refused > 2_000, String(refused));
});

test("an unknown field is named with the closest known one, at any depth", () => {
  useErrorMessages();
  const find = (name: string) => (operations as readonly Operation[]).find((one) => one.name === name) as Operation;
  for (const [name, input, said] of [
    ["query_contacts", { filter: { emial: "a@b.example" } }, 'Unknown field "filter.emial". Did you mean "email"?'],
    ["socialnet_command", { command: "setup", action_id: "x" }, 'Unknown field "action_id". Did you mean "actionId"?'],
    ["socialnet_command", { command: "setup", id: "x" }, 'Unknown field "id". Remove it.'],
    ["socialnet_command", { command: "setup", leaseToken: "x" }, "leaseToken "],
  ] as const) {
    for (const asTool of [false, true]) {
      const message = refusalOf(find(name), input, asTool)?.message ?? "";
      assert.ok(message.includes(said), `${name}: ${message}`);
    }
  }
});
