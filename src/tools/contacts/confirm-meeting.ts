import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { hasCome } from "../../domain/time/date.ts";
import { iso } from "../../lib/time.ts";
import type { Meeting } from "../../store/contacts.ts";
import { recordId } from "../fields.ts";

export const confirmMeeting = personOperation({
  name: "confirm_meeting",
  area: "contacts",
  title: "Confirm a meeting",
  description:
    "Confirms that a meeting with the contact took place. It confirms the newest booked meeting that is " +
    "unconfirmed. If there is none, it records a new one. The contact can then become a lead.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["contact_not_found"],
  input: z.strictObject({
    contact_id: recordId("contact"),
    held_on: z.iso.date().describe("The day of the meeting, YYYY-MM-DD."),
    note: z.string().max(1_000).trim().optional().describe("Notes about the meeting."),
  }),
  output: z.object({
    id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    activity_id: z.uuid().nullable().describe("The meeting_booked activity. Null if there is none."),
    held_on: z.iso.date(),
    note: z.string().nullable(),
    confirmed_by: z.string(),
    confirmed_at: z.iso.datetime(),
    created_at: z.iso.datetime(),
  }),
  async handler(ctx, { contact_id: contactId, held_on, note = "" }) {
    if (!hasCome(held_on, ctx.now)) {
      throw problem("validation_failed", "held_on: can't be in the future. Confirm the meeting after it took place.");
    }
    if ((await ctx.store.contacts.find(contactId)) === undefined) throw problem("contact_not_found");
    const word = { heldOn: held_on, note: note || null, confirmedBy: ctx.actor.id };
    const booked = await ctx.store.meetings.confirmNewest(contactId, { ...word, now: ctx.now });
    const meeting = booked ?? (await recordHeld(ctx, contactId, word));
    const data = {
      id: meeting.id,
      contact_id: contactId,
      workspace_id: ctx.workspaceId,
      activity_id: meeting.activityId,
      held_on,
      note: word.note,
      confirmed_by: word.confirmedBy,
      confirmed_at: iso(ctx.now),
      created_at: iso(meeting.createdAt),
    };
    const open = { ...data, held_on: null, note: null, confirmed_by: null, confirmed_at: null };
    await ctx.audit({ recordId: meeting.id, before: booked === undefined ? null : open, after: data });
    return { data };
  },
});

async function recordHeld(
  ctx: Context,
  contactId: string,
  word: Pick<Meeting, "heldOn" | "note" | "confirmedBy">,
): Promise<Meeting> {
  const at = { createdAt: ctx.now, confirmedAt: ctx.now };
  const meeting = { id: ctx.newId(), contactId, activityId: null, ...word, ...at };
  await ctx.store.meetings.insert(meeting);
  return meeting;
}
