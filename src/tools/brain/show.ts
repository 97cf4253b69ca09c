import type { z } from "zod";
import type { Context } from "../../context.ts";
import type { Activity } from "../../domain/activity.ts";
import { BANT, type BantAnswers } from "../../domain/bant.ts";
import type { Deal } from "../../domain/deal.ts";
import { tellWaits } from "../../rules/waits.ts";
import type { BantAssessment } from "../../store/bant.ts";
import { type ActionOfContact, type EnrollmentWithSequence, type Origin, TRACED_FIELDS } from "../../store/brain.ts";
import type { Meeting } from "../../store/meetings.ts";
import type { SuppressionRow } from "../../store/suppressions.ts";
import { toWaits } from "../sequences/schema.ts";
import { iso, isoOrNull } from "../time.ts";
import { MAX_METADATA, MAX_TEXT } from "./bounds.ts";
import type { Bant, BrainActions, Provenance } from "./schema.ts";

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

export function showMeeting(meeting: Meeting) {
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

export function showBant(assessment: BantAssessment | null): z.infer<typeof Bant>["confirmed"] {
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

export function showSuppression({ id, email, reason, source, createdAt }: SuppressionRow) {
  return { id, email, reason: cut(reason), source, created_at: iso(createdAt) };
}

export function showProvenance(origins: readonly Origin[]): z.infer<typeof Provenance> {
  const none = TRACED_FIELDS.map((field) => [field, null]);
  const known = origins.map(({ field, source, actorId, at }) => [field, { source, actor_id: actorId, at: iso(at) }]);
  return Object.fromEntries([...none, ...known]) as z.infer<typeof Provenance>;
}
