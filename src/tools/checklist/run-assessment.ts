import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import { assessWorkspace } from "../../services/checklist/assessment.ts";
import { countStates, found } from "./item-schema.ts";

export const runAssessment = personOperation({
  name: "run_assessment",
  area: "checklist",
  title: "Run the auto-check",
  description:
    "Assesses every checklist item now from Rostrum's own data, and records a reason and sources for each. Statuses " +
    "that a teammate set don't change. The server also assesses the checklist one week after the last assessment.",
  access: { permission: "administer" },
  effect: "write",
  gates: ["billing"],
  input: z.strictObject({}),
  output: z.object({
    assessed_at: z.iso.datetime(),
    ...found,
  }),
  async handler(ctx) {
    const { version: catalogVersion } = ctx.catalog;
    await ctx.store.checklist.noteAssessment({ at: ctx.now, catalogVersion });
    const rows = await assessWorkspace(ctx.store, ctx.catalog, ctx.now);
    const data = {
      assessed_at: iso(ctx.now),
      catalog_version: ctx.catalog.version,
      items: rows.length,
      states: countStates(rows),
    };
    await ctx.audit({ recordId: ctx.workspaceId, before: null, after: data });
    return { data, record: ctx.workspaceId };
  },
});
