import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { MARKS } from "../../domain/text/marks.ts";
import { isoOrNull } from "../../lib/time.ts";
import { isNotInterested } from "../../services/inbox/conversations.ts";
import { causesOfHolds } from "../../services/outreach/hold-cause.ts";
import { findSimilarSuppressed } from "../../services/outreach/suppression.ts";
import { oneOf, recordId, time } from "../fields.ts";
import { HoldCause, toHoldCause } from "../outreach/sequence-schema.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";
import { cursor } from "../page.ts";
import { marksOfProfile } from "../socialnet/action-schema.ts";
import { BrainDeals, BrainEnrollments } from "./brain-schema.ts";
import { ActionsToReview, gatherSurroundings, surroundings, withPlanners } from "./brain-view.ts";
import { Activity, lastReply, notInterested } from "./contact-schema.ts";
import { ActorNames, authorsOf, ConfirmedMeetings, confirmedDuring, namesOf } from "./timeline-page.ts";

const TIMELINE_ENTRIES = 25;
/** Choices to offer. A workspace with more of either reaches the rest from their own pages. */
const CHOICES = { limit: 100, offset: 0 };

const { activities: _, ...shared } = surroundings;

export const getContactRecord = personOperation({
  name: "get_contact_record",
  area: "contacts",
  title: "Get a contact's record",
  description:
    "Reads everything that a contact's page shows, such as the record, the requirement of the next stage, deals, " +
    "enrollments, social-network actions, the last reply, and a page of the timeline.",
  access: { permission: "view" },
  effect: "read",
  errors: ["contact_not_found"],
  input: z.strictObject({ id: recordId("contact"), before: cursor.optional() }),
  output: z.object({
    ...shared,
    actions: ActionsToReview,
    deals: BrainDeals,
    enrollments: z.array(
      BrainEnrollments.element.extend({
        held_detail: z.string().nullable().describe("More about the hold, if any."),
        hold_cause: HoldCause,
      }),
    ),
    similar_suppressed: similarSuppressed,
    last_reply: lastReply,
    last_reply_at: time
      .nullable()
      .describe("When this contact, or another contact with the same profile, last replied."),
    not_interested: notInterested,
    profile_marks: z.array(oneOf(MARKS)).describe("Warnings about socialnet_url."),
    timeline: z.array(Activity).describe("Newest first."),
    older: z.string().nullable().describe('To get older entries, send this value as "before". Null at the end.'),
    confirmed_meetings: ConfirmedMeetings,
    actor_names: ActorNames,
    sequences: z
      .array(z.object({ id: z.guid(), name: z.string() }))
      .describe(`Of the ${CHOICES.limit} newest sequences, those that aren't archived.`),
    socialnet_accounts: z.array(z.object({ id: z.guid(), label: z.string() })),
  }),
  async handler(ctx, { id, before }) {
    const { contacts, activities, sequences, socialnetAccounts } = ctx.store;
    const record = await contacts.find(id);
    if (record === undefined) throw problem("contact_not_found");
    const { activities: _, enrollments, ...known } = await gatherSurroundings(ctx, record);
    const { socialnet_url: url } = record.contact;
    const position = before === undefined ? null : Number.parseInt(before, 10);
    const { rows: timeline, next } = await activities.page(id, { limit: TIMELINE_ENTRIES, before: position });
    const confirmed = await confirmedDuring(ctx, [id], { before: position, rows: timeline, next });
    const holds = enrollments.some(({ held_reason }) => held_reason !== null) ? await holdDetails(ctx, id) : undefined;
    const allSequences = await sequences.list(CHOICES);
    const accounts = await socialnetAccounts.list(CHOICES);
    return {
      data: {
        ...known,
        actions: await withPlanners(ctx, known.actions),
        enrollments: enrollments.map((enrollment) => ({
          ...enrollment,
          ...(holds?.get(enrollment.id) ?? { held_detail: null, hold_cause: null }),
        })),
        similar_suppressed: await findSimilarSuppressed(ctx.store, record.contact),
        last_reply: (await activities.lastReply(id)) ?? null,
        last_reply_at: isoOrNull((await activities.lastReplies([id])).get(id)?.at ?? null),
        not_interested: await isNotInterested(ctx, id),
        profile_marks: url === null ? [] : await marksOfProfile(ctx, id, url),
        timeline,
        older: next === null ? null : String(next),
        confirmed_meetings: confirmed,
        actor_names: await namesOf(ctx, [...writersOf(known.provenance), ...authorsOf(timeline, confirmed)]),
        sequences: allSequences.rows
          .filter(({ status }) => status !== "archived")
          .map(({ id, name }) => ({ id, name })),
        socialnet_accounts: accounts.rows.map(({ id, label }) => ({ id, label })),
      },
    };
  },
});

/** More about each hold of a contact, by the id of the enrollment. */
async function holdDetails(ctx: Context, contactId: string) {
  const enrollments = await ctx.store.brain.enrollments([contactId]);
  const causes = await causesOfHolds(ctx, enrollments);
  return new Map(
    enrollments.map(({ id, heldDetail }, i) => [
      id,
      { held_detail: heldDetail, hold_cause: toHoldCause(causes[i] ?? null) },
    ]),
  );
}

function writersOf(provenance: Record<string, { actor_id: string } | null>): string[] {
  return Object.values(provenance).flatMap((origin) => (origin === null ? [] : [origin.actor_id]));
}
