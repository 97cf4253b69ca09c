import { z } from "zod";
import type { Context } from "../../core/context.ts";
import type { Activity } from "../../domain/contacts/activity.ts";
import type { Deal } from "../../domain/contacts/deal.ts";
import { BANT, type BantAnswers, nextStage } from "../../domain/contacts/lifecycle.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { tellWaits } from "../../services/outreach/sending-conditions.ts";
import {
  type ActionOfContact,
  type BantAssessment,
  type ContactRecord,
  type EnrollmentWithSequence,
  type Meeting,
  type Origin,
  TRACED_FIELDS,
} from "../../store/contacts.ts";
import type { SuppressionRow } from "../../store/outreach.ts";
import { toWaits } from "../outreach/sequence-schema.ts";
import { Account, toAccount } from "./account-schema.ts";
import {
  Bant,
  BrainActions,
  BrainActivities,
  type BrainDeals,
  BrainEnrollments,
  BrainMeetings,
  BrainSuppression,
  LastContacted,
  MAX_METADATA,
  MAX_TEXT,
  Provenance,
  SocialStatus,
  Stage,
} from "./brain-schema.ts";
import { Contact } from "./contact-schema.ts";

/** What the server stamps on an activity: who wrote it. */
const STAMPED = ["source", "api_key_id"];

/** Cut by characters, never within one. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const characters = [...text];
  return characters.length <= MAX_TEXT ? text : `${characters.slice(0, MAX_TEXT).join("")}…`;
}

const cutOrNull = (text: string | null) => (text === null ? null : cut(text));

export function showActivity({ workspace_id: _, ...activity }: Activity) {
  const { metadata } = activity;
  const small = JSON.stringify(metadata).length <= MAX_METADATA;
  const stamped = () => Object.fromEntries(Object.entries(metadata).filter(([name]) => STAMPED.includes(name)));
  return {
    ...activity,
    subject: cutOrNull(activity.subject),
    body: cutOrNull(activity.body),
    metadata: small ? metadata : stamped(),
  };
}

export function showDeal({ workspace_id: _, ...deal }: Deal) {
  return { ...deal, title: cut(deal.title) };
}

function showMeeting(meeting: Meeting) {
  return {
    id: meeting.id,
    activity_id: meeting.activityId,
    confirmed: meeting.confirmedAt !== null,
    held_on: meeting.heldOn,
    note: cutOrNull(meeting.note),
    confirmed_by: meeting.confirmedBy,
    confirmed_at: isoOrNull(meeting.confirmedAt),
    created_at: iso(meeting.createdAt),
  };
}

function showAnswers(answers: BantAnswers) {
  const shown = BANT.map((question) => {
    const { confirmed, note } = answers[question];
    return [question, { confirmed, note: note ? cut(note) : null }];
  });
  return Object.fromEntries(shown) as Record<keyof BantAnswers, { confirmed: boolean; note: string | null }>;
}

function showBant(assessment: BantAssessment | null): z.infer<typeof Bant>["confirmed"] {
  return (
    assessment && {
      id: assessment.id,
      ...showAnswers(assessment.answers),
      confirmed_by: assessment.confirmedBy,
      confirmed_at: isoOrNull(assessment.confirmedAt),
      created_at: iso(assessment.createdAt),
    }
  );
}

export async function showEnrollments(ctx: Context, enrollments: readonly EnrollmentWithSequence[]) {
  const waits = await tellWaits(ctx, enrollments);
  return enrollments.map((enrollment, i) => ({ ...showEnrollment(enrollment), waits: toWaits(waits[i] ?? null) }));
}

function showEnrollment(enrollment: EnrollmentWithSequence) {
  return {
    id: enrollment.id,
    sequence_id: enrollment.sequenceId,
    sequence_name: cut(enrollment.sequenceName),
    sequence_status: enrollment.sequenceStatus,
    delivery: enrollment.delivery,
    status: enrollment.status,
    held_reason: cutOrNull(enrollment.heldReason),
    current_step: enrollment.currentStep,
    due_at: isoOrNull(enrollment.dueAt),
    enrolled_at: iso(enrollment.enrolledAt),
    ended_at: isoOrNull(enrollment.endedAt),
  };
}

export function showAction(action: ActionOfContact): z.infer<typeof BrainActions>[number] {
  return {
    id: action.id,
    account_id: action.accountId,
    account_label: cut(action.accountLabel),
    contact_id: action.contactId,
    kind: action.kind,
    origin: action.origin,
    status: action.status,
    copy: cut(action.copy),
    outcome: action.outcome,
    created_at: iso(action.createdAt),
    ended_at: isoOrNull(action.endedAt),
  };
}

/** Actions with who proposed them. Only people see that, and only where they decide. */
export const ActionsToReview = z
  .array(
    BrainActions.element.extend({
      planned_by: z
        .string()
        .nullable()
        .describe("Who proposed the action. Null if a sequence did, or if the action doesn't need review."),
    }),
  )
  .describe(BrainActions.description ?? "");

