import { createHash } from "node:crypto";
import { findUnstorable } from "../../../core/unstorable.ts";
import { COLUMN_FIELDS, type ColumnField, type ColumnPlan, findHeader, planColumns, readFields } from "./columns.ts";
import { type CsvRow, readCsvText } from "./file.ts";
import { type CsvLayout, DELIMITERS, fingerprintOf, HEAD_ROWS } from "./layout.ts";

/** A list of contacts as text: a CSV file, or pasted lines. */
export interface ContactText {
  layout: CsvLayout;
  /** What each column fills, by position; null where it fills nothing. */
  columns: (ColumnField | null)[];
  /** Rows with data. */
  rows: CsvRow[];
  /** Names the import: the same content, read in the same way. */
  fingerprint: string;
}

/** `Ada Lovelace <ada@lovelace.example>`, as mail programs copy it, or an address alone. */
const ADDRESS_LINE = /^(?:([^<>@,;\t]*)<([^<>\s@]+@[^<>\s@]+)>|([^<>\s@,;]+@[^<>\s@,;]+))[,;]?$/;

/** Columns are planned in one turn of the event loop: with hundreds of thousands, it would take seconds. */
const MAX_CELLS = 1_000;
const TOO_WIDE = "row has more than 1,000 cells. Delete the columns that you don't need";

/**
 * Reads a list of contacts. Without a header, columns are recognized by what is in the first row.
 *
 * @param given what each column fills, as a person chose it
 * @returns undefined where the text has no rows
 */
export async function readContactText(
  text: string,
  given?: readonly (ColumnField | null)[],
): Promise<ContactText | undefined> {
  const { layout: found, rows } = await findRows(text.replace(/^\uFEFF/, ""));
  if (rows.length === 0) return undefined;
  const { header } = found;
  const columns = header.map((_, i) => (given === undefined ? fieldOf(found.plan, i) : (given[i] ?? null)));
  const layout = { ...found, plan: planOf(found, columns) };
  const hash = createHash("sha256").update(text).digest("hex");
  return { layout, columns, rows, fingerprint: fingerprintOf({ hash }, layout) };
}

/** The fields of a row, or why it cannot be read. */
export function fieldsOf({ layout: { header, plan } }: ContactText, { cells, fault }: CsvRow): Record<string, unknown> {
  if (fault !== undefined) return { fault };
  if (cells.slice(header.length).some((cell) => cell.trim() !== "")) {
    return {
      fault: `row has ${cells.length} cells and the header has ${header.length}. Quote cells that contain the delimiter`,
    };
  }
  const fields = readFields(plan, cells);
  const unstorable = findUnstorable(fields);
  return unstorable === undefined ? { ...fields } : { fault: `${unstorable.path} ${unstorable.fault}` };
}

function fieldOf({ sources }: ColumnPlan, position: number): ColumnField | null {
  return COLUMN_FIELDS.find((field) => sources[field]?.includes(position) === true) ?? null;
}

/** Where several columns fill one field, the most trusted comes first. */
function planOf({ header, plan }: CsvLayout, columns: readonly (ColumnField | null)[]): ColumnPlan {
  const sources: ColumnPlan["sources"] = {};
  for (const [position, field] of columns.entries()) {
    if (field !== null) sources[field] = [...(sources[field] ?? []), position];
  }
  for (const field of COLUMN_FIELDS) {
    const trusted = plan.sources[field] ?? [];
    sources[field]?.sort((a, b) => (trusted.indexOf(a) >>> 0) - (trusted.indexOf(b) >>> 0));
  }
  return { sources, ignored: header.filter((_, i) => columns[i] === null) };
}

async function findRows(text: string): Promise<{ layout: CsvLayout; rows: CsvRow[] }> {
  const addresses = addressRows(text);
  if (addresses !== undefined) {
    const header = ["Name", "Email"];
    return { layout: { delimiter: ",", header, skip: 0, plan: planColumns(header) }, rows: addresses };
  }
  let widest = { delimiter: ",", width: 0 };
  for (const delimiter of DELIMITERS) {
    const first = await take(readCsvText(text, delimiter), HEAD_ROWS);
    const index = findHeader(first.map(({ cells }) => cells));
    if (index !== undefined) {
      const header = first[index]?.cells ?? [];
      const rows = (await take(readCsvText(text, delimiter))).slice(index + 1).filter(hasData);
      return { layout: { delimiter, header, skip: index + 1, plan: planColumns(header) }, rows };
    }
    const width = Math.max(0, ...first.map(({ cells }) => cells.length));
    if (width > widest.width) widest = { delimiter, width };
  }
  const rows = (await take(readCsvText(text, widest.delimiter))).filter(hasData);
  const header = guessHeader(rows[0]?.cells ?? [], widest.width);
  return { layout: { delimiter: widest.delimiter, header, skip: 0, plan: planColumns(header) }, rows };
}

async function take(rows: AsyncGenerator<CsvRow>, most = Number.POSITIVE_INFINITY): Promise<CsvRow[]> {
  const taken: CsvRow[] = [];
  for await (const row of rows) {
    taken.push(row.cells.length > MAX_CELLS ? { ...row, cells: row.cells.slice(0, MAX_CELLS), fault: TOO_WIDE } : row);
    if (taken.length >= most) break;
  }
  return taken;
}

function hasData({ cells, fault }: CsvRow): boolean {
  return fault !== undefined || cells.some((cell) => cell.trim() !== "");
}

/** Names for the columns of rows without a header. */
function guessHeader(cells: readonly string[], width: number): string[] {
  const names = Array.from({ length: width }, (_, i) => {
    const cell = (cells[i] ?? "").trim();
    if (cell.includes("@")) return "Email";
    return /^https?:/.test(cell) ? "Website" : `Column ${i + 1}`;
  });
  const first = names.findIndex((name, i) => name.startsWith("Column") && /\p{L}/u.test(cells[i] ?? ""));
  return names.map((name, i) => (i === first ? "Name" : name));
}

/** Lines that are addresses, each with or without a name. Undefined where any line is something else. */
function addressRows(text: string): CsvRow[] | undefined {
  const rows: CsvRow[] = [];
  for (const [i, given] of text.split(/\r\n|\n|\r/).entries()) {
    const line = given.trim();
    if (line === "") continue;
    const [, name = "", address, bare] = ADDRESS_LINE.exec(line) ?? [];
    const email = address ?? bare;
    if (email === undefined) return undefined;
    rows.push({ line: i + 1, cells: [name.trim().replace(/^"(.*)"$/, "$1"), email], end: 0, ended: true });
  }
  return rows;
}
