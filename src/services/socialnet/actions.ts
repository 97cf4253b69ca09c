import { createHash, randomUUID } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { profilePin } from "../../domain/contacts/address.ts";
import {
  type ActionHold,
  type ActionKind,
  type ActionMove,
  actionHold,
  COPY_LIMITS,
  OPEN_ACTION,
  statusesBefore,
} from "../../domain/socialnet/action.ts";
import { hashSecret } from "../../lib/secrets.ts";
import type { LastReply } from "../../store/contacts.ts";
import type { ActionPatch, ActionRow, Executions, MoveGuard, SocialnetAccountRow } from "../../store/socialnet.ts";

/**
 * A new lease. Only the hash of its token is stored, so that reading the database does not let anyone act in an agent's
 * name.
 */
export function newLease(): { leaseToken: string; leaseHash: Buffer } {
  const leaseToken = randomUUID();
  return { leaseToken, leaseHash: hashSecret(leaseToken) };
}

/** A lease that is over: its token allows nothing more, but a started action can still be reported. */
export const NO_LEASE = { leaseHash: null, leaseExpiresAt: null } as const;

/** Not approved. */
export const NO_APPROVAL = { approvedBy: null, approvedAt: null } as const;

/**
 * Makes every move of an action: one guarded write, its audit row, and a recount of the account's work.
 *
 * @param extra what else the audit records
 * @returns undefined where the action has changed since it was read, or the guard does not hold
 */
export async function moveAction(
  ctx: Context,
  before: ActionRow,
  move: ActionMove,
  patch: ActionPatch = {},
  guard: MoveGuard = {},
  extra: Record<string, unknown> = {},
): Promise<ActionRow | undefined> {
  // A change request ends with every move but the one that makes it.
  const ends = before.changeRequestedAt === null ? {} : { changeRequestedAt: null };
  const after = await ctx.store.socialnetActions.move(
    before.id,
    move,
    ctx.now,
    { ...ends, ...patch },
    { from: before.status, ...guard },
  );
  if (after === undefined) return undefined;
  await auditAction(ctx, before, after, move, extra);
  await ctx.store.socialnetAccounts.touch(before.accountId, ctx.now);
  return after;
}

export async function auditAction(
  ctx: Context,
  before: ActionRow | null,
  after: ActionRow,
  move: ActionMove | "plan" | "edit" | "late_stop" | "late_void" | "late_report",
  extra: Record<string, unknown> = {},
): Promise<void> {
  const withCopy = WITH_COPY.includes(move);
  const shown = { ...facts(after, withCopy), move, ...extra };
  await ctx.audit({ recordId: after.id, before: before && facts(before, withCopy), after: shown });
}

/** Moves that are about the copy: their audit rows contain it. */
const WITH_COPY: readonly string[] = ["plan", "edit", "approve", "void_approval", "request_change", "revise"];

function facts(
  { status, copy, recipientUrl, approvedBy, changed, stopWanted, outcome, note }: ActionRow,
  withCopy: boolean,
) {
  return {
    status,
    recipient_url: recipientUrl,
    approved_by: approvedBy,
    ...(withCopy ? { copy } : {}),
    changed,
    stop_wanted: stopWanted,
    outcome,
    note,
  };
}

/**
 * Expires a lease: an action that was not started is free again, and one that was started needs review. A started action
 * keeps the hash of its token, so that its holder can still report late.
 */
export async function expireLease(ctx: Context, action: ActionRow): Promise<ActionRow | undefined> {
  const over = { leaseOverAt: ctx.now };
  if (action.status === "claimed") {
    return moveAction(ctx, action, "lapse", { leaseHash: null, leaseExpiresAt: null }, over);
  }
  const note = "The agent started the action and reported no result within 15 minutes.";
  return moveAction(ctx, action, "lose", { leaseExpiresAt: null, note }, over);
}

/** @throws Problem action_not_found */
export async function requireAction(ctx: Context, id: string): Promise<ActionRow> {
  const action = await ctx.store.socialnetActions.find(id);
  if (action === undefined) throw problem("action_not_found");
  return action;
}

/** The account of an action: it has one, and accounts are never deleted. */
export async function accountOf(ctx: Context, { accountId }: ActionRow): Promise<SocialnetAccountRow> {
  return (await ctx.store.socialnetAccounts.find(accountId)) as SocialnetAccountRow;
}

/** What an approval pins of an action, and what a person sees beside it. */
interface Shown {
  action: Pick<ActionRow, "recipientUrl" | "copy" | "kind" | "campaign" | "note">;
  account: Pick<SocialnetAccountRow, "id" | "profileUrl">;
  /** The contact's last reply, as `lastReplies` finds it. */
  lastReply: Pick<LastReply, "id"> | undefined;
  /** The id of the message that the contact's conversation is at, which may not be a reply. */
  lastMessageId: string | undefined;
  /** What is known of the times that an agent executed it. */
  executions: Executions | undefined;
}

/**
 * The hash of what a person sees of an action before they approve it: the sender, the recipient, the kind, the exact
 * copy, the campaign, which the agent reads too, the contact's last reply, the executions so far, the note, which says
 * why it was put on hold or withdrawn, and the contact's last message. Without the last five, the hash is that of earlier
 * versions.
 */
