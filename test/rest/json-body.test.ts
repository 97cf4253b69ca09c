import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../../src/http/json.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

const BODIES = [
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"a":{"b":1,"b":1}}',
  '[{"a":1},{"a":1}]',
  '{"2":1,"1":2}',
  '{"__proto__":1}',
  '{"toJSON":1}',
  "0.1",
  "-0",
  "1.0",
  "1e400",
  "1e21",
  "9007199254740993",
  "9007199254740992",
  "0.30000000000000004",
  "2.9802322387695312e-8",
  "0.300000000000000045",
  "123456789012345678901",
  '"[[[[{{{{"',
  '"\\ud800"',
  nested(64),
  nested(65),
  `{"free":${nested(70)}}`,
  '{"free":{"a":1,"a":2}}',
];

/** The value, or why it is refused. */
function judged(text: string): unknown {
  try {
    return parseJson(Buffer.from(text), (field) => field === "free");
  } catch (error) {
    return (error as Error).message;
  }
}

test("a body is judged the same, however it is spaced", () => {
  for (const body of BODIES) assert.deepEqual(judged(body), judged(` ${body}\n`), body);
});

test("a name given twice, a number with too many digits and a deep body are refused without any space", () => {
  const refusals = BODIES.map(judged).filter((found) => typeof found === "string" && found.length > 9);
  assert.deepEqual(refusals, [
    "a appears twice in one object. Send it once.",
    "a appears twice in one object. Send it once.",
    "b appears twice in one object. Send it once.",
    "The number 9007199254740993 has too many digits. Send fewer digits.",
    "The number 0.300000000000000045 has too many digits. Send fewer digits.",
    "The number 123456789012345678901 has too many digits. Send fewer digits.",
    "The request body is nested deeper than 64 levels. Send a flatter one.",
  ]);
});
