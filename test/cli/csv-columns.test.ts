import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import {
  COLUMN_FIELDS,
  type ColumnField,
  columnKey,
  findHeader,
  identifies,
  KNOWN_COLUMNS,
  planColumns,
  readFields,
} from "../../src/services/contacts/csv/columns.ts";

const read = (header: string[], cells: string[], mapping?: ReadonlyMap<string, ColumnField>) =>
  readFields(planColumns(header, mapping), cells);

test("every known column is recognized in any letter case, with spaces around it or a byte-order mark before it", () => {
  for (const field of COLUMN_FIELDS) {
    for (const known of KNOWN_COLUMNS[field]) {
      const name = known.replace("#", "2");
      for (const written of [name, ` ${name.toUpperCase()} `, `\uFEFF${name}`, name.replaceAll(" ", "_")]) {
        const { sources, ignored } = planColumns([written, "Connected On"]);
        assert.deepEqual([sources, ignored], [{ [field]: [0] }, ["Connected On"]], written);
      }
    }
  }
});

test("no column name maps to two fields", () => {
  const names = COLUMN_FIELDS.flatMap((field) => KNOWN_COLUMNS[field]);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(names.map(columnKey), names, "and each is written in the form that is compared");
});

test("docs/import.md lists exactly the known columns", () => {
  const text = readFileSync(new URL("../../docs/import.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, field, names = ""]) => [
    field,
    names.split(", ").map((name) => name.replaceAll("`", "")),
  ]);
  assert.deepEqual(Object.fromEntries(rows), KNOWN_COLUMNS);
});

test("unknown columns are ignored and reported, and unnamed ones are not reported", () => {
  const { ignored } = planColumns(["Email", "Lifecycle Stage", "", "E-mail 1 - Label", " Notes "]);
  assert.deepEqual(ignored, ["Lifecycle Stage", "E-mail 1 - Label", "Notes"]);
});

test("URL is a profile only in the network's own export", () => {
  assert.deepEqual(planColumns(["First Name", "URL", "Connected On"]).sources.socialnet_url, [1]);
  assert.deepEqual(planColumns(["First Name", "URL"]).ignored, ["URL"]);
});

test("of several columns for one field, the most trusted one with a value is used", () => {
  const header = ["E-mail 1 - Value", "E-mail 2 - Value", "Email"];
  assert.equal(read(header, ["a@x.example", "b@x.example", "c@x.example"]).email, "c@x.example");
  assert.equal(read(header, ["", "b@x.example", "  "]).email, "b@x.example");
  assert.deepEqual(read(header, ["", "", ""]), {});
});

test("a mapping adds columns, and replaces the known columns of its fields", () => {
  const mapping = new Map<string, ColumnField>([
    ["private mail", "email"],
    ["firma", "company"],
  ]);
  const header = ["Email", "Private Mail", "Firma", "First Name"];
  const plan = planColumns(header, mapping);
  assert.deepEqual(plan, { sources: { email: [1], first_name: [3], company: [2] }, ignored: ["Email"] });
});

test("a cell with several addresses gives the first", () => {
  assert.equal(read(["Email addresses"], ["ada@x.example, ada@y.example"]).email, "ada@x.example");
  assert.equal(read(["E-mail 1 - Value"], ["ada@x.example ::: ada@y.example"]).email, "ada@x.example");
  assert.equal(read(["Phone 1 - Value", "Email"], ["+1 555 1 ::: +1 555 2", ""]).phone, "+1 555 1");
  assert.equal(read(["Phone numbers", "Email"], ["+1 555 1, ext. 2", ""]).phone, "+1 555 1, ext. 2");
});

test("a full name is split, unless there are separate first and last names", () => {
  const cases: [string, object][] = [
    ["Ada Lovelace", { first_name: "Ada", last_name: "Lovelace" }],
    ["Ada  King Lovelace", { first_name: "Ada", last_name: "King Lovelace" }],
    ["Lovelace, Ada King", { first_name: "Ada King", last_name: "Lovelace" }],
    ["Ada Lovelace, PhD", { first_name: "Ada", last_name: "Lovelace, PhD" }],
    ["Ada", { first_name: "Ada" }],
    ["ada@lovelace.example", {}],
    [" ", {}],
  ];
  for (const [name, expected] of cases) assert.deepEqual(read(["Record"], [name]), expected, name);
  assert.deepEqual(read(["Name", "Given Name"], ["Ada Lovelace", "Augusta"]), {
    first_name: "Augusta",
    last_name: "Lovelace",
  });
});

test("labels become tags, except Google's own", () => {
  assert.deepEqual(read(["Labels"], ["Work ::: * myContacts ::: Met, in Lisbon"]).tags, ["Work", "Met, in Lisbon"]);
  assert.equal(read(["Labels"], ["* myContacts"]).tags, undefined);
  assert.deepEqual(read(["Tags"], ["a, b;c,,"]).tags, ["a", "b", "c"]);
});

test("the header is the first row with a column that names a person; rows above it are skipped", () => {
  const header = ["First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"];
  assert.equal(findHeader([["Notes:"], ["When exporting your data, …"], header, ["Ada"]]), 2);
  assert.equal(
    findHeader([
      ["Company", "Phone"],
      ["Acme", "1"],
    ]),
    undefined,
  );
  assert.equal(findHeader([["Wer", "Firma"]], new Map([["wer", "name"]])), 0);
  for (const name of ["email", "First Name", "Last Name", "Full name"])
    assert.ok(identifies(planColumns([name])), name);
});

test("no header or row makes it throw, and no value read is empty", () => {
  const cells = fc.array(fc.oneof(fc.string(), fc.constantFrom("Name", "Email", "Labels", " ::: ", ", ", "* x")));
  fc.assert(
    fc.property(cells, cells, (header, row) => {
      const { tags = [], ...fields } = read(header, row);
      for (const value of [...Object.values(fields), ...tags]) assert.notEqual(value.trim(), "");
    }),
  );
});
