import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { COLUMN_FIELDS } from "../../services/contacts/csv/columns.ts";
import { fieldsOf } from "../../services/contacts/csv/text.ts";
import { checkRow, NOT_BEGUN } from "./import-contacts.ts";
import { listColumns, listText, requireList } from "./import-text.ts";

/** The rows that are checked. */
const CHECKED = 500;
/** Rows that are shown: the first, and the first that would be rejected. */
const SHOWN = 5;

export const previewImport = personOperation({
  name: "preview_import",
  area: "contacts",
  title: "Preview an import",
  description: `Reads a list of contacts as import_text would, and checks its first ${CHECKED} rows. Nothing is imported.`,
  access: { permission: "work" },
  effect: "read",
  input: z.strictObject({ text: listText, columns: listColumns.optional() }),
  output: z.object({
    fingerprint: z.string().describe("Identifies the import. Pass it to find_import."),
    header: z.array(z.string()),
    columns: z
      .array(z.enum(COLUMN_FIELDS).nullable())
      .describe("The field that each column fills. Null: the column is ignored."),
    rows_total: z.int(),
    rows_checked: z.int(),
    create: z.int().describe("How many of the checked rows add a contact."),
    update: z.int().describe("How many of the checked rows update one."),
    reject: z.int().describe("How many of the checked rows are rejected."),
    finished: z.boolean().describe("Whether this list was already imported with these columns."),
    rows: z
      .array(z.object({ line: z.int(), cells: z.array(z.string()), reason: z.string().nullable() }))
      .describe("The first rows, and the first rejected rows with the reason."),
  }),
  prepare: (_, { text, columns }) => requireList(text, columns),
  async handler(ctx, _, list) {
    const { layout, columns, rows, fingerprint } = list;
    const counts = { create: 0, update: 0, reject: 0 };
    const checked = rows.slice(0, CHECKED);
    const good: { line: number; cells: string[]; reason: string | null }[] = [];
    const bad: typeof good = [];
    for (const row of checked) {
      const result = await checkRow(ctx, fieldsOf(list, row));
      if ("reason" in result) counts.reject += 1;
      else counts[result.as] += 1;
      const shown = { line: row.line, cells: row.cells, reason: "reason" in result ? result.reason : null };
      (shown.reason === null ? good : bad).push(shown);
    }
    const run = (await ctx.store.imports.find(fingerprint)) ?? NOT_BEGUN;
    return {
      data: {
        fingerprint,
        header: [...layout.header],
        columns,
        rows_total: rows.length,
        rows_checked: checked.length,
        ...counts,
        finished: run.finishedAt !== null,
        rows: [...bad.slice(0, SHOWN), ...good.slice(0, SHOWN)],
      },
    };
  },
});
