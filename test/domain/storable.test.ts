import assert from "node:assert/strict";
import { test } from "node:test";
import { findUnstorable } from "../../src/core/unstorable.ts";

test("text that can't be stored is found at any depth", () => {
  assert.equal(findUnstorable({ a: ["x", { b: "é💥" }], c: 1, d: null }), undefined);
  assert.equal(findUnstorable({ a: [{ b: "x\0" }] })?.path, "a.0.b");
  assert.equal(findUnstorable({ a: { "\ud800": 1 } })?.path, "a");
  let deep: unknown = 1;
  for (let i = 0; i < 10_000; i += 1) deep = [deep];
  assert.match(findUnstorable({ deep })?.fault ?? "", /nested deeper/);
});
