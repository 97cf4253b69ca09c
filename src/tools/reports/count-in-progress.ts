import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { DEAL_STAGES, type DealStage } from "../../domain/contacts/deal.ts";

const byStage = Object.fromEntries(DEAL_STAGES.map((stage) => [stage, z.int()])) as Record<DealStage, z.ZodInt>;

export const countInProgress = personOperation({
  name: "count_in_progress",
  area: "review",
  title: "Count what is in progress",
  description: "Counts the open enrollments of all sequences, and the deals at each stage.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    enrollments: z.object({
      active: z.int().describe("Active enrollments, without those on hold."),
      waiting_on_action: z.int().describe("Enrollments that wait for an agent to finish an action."),
    }),
    deals: z.object(byStage),
  }),
  async handler({ store }) {
    const { active, waiting } = await store.enrollments.current();
    const deals = await store.deals.countByStage();
    const counted = DEAL_STAGES.map((stage) => [stage, deals.get(stage) ?? 0]);
    return {
      data: {
        enrollments: { active, waiting_on_action: waiting },
        deals: Object.fromEntries(counted) as Record<DealStage, number>,
      },
    };
  },
});
