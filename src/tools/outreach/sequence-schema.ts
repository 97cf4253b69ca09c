import { z } from "zod";
import { DELIVERIES, HOLD_CAUSES, HOLDS, POSTPONEMENTS, type Postponed } from "../../domain/outreach/sending.ts";
import { ENROLLMENT_STATUSES, SEQUENCE_STATUSES, type Step } from "../../domain/outreach/sequence.ts";
import { PLACEHOLDERS, templateFault } from "../../domain/outreach/template.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { CauseOfHold } from "../../services/outreach/hold-cause.ts";
import type { ApprovalRow, EnrollmentRow, SequenceRow, SequenceSummary } from "../../store/outreach.ts";
import { oneOf, recordId } from "../fields.ts";

const FILLS = `It can use ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}.`;

function template(max: number) {
  return z
    .string()
    .max(max)
    .superRefine((text, issues) => {
      const message = templateFault(text);
      if (message !== undefined) issues.addIssue({ code: "custom", message });
    });
}

const filled = (max: number) => template(max).refine((text) => text.trim() !== "", "can't be empty");
const days = (min: number) => z.int().min(min).max(365);
const delay_days = days(0).default(0).describe("Whole days to wait before this step.");

const email = z.strictObject({
  type: z.literal("email"),
  subject: filled(500)
    .refine((text) => !/[\r\n]/.test(text), "can't have a line break. Write one line")
    .describe(`The subject line. ${FILLS}`),
  body: filled(20_000).describe(`The text of the message. ${FILLS}`),
  delay_days,
});

const connect = z.strictObject({
  type: z.literal("socialnet_connect"),
  note: template(300).describe(`The note with the connection request. Empty for none. ${FILLS}`),
  delay_days,
});

const message = z.strictObject({
  type: z.literal("socialnet_message"),
  body: filled(8_000).describe(`The text of the message. ${FILLS}`),
  delay_days,
});

const wait = z.strictObject({ type: z.literal("wait"), days: days(1).describe("Whole days to wait.") });

const TYPES = [email, connect, message, wait].map(({ shape }) => shape.type.value).join(", ");

const step = z.discriminatedUnion("type", [email, connect, message, wait], {
  error: ({ code }) => (code === "invalid_union" ? `must be one of ${TYPES}` : undefined),
}) satisfies z.ZodType<Step>;

const Steps = z.array(step).min(1).max(50).describe("The steps, in order.");

const time = z.iso.datetime().nullable();

/** What create and update take. */
export const sequenceFields = {
  name: z.string().max(200).trim().min(1).describe("The sequence's name."),
  description: z
    .string()
    .max(2_000)
    .trim()
    .nullish()
    .transform((text) => (text === "" ? null : text))
    .meta({ description: "What the sequence is for. Null or an empty string: none." }),
  steps: Steps,
  socialnet_account_id: recordId("social account")
    .nullish()
    .describe("The account for the socialnet steps. Default: the workspace's only account."),
};

export const Sequence = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    status: z
      .string()
      .nullable()
      .describe(`One of ${SEQUENCE_STATUSES.join(", ")}. Only active sequences send.`),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Sequence", description: "A series of messages." });

/** Where a sequence's emails go, as a person decides it. */
export const deliveryOf = (omitted: string) =>
  oneOf(
    DELIVERIES,
    `Where the sequence's emails go. Must be files if the server has no mail server, except on demo servers. ${omitted}`,
  );

/** A sequence as people edit and approve it. */
export const WholeSequence = Sequence.extend({
  steps: Steps,
  socialnet_account_id: z.uuid().nullable(),
  delivery: z
    .enum(["send", "files"])
    .describe("Where the sequence's emails go. files: they are saved to files, and nothing is sent."),
  steps_hash: z.string().describe("The hash of the current steps and their sender. An approval pins it."),
});

export const Approval = z.object({
  id: z.uuid(),
  sequence_id: z.uuid(),
  status: z
    .enum(["approved", "applied", "voided"])
    .describe("applied: activated. Only such an approval authorizes sending."),
  steps_hash: z.string().describe("The hash of the approved steps."),
  contact_count: z.int().describe("The number of contacts in the audience."),
  approved_by: z.string(),
  approved_at: z.iso.datetime(),
  applied_by: z.string().nullable(),
  applied_at: time,
  voided_at: time.describe(
    "When a change of the steps or their sender voided the approval, or a teammate withdrew it.",
  ),
});

export const SequenceEnrollment = z
  .object({
    id: z.uuid(),
    sequence_id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    status: z.string().describe(`One of ${ENROLLMENT_STATUSES.join(", ")}.`),
    current_step: z.int().describe("Index of the next step, from 0."),
    enrolled_at: time,
  })
  .meta({ id: "SequenceEnrollment", description: "A contact's enrollment in a sequence." });

/** An enrollment as people see it. */
export const WholeEnrollment = SequenceEnrollment.extend({
  approval_id: z.uuid().describe("The approval that authorized the enrollment."),
  held_reason: oneOf(HOLDS, "Why the enrollment is on hold for review.").nullable(),
  held_detail: z.string().nullable(),
  due_at: time.describe("When the next step is checked."),
  ended_at: time,
  ended_reason: z.string().nullable().describe("Why the enrollment ended, if its status does not say so."),
});

/** What an enrollment waits for, computed when it is read. */
export const Waits = z
  .object({
    reason: oneOf(POSTPONEMENTS),
    until: time.describe("When the step is checked again. Null if no time is set."),
  })
  .nullable()
  .describe(
    "Why the next step is postponed. Null if the enrollment is on hold, waits for an action, or its next step is not due yet.",
  );

const name = z.string().nullable();

/** Whom a row of a list is about. */
export const ListedContact = z
  .object({ first_name: name, last_name: name, email: name })
  .nullable()
  .describe("Null if the contact is archived.");

/** Why an enrollment on hold is not authorized, computed when it is read. */
export const HoldCause = z
  .object({
    cause: oneOf(HOLD_CAUSES),
    fields: z.array(z.string()).describe("The contact's fields that changed, if that is the cause."),
    at: time.describe("When the cause occurred. Null if unknown."),
  })
  .nullable()
  .describe("What caused a hold for contact_changed or not_authorised. Null for other hold reasons.");

export const ListedEnrollment = WholeEnrollment.extend({ waits: Waits, hold_cause: HoldCause, contact: ListedContact });

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
    delivery: row.delivery,
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

export function toHoldCause(found: CauseOfHold | null): z.infer<typeof HoldCause> {
  return found && { ...found, at: isoOrNull(found.at) };
}

export function toWaits(postponed: Postponed | null): z.infer<typeof Waits> {
  return postponed && { reason: postponed.reason, until: isoOrNull(postponed.until) };
}
