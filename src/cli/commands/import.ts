import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import cliProgress from "cli-progress";
import type { Core } from "../../composition/core.ts";
import type { RefusedAnswer } from "../../core/invoke.ts";
import { findUnstorable } from "../../core/unstorable.ts";
import { readFields } from "../../services/contacts/csv/columns.ts";
import { type CsvFile, type CsvRow, inspectCsv, readCsv } from "../../services/contacts/csv/file.ts";
import { type CsvLayout, findLayout, fingerprintOf, parseMapping } from "../../services/contacts/csv/layout.ts";
import { type RejectedRow, RejectedRows } from "../../services/contacts/csv/rejected-rows.ts";
import { dataAsOperator } from "../operator.ts";
import { type DataOptions, print, printData } from "../terminal.ts";
import { findWorkspace, withCore } from "../with-core.ts";

interface Progress {
  bytes(read: number): void;
  rows(done: number): void;
  stop(): void;
}

interface ImportOptions extends DataOptions {
  workspace?: string;
  map?: string[];
}

/** Rows in a transaction, and the pause after it: a running server waits no longer than that for the write lock. */
const BATCH_ROWS = 250;
const PAUSE_MS = 10;

interface Counts {
  rows_done: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
}

interface Rejection {
  row: number;
  reason: string;
}

/** `rostrum import`: imports contacts from a CSV file, continuing where an earlier call was interrupted. */
export async function importFile(given: string, options: ImportOptions): Promise<void> {
  const mapping = parseMapping(options.map ?? []);
  const file = await inspectCsv(resolve(given));
  const layout = await findLayout(file, mapping);
  try {
    await withCore(options, async (core) => {
      const workspaceId = await findWorkspace(core, options);
      const run = new FileImport(core, workspaceId, file, layout);
      const progress = progressOf(file.bytes, options);
      await run.finish(progress).finally(progress.stop);
      report(run, options);
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    print(error.answer, options);
    if (!options.json) process.stderr.write("Fix this, then run the same command again to resume.\n");
  }
}

/** A progress bar on stderr, by bytes read, where stderr is a terminal. */
function progressOf(total: number, { json }: DataOptions): Progress {
  if (json || !process.stderr.isTTY) return { bytes: () => undefined, rows: () => undefined, stop: () => undefined };
  const bar = new cliProgress.SingleBar(
    // Left on, so that the terminal needs no reset after Ctrl-C.
    { format: "{bar} {percentage}%  {rows} rows  {eta_formatted} left", linewrap: true, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0, { rows: 0 });
  return {
    bytes: (read) => bar.update(read),
    rows: (rows) => bar.update({ rows }),
    stop: () => bar.stop(),
  };
}

/** An operation refused to continue. */
class Refused extends Error {
  readonly answer: RefusedAnswer;

  constructor(answer: RefusedAnswer) {
    super(answer.refusal.message);
    this.answer = answer;
  }
}

/** The import of one file, from its start or continued. */
class FileImport {
  readonly file: CsvFile;
  readonly layout: CsvLayout;
  readonly rejected: RejectedRows;
  counts: Counts = { rows_done: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  /** How many rows an earlier call had done; null where this one began. */
  resumedFrom: number | null = null;
  /** An earlier call had done them all. */
  wasFinished = false;
  readonly #core: Core;
  readonly #workspaceId: string;
  readonly #fingerprint: string;

  constructor(core: Core, workspaceId: string, file: CsvFile, layout: CsvLayout) {
    this.#core = core;
    this.#workspaceId = workspaceId;
    this.#fingerprint = fingerprintOf(file, layout);
    this.file = file;
    this.layout = layout;
    this.rejected = new RejectedRows(file.path, layout.header, layout.delimiter);
  }

  async finish(progress: Progress): Promise<void> {
    const unwritten = await this.#findStart();
    if (this.wasFinished && unwritten.size === 0) return;
    const recovered: RejectedRow[] = [];
    const recover = () => this.rejected.add(recovered.splice(0));
    const begin = this.counts.rows_done;
    let position = 0;
    let batch: CsvRow[] = [];
    for await (const row of this.#dataRows(progress)) {
      const reason = unwritten.get(position);
      if (reason !== undefined) recovered.push({ row, reason });
      if (position++ < begin) continue;
      // Sent once another row follows, so that the last batch is known to be the last.
      if (batch.length === BATCH_ROWS) {
        recover();
        await this.#send(batch, false);
        progress.rows(this.counts.rows_done);
        batch = [];
        await sleep(PAUSE_MS);
      }
      batch.push(row);
    }
    recover();
    if (batch.length > 0) await this.#send(batch, true);
  }

  /**
   * Learns how far an earlier call came, and which rejected rows it did not get to write to the file: rows are
   * committed first, so one that was killed in between owes those of its last batch.
   */
  async #findStart(): Promise<Map<number, string>> {
    const { finished_at, last_rejected, ...counts } = await this.#ask<
      Counts & { finished_at: string | null; last_rejected: Rejection[] }
    >("find_import", {});
    this.counts = counts;
    this.wasFinished = finished_at !== null;
    if (counts.rows_done === 0) {
      this.rejected.clear();
      return new Map();
    }
    this.resumedFrom = counts.rows_done;
    await this.rejected.look();
    const owed = counts.rejected - this.rejected.count;
    // After the end, a file that lacks more than that was moved or fixed by its owner.
    const theirs = this.wasFinished && owed > last_rejected.length;
    if (owed <= 0 || theirs) return new Map();
    return new Map(last_rejected.slice(-owed).map(({ row, reason }) => [row, reason]));
  }

  async *#dataRows(progress: Progress): AsyncGenerator<CsvRow> {
    let skip = this.layout.skip;
    for await (const row of readCsv(this.file, this.layout.delimiter, progress.bytes)) {
      if (skip-- > 0) continue;
      if (row.cells.some((cell) => cell.trim() !== "")) yield row;
    }
  }

  async #send(rows: CsvRow[], last: boolean): Promise<void> {
    const from = this.counts.rows_done;
    const { results, ...counts } = await this.#ask<Counts & { results: Rejection[] }>("import_contacts", {
      from_row: from,
      rows: rows.map((row) => this.#fieldsOf(row)),
      last,
    });
    this.counts = counts;
    this.rejected.add(results.flatMap(({ row, reason }) => ({ row: rows[row - from] as CsvRow, reason })));
  }

  /** What is sent for a row. One that the pipeline would refuse with its whole batch is sent as a fault. */
  #fieldsOf({ cells, fault }: CsvRow): Record<string, unknown> {
    if (fault !== undefined) return { fault };
    const { header, plan } = this.layout;
    if (cells.slice(header.length).some((cell) => cell.trim() !== "")) {
      return {
        fault: `row has ${cells.length} cells, but the header has ${header.length}. Quote cells that contain the delimiter`,
      };
    }
    const fields = readFields(plan, cells);
    const unstorable = findUnstorable(fields);
    return unstorable === undefined ? fields : { fault: `${unstorable.path} ${unstorable.fault}` };
  }

  async #ask<T>(operation: string, input: object): Promise<T> {
    const full = { fingerprint: this.#fingerprint, ...input };
    const answer = await dataAsOperator(this.#core, operation, this.#workspaceId, full);
    if (answer.refusal !== undefined) throw new Refused(answer);
    return answer.data as T;
  }
}

