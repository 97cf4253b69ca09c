import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recordId } from "../fields.ts";
import { BrainDeals, bounded } from "./brain-schema.ts";
import { gatherSurroundings, showDeal, surroundings } from "./brain-view.ts";
import { Deal } from "./deal-schema.ts";

export const brainOpportunity = agentOperation({
  name: "brain_opportunity",
  area: "brain",
  title: "Know an opportunity",
  description:
    "What is known of one deal and whom it is with, in one answer; read it before you act on a deal. The deal, its " +
    "contact, when the team last reached out, the account, the contact's stage and what the next one still needs, " +
    "meetings, BANT assessments, sequences the contact is or was in, how far it is on the social network and what agents do there, the contact's " +
    "other deals, whether the address is on the do-not-contact list, the latest activities, and who wrote each field of the contact. A deal whose contact " +
    `is archived is not found. ${bounded("meetings", "enrollments", "actions", "deals", "activities")}`,
  access: { scope: "contacts.read" },
  tool: { annotations: READ_ONLY },
  budget: "none",
  idempotent: false,
  effect: "read",
  errors: ["deal_not_found"],
  input: z.strictObject({ id: recordId("deal") }),
  output: z.object({ deal: Deal.omit({ workspace_id: true }), ...surroundings, other_deals: BrainDeals }),
  async handler(ctx, { id }) {
    const deal = await ctx.store.deals.find(id);
    const record = deal && (await ctx.store.contacts.find(deal.contact_id));
    if (deal === undefined || record === undefined) throw problem("deal_not_found");
    const { deals: other_deals, ...known } = await gatherSurroundings(ctx, record, id);
    return { data: { deal: showDeal(deal), ...known, other_deals } };
  },
});