export async function withPlanners(
  { store }: Context,
  actions: z.infer<typeof BrainActions>,
): Promise<z.infer<typeof ActionsToReview>> {
  const isAsked = ({ status, origin }: (typeof actions)[number]) => status === "planned" && origin !== "engine";
  const contactIds = [...new Set(actions.filter(isAsked).map(({ contact_id }) => contact_id))];
  const rows = contactIds.length === 0 ? [] : await store.brain.actions(contactIds);
  const planners = new Map(rows.map(({ id, plannedBy }) => [id, plannedBy]));
  return actions.map((action) => ({ ...action, planned_by: (isAsked(action) && planners.get(action.id)) || null }));
}

function showSuppression({ id, email, reason, source, createdAt }: SuppressionRow) {
  return { id, email, reason: cut(reason), source, created_at: iso(createdAt) };
}

function showProvenance(origins: readonly Origin[]): z.infer<typeof Provenance> {
  const none = TRACED_FIELDS.map((field) => [field, null]);
  const known = origins.map(({ field, source, actorId, at }) => [field, { source, actor_id: actorId, at: iso(at) }]);
  return Object.fromEntries([...none, ...known]) as z.infer<typeof Provenance>;
}

/** What both a contact and a deal have around them. */
export const surroundings = {
  contact: Contact,
  last_contacted_at: LastContacted,
  account: Account.nullable().describe("The company record that the contact is linked to. Null if there is none."),
  lifecycle: Stage,
  meetings: BrainMeetings,
  bant: Bant,
  enrollments: BrainEnrollments,
  social_status: SocialStatus,
  actions: BrainActions,
  suppression: BrainSuppression,
  activities: BrainActivities,
  provenance: Provenance,
};

type Surroundings = { [Part in keyof typeof surroundings]: z.infer<(typeof surroundings)[Part]> };

/** Every part is asked for in one go, so that nothing of this process is written between two of them. */
export async function gatherSurroundings(
  ctx: Context,
  record: ContactRecord,
  exceptDeal?: string,
): Promise<Surroundings & { deals: z.infer<typeof BrainDeals> }> {
  const { accounts, brain, contacts } = ctx.store;
  const { contact, lifecycle: stage, accountId } = record;
  const [account, confirmed, deals, meetings, bant, enrollments, actions, suppression, activities, origins] =
    await Promise.all([
      accountId === null ? undefined : accounts.find(accountId),
      contacts.confirmations(contact.id),
      brain.deals([contact.id], exceptDeal),
      brain.meetings(contact.id),
      brain.bant(contact.id),
      brain.enrollments([contact.id]),
      brain.actions([contact.id]),
      contact.email === null ? undefined : brain.suppression(contact.email),
      brain.activities([contact.id]),
      brain.origins(record.seq),
    ]);
  return {
    contact,
    last_contacted_at: isoOrNull(record.lastContactedAt),
    account: account === undefined ? null : toAccount(account),
    lifecycle: { stage, next: nextStage(stage, confirmed) },
    deals: deals.map(showDeal),
    meetings: meetings.map(showMeeting),
    bant: { confirmed: showBant(bant.confirmed), unconfirmed: showBant(bant.unconfirmed) },
    enrollments: await showEnrollments(ctx, enrollments),
    social_status: record.socialStatus,
    actions: actions.map(showAction),
    suppression: suppression === undefined ? null : showSuppression(suppression),
    activities: activities.map(showActivity),
    provenance: showProvenance(origins),
  };
}
