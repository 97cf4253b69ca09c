import { z } from "zod";
import { assessWorkspace } from "../../checklist/assess.ts";
import { ASSESSMENT_STATES, type AssessmentState } from "../../domain/checklist-status.ts";
import { personOperation } from "../../operation.ts";
import { namesOf } from "./schema.ts";

export const runAssessment = personOperation({
  name: "run_assessment",
  area: "checklist",
  title: "Assess the social checklist",
  description:
    "Judges every item of the checklist now, as the service does every day by itself: by what Rostrum holds, with " +
    "reason and sources. What a person recorded stands. The next assessment is a day from now.",
  access: { permission: "administer" },
  effect: "write",
  gates: ["billing"],
  errors: [],
  input: z.strictObject({}),
  output: z.object({
    assessed_at: z.iso.datetime(),
    catalog_version: z.string(),
    items: z.int(),
    states: z.record(z.enum(namesOf(ASSESSMENT_STATES)), z.int()).describe("How many items were found so."),
  }),
  async handler(ctx) {
    const { version: catalogVersion } = ctx.catalog;
    await ctx.store.checklist.noteAssessment({ at: ctx.now, catalogVersion });
    const rows = await assessWorkspace(ctx.store, ctx.catalog, ctx.now);
    const count = (wanted: AssessmentState) => rows.filter(({ state }) => state === wanted).length;
    const data = {
      assessed_at: new Date(ctx.now).toISOString(),
      catalog_version: ctx.catalog.version,
      items: rows.length,
      states: {
        done: count("done"),
        missing: count("missing"),
        unknown: count("unknown"),
        not_applicable: count("not_applicable"),
      },
    };
    await ctx.audit({ recordId: ctx.workspaceId, before: null, after: data });
    return { data, record: ctx.workspaceId };
  },
});
