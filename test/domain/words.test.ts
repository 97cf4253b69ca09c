import assert from "node:assert/strict";
import { test } from "node:test";
import { beginsWords, searchOf, withoutTopLevel, wordsOf } from "../../src/domain/text/words.ts";

test("a text has its words once each, without case, accents and punctuation", () => {
  for (const [text, words] of [
    ["O'Brien-Smith, Ada ADA", ["o", "brien", "smith", "ada"]],
    ["Müller “Söhne” — №1", ["muller", "sohne", "no1"]],
    ["ada.l@engines.example", ["ada", "l", "engines", "example"]],
    ["Иван Ёлкин", ["иван", "елкин"]],
    [" \u00a0\u2003% ", []],
    ["", []],
    ["x".repeat(100), ["x".repeat(64)]],
  ] as const)
    assert.deepEqual(wordsOf(text), words, text);
});

test("a search leaves top-level domains out of what it looks up in an index", () => {
  assert.deepEqual(searchOf("Ada engines.example"), {
    words: ["ada", "engines", "example"],
    indexed: ["ada", "engines"],
  });
  assert.deepEqual(searchOf("a.l@engines").indexed, ["a", "l", "engines"]);
  assert.equal(searchOf("a b c d e f g h i").words.length, 8);
  assert.equal(withoutTopLevel("ada@engines.example"), "ada@engines");
  assert.equal(withoutTopLevel("ada@localhost"), "");
});

test("each word of a search must begin a word of the record", () => {
  const words = wordsOf("Ada Lovelace");
  for (const text of ["a", "love a", "LOVELACE", ""]) assert.ok(beginsWords(wordsOf(text), words), text);
  for (const text of ["da", "ada x"]) assert.ok(!beginsWords(wordsOf(text), words), text);
});
