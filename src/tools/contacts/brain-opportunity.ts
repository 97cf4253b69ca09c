import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { recordId } from "../fields.ts";
import { notFound } from "./brain-find.ts";
import { BrainDeals, bounded, COMPACT_BRAIN } from "./brain-schema.ts";
import { gatherSurroundings, showDeal, surroundings } from "./brain-view.ts";
import { Deal } from "./deal-schema.ts";

export const Opportunity = z.object({
  deal: Deal.omit({ workspace_id: true }),
  ...surroundings,
  other_deals: BrainDeals,
});

export const brainOpportunity = agentOperation({
  name: "brain_opportunity",
  area: "brain",
  title: "Get everything about a deal",
  description:
    "Everything known about one deal and its contact. Read it before you act on a deal. Returns the deal, the contact, " +
    "when the team last reached out, the account, the contact's stage and what the next one needs, meetings, BANT " +
    "assessments, enrollments, social-network status and actions, the contact's other deals, the do-not-contact entry, " +
    "the latest activities and, with detail full, who wrote each field of the contact. Find deal ids with brain_contact or " +
    "brain_account. A deal of an archived contact is not found. " +
    bounded("meetings", "enrollments", "actions", "deals", "activities"),
  access: { scope: "contacts.read" },
  tool: {
    annotations: READ_ONLY,
    compact: [...COMPACT_BRAIN, "provenance", "contact.created_at", "contact.updated_at"],
  },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["deal_not_found"],
  input: z.strictObject({ id: recordId("deal") }),
  output: Opportunity,
  handler: async (ctx, { id }) => ({ data: await gatherOpportunity(ctx, id) }),
});

/** @throws deal_not_found */
export async function gatherOpportunity(ctx: Context, id: string): Promise<z.output<typeof Opportunity>> {
  const deal = await ctx.store.deals.find(id);
  const record = deal && (await ctx.store.contacts.find(deal.contact_id));
  if (deal === undefined || record === undefined) throw notFound("deal_not_found", "deal", { id });
  const { deals: other_deals, ...known } = await gatherSurroundings(ctx, record, id);
  return { deal: showDeal(deal), ...known, other_deals };
}
