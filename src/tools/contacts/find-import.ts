import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { isoOrNull } from "../../lib/time.ts";
import { countsOf, fingerprint, importCounts, NOT_BEGUN, rejectedRow } from "./import-contacts.ts";

export const findImport = personOperation({
  name: "find_import",
  area: "contacts",
  title: "Get import progress",
  description:
    "Returns the progress of one file's import, and the rows that the last call rejected. After an interruption, call it " +
    "to find the row from which import_contacts continues. An import that hasn't started is at row 0.",
  access: { permission: "work" },
  effect: "read",
  input: z.strictObject({ fingerprint }),
  output: z.object({
    ...importCounts,
    finished_at: z.iso.datetime().nullable(),
    last_rejected: z.array(rejectedRow).describe("The rows that the last call rejected."),
  }),
  async handler(ctx, { fingerprint }) {
    const run = (await ctx.store.imports.find(fingerprint)) ?? NOT_BEGUN;
    return {
      data: {
        ...countsOf(run),
        finished_at: isoOrNull(run.finishedAt),
        last_rejected: run.lastRejected,
      },
    };
  },
});
