import { z } from "zod";
import type { Context } from "../../core/context.ts";
import {
  ACTION_HOLDS,
  ACTION_KINDS,
  ACTION_ORIGINS,
  ACTION_STATUSES,
  OUTCOMES,
} from "../../domain/socialnet/action.ts";
import { BLOCKS, blockOf, type ClaimConditions } from "../../domain/socialnet/eligibility.ts";
import { addressMarksOf, MARKS, type Mark } from "../../domain/text/marks.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { findLastMessage, isNotInterested } from "../../services/inbox/conversations.ts";
import { findRecipient } from "../../services/outreach/approvals.ts";
import { findSimilarSuppressed } from "../../services/outreach/suppression.ts";
import { accountOf, hashShown } from "../../services/socialnet/actions.ts";
import { claimConditions } from "../../services/socialnet/eligibility.ts";
import type { LastReply } from "../../store/contacts.ts";
import type { ActionInContext, ActionRow, Executions } from "../../store/socialnet.ts";
import { lastMessage, lastReply, notInterested } from "../contacts/contact-schema.ts";
import { hidden, oneOf, recordId, reveal, time } from "../fields.ts";
import { similarSuppressed } from "../outreach/suppression-schema.ts";

export const readCopyHash = z
  .string()
  .max(64)
  .optional()
  .describe(
    "The action's copy_hash that you read. If it has changed, the call is refused. Without it, the call applies to the current action.",
  );

export const readLastReply = recordId("reply")
  .nullable()
  .optional()
  .describe(
    "The id of the contact's last reply that you read, as get_contact_record returns it. Null if there was none. If the " +
      "last reply has changed, the call is refused. Optional.",
  );

export const readHold = z
  .enum(ACTION_HOLDS)
  .optional()
  .describe(
    "The action's hold that you read. none: not on hold. approved: on hold, with an approved_at. unapproved: on " +
      "hold, without one. If this has changed, the call is refused. Optional.",
  );

/** A person's comment on a decision about an action. */
export const note = z.string().max(500).trim().min(1).optional().describe("The reason, for the history.");

const blockedBy = z
  .object({
    reason: z.enum([...BLOCKS, "not_approved", "already_claimed", "already_started"]),
    nextWindowAt: time.nullable(),
  })
  .nullable()
  .describe("Why the action can't be claimed now, and when that may change. Null if it can be claimed or has ended.");

