import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { type Lifecycle, type MoveRefusal, refuseMove } from "../../domain/contacts/lifecycle.ts";
import type { ContactRecord } from "../../store/contacts.ts";
import { recordActivity } from "./record-activity.ts";

/** @throws Problem stage_not_adjacent, meeting_required, bant_required, won_deal_required */
export async function requireMove(ctx: Context, { contact, lifecycle: from }: ContactRecord, to: Lifecycle) {
  const refusal = refuseMove(from, to, await ctx.store.contacts.confirmations(contact.id));
  if (refusal !== undefined) throw problem(refusal, `lifecycle: ${REFUSED[refusal](from, to)}`);
}

const REFUSED: Record<MoveRefusal, (from: Lifecycle, to: Lifecycle) => string> = {
  stage_not_adjacent: (from, to) => `can't go from ${from} to ${to}. Move one stage at a time.`,
  meeting_required: () =>
    "can't be lead until a teammate confirms a meeting with this contact. Log a meeting_booked activity, then ask a teammate to confirm the meeting in the console.",
  bant_required: () =>
    "can't be opportunity until a teammate confirms a BANT assessment. Ask a teammate to confirm one in the console.",
  won_deal_required: () => "can't be customer until a teammate moves a deal to closed_won or confirms a won deal.",
};

/** A move is on the contact's timeline, and in the audit. */
export async function recordMove(ctx: Context, contactId: string, from: Lifecycle, to: Lifecycle): Promise<void> {
  const subject = `${from} → ${to}`;
  await recordActivity(ctx, { contactId, type: "lifecycle_changed", subject, metadata: { from, to } });
  await ctx.audit({ recordId: contactId, before: { lifecycle: from }, after: { lifecycle: to } });
}
