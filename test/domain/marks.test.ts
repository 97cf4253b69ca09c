import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf } from "../../src/domain/text/marks.ts";

test("the API marks every character that the console reveals as hidden", () => {
  for (const hidden of ["\u200b", "\u202e", "\ufff9", "\u2800", "\u{13437}", "\u{e0041}", "\u0007", "\u2028"]) {
    const name = `Ada${hidden}Eve`;
    assert.deepEqual(marksOf(name, name, false), ["hidden"], JSON.stringify(hidden));
  }
  assert.deepEqual(marksOf("Ada Eve", "Ada Eve", false), []);
});
