import { z } from "zod";
import { HOLDS, POSTPONEMENTS, type Postponed } from "../../domain/sending.ts";
import { ENROLLMENT_STATUSES, SEQUENCE_STATUSES } from "../../domain/sequence.ts";
import type { ApprovalRow } from "../../store/approvals.ts";
import type { EnrollmentRow } from "../../store/enrollments.ts";
import type { SequenceRow, SequenceSummary } from "../../store/sequences.ts";
import { oneOf } from "../fields.ts";
import { recordId } from "../ids.ts";
import { iso, isoOrNull } from "../time.ts";
import { Steps } from "./steps.ts";

const time = z.iso.datetime().nullable();

/** What create and update take. */
export const sequenceFields = {
  name: z.string().trim().min(1).max(200).describe("What people call the sequence."),
  description: z
    .string()
    .trim()
    .max(2_000)
    .nullish()
    .transform((text) => (text === "" ? null : text))
    .meta({ description: "What the sequence is for; null and the empty string mean none." }),
  steps: Steps,
  socialnet_account_id: recordId("socialnet account")
    .nullish()
    .describe("Which account acts in its socialnet steps; without one, the only one that the workspace has."),
};

export const Sequence = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    status: z
      .string()
      .nullable()
      .describe(`One of ${SEQUENCE_STATUSES.join(", ")}. It is sent from while active.`),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Sequence", description: "A series of messages." });

/** A sequence as people edit and approve it. */
export const WholeSequence = Sequence.extend({
  steps: Steps,
  socialnet_account_id: z.uuid().nullable(),
  steps_hash: z.string().describe("Covers the steps as they read now; an approval pins it."),
});

export const Approval = z.object({
  id: z.uuid(),
  sequence_id: z.uuid(),
  status: z.enum(["approved", "applied", "voided"]).describe("Only an applied approval authorises."),
  steps_hash: z.string().describe("Of the steps that were approved."),
  contact_count: z.int().describe("How many contacts the audience has."),
  approved_by: z.string(),
  approved_at: z.iso.datetime(),
  applied_by: z.string().nullable(),
  applied_at: time,
  voided_at: time.describe("When an edit of the steps voided it, or somebody withdrew it."),
});

export const SequenceEnrollment = z
  .object({
    id: z.uuid(),
    sequence_id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    status: z.string().describe(`One of ${ENROLLMENT_STATUSES.join(", ")}.`),
    current_step: z.int().describe("Index of the step that comes next, from 0."),
    enrolled_at: time,
  })
  .meta({ id: "SequenceEnrollment", description: "A contact's way through a sequence." });

/** An enrollment as people see it. */
export const WholeEnrollment = SequenceEnrollment.extend({
  approval_id: z.uuid().describe("The approval that authorised it."),
  held_reason: oneOf(HOLDS, "Why it waits for a person.").nullable(),
  held_detail: z.string().nullable(),
  due_at: time.describe("When the next step is to be looked at."),
  ended_at: time,
  ended_reason: z.string().nullable().describe("What ended it, where its status does not say all."),
});

/** What an enrollment waits for, as things stand when it is read. */
export const Waits = z
  .object({
    reason: oneOf(POSTPONEMENTS),
    until: time.describe("When it is looked at again; null where no time decides it."),
  })
  .nullable()
  .describe("Why a step is left for later; null where it waits for a person, for an action, or for its day alone.");

export const ListedEnrollment = WholeEnrollment.extend({ waits: Waits });

export function toSequence(row: SequenceSummary): z.infer<typeof Sequence> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}

export function toWholeSequence(row: SequenceRow): z.infer<typeof WholeSequence> {
  return {
    ...toSequence(row),
    steps: row.steps,
    socialnet_account_id: row.socialnetAccountId,
    steps_hash: row.stepsHash,
  };
}

export function toApproval(row: ApprovalRow): z.infer<typeof Approval> {
  return {
    id: row.id,
    sequence_id: row.sequenceId,
    status: row.status,
    steps_hash: row.stepsHash,
    contact_count: row.contactCount,
    approved_by: row.approvedBy,
    approved_at: iso(row.approvedAt),
    applied_by: row.appliedBy,
    applied_at: isoOrNull(row.appliedAt),
    voided_at: isoOrNull(row.voidedAt),
  };
}

export function toEnrollment(row: EnrollmentRow, workspaceId: string): z.infer<typeof SequenceEnrollment> {
  return {
    id: row.id,
    sequence_id: row.sequenceId,
    contact_id: row.contactId,
    workspace_id: workspaceId,
    status: row.status,
    current_step: row.currentStep,
    enrolled_at: iso(row.enrolledAt),
  };
}

export function toWholeEnrollment(row: EnrollmentRow, workspaceId: string): z.infer<typeof WholeEnrollment> {
  return {
    ...toEnrollment(row, workspaceId),
    approval_id: row.approvalId,
    held_reason: row.heldReason,
    held_detail: row.heldDetail,
    due_at: isoOrNull(row.dueAt),
    ended_at: isoOrNull(row.endedAt),
    ended_reason: row.endedReason,
  };
}

export function toWaits(postponed: Postponed | null): z.infer<typeof Waits> {
  return postponed && { reason: postponed.reason, until: isoOrNull(postponed.until) };
}
