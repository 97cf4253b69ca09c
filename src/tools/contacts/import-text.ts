import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { invalid, problem } from "../../core/problem.ts";
import { COLUMN_FIELDS } from "../../services/contacts/csv/columns.ts";
import { rejectedText } from "../../services/contacts/csv/rejected-rows.ts";
import { type ContactText, fieldsOf, readContactText } from "../../services/contacts/csv/text.ts";
import { importCounts, importRows, NOT_BEGUN } from "./import-contacts.ts";

/** The longest list that is imported as text. The command line imports files of any length. */
const MAX_TEXT = 1_000_000;
/** Rows that one call imports. */
const ROWS_AT_A_TIME = 250;

export const listText = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .describe("The list: CSV with or without a header, or lines such as Ada Lovelace <ada@lovelace.example>.");

export const listColumns = z
  .array(z.enum(COLUMN_FIELDS).nullable())
  .max(500)
  .describe(
    "The field that each column fills, by position. Null: the column is ignored. Default: recognized by the header or the first row.",
  );

/** @throws Problem validation_failed where the text has no rows, or no column names a person */
export async function requireList(text: string, columns?: z.infer<typeof listColumns>): Promise<ContactText> {
  const list = await readContactText(text, columns);
  if (list === undefined) throw problem("validation_failed", "text: has no rows below its header. Add some.");
  return list;
}

export const importText = personOperation({
  name: "import_text",
  area: "contacts",
  title: "Import a list of contacts",
  description:
    `Imports the next ${ROWS_AT_A_TIME} rows of a list of contacts, by the rules of import_contacts. Send the same list ` +
    "again until the import is finished. To check a list first, call preview_import.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["import_out_of_step"],
  input: z.strictObject({ text: listText, columns: listColumns.optional() }),
  output: z.object({
    ...importCounts,
    rows_total: z.int(),
    finished: z.boolean(),
    imported_before: z.boolean().describe("The list was imported by an earlier call, so nothing changed."),
    rejected_header: z.string().describe("The first line of a CSV file of rejected rows."),
    rejected_lines: z
      .array(z.string())
      .describe("The lines of the CSV file of rejected rows, for the rows that this call rejected, with reasons."),
  }),
  async prepare({ store }, { text, columns }) {
    const list = await requireList(text, columns);
    const run = (await store.imports.find(list.fingerprint)) ?? NOT_BEGUN;
    if (Object.keys(list.layout.plan.sources).length === 0) throw invalid(["columns: must fill at least one field"]);
    return { list, run };
  },
  async handler(ctx, _, { list, run }) {
    const { fingerprint, layout, rows: all } = list;
    const fromRow = run.rowsDone;
    const about = { rows_total: all.length, rejected_header: rejectedText(layout, []).header };
    if (run.finishedAt !== null) {
      const { rowsDone: rows_done, created, updated, unchanged, rejected } = run;
      const counts = { rows_done, created, updated, unchanged, rejected };
      return {
        data: { ...counts, ...about, finished: true, imported_before: true, rejected_lines: [] },
        record: fingerprint,
      };
    }
    const rows = all.slice(fromRow, fromRow + ROWS_AT_A_TIME);
    const finished = fromRow + rows.length >= all.length;
    const { results, ...counts } = await importRows(ctx, {
      fingerprint,
      fromRow,
      rows: rows.map((row) => fieldsOf(list, row)),
      last: finished,
    });
    const rejected = results.flatMap(({ row, reason }) => {
      const found = all[row];
      return found === undefined ? [] : [{ row: found, reason }];
    });
    const { lines } = rejectedText(layout, rejected);
    return {
      data: { ...counts, ...about, finished, imported_before: false, rejected_lines: lines },
      record: fingerprint,
    };
  },
});
