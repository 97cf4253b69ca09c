import fc from "fast-check";
import type { JsonSchema } from "../../src/core/schema.ts";

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

/** Any JSON value, with those that break careless code. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 1),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant([[[[[[]]]]]]),
);

/** Values that a JSON Schema would take, now and then. */
function likely(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { enum: choices, anyOf, type, format, properties, items } = schema as JsonSchema & Record<string, unknown>;
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as JsonSchema[]).map(likely));
  if (format === "email") return fc.constantFrom("a@b.example", "A@B.example", "c@d.example");
  if (format === "uuid") return fc.uuid();
  if (format === "date-time")
    return fc.constantFrom("2026-11-20T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T00:00:00+14:00");
  if (type === "integer" || type === "number") return fc.integer({ min: -5, max: 120 });
  if (type === "array") return fc.array(likely((items ?? {}) as JsonSchema), { maxLength: 5 });
  if (type === "object") return bodies({ properties: properties ?? {} } as JsonSchema);
  if (type === "null") return fc.constant(null);
  return fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("https://a.example", "Acme", "a@b.example"));
}

/** Objects made of a schema's own fields, each there or not, right or wrong, with a stranger among them at times. */
export function bodies(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    fc.oneof({ weight: 4, arbitrary: likely(property) }, { weight: 1, arbitrary: junk }),
  ]);
  const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
  const strangers = fc.dictionary(fc.constantFrom("stranger", "__proto__", "toString", "\0"), junk, { maxKeys: 1 });
  return fc
    .tuple(known, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: strangers }))
    .map(([a, b]) => ({ ...a, ...b }));
}
