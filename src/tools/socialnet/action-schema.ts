import { createHash } from "node:crypto";
import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/contact.ts";
import {
  ACTION_KINDS,
  ACTION_ORIGINS,
  ACTION_STATUSES,
  type ActionKind,
  type ActionMove,
  COPY_LIMITS,
  OPEN_ACTION,
  OUTCOMES,
  statusesBefore,
} from "../../domain/socialnet/action.ts";
import { BLOCKS, blockOf, type ClaimConditions } from "../../domain/socialnet/eligibility.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { claimConditions } from "../../services/socialnet/eligibility.ts";
import type { ActionInContext, ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { hidden, reveal, time } from "../fields.ts";

const blockedBy = z
  .object({
    reason: z.enum([...BLOCKS, "not_approved", "held", "already_claimed", "already_started"]),
    nextWindowAt: time.nullable(),
  })
  .nullable()
  .describe("Why it cannot be claimed now, and when time alone may change that; null where it can, or is over.");

/** An action as its agent sees it. */
export const SocialnetAction = z.object({
  id: z.uuid(),
  kind: z.enum(ACTION_KINDS),
  origin: z.enum(ACTION_ORIGINS).describe("engine: a step of a sequence; member: a person's own plan."),
  status: z.enum(ACTION_STATUSES),
  account: z.object({ id: z.uuid(), label: z.string() }),
  recipient: z.object({
    contactId: z.uuid(),
    name: z.string().nullable(),
    company: z.string().nullable(),
    profileUrl: z.string(),
  }),
  copy: z.string().describe("To be sent exactly as it reads, and only after a successful start."),
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
export type SocialnetAction = z.infer<typeof SocialnetAction>;

function nameOf({ firstName, lastName }: ActionInContext): string | null {
  return [firstName, lastName].filter(Boolean).join(" ") || null;
}

export function recipientOf(row: ActionInContext): SocialnetAction["recipient"] {
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

function blockedByOf(row: ActionRow, standing: ClaimConditions): SocialnetAction["blockedBy"] {
  const own = { planned: "not_approved", held: "held", claimed: "already_claimed" } as const;
  if (row.status === "approved") {
    const blocked = blockOf(row, standing);
    return blocked && { reason: blocked.reason, nextWindowAt: isoOrNull(blocked.nextAt) };
  }
  if (row.status === "started" || row.status === "needs_review")
    return { reason: "already_started", nextWindowAt: null };
  const reason = own[row.status as keyof typeof own];
  return reason === undefined ? null : { reason, nextWindowAt: null };
}

export function toAction(row: ActionInContext, standing: ClaimConditions): SocialnetAction {
  return {
    id: row.id,
    kind: row.kind,
    origin: row.origin,
    status: row.status,
    account: { id: row.accountId, label: row.accountLabel },
    recipient: recipientOf(row),
    copy: row.copy,
    context: contextOf(row),
    blockedBy: blockedByOf(row, standing),
    outcome: row.outcome,
    approvedAt: isoOrNull(row.approvedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** The same as people see it, who decide on it. */
export const PlannedAction = z.object({
  id: z.uuid(),
  account_id: z.uuid(),
  account_label: z.string(),
  contact_id: z.uuid(),
  contact_name: z.string().nullable(),
  contact_company: z.string().nullable(),
  kind: z.enum(ACTION_KINDS),
  origin: z.enum(ACTION_ORIGINS),
  status: z.enum(ACTION_STATUSES),
  recipient_url: z.string().describe("The profile that an approval pins."),
  copy: z.string().describe("The exact copy that an approval pins."),
  hidden,
  copy_hash: z.string().describe("Of recipient and copy: sent with an approval, it must match what is there."),
  sequence_id: z.uuid().nullable(),
  sequence_name: z.string().nullable(),
  step: z.int().nullable().describe("Index of the sequence's step, from 0."),
  step_count: z.int().nullable(),
  enrollment_id: z.uuid().nullable(),
  campaign: z.string().nullable(),
  planned_by: z.string(),
  approved_by: z.string().nullable().describe("Null where nobody has, or an automatic account did."),
  approved_at: time.nullable(),
  blocked_by: z.object({ reason: z.string(), next_window_at: time.nullable() }).nullable(),
  lease_expires_at: time.nullable(),
  outcome: z.enum(OUTCOMES).nullable(),
  note: z.string().nullable().describe("Why it was held, cancelled or settled so."),
  created_at: time,
  updated_at: time,
  ended_at: time.nullable(),
});

/** Of what an approval pins: whom it goes to, and the exact copy. */
export function pinOf({ recipientUrl, copy }: Pick<ActionRow, "recipientUrl" | "copy">): string {
  const pinned = JSON.stringify([profileKey(recipientUrl) ?? recipientUrl, copy]);
  return createHash("sha256").update(pinned).digest("hex").slice(0, 32);
}

export function toPlanned(row: ActionInContext, standing: ClaimConditions): z.infer<typeof PlannedAction> {
  const blocked = blockedByOf(row, standing);
  return {
    id: row.id,
    account_id: row.accountId,
    account_label: row.accountLabel,
    contact_id: row.contactId,
    contact_name: nameOf(row),
    contact_company: row.company,
    kind: row.kind,
    origin: row.origin,
    status: row.status,
    recipient_url: row.recipientUrl,
    copy: row.copy,
    hidden: reveal({ copy: row.copy }),
    copy_hash: pinOf(row),
    sequence_id: row.sequenceId,
    sequence_name: row.sequenceName,
    step: row.step,
    step_count: row.stepCount,
    enrollment_id: row.enrollmentId,
    campaign: row.campaign,
    planned_by: row.plannedBy,
    approved_by: row.approvedBy,
    approved_at: isoOrNull(row.approvedAt),
    blocked_by: blocked && { reason: blocked.reason, next_window_at: blocked.nextWindowAt },
    lease_expires_at: isoOrNull(row.leaseExpiresAt),
    outcome: row.outcome,
    note: row.note,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    ended_at: isoOrNull(row.endedAt),
  };
}

/** @throws Problem action_not_found */
export async function requirePlanned(ctx: Context, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined) throw problem("action_not_found");
  return action;
}

/** The account of an action: it has one, and accounts are never deleted. */
export async function accountOf(ctx: Context, { accountId }: ActionRow): Promise<SocialnetAccountRow> {
  return (await ctx.store.socialnetAccounts.find(accountId)) as SocialnetAccountRow;
}

/** An action as it stands now, as people see it. */
export async function showPlanned(ctx: Context, action: ActionRow): Promise<z.infer<typeof PlannedAction>> {
  const row = (await ctx.store.socialnetActions.findInContext(action.id)) as ActionInContext;
  return toPlanned(row, await claimConditions(ctx, await accountOf(ctx, action)));
}

/** What a person is told whose move the action's status does not allow. */
export function notMovable({ status }: ActionRow, ...moves: ActionMove[]) {
  const allowed = OPEN_ACTION.filter((open) => moves.some((move) => statusesBefore(move).includes(open)));
  return problem("action_not_movable", `action_id: is ${status}; this needs one that is ${allowed.join(" or ")}.`);
}

/** What copy can be: of the network's length, not empty but for a request's note, and without placeholders. */
export function requireCopy(kind: ActionKind, copy: string): void {
  const most = COPY_LIMITS[kind];
  if ([...copy].length > most) {
    throw problem(
      "validation_failed",
      `copy: is longer than ${most} characters; shorten it, the network takes no more.`,
    );
  }
  if (kind === "message" && copy.trim() === "")
    throw problem("validation_failed", "copy: is empty; write what to send.");
  if (copy.includes("{{")) {
    throw problem("validation_failed", "copy: is sent exactly as it reads; write the words in place of {{…}}.");
  }
}
