import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasHidden, revealHidden } from "../../src/domain/text/hidden.ts";

/** The flag v is newer than the language level that the compiler is set to. */
const UNICODE_SETS = "gv";
const EMOJI = new RegExp(String.raw`\p{RGI_Emoji}`, UNICODE_SETS);

const HIDDEN: [string, string, string][] = [
  ["a change of direction", "ad\u202Etxt.exe", "ad[U+202E]txt.exe"],
  ["an isolate", "\u2066left\u2069", "[U+2066]left[U+2069]"],
  ["an Arabic letter mark", "a\u061Cb", "a[U+061C]b"],
  ["a zero-width space", "free\u200Bmium", "free[U+200B]mium"],
  ["a joiner where no emoji is", "a\u200Db", "a[U+200D]b"],
  ["a variation selector where no emoji is", "a\uFE0F", "a[U+FE0F]"],
  ["a soft hyphen", "co\u00ADop", "co[U+00AD]op"],
  ["a byte-order mark", "\uFEFFhello", "[U+FEFF]hello"],
  ["text in tags", "hi\u{E0041}\u{E0042}", "hi[U+E0041][U+E0042]"],
  ["a filler", "a\u3164b\u2800c", "a[U+3164]b[U+2800]c"],
  ["an empty sign", "a\u{1D159}b\u{13441}c\u{16FE4}", "a[U+1D159]b[U+13441]c[U+16FE4]"],
  ["a bell and a delete", "\u0007\u007F\u0085", "[U+0007][U+007F][U+0085]"],
  ["a line separator", "one\u2028two", "one[U+2028]two"],
  ["a carriage return that overprints", "good\rbad", "good[U+000D]bad"],
];

for (const [label, text, shown] of HIDDEN) {
  test(`${label} is shown by its number`, () => assert.equal(revealHidden(text), shown));
}

test("the quick search for usual letters and signs passes over no hidden character", () => {
  const missed: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    const isHidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u2800]/u.test(letter);
    if (isHidden && letter !== "\n" && letter !== "\t" && !hasHidden(`a${letter}b`)) missed.push(code.toString(16));
  }
  assert.deepEqual(missed, []);
});

test("visible text is unchanged: letters of any script, composed emoji and line breaks", () => {
  for (const text of [
    "",
    "Grüße, 世界, שלום, مرحبا, ไทย",
    "👩‍💻 ❤️ 1️⃣ 🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏽",
    "one\ntwo\r\nthree\tfour\u00A0five",
    "e\u0301",
    "[U+202E]",
  ]) {
    assert.equal(revealHidden(text), undefined, text);
  }
});

test("no text has hidden characters left after revealing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = revealHidden(text);
      if (shown !== undefined) assert.doesNotMatch(shown.replace(EMOJI, ""), /[\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});
