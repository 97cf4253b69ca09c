import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { isoOrNull } from "../../lib/time.ts";
import { countStates, found } from "./item-schema.ts";

export const getAssessment = personOperation({
  name: "get_assessment",
  area: "checklist",
  title: "Get the latest assessment",
  description:
    "Reads when the whole checklist was last assessed, with which catalog version, and how many items are done, " +
    "missing, unknown or not applicable. list_checklist_items shows the reason for each item.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    assessed_at: z.iso.datetime().nullable().describe("Null if the checklist was never assessed."),
    ...found,
    catalog_version: found.catalog_version.nullable(),
  }),
  async handler({ store: { checklist } }) {
    const last = await checklist.lastAssessment();
    const rows = await checklist.assessments();
    const data = {
      assessed_at: isoOrNull(last?.at ?? null),
      catalog_version: last?.catalogVersion ?? null,
      items: rows.length,
      states: countStates(rows),
    };
    return { data };
  },
});
