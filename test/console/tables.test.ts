import assert from "node:assert/strict";
import { test } from "node:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type Column, Table } from "../../src/console/ui/basics.tsx";

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

test("one column of a table takes the space that is left, and a text that may be cut is shown on hover", () => {
  const long = "A name that is longer than its column";
  const first = drawn([{ name: long, note: "x" }], [NAME, NOTE]);
  assert.equal(first.match(/<td class="[^"]*\bgrow\b/g)?.length, 1);
  assert.match(first, new RegExp(`<td class="grow name" title="${long}" data-label="Name"><a href="/x">${long}</a>`));
  const second = drawn([{ name: "a", note: long }], [NAME, { ...NOTE, grow: "line" }]);
  assert.match(second, new RegExp(`<td class="name" data-label="Name">.*<td class="grow clip meta" title="${long}"`));
});

test("records have a name and a status in the first line of a phone, numbers to compare keep their names", () => {
  const rows = [{ name: "a", note: "x" }];
  const records = drawn(rows, [NOTE, { ...NAME, phone: "title" }]);
  assert.match(records, /<table class="records">.*<td class="grow meta"[^>]*>x<.*<td class="name"/);
  assert.match(drawn(rows, [NAME, { ...NOTE, phone: "end" }]), /<td class="end" data-label="Note"/);
  assert.doesNotMatch(drawn(rows, [NAME, NOTE], true), /records/);
});
