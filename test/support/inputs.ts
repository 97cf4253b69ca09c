import fc from "fast-check";
import type { JsonSchema } from "../../src/core/json-schema.ts";

const NASTY = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff x",
  "__proto__",
  "constructor",
  "💥",
  "x".repeat(5_000),
  "-1",
  "1e999",
  "'; --",
];

/** Any JSON value, including those that break careless code. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 1),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant([[[[[[]]]]]]),
);

/** A value for a text field, by its name. */
const TEXTS: [name: RegExp, texts: string[]][] = [
  [/url$|website$/i, ["https://socialnet.example/in/ada", "https://a.example", "http://a.example/?q=%20#x"]],
  [/time_?zone$/i, ["Europe/Lisbon", "UTC"]],
  [/domain$/, ["acme.example"]],
];

/** Values that a JSON Schema sometimes accepts. */
function likely(schema: JsonSchema, name = ""): fc.Arbitrary<unknown> {
  const given = schema as JsonSchema & Record<string, any>;
  const { enum: choices, anyOf, oneOf = anyOf, type, format, pattern, properties, items = {} } = given;
  const { minimum = -5, maximum = 120, minItems = 0, maxItems = 5 } = given;
  if (given.const !== undefined) return fc.constant(given.const);
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (oneOf !== undefined) return fc.oneof(...oneOf.map((one: JsonSchema) => likely(one, name)));
  if (format === "email") return fc.constantFrom("a@b.example", "A@B.example", "c@d.example");
  if (format === "uuid") return fc.uuid();
  if (format === "date") return fc.constantFrom("2026-11-20", "2026-02-30", "0001-01-01");
  if (format === "date-time")
    return fc.constantFrom("2026-11-20T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T00:00:00+14:00");
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") {
    const within = fc.integer({ min: minimum, max: Math.min(maximum, 1e9) });
    return fc.oneof({ weight: 4, arbitrary: within }, { weight: 1, arbitrary: fc.integer({ min: -5, max: 120 }) });
  }
  if (type === "array")
    return fc.array(likely(items), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 5)) });
  if (type === "object")
    return properties === undefined ? fc.constant({}) : fc.oneof(bodies(schema), likelyBodies(schema));
  if (type === "null") return fc.constant(null);
  const [, known = ["Acme", "a@b.example", "https://a.example"]] = TEXTS.find(([names]) => names.test(name)) ?? [];
  const text = fc.oneof(fc.string({ maxLength: 20 }), { weight: 3, arbitrary: fc.constantFrom(...known) });
  return pattern === undefined
    ? text
    : fc.oneof({ weight: 4, arbitrary: matching(pattern) }, { weight: 1, arbitrary: text });
}

/** Texts that match a pattern, if it is one that can be generated from. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, "u"), { size: "small" });
  } catch {
    return fc.constant("");
  }
}

/** Objects made of a schema's fields, each present or not, valid or not, sometimes with an unknown one. */
export function bodies(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    fc.oneof({ weight: 4, arbitrary: likely(property, name) }, { weight: 1, arbitrary: junk }),
  ]);
  const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
  const strangers = fc.dictionary(fc.constantFrom("stranger", "__proto__", "toString", "\0"), junk, { maxKeys: 1 });
  return fc
    .tuple(known, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: strangers }))
    .map(([a, b]) => ({ ...a, ...b }));
}

/** Inputs that a schema mostly accepts: its own examples, and objects with every required field. */
export function likelyBodies(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], examples = [] } = schema as JsonSchema & { examples?: object[] };
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, likely(property, name)]),
  );
  const made = fc.record(fields, { requiredKeys: required }) as fc.Arbitrary<Record<string, unknown>>;
  return examples.length === 0 ? made : fc.oneof(made, fc.constantFrom(...(examples as Record<string, unknown>[])));
}
