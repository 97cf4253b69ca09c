import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type CsvRow, inspectCsv, readCsv } from "../../src/services/contacts/csv/file.ts";
import { RejectedRows } from "../../src/services/contacts/csv/rejected-rows.ts";
import { fieldsOf, readContactText } from "../../src/services/contacts/csv/text.ts";
import { longestTurn } from "../support/longest-turn.ts";
import { temporaryFolder } from "../support/server.ts";

async function read(t: TestContext, content: string | Uint8Array, delimiter = ","): Promise<CsvRow[]> {
  const path = join(temporaryFolder(t), "file.csv");
  writeFileSync(path, content);
  const rows: CsvRow[] = [];
  for await (const row of readCsv(await inspectCsv(path), delimiter)) rows.push(row);
  return rows;
}

/** Each kind of row: its text and the cells read from it, or none if it can't be read. */
const KINDS: ((i: number) => [string, string[] | undefined])[] = [
  (i) => [`${i},plain,x`, [`${i}`, "plain", "x"]],
  (i) => [`${i},"a ""quoted"" word, and more",`, [`${i}`, 'a "quoted" word, and more', ""]],
  (i) => [`${i},"over\nthree\r\nlines",ü🚀`, [`${i}`, "over\nthree\r\nlines", "ü🚀"]],
  (i) => [`${i},"",${"long ".repeat(i % 300)}.`, [`${i}`, "", `${"long ".repeat(i % 300)}.`]],
  (i) => [`${i},"never closed,x`, undefined],
  (i) => [`${i},"closed" too early,x`, undefined],
  (i) => [`${i},a 5" pipe,x`, undefined],
];

for (const lineEnd of ["\n", "\r\n"]) {
  test(`rows keep their cells and lines across chunks, and a broken row affects no other (${JSON.stringify(lineEnd)})`, async (t) => {
    let text = "";
    let line = 1;
    const expected: { line: number; cells: string[]; broken: boolean }[] = [];
    for (let i = 0; i < 3_000; i++) {
      // Two valid rows before and after each broken one: rows swallowed by an open quote must be restored.
      const kind = KINDS[i % 3 === 0 ? (i * 7) % KINDS.length : (i * 5) % 4];
      const [written, cells] = kind?.(i) ?? ["", undefined];
      const blank = i % 11 === 0 ? lineEnd : "";
      if (blank !== "") line++;
      expected.push({ line, cells: cells ?? [written], broken: cells === undefined });
      text += blank + written + lineEnd;
      line += written.split("\n").length;
    }
    assert.ok(text.length > 3 * 65_536, "it is read in several chunks");
    const rows = await read(t, text);
    assert.deepEqual(
      rows.map(({ line, cells, fault }) => ({ line, cells, broken: fault !== undefined })),
      expected,
    );
  });
}

test("an unclosed quote loses only its own row, even in a long file without another quote", async (t) => {
  const rest = Array.from({ length: 20_000 }, (_, i) => `${i},some more words for length`);
  const rows = await read(t, ['a,"open', ...rest].join("\n"));
  assert.equal(rows.length, 20_001);
  assert.match(rows[0]?.fault ?? "", /Close the quotes/);
  assert.deepEqual(rows.at(-1)?.cells, ["19999", "some more words for length"]);
  assert.equal(rows.at(-1)?.line, 20_001);
});

test("rows that are longer or shorter than the first are read without making errors of them", async (t) => {
  const { captureStackTrace } = Error;
  let errors = 0;
  Error.captureStackTrace = (...given) => {
    errors += 1;
    captureStackTrace(...given);
  };
  t.after(() => {
    Error.captureStackTrace = captureStackTrace;
  });
  const rows = await read(t, "a,b\nc\nd,e,f\n\ng,h\n");
  assert.equal(errors, 0);
  assert.deepEqual(
    rows.map(({ cells, line }) => [line, ...cells]),
    [
      [1, "a", "b"],
      [2, "c"],
      [3, "d", "e", "f"],
      [5, "g", "h"],
    ],
  );
});

test("a line of many megabytes is one unreadable row", async (t) => {
  const rows = await read(t, `a,b\n${"x".repeat(5_000_000)}\nc,d\n`);
  assert.deepEqual(
    rows.map(({ line, cells, fault }) => [line, cells.length, fault !== undefined]),
    [
      [1, 2, false],
      [2, 1, true],
      [3, 2, false],
    ],
  );
  assert.ok((rows[1]?.cells[0]?.length ?? 0) < 1_000_000);
});

test("truncated text is refused, wherever it breaks", async (t) => {
  const wide = Buffer.from("ü".repeat(100_000));
  await assert.rejects(read(t, Buffer.concat([wide, Buffer.from([0xfc]), wide])), /is not valid UTF-8\./);
  await assert.rejects(read(t, wide.subarray(0, -1)), /is not valid UTF-8\./);
  await assert.rejects(read(t, Buffer.concat([Buffer.from("\uFEFFab", "utf16le"), Buffer.of(0)])), /valid UTF-16LE\./);
});

test("rejects cut short at any byte are complete again after the next call", async (t) => {
  const input = join(temporaryFolder(t), "in.csv");
  const header = ["Name", "Note"];
  const rejected = [
    { row: { line: 2, cells: ["ü", 'a "b"\r\nc'] }, reason: 'x: is "bad"' },
    { row: { line: 4, cells: ["short"] }, reason: "y" },
    { row: { line: 5, cells: ["more", "cells", "than, that"] }, reason: "z: 1, 2" },
  ].map(({ row, reason }) => ({ row: { ...row, end: 0, ended: true }, reason }));
  const first = new RejectedRows(input, header, ",");
  first.add(rejected);
  const whole = readFileSync(first.path);
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(first.path, whole.subarray(0, length));
    const next = new RejectedRows(input, header, ",");
    await next.look();
    next.add(rejected.slice(next.count));
    assert.deepEqual(readFileSync(first.path), whole, `cut after ${length} bytes`);
  }
});

test("a pasted row of more than 1,000 cells is refused, and a million cells do not stall", async () => {
  const widest = `ada@lovelace.example${",x".repeat(999)}`;
  const read = await readContactText(`Email\n${widest}\n${widest},x\nbob@builder.example\n`);
  assert.ok(read !== undefined);
  assert.deepEqual(
    read.rows.map((row) => fieldsOf(read, row).fault),
    [
      "row has 1000 cells and the header has 1. Quote cells that contain the delimiter",
      "row has more than 1,000 cells. Delete the columns that you don't need",
      undefined,
    ],
  );
  let rows: number | undefined;
  const longest = await longestTurn(async () => {
    rows = (await readContactText(",".repeat(1_000_000)))?.rows.length;
  });
  assert.equal(rows, 1);
  assert.ok(longest < 250, `${longest.toFixed(0)} ms`);
});
