import assert from "node:assert/strict";
import { test } from "node:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { wordDiff } from "../../src/console/ui/diff.tsx";
import { hasMarkdown, Markdown, rendersWhole } from "../../src/console/ui/markdown.tsx";

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

test("a rewritten text is shown in full, not as a patchwork of changes", () => {
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

const shown = (text: string) =>
  renderToString(h(Markdown, { text, below: 2 })).replace(/^<div class="rendered">|<\/div>$/g, "");

test("a document is shown as its readers will see it, with headings below those of the page", () => {
  assert.equal(
    shown("# Plan\n\n### Why\n\nOne\ntwo\n\n3. a\n4. b\n\n> said\n\n---\n```js\nx\n```"),
    '<h3>Plan</h3><h4>Why</h4><p>One\ntwo</p><ol start="3"><li>a</li><li>b</li></ol>' +
      '<blockquote><p>said</p></blockquote><hr/><div class="copytext"><span class="hint">js</span>x\n</div>',
  );
  assert.equal(
    shown("**Now** _then_ `x*y`, \\*no\\*"),
    "<p><strong>Now</strong> <em>then</em> <code>x*y</code>, *no*</p>",
  );
});

test("a document is shown in full, and no link can be followed", () => {
  assert.equal(
    shown('[here](https://a.example/é "why")'),
    "<p><u>here</u> (<code>https://a.example/é</code> “why”)</p>",
  );
  assert.equal(shown("<https://a.example>"), "<p><code>https://a.example</code></p>");
  assert.equal(shown("[x](javascript:alert%281%29)"), "<p><u>x</u> (<code>javascript:alert%281%29</code>)</p>");
  assert.equal(
    shown("![a cat](https://a.example/c.png)"),
    '<p><span class="quiet">Image “a cat”: <code>https://a.example/c.png</code></span></p>',
  );
  for (const kept of ["<b>raw</b>", "<!-- c -->", "[id]: https://a.example", "| a | b |", "&#x202e;", "2 * 3 * 4"]) {
    assert.equal(shown(kept), `<p>${kept.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`);
  }
  assert.match(shown("[x](https://a.example/\u202e)"), /U\+202E/);
});

test("only a text with Markdown counts as one", () => {
  for (const text of ["# A", "- a", "1. a", "**b**", "`c`", "[a](b)"]) assert.ok(hasMarkdown(text), text);
  for (const text of ["Hello #launch", "a - b", "5 * 3", "It costs 1.50", "One\n\ntwo"]) {
    assert.equal(hasMarkdown(text), false, text);
  }
});

test("a text whose rendering has gaps that push the rest out of sight is not rendered", () => {
  for (const [what, line] of Object.entries({
    heading: "#\n",
    "line break": "\\\n",
    "empty link": "[]()\n",
    "list item": "-\n",
    quote: ">\n\n",
    "code in a quote": "> ```\n>\n>\n> ```\n",
    "blank code": "` `\n",
    "blank words": `${"\u00A0".repeat(20)}[]()`,
  })) {
    const text = (lines: number) => `Plan\n\n${line.repeat(lines)}\nLast`;
    assert.deepEqual([rendersWhole(text(2)), rendersWhole(text(40))], [true, false], what);
  }
  assert.equal(rendersWhole(`> \`\`\`\n${">\n".repeat(40)}> x`), false, "lines of code in a quote");
  assert.equal(rendersWhole("- a\n\n- b\n\n---\n\n```js\n```\n\n![](x)\n\n".repeat(9)), true);
});

test("a list whose numbers would be others, or cut off on a phone, is not rendered", () => {
  for (const whole of ["1. a\n2. b", "1. a\n1. b\n1. c", "3) a\n4) b", "1. a\n   7. b\n   8. c\n2. d", "- a\n- b"]) {
    assert.equal(rendersWhole(whole), true, whole);
  }
  for (const other of ["1. a\n7. b", "5550100. a", "1. a\n   - b\n     1. c\n     3. d", "2. a\n1. b"]) {
    assert.equal(rendersWhole(other), false, other);
  }
});

test("a text that the parser would cut off is known, and any other one is rendered whole", () => {
  const nested = (mark: string, levels: number) => `Plan\n\n${mark.repeat(levels)}x\n\nLast`;
  for (const [mark, most] of [
    ["- ", 9],
    ["1. ", 9],
    ["> ", 18],
    ["> - ", 6],
  ] as const) {
    assert.deepEqual([rendersWhole(nested(mark, most)), rendersWhole(nested(mark, most + 1))], [true, false], mark);
    assert.match(shown(nested(mark, most)), /x.*Last/s, mark);
  }
  assert.doesNotMatch(shown(nested("- ", 10)), /Last/, "the parser shows everything by now");
  const stressed = (levels: number) => `${"**".repeat(levels)}x${"**".repeat(levels)}`;
  assert.deepEqual([rendersWhole(stressed(9)), rendersWhole(stressed(5_000))], [true, false]);
});
