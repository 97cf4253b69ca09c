import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { diskFault } from "../../../lib/disk-fault.ts";
import { type CsvRow, readCsv } from "./file.ts";
import { escapeFormula } from "./formula.ts";

export interface RejectedRow {
  row: CsvRow;
  reason: string;
}

/**
 * The file of rejected rows next to the input: its columns as they were, then `row`, the input line on which the row
 * begins, and `reason`. Rows are in the order in which they were rejected.
 */
export class RejectedRows {
  readonly path: string;
  readonly #header: readonly string[];
  readonly #delimiter: string;
  #count = 0;
  /** Up to here the file holds whole rows. */
  #bytes = 0;

  constructor(input: string, header: readonly string[], delimiter: string) {
    this.path = `${input}.rejected.csv`;
    this.#header = header;
    this.#delimiter = delimiter;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** How many rows the file holds. */
  get count(): number {
    return this.#count;
  }

  /** For an import that begins: what an earlier one has left is not of this one. */
  clear(): void {
    rmSync(this.path, { force: true });
  }

  /** When an import resumes: counts the rows that were written completely. */
  async look(): Promise<void> {
    if (!this.exists) return;
    const bytes = statSync(this.path).size;
    const width = this.#header.length + 2;
    let rows = 0;
    const file = { path: this.path, bytes, encoding: "utf-8" as const, mark: 0, hash: "" };
    for await (const { cells, fault, end, ended } of readCsv(file, this.#delimiter)) {
      if (fault !== undefined || cells.length !== width || !ended) break;
      rows++;
      this.#bytes = end;
    }
    this.#count = Math.max(rows - 1, 0);
  }

  /** Replaces whatever follows the last complete row with these rows, and waits until they are on disk. */
  add(rejected: readonly RejectedRow[]): void {
    if (rejected.length === 0) return;
    const lines = rejected.map(({ row, reason }) =>
      this.#line(row.cells, String(row.line), quoted(escapeFormula(reason))),
    );
    if (this.#bytes === 0) lines.unshift(this.#line(this.#header, "row", "reason"));
    const text = Buffer.from(lines.join(""));
    const handle = openSync(this.path, "a", 0o600);
    try {
      ftruncateSync(handle, this.#bytes);
      writeFileSync(handle, text);
      fsyncSync(handle);
    } catch (error) {
      throw diskFault(error, this.path) ?? error;
    } finally {
      closeSync(handle);
    }
    this.#bytes += text.length;
    this.#count += rejected.length;
  }

  #line(cells: readonly string[], row: string, reason: string): string {
    return rejectedLine({ header: this.#header, delimiter: this.#delimiter }, cells, row, reason);
  }
}

/** A line of such a file. The reason is a cell as it is written. */
function rejectedLine(
  { header, delimiter }: { header: readonly string[]; delimiter: string },
  cells: readonly string[],
  row: string,
  reason: string,
): string {
  const width = header.length;
  const original = Array.from(header, (_, index) => cells[index] ?? "");
  if (cells.length > width) original[width - 1] = cells.slice(width - 1).join(delimiter);
  const cell = (text: string) => (text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text) ? quoted(text) : text);
  return `${[...original.map((text) => cell(escapeFormula(text))), row, reason].join(delimiter)}\n`;
}

/** The same file as text: its header, and the rejected rows. */
export function rejectedText(layout: { header: readonly string[]; delimiter: string }, rows: readonly RejectedRow[]) {
  return {
    header: rejectedLine(layout, layout.header, "row", "reason"),
    lines: rows.map(({ row, reason }) =>
      rejectedLine(layout, row.cells, String(row.line), quoted(escapeFormula(reason))),
    ),
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
