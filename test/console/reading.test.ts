import assert from "node:assert/strict";
import { test } from "node:test";
import { wordDiff } from "../../src/console/ui/diff.tsx";
import { hasMarkdown, parseMarkdown } from "../../src/domain/text/markdown.ts";

const marked = (before: string, after: string) =>
  wordDiff(before, after)
    .map(({ value, added, removed }) => (added ? `[+${value}]` : removed ? `[-${value}]` : value))
    .join("");

test("a diff has whole words, with what only spaces separate in one place", () => {
  assert.equal(marked("Hello Ada, how are you?", "Hello Eve, how are you?"), "Hello [-Ada][+Eve], how are you?");
  assert.equal(
    marked("We met on the red sofa yesterday.", "We met at a red sofa yesterday."),
    "We met [-on the][+at a] red sofa yesterday.",
  );
  assert.equal(marked("Well, thank you for it.", "Well, thanks for it."), "Well, [-thank you][+thanks] for it.");
  assert.equal(marked("Same text.", "Same text."), "Same text.");
  assert.equal(marked("", "New."), "[+New.]");
  assert.equal(marked("", ""), "");
});

test("a text that was written anew is shown whole, and not as a mosaic", () => {
  assert.equal(
    marked("Do you have time in May?", "The report is ready. Read it."),
    "[-Do you have time in May?][+The report is ready. Read it.]",
  );
});

test("a diff gives back both texts exactly", () => {
  const texts = ["a b, c\n\nd", "a  c, b\nd e", "x", "a b, c\n\nd f g", "Ünï cödé – “q”"];
  for (const before of texts) {
    for (const after of texts) {
      const parts = wordDiff(before, after);
      const of = (gone: "added" | "removed") =>
        parts
          .filter((part) => !part[gone])
          .map(({ value }) => value)
          .join("");
      assert.deepEqual([of("added"), of("removed")], [before, after]);
    }
  }
});

test("Markdown is read as blocks, and what is no Markdown stays text", () => {
  const text = (of: string) => [{ is: "text", text: of }];
  assert.deepEqual(parseMarkdown("## Plan\n\nOne\ntwo\n\n1. a\n2. b\n\n> said\n\n---\n```js\nx\n```"), [
    { is: "heading", level: 2, of: text("Plan") },
    { is: "paragraph", of: text("One\ntwo") },
    {
      is: "list",
      ordered: true,
      items: [
        { number: 1, of: text("a") },
        { number: 2, of: text("b") },
      ],
    },
    { is: "quote", of: text("said") },
    { is: "rule" },
    { is: "code", info: "js", text: "x" },
  ]);
  for (const kept of [
    "<b>raw</b>",
    "[id]: https://a.example",
    "<!-- c -->",
    "| a | b |",
    "```\nnever closed",
    "2*3*4",
  ]) {
    assert.deepEqual(parseMarkdown(kept), [{ is: "paragraph", of: text(kept) }]);
  }
});

test("emphasis, code and links are parts of a line, and an address is never hidden", () => {
  const [line] = parseMarkdown("**Now** _then_ `x*y` [here](https://a.example) \\*no\\*");
  assert.deepEqual(line, {
    is: "paragraph",
    of: [
      { is: "strong", of: [{ is: "text", text: "Now" }] },
      { is: "text", text: " " },
      { is: "em", of: [{ is: "text", text: "then" }] },
      { is: "text", text: " " },
      { is: "code", text: "x*y" },
      { is: "text", text: " " },
      { is: "link", text: "here", url: "https://a.example" },
      { is: "text", text: " " },
      { is: "text", text: "*" },
      { is: "text", text: "no" },
      { is: "text", text: "*" },
    ],
  });
});

test("only a text with Markdown counts as one", () => {
  for (const text of ["# A", "- a", "1. a", "**b**", "`c`", "[a](b)"]) assert.ok(hasMarkdown(text), text);
  for (const text of ["Hello #launch", "a - b", "5 * 3", "It costs 1.50"]) assert.equal(hasMarkdown(text), false, text);
});