const rowsOf = (count: number) => `${count} ${count === 1 ? "row" : "rows"}`;

function report(run: FileImport, options: DataOptions): void {
  const { file, layout, wasFinished, resumedFrom, rejected } = run;
  const { rows_done: _, ...totals } = run.counts;
  const taken = totals.created + totals.updated + totals.unchanged;
  const counts = wasFinished ? { created: 0, updated: 0, unchanged: taken, rejected: totals.rejected } : totals;
  const rejectedFile = counts.rejected > 0 && rejected.exists ? rejected.path : null;
  const data = {
    file: file.path,
    ...counts,
    rejected_file: rejectedFile,
    ignored_columns: layout.plan.ignored,
    resumed_from: resumedFrom,
  };
  printData(data, options, () =>
    [
      wasFinished
        ? `${file.path} was already imported (${rowsOf(taken)} imported, ${totals.rejected} rejected). Nothing changed.`
        : `Imported ${file.path}: ${Object.entries(counts)
            .map(([name, count]) => `${count} ${name}`)
            .join(", ")}.`,
      ...(resumedFrom === null || wasFinished
        ? []
        : [`These counts include ${rowsOf(resumedFrom)} from an earlier run.`]),
      ...(rejectedFile === null ? [] : [`Rejected rows and reasons: ${rejectedFile}`]),
      ...(layout.plan.ignored.length === 0
        ? []
        : [
            `Columns ignored: ${layout.plan.ignored.join(", ")}. To import one, map it to a field: --map "${layout.plan.ignored[0]}=FIELD".`,
          ]),
    ].join("\n"),
  );
}
