import * as currencies from "dinero.js/currencies";
import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { DEAL_STAGES } from "../../domain/contacts/deal.ts";
import type { BANT } from "../../domain/contacts/lifecycle.ts";
import { recordId, time } from "../fields.ts";

/** Codes of ISO 4217 that no country pays with: metals, units of accounts, testing, none. The library leaves them out. */
const NO_CASH = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX".split(" ");
const CURRENCIES: ReadonlySet<string> = new Set([...Object.keys(currencies), ...NO_CASH]);
const NO_CURRENCY = "must be a three-letter currency code such as USD";

export const currency = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{3}$/, NO_CURRENCY)
  .toUpperCase()
  .refine((code) => CURRENCIES.has(code), NO_CURRENCY)
  .describe("An ISO 4217 currency code, stored in upper case.");

export const stage = z.enum(DEAL_STAGES);

/** What create_deal, set_deal_stage and update_deal take; null is no value. */
export const forecast = {
  probability: z.number().min(0).max(100).nullish().describe("The probability of winning the deal, in percent."),
  expected_close_date: z.iso.date().nullish().describe("The expected close date, YYYY-MM-DD."),
};

export const Deal = z
  .object({
    id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    title: z.string(),
    value: z.number(),
    currency: z.string().describe("An ISO 4217 currency code."),
    stage: z.enum(DEAL_STAGES),
    probability: z.number().nullable().describe("In percent."),
    expected_close_date: z.iso.date().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Deal", description: "A possible sale to a contact." });

/** Only people see who owns a deal. */
export const owner = z
  .object({ id: z.string(), name: z.string() })
  .nullable()
  .describe("The teammate who owns the deal. Null if it has no owner.");

export const stageSince = time.describe("When the deal moved to its stage, or was created at it.");

export const OwnedDeal = Deal.extend({ owner });

/** What add_deal and update_deal take. */
export const ownerId = recordId("member").nullable().describe("The member who will own the deal. Null: no owner.");

/** @throws member_not_found if no current member has the id */
export async function requireOwner({ store }: Context, id: string | null): Promise<void> {
  const member = id === null ? null : await store.members.find(id);
  if (member === undefined || (member !== null && member.removedAt !== null)) {
    throw problem("member_not_found", "owner_id: is not the id of a current member. Choose a current member.");
  }
}

type Owner = z.infer<typeof owner>;

/** Looks up owners by their ids. */
export async function ownersOf(
  { store }: Context,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => Owner> {
  const known = [...new Set(ids)].filter((id) => id !== null);
  const members = new Map(await Promise.all(known.map(async (id) => [id, await store.members.find(id)] as const)));
  return (id) => (id === null ? null : { id, name: members.get(id)?.name ?? "Former teammate" });
}

/** The fields of one answer. Each operation decides whether it refuses others. */
export const bantAnswer = {
  confirmed: z.boolean().describe("Whether the contact meets this criterion."),
  note: z.string().max(1_000).trim().optional().describe("Notes about this criterion."),
};

const ASKED: Record<(typeof BANT)[number], string> = {
  budget: "Whether there is a budget.",
  authority: "Whether the contact can decide to buy.",
  need: "Whether the contact needs what you sell.",
  timeline: "Whether it is known when the contact plans to buy.",
};

/** The four questions, each answered in the given form. */
export function bantQuestions<Answer extends z.ZodType>(answer: Answer) {
  return {
    budget: answer.describe(ASKED.budget),
    authority: answer.describe(ASKED.authority),
    need: answer.describe(ASKED.need),
    timeline: answer.describe(ASKED.timeline),
  };
}