/** An action as its agent sees it. */
export const SocialnetAction = z.object({
  id: z.uuid(),
  kind: z.enum(ACTION_KINDS),
  origin: z.enum(ACTION_ORIGINS).describe("engine: a step of a sequence. member: planned by a person."),
  status: z.enum(ACTION_STATUSES),
  account: z.object({ id: z.uuid(), label: z.string() }),
  recipient: z.object({
    contactId: z.uuid(),
    name: z.string().nullable(),
    company: z.string().nullable(),
    profileUrl: z.string(),
  }),
  copy: z.string().describe("The exact text to send, only after a successful start."),
  context: z
    .object({
      sequenceId: z.uuid().nullable(),
      sequenceName: z.string().nullable(),
      step: z.int().nullable().describe("Index of the sequence's step, from 0."),
      stepCount: z.int().nullable(),
      campaign: z.string().nullable(),
    })
    .nullable(),
  blockedBy,
  outcome: z.enum(OUTCOMES).nullable(),
  approvedAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
/** What `detail: "compact"` leaves out of an action. */
export const COMPACT_ACTION = ["origin", "outcome", "createdAt", "updatedAt"];
export type SocialnetAction = z.infer<typeof SocialnetAction>;

function nameOf({ firstName, lastName }: ActionInContext): string | null {
  return [firstName, lastName].filter(Boolean).join(" ") || null;
}

function recipientOf(row: ActionInContext): SocialnetAction["recipient"] {
  return { contactId: row.contactId, name: nameOf(row), company: row.company, profileUrl: row.recipientUrl };
}

function contextOf({
  sequenceId,
  sequenceName,
  step,
  stepCount,
  campaign,
}: ActionInContext): SocialnetAction["context"] {
  if (sequenceId === null && campaign === null) return null;
  return { sequenceId, sequenceName, step, stepCount, campaign };
}

function blockedByOf(row: ActionInContext, conditions: ClaimConditions): SocialnetAction["blockedBy"] {
  const own = { planned: "not_approved", held: "held", claimed: "already_claimed" } as const;
  if (row.status === "approved") {
    const blocked = blockOf(row, conditions);
    return blocked && { reason: blocked.reason, nextWindowAt: isoOrNull(blocked.nextAt) };
  }
  if (row.status === "started" || row.status === "needs_review")
    return { reason: "already_started", nextWindowAt: null };
  const reason = own[row.status as keyof typeof own];
  return reason === undefined ? null : { reason, nextWindowAt: null };
}

export function toAction(row: ActionInContext, conditions: ClaimConditions): SocialnetAction {
  return {
    id: row.id,
    kind: row.kind,
    origin: row.origin,
    status: row.status,
    account: { id: row.accountId, label: row.accountLabel },
    recipient: recipientOf(row),
    copy: row.copy,
    context: contextOf(row),
    blockedBy: blockedByOf(row, conditions),
    outcome: row.outcome,
    approvedAt: isoOrNull(row.approvedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** An action as its agent sees it now. */
export async function showAction(ctx: Context, id: string, conditions: ClaimConditions): Promise<SocialnetAction> {
  return toAction((await ctx.store.socialnetActions.findInContext(id)) as ActionInContext, conditions);
}

/** An action as the people see it who decide on it. */
export const PlannedAction = z.object({
  id: z.uuid(),
  account_id: z.uuid(),
  account_label: z.string(),
  account_profile_url: z.string().describe("The sender's own profile, which an approval pins."),
  contact_id: z.uuid(),
  contact_name: z.string().nullable(),
  contact_company: z.string().nullable(),
  kind: z.enum(ACTION_KINDS),
  origin: z.enum(ACTION_ORIGINS),
  status: z.enum(ACTION_STATUSES),
  recipient_url: z.string().describe("The profile that an approval pins."),
  copy: z.string().describe("The exact copy that an approval pins."),
  hidden,
  copy_hash: z
    .string()
    .describe(
      "The hash of the sender, the recipient, the kind, the copy, the campaign, the note, the contact's last reply and last message, and earlier executions. If you send it with a decision, it must match the current action.",
    ),
  last_reply_at: time
    .nullable()
    .describe(
      "When the contact, or another one with the same profile, last replied by email or on the professional network.",
    ),
  sequence_id: z.uuid().nullable(),
  sequence_name: z.string().nullable(),
  step: z.int().nullable().describe("Index of the sequence's step, from 0."),
  step_count: z.int().nullable(),
  enrollment_id: z.uuid().nullable(),
  campaign: z.string().nullable(),
  planned_by: z.string(),
  approved_by: z
    .string()
    .nullable()
    .describe("Null if the action isn't approved, or if an automatic account approved it."),
  approved_at: time.nullable(),
  blocked_by: z.object({ reason: z.string(), next_window_at: time.nullable() }).nullable(),
  lease_expires_at: time.nullable(),
  outcome: z.enum(OUTCOMES).nullable(),
  change_requested_at: time.nullable().describe("When a teammate requested changes. The note says which."),
  note: z
    .string()
    .nullable()
    .describe("The reason for the latest decision or change, such as a hold, a cancellation or requested changes."),
  created_at: time,
  updated_at: time,
  ended_at: time.nullable(),
});

/** What the hash of an action covers beside it. */
interface Beside {
  reply: LastReply | undefined;
  lastMessageId: string | undefined;
  executions: Executions | undefined;
}

export function toPlanned(
  row: ActionInContext,
  conditions: ClaimConditions,
  { reply, lastMessageId, executions }: Beside,
): z.infer<typeof PlannedAction> {
  const blocked = blockedByOf(row, conditions);
  const read = {
    account_profile_url: row.accountProfileUrl,
    contact_name: nameOf(row),
    contact_company: row.company,
    recipient_url: row.recipientUrl,
    copy: row.copy,
    campaign: row.campaign,
  };
  return {
    id: row.id,
    account_id: row.accountId,
    account_label: row.accountLabel,
    account_profile_url: read.account_profile_url,
    contact_id: row.contactId,
    contact_name: read.contact_name,
    contact_company: read.contact_company,
    kind: row.kind,
    origin: row.origin,
    status: row.status,
    recipient_url: read.recipient_url,
    copy: read.copy,
    hidden: reveal(read),
    copy_hash: hashShown({
      action: row,
      account: { id: row.accountId, profileUrl: row.accountProfileUrl },
      lastReply: reply,
      lastMessageId,
      executions,
    }),
    last_reply_at: isoOrNull(reply?.at ?? null),
    sequence_id: row.sequenceId,
    sequence_name: row.sequenceName,
    step: row.step,
    step_count: row.stepCount,
    enrollment_id: row.enrollmentId,
    campaign: read.campaign,
    planned_by: row.plannedBy,
    approved_by: row.approvedBy,
    approved_at: isoOrNull(row.approvedAt),
    blocked_by: blocked && { reason: blocked.reason, next_window_at: blocked.nextWindowAt },
    lease_expires_at: isoOrNull(row.leaseExpiresAt),
    outcome: row.outcome,
    change_requested_at: isoOrNull(row.changeRequestedAt),
    note: row.note,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    ended_at: isoOrNull(row.endedAt),
  };
}

/** An action as a person decides on it. */
export const DecidableAction = PlannedAction.extend({
  recipient_marks: z.array(oneOf(MARKS)).describe("Warnings about recipient_url."),
  similar_suppressed: similarSuppressed,
  not_interested: notInterested,
  last_reply: lastReply,
  last_message: lastMessage,
});

export async function showDecidable(ctx: Context, action: ActionRow): Promise<z.infer<typeof DecidableAction>> {
  const record = await ctx.store.contacts.find(action.contactId);
  const similar_suppressed = record === undefined ? null : await findSimilarSuppressed(ctx.store, record.contact);
  const recipient_marks = await marksOfProfile(ctx, action.contactId, action.recipientUrl);
  const not_interested = await isNotInterested(ctx, action.contactId);
  // Read once: the hash never covers a reply that isn't shown.
  const reply = await ctx.store.activities.lastReply(action.contactId);
  const lastMessageId = await lastMessageOf(ctx, action);
  const last_message = (await findLastMessage(ctx, action.contactId, reply)) ?? null;
  const said = { reply: reply && { id: reply.id, at: Date.parse(reply.created_at) }, lastMessageId };
  const planned = await showWithReply(ctx, action, said);
  return { ...planned, recipient_marks, similar_suppressed, not_interested, last_reply: reply ?? null, last_message };
}

/** Warnings about the profile that a message to a contact goes to. */
export async function marksOfProfile({ store }: Context, contactId: string, url: string): Promise<Mark[]> {
  const recipient = await findRecipient(store, contactId);
  return addressMarksOf(url, recipient?.agentWrote.includes("socialnet_url") ?? false);
}

/** An action as people see it, in its current state. */
export async function showPlanned(ctx: Context, action: ActionRow): Promise<z.infer<typeof PlannedAction>> {
  const replies = await ctx.store.activities.lastReplies([action.contactId]);
  const lastMessageId = await lastMessageOf(ctx, action);
  return showWithReply(ctx, action, { reply: replies.get(action.contactId), lastMessageId });
}

async function lastMessageOf({ store }: Context, { contactId }: ActionRow): Promise<string | undefined> {
  return (await store.conversations.lastIds([contactId])).get(contactId);
}

async function showWithReply(
  ctx: Context,
  action: ActionRow,
  said: Omit<Beside, "executions">,
): Promise<z.infer<typeof PlannedAction>> {
  // Counted first: the hash never covers an execution that isn't shown.
  const executions = (await ctx.store.socialnetActions.executions([action.id])).get(action.id);
  const row = (await ctx.store.socialnetActions.findInContext(action.id)) as ActionInContext;
  return toPlanned(row, await claimConditions(ctx, await accountOf(ctx, action)), { ...said, executions });
}