export function hashShown({ action, account, lastReply, lastMessageId, executions }: Shown): string {
  const { recipientUrl, copy, kind, campaign, note } = action;
  const shown: unknown[] = [[account.id, profilePin(account.profileUrl)], profilePin(recipientUrl), kind, copy];
  if (campaign !== null || lastReply !== undefined) shown.push(campaign);
  if (lastReply !== undefined) shown.push(lastReply.id);
  if (executions !== undefined) shown.push([executions.started, executions.reported]);
  if (note !== null) shown.push({ note });
  if (lastMessageId !== undefined && lastMessageId !== lastReply?.id) shown.push({ lastMessageId });
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 32);
}

/** The hashes of actions of an account as a person sees them now, by action id. */
export async function hashAllShown(
  {
    activities,
    conversations,
    socialnetActions,
  }: Pick<Context["store"], "activities" | "conversations" | "socialnetActions">,
  actions: readonly ActionRow[],
  account: SocialnetAccountRow,
): Promise<Map<string, string>> {
  const contactIds = actions.map(({ contactId }) => contactId);
  const replies = await activities.lastReplies(contactIds);
  const messages = await conversations.lastIds(contactIds);
  const executed = await socialnetActions.executions(actions.map(({ id }) => id));
  return new Map(
    actions.map((action) => {
      const lastReply = replies.get(action.contactId);
      const lastMessageId = messages.get(action.contactId);
      return [action.id, hashShown({ action, account, lastReply, lastMessageId, executions: executed.get(action.id) })];
    }),
  );
}

/**
 * @param read the hash of the action that the caller read, if they sent it
 * @throws Problem version_conflict
 */
export async function requireReadAction(
  { store }: Pick<Context, "store">,
  action: ActionRow,
  account: SocialnetAccountRow,
  read: string | undefined,
): Promise<void> {
  if (read === undefined) return;
  const now = await hashAllShown(store, [action], account);
  if (read !== now.get(action.id)) throw problem("version_conflict");
}

/**
 * On an automatic account, planning an action approves it. Someone who read no reply, or an earlier one, didn't mean that.
 *
 * @param read the id of the last reply that the caller read, null for none; undefined: the one that there is
 * @throws Problem version_conflict
 */
export async function requireReadReply(
  { store }: Pick<Context, "store">,
  contactId: string,
  read: string | null | undefined,
): Promise<void> {
  if (read === undefined) return;
  const replies = await store.activities.lastReplies([contactId]);
  if (read === (replies.get(contactId)?.id ?? null)) return;
  throw problem("version_conflict", "read_last_reply: is not the contact's last reply. Read the contact again.");
}

const HOLD_TEXTS: Record<ActionHold, string> = {
  none: "not on hold",
  approved: "on hold with an approval",
  unapproved: "on hold without an approval",
};

/**
 * On an automatic account, the hold and the approval decide whether an edit or a release also approves.
 *
 * @param read the hold that the caller read, if they sent it
 * @throws Problem version_conflict
 */
export function requireReadHold({ status, heldFrom }: ActionRow, read: ActionHold | undefined): void {
  const hold = actionHold(status, heldFrom === "approved");
  if (read === undefined || read === hold) return;
  throw problem(
    "version_conflict",
    `read_hold: is outdated, because the action is now ${HOLD_TEXTS[hold]}. Read the action again.`,
  );
}

/** The refusal of a move that the action's status does not allow. */
export function notMovable({ status }: ActionRow, ...moves: ActionMove[]) {
  const allowed = OPEN_ACTION.filter((open) => moves.some((move) => statusesBefore(move).includes(open)));
  return problem(
    "action_not_movable",
    `This action is ${status}. Only an action that is ${allowed.join(" or ")} can be changed this way.`,
  );
}

/**
 * Copy fits the network's limit, is not empty but for a request's note, and has no placeholders.
 *
 * @throws Problem validation_failed
 */
export function requireCopy(kind: ActionKind, copy: string): void {
  const most = COPY_LIMITS[kind];
  if ([...copy].length > most) {
    throw problem(
      "validation_failed",
      `copy: must be ${most} characters or fewer, the professional network's limit. Shorten it.`,
    );
  }
  if (kind === "message" && copy.trim() === "")
    throw problem("validation_failed", "copy: can't be empty. Write what to send.");
  if (copy.includes("{{")) {
    throw problem(
      "validation_failed",
      "copy: can't contain placeholders, because it is sent exactly as written. Replace {{…}} with the final text.",
    );
  }
}

/** Everyone who wrote an action: who planned it, and who ever edited it. The row keeps only the last editor. */
export async function authorsOf(ctx: Pick<Context, "store">, action: ActionRow): Promise<string[]> {
  const editors = await editorsOf(ctx, action);
  return [...new Set([action.plannedById, ...editors])].filter((by) => by !== null);
}

/** Everyone who ever edited the text of an action. */
export async function editorsOf(
  { store }: Pick<Context, "store">,
  { id, editedById }: Pick<ActionRow, "id" | "editedById">,
): Promise<string[]> {
  if (editedById === null) return [];
  return [...new Set([editedById, ...(await store.logs.actorsOf(id, "edit_socialnet_action"))])];
}

/**
 * Changes the text for which a member requested changes. It then needs approval, also on an automatic account: someone
 * asked to see it again.
 */
export function reviseAction(ctx: Context, action: ActionRow, copy: string): Promise<ActionRow | undefined> {
  const revised = { copy, editedById: ctx.actor.id, ...NO_APPROVAL, heldFrom: null, note: null };
  return moveAction(ctx, action, "revise", revised);
}
