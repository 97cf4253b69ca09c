import { z } from "zod";
import { DEAL_STAGES } from "../../domain/contacts/deal.ts";
import { BANT, LIFECYCLE } from "../../domain/contacts/lifecycle.ts";
import { ENROLLMENT_STATUSES, SEQUENCE_STATUSES } from "../../domain/outreach/sequence.ts";
import { ACTION_KINDS, ACTION_ORIGINS, ACTION_STATUSES, OUTCOMES } from "../../domain/socialnet/action.ts";
import { SOCIAL_STATUSES } from "../../domain/socialnet/social-status.ts";
import { BOUNDS, TRACED_FIELDS } from "../../store/contacts.ts";
import { Waits } from "../outreach/sequence-schema.ts";
import { Activity } from "./contact-schema.ts";
import { Deal } from "./deal-schema.ts";

const time = z.iso.datetime();

/** Larger metadata, by its characters of JSON, is reduced. */
export const MAX_METADATA = 1_000;

export const LastContacted = time
  .nullable()
  .describe(
    "When an outgoing call, voicemail, text or social message was last logged. Sent emails and agents' actions don't count. Null: none.",
  );

export const Stage = z
  .object({
    stage: z.enum(LIFECYCLE),
    next: z
      .object({
        stage: z.enum(LIFECYCLE),
        needs: z
          .array(z.string())
          .describe(
            "What a teammate must confirm before the contact can move to this stage: meeting_required, bant_required or " +
              "won_deal_required. Empty if nothing is missing.",
          ),
      })
      .nullable()
      .describe("The next stage. Null for a customer."),
  })
  .describe("The contact's stage. It moves one stage at a time.");

export const BrainDeals = z
  .array(Deal.omit({ workspace_id: true }))
  .max(BOUNDS.deals)
  .describe(`Open deals first, then ${DEAL_STAGES.filter((stage) => stage.startsWith("closed")).join(" and ")}.`);

export const BrainMeetings = z
  .array(
    z.object({
      id: z.guid(),
      activity_id: z
        .guid()
        .nullable()
        .describe("The meeting_booked activity. Null if the meeting was recorded only when a teammate confirmed it."),
      confirmed: z
        .boolean()
        .describe("Whether a teammate confirmed that it took place. Only confirmed meetings count."),
      held_on: z.iso.date().nullable(),
      note: z.string().nullable(),
      confirmed_by: z.string().nullable(),
      confirmed_at: time.nullable(),
      created_at: time,
    }),
  )
  .max(BOUNDS.meetings);

const Answer = z.object({ confirmed: z.boolean(), note: z.string().nullable() });

const Assessment = z
  .object({
    id: z.guid(),
    ...(Object.fromEntries(BANT.map((question) => [question, Answer])) as Record<(typeof BANT)[number], typeof Answer>),
    confirmed_by: z.string().nullable(),
    confirmed_at: time.nullable(),
    created_at: time,
  })
  .nullable();

export const Bant = z
  .object({
    confirmed: Assessment.describe(
      "The newest assessment that a teammate confirmed. Required for the stage opportunity.",
    ),
    unconfirmed: Assessment.describe(
      "The newest unconfirmed assessment, sent with a deal. Only a confirmed assessment counts.",
    ),
  })
  .describe("Budget, authority, need, timeline.");

export const BrainEnrollments = z
  .array(
    z.object({
      id: z.guid(),
      sequence_id: z.guid(),
      sequence_name: z.string(),
      sequence_status: z.enum(SEQUENCE_STATUSES),
      delivery: z.enum(["send", "files"]).describe("files: the sequence's emails are saved and not sent."),
      status: z.enum(ENROLLMENT_STATUSES),
      held_reason: z.string().nullable().describe("Why the enrollment is on hold. Null if it isn't."),
      waits: Waits,
      current_step: z.int().describe("Index of the next step, from 0."),
      due_at: time
        .nullable()
        .describe("When that step is due. Null while the enrollment waits for an action, and once it has ended."),
      enrolled_at: time,
      ended_at: time.nullable(),
    }),
  )
  .max(BOUNDS.enrollments)
  .describe("Active enrollments first, then ended ones.");

export const SocialStatus = z
  .enum(SOCIAL_STATUSES)
  .describe("How far the relationship has come on the professional network. It only moves forward.");

export const BrainActions = z
  .array(
    z.object({
      id: z.guid(),
      account_id: z.guid(),
      account_label: z.string(),
      contact_id: z.guid(),
      kind: z.enum(ACTION_KINDS),
      origin: z.enum(ACTION_ORIGINS),
      status: z.enum(ACTION_STATUSES),
      copy: z.string(),
      outcome: z.enum(OUTCOMES).nullable(),
      created_at: time,
      ended_at: time.nullable(),
    }),
  )
  .max(BOUNDS.actions)
  .describe("Social-network actions of agents: open ones first, then finished ones.");

export const BrainSuppression = z
  .object({ id: z.guid(), email: z.string(), reason: z.string(), source: z.string(), created_at: time })
  .nullable()
  .describe("The contact's entry on the do-not-contact list. Null: not on the list.");

export const BrainActivities = z
  .array(
    Activity.omit({ workspace_id: true }).extend({
      metadata: z
        .record(z.string(), z.unknown())
        .describe(`Free-form. Above ${MAX_METADATA} characters of JSON, only source and api_key_id are shown.`),
    }),
  )
  .max(BOUNDS.activities)
  .describe("The latest entries of the timeline.");

const Origin = z.object({ source: z.string(), actor_id: z.string(), at: time }).nullable();

export const Provenance = z
  .object(
    Object.fromEntries(TRACED_FIELDS.map((field) => [field, Origin])) as Record<
      (typeof TRACED_FIELDS)[number],
      typeof Origin
    >,
  )
  .describe("Who last wrote each field, through which source, and when. Null if it was never written.");

/** Longer texts are cut. */
export const MAX_TEXT = 500;
/** What `detail: "compact"` leaves out of every view of a brain. */
export const COMPACT_BRAIN = [
  ...["account.created_at", "account.updated_at"],
  ...["actions.origin", "actions.created_at", "actions.ended_at"],
];

/** The part of a view's description about the size of its answer. */
export function bounded(...lists: (keyof typeof BOUNDS)[]): string {
  const most = lists.map((list) => `${BOUNDS[list]} ${list}`).join(", ");
  return (
    `Lists are newest first, open records before closed ones: at most ${most}. A list at its limit may be incomplete. ` +
    `Texts except URLs are cut to ${MAX_TEXT} characters and end in "…".`
  );
}
