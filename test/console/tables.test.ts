import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { Address, type Column, Table } from "../../src/console/ui/basics.tsx";
import { ROOT } from "../support/program.ts";

interface Row {
  name: string;
  note: string | null;
}

const drawn = (rows: readonly Row[], columns: readonly Column<Row>[], stacked?: boolean) =>
  renderToString(
    h(Table<Row>, { caption: "Rows", rows, columns, keyOf: ({ name }) => name, ...(stacked && { stacked }) }),
  );

const NAME: Column<Row> = { name: "Name", cell: ({ name }) => h("a", { href: "/x" }, name) };
const NOTE: Column<Row> = { name: "Note", cell: ({ note }) => note };

test("a column that is empty in every row of a table is left out", () => {
  const act: Column<Row> = { name: "Actions", act: true, cell: () => false };
  const none = drawn([{ name: "a", note: null }], [NAME, NOTE, act]);
  assert.doesNotMatch(none, /Note|Actions/);
  const one = drawn(
    [
      { name: "a", note: null },
      { name: "b", note: "x" },
    ],
    [NAME, NOTE, act],
  );
  assert.match(one, /<th[^>]*>Note<\/th>/);
  assert.equal(one.match(/data-label="Note"/g)?.length, 2);
  assert.doesNotMatch(one, /Actions/);
});

test("one column of a table takes the space that is left, sentences wrap, and only a text that shows on hover is cut", () => {
  const long = "A name that is longer than its column";
  const first = drawn([{ name: long, note: "x" }], [NAME, NOTE]);
  assert.equal(first.match(/<td class="[^"]*\bgrow\b/g)?.length, 1);
  assert.match(first, new RegExp(`<td class="grow name long" data-label="Name"><a href="/x">${long}</a>`));
  const second = drawn([{ name: "a", note: long }], [NAME, { ...NOTE, grow: "wrap" }]);
  assert.match(second, /<td class="name" data-label="Name">.*<td class="grow meta long"/);
  const text = long.repeat(3);
  assert.match(drawn([{ name: "a", note: text }], [NAME, NOTE]), new RegExp(`<td class="meta cut" title="${text}"`));
});

test("an address wraps after @ and /, and within a long part after its dots and hyphens", () => {
  const wraps = (text: string) => renderToString(h(Address, { text })).replaceAll("<wbr/>", "|");
  assert.equal(wraps("kwame.mensah@meridianfreight.example"), "kwame.mensah@|meridianfreight.example");
  assert.equal(wraps("https://a.example/in/ada-lovelace"), "https://a.example/|in/|ada-lovelace");
  assert.equal(wraps("socialnet.reconnect.requested"), "socialnet.|reconnect.|requested");
});

test("records have a name and a status in the first line of a phone, numbers to compare keep their names", () => {
  const rows = [{ name: "a", note: "x" }];
  const records = drawn(rows, [NOTE, { ...NAME, phone: "title" }]);
  assert.match(records, /<table class="records">.*<td class="grow meta"[^>]*>x<.*<td class="name"/);
  assert.match(drawn(rows, [NAME, { ...NOTE, phone: "end" }]), /<td class="end" data-label="Note"/);
  assert.doesNotMatch(drawn(rows, [NAME, NOTE], true), /records/);
});

test("the actions of a row are outlined buttons, and those that can't be undone are red", () => {
  const css = readFileSync(`${ROOT}src/console/ui/static/styles.css`, "utf8");
  const rule = /^\.act \{.*?^\}/ms.exec(css)?.[0] ?? "";
  assert.match(rule, /border: 1px solid/);
  assert.match(rule, /&\.danger \{\s*--tone: var\(--stopped\)/);
  assert.doesNotMatch(rule, /transparent;|var\(--quiet\)/);
});
