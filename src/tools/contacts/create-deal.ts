import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { agentOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import type { Deal as DealRecord } from "../../domain/contacts/deal.ts";
import { recordId } from "../fields.ts";
import { bantAnswer, bantQuestions, currency, Deal, forecast, stage } from "./deal-schema.ts";

/** The fields of a new deal. */
export const newDealFields = {
  contact_id: recordId("contact"),
  title: z.string().max(500).trim().min(1).describe("The deal's name."),
  value: z.number().default(0).describe("The deal's value in its currency, stored as sent. Can be negative."),
  currency: currency.default("USD"),
  stage: stage.default("prospecting").describe("The deal's stage."),
  ...forecast,
  bant_assessment: z
    .object(bantQuestions(z.object(bantAnswer)))
    .optional()
    .describe("Required for a lead without a confirmed assessment."),
};

export const createDeal = agentOperation({
  name: "create_deal",
  area: "deals",
  title: "Create a deal",
  description:
    "Creates a deal for a contact. If the contact is a lead without a confirmed BANT assessment, send an " +
    "assessment with the deal. The assessment is stored as unconfirmed and allows no stage change. A won deal that a " +
    "key creates counts only after a member confirms the deal. Unknown fields are ignored.",
  access: { scope: "deals.write" },
  http: { method: "POST", path: "/deals", statuses: [201], location: "/contacts/{contact_id}" },
  tool: false,
  budget: "write",
  idempotent: true,
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found", "bant_required"],
  input: z.object(newDealFields).meta({
    examples: [{ contact_id: "0190a1b2-0000-7000-8000-000000000001", title: "Difference engine", value: 17_000 }],
  }),
  output: Deal,
  async handler(ctx, input) {
    return { data: await createDealFor(ctx, input, ownerByDefault(ctx)) };
  },
});

/** A member owns the deals that they create. An agent's deal has no owner until a member sets one. */
export const ownerByDefault = ({ actor }: Context): string | null => (actor.kind === "member" ? actor.id : null);

type NewDealInput = z.output<z.ZodObject<typeof newDealFields>>;

/** @throws contact_not_found, bant_required */
export async function createDealFor(ctx: Context, input: NewDealInput, ownerId: string | null): Promise<DealRecord> {
  const { contact_id: contactId, bant_assessment: answers, expected_close_date, probability, ...rest } = input;
  const record = await ctx.store.contacts.find(contactId);
  if (record === undefined) throw problem("contact_not_found");
  if (answers !== undefined) {
    const unconfirmed = { confirmedBy: null, confirmedAt: null };
    await ctx.store.bant.insert({ id: ctx.newId(), contactId, answers, ...unconfirmed, createdAt: ctx.now });
  } else if (record.lifecycle === "lead" && !(await ctx.store.contacts.confirmations(contactId)).bant) {
    throw problem(
      "bant_required",
      "bant_assessment: is required because no teammate has confirmed a BANT assessment for this lead. Send one.",
    );
  }
  return ctx.store.deals.insert({
    ...rest,
    id: ctx.newId(),
    contactId,
    probability: probability ?? null,
    expectedCloseDate: expected_close_date ?? null,
    ownerId,
    wonConfirmedBy: rest.stage === "closed_won" && ctx.actor.kind !== "key" ? ctx.actor.id : null,
    now: ctx.now,
  });
}
