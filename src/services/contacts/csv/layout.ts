import { createHash } from "node:crypto";
import { UsageError } from "../../../lib/operator-error.ts";
import {
  COLUMN_FIELDS,
  type ColumnField,
  type ColumnMapping,
  type ColumnPlan,
  columnKey,
  findHeader,
  planColumns,
} from "./columns.ts";
import { type CsvFile, readCsv } from "./file.ts";

/** How the rows of a file are to be read. */
export interface CsvLayout {
  delimiter: string;
  header: readonly string[];
  /** Rows before the first that holds data: notes, and the header itself. */
  skip: number;
  plan: ColumnPlan;
}

export const DELIMITERS = [",", ";", "\t"];
/** How many lines may precede the header. */
export const HEAD_ROWS = 20;
const HOW = `Use --map "Their column=email,Other column=company". Fields: ${COLUMN_FIELDS.join(", ")}`;

/**
 * Reads `--map`: pairs of a column and a field, divided by commas. A column's name may itself hold a comma.
 *
 * @throws UsageError
 */
export function parseMapping(given: readonly string[]): ColumnMapping {
  const mapping = new Map<string, ColumnField>();
  for (const text of given) {
    const pair = /\s*(\S.*?)\s*=\s*([\w-]+)\s*(?:,|$)/gy;
    while (pair.lastIndex < text.length) {
      const [, column = "", name = ""] = pair.exec(text) ?? [];
      if (column === "") throw new UsageError(`--map must list pairs of a column and a field. ${HOW}.`);
      const field = COLUMN_FIELDS.find((candidate) => candidate === name.toLowerCase());
      if (field === undefined) throw new UsageError(`--map has an unknown field: ${name}. ${HOW}.`);
      mapping.set(columnKey(column), field);
    }
  }
  return mapping;
}

/**
 * Finds the delimiter and the header of a file, and what its columns fill.
 *
 * @throws UsageError where no column names a person, or the mapping names one that is not there
 */
export async function findLayout(file: CsvFile, mapping: ColumnMapping): Promise<CsvLayout> {
  let widest: string[][] = [];
  for (const delimiter of DELIMITERS) {
    const rows = await firstRows(file, delimiter);
    const index = findHeader(rows, mapping);
    if (index !== undefined) {
      const header = rows[index] ?? [];
      requireColumns(file, header, mapping);
      return { delimiter, header, skip: index + 1, plan: planColumns(header, mapping) };
    }
    if (width(rows) > width(widest)) widest = rows;
  }
  const header = widest.find((row) => row.length === width(widest));
  if (header === undefined) throw new UsageError(`${file.path} is empty.`);
  requireColumns(file, header, mapping);
  throw new UsageError(`No column of ${file.path} has names or emails. Its columns are: ${list(header)}. ${HOW}.`);
}

function requireColumns(file: CsvFile, header: readonly string[], mapping: ColumnMapping): void {
  const there = new Set(header.map(columnKey));
  const missing = [...mapping.keys()].filter((column) => !there.has(columnKey(column)));
  if (missing.length === 0) return;
  throw new UsageError(
    `--map has a column that ${file.path} does not have: ${list(missing)}. Its columns are: ${list(header)}.`,
  );
}

async function firstRows(file: CsvFile, delimiter: string): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const { cells } of readCsv(file, delimiter)) {
    rows.push(cells);
    if (rows.length === HEAD_ROWS) break;
  }
  return rows;
}

function width(rows: readonly (readonly string[])[]): number {
  return Math.max(0, ...rows.map(({ length }) => length));
}

function list(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name.replace(/^\uFEFF/, "").slice(0, 100))).join(", ");
}

/** Names the import: the same content, read in the same way. */
export function fingerprintOf(file: Pick<CsvFile, "hash">, { delimiter, skip, plan }: CsvLayout): string {
  return createHash("sha256")
    .update(JSON.stringify([file.hash, delimiter, skip, plan.sources]))
    .digest("hex");
}
