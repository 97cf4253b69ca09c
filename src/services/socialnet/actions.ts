import { createHash, randomUUID } from "node:crypto";
import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { profileKey, profilePin } from "../../domain/contacts/address.ts";
import type { Contact } from "../../domain/contacts/contact.ts";
import {
  type ActionChange,
  type ActionKind,
  type ActionMove,
  COPY_LIMITS,
  MOVES,
  OPEN_ACTION,
  type Stop,
  statusesBefore,
} from "../../domain/socialnet/action.ts";
import { hashSecret } from "../../lib/secrets.ts";
import type { ActionPatch, ActionRow, MoveGuard, SocialnetAccountRow } from "../../store/socialnet.ts";

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
  const after = await ctx.store.socialnetActions.move(before.id, move, ctx.now, patch, {
    from: before.status,
    ...guard,
  });
  if (after === undefined) return undefined;
  await auditAction(ctx, before, after, move, extra);
  await ctx.store.socialnetAccounts.touch(before.accountId, ctx.now);
  return after;
}

export async function auditAction(
  ctx: Context,
  before: ActionRow | null,
  after: ActionRow,
  move: ActionMove | "plan" | "edit" | "late_stop" | "late_report",
  extra: Record<string, unknown> = {},
): Promise<void> {
  const withCopy = WITH_COPY.includes(move);
  const shown = { ...facts(after, withCopy), move, ...extra };
  await ctx.audit({ recordId: after.id, before: before && facts(before, withCopy), after: shown });
}

/** Moves that are about the copy: their audit rows contain it. */
const WITH_COPY: readonly string[] = ["plan", "edit", "approve", "void_approval"];

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

type Planned = Pick<
  ActionRow,
  | "contactId"
  | "kind"
  | "origin"
  | "copy"
  | "recipientUrl"
  | "enrollmentId"
  | "sequenceId"
  | "step"
  | "stepCount"
  | "campaign"
>;

/** Adds an action to the ledger. An automatic account approves it immediately. */
export async function planAction(ctx: Context, account: SocialnetAccountRow, planned: Planned): Promise<ActionRow> {
  const action: ActionRow = {
    ...planned,
    id: ctx.newId(),
    accountId: account.id,
    status: "planned",
    plannedBy: ctx.actor.name,
    plannedById: ctx.actor.id,
    editedById: null,
    approvedBy: null,
    approvedAt: null,
    approvedEmailKey: null,
    heldFrom: null,
    changed: null,
    stopWanted: null,
    leaseHash: null,
    leaseExpiresAt: null,
    outcome: null,
    note: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
    endedAt: null,
  };
  await ctx.store.socialnetActions.insert(action);
  await auditAction(ctx, null, action, "plan");
  return approveUnattended(ctx, account, action);
}

/** An automatic account approves its planned actions, without an approver. What changed since goes to a person. */
export async function approveUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (automationMode !== "automatic" || action.status !== "planned") return action;
  return action.changed === null ? approveInNobodysName(ctx, action) : holdForPerson(ctx, action);
}

async function answersReply({ store }: Context, { origin, contactId }: ActionRow): Promise<boolean> {
  return origin === "member" && (await store.contacts.find(contactId))?.socialStatus === "replied";
}

/** An answer to a reply goes to a person where its author may not approve it. */
async function approveInNobodysName(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (!mayApprove(ctx.actor) && (await answersReply(ctx, action))) return action;
  return (await moveAction(ctx, action, "approve", { approvedBy: null, approvedAt: ctx.now })) ?? action;
}

/** An action that no person approved stays approved only while its account is automatic. */
export async function voidUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (automationMode === "automatic" || action.status !== "approved" || action.approvedBy !== null) return action;
  return (await moveAction(ctx, action, "void_approval", NO_APPROVAL)) ?? action;
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
  const note = "The agent started this and reported no result within 15 minutes.";
  return moveAction(ctx, action, "lose", { leaseExpiresAt: null, note }, over);
}

/** Why open actions stop, each with what happens to the engine's actions and to a member's own. */
const STOPPING = {
  suppressed: { engine: "cancel", member: "cancel", note: "The contact is on the do-not-contact list." },
  archived: { engine: "cancel", member: "cancel", note: "The contact was archived." },
  replied: { engine: "withdraw", member: "set_aside", note: "The contact replied." },
  enrollment_ended: { engine: "withdraw", member: "set_aside", note: "The enrollment ended." },
} as const satisfies Record<string, { engine: Stop; member: Stop; note: string }>;

export type StopReason = keyof typeof STOPPING;

/** Stops by strength: the strongest wins. */
const RANK: readonly (Stop | null)[] = [null, "set_aside", "withdraw", "cancel"];

/**
 * Stops the open actions of a contact or of an enrollment. One that was not started ends or is put on hold for a member; one
 * that an agent has started stops once its outcome is reported.
 */
export async function stopActions(
  ctx: Context,
  of: { contactId: string } | { enrollmentId: string },
  reason: StopReason,
  begunBy = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const action of await ctx.store.socialnetActions.open(of)) {
    if (action.createdAt > begunBy) continue;
    const stop = STOPPING[reason][action.origin];
    if (MOVES[action.status][stop] !== undefined) await applyStop(ctx, action, stop, STOPPING[reason].note);
    else if (action.status === "held") await forgetApproval(ctx, action);
    else if (action.status === "started" || action.status === "needs_review") await stopLater(ctx, action, stop);
  }
}

/** Ends an action, or sets it aside without its approval, which was given before the contact's reply. */
async function applyStop(
  ctx: Context,
  action: ActionRow,
  stop: Stop,
  note: string,
  changed = action.changed,
): Promise<ActionRow | undefined> {
  const aside = stop === "set_aside" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
  return moveAction(ctx, action, stop, { ...aside, ...NO_LEASE, changed, stopWanted: null, note });
}

/** An action that a person holds stays held. Once released, it has to be approved again. */
async function forgetApproval(ctx: Context, action: ActionRow, changed = action.changed): Promise<void> {
  if (action.heldFrom !== "approved" && changed === action.changed) return;
  const forgotten = { ...NO_APPROVAL, heldFrom: "planned", changed } as const;
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], forgotten, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

/** An account that is no longer automatic takes back what it approved by itself, of what a person holds too. */
export async function forgetUnattended(ctx: Context, { id }: SocialnetAccountRow): Promise<void> {
  for (const action of await ctx.store.socialnetActions.openOf(id)) {
    if (action.status === "held" && action.approvedBy === null) await forgetApproval(ctx, action);
  }
}

async function stopLater(ctx: Context, action: ActionRow, stop: Stop, changed = action.changed): Promise<void> {
  const stopWanted = RANK.indexOf(action.stopWanted) < RANK.indexOf(stop) ? stop : action.stopWanted;
  if (stopWanted === action.stopWanted && changed === action.changed) return;
  const patch = { stopWanted, changed };
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], patch, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_stop");
}

/** Applies the stop that was requested while the action was being executed, once it comes back unexecuted. */
export async function applyPendingStop(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (action.stopWanted === null) return action;
  const note = "The contact, the sequence or the sender changed while the action was in progress.";
  return (await applyStop(ctx, action, action.stopWanted, note)) ?? action;
}

/** An agent reports late that an action was sent: it is not sent again before a person has checked. */
export async function recordLateReport(ctx: Context, action: ActionRow): Promise<void> {
  const note = "An agent reported later that this was sent. Check, and cancel it if it was.";
  if (MOVES[action.status].set_aside !== undefined) await applyStop(ctx, action, "set_aside", note);
  else if (action.status === "held" || action.status === "started" || action.status === "needs_review") {
    const forgotten = action.status === "held" ? ({ ...NO_APPROVAL, heldFrom: "planned" } as const) : {};
    const wanted = action.status === "held" ? {} : ({ stopWanted: action.stopWanted ?? "set_aside" } as const);
    const patch = { ...forgotten, ...wanted, note };
    const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], patch, ctx.now);
    if (patched !== undefined) await auditAction(ctx, action, patched, "late_report");
  }
}

/** What the note says of each change. A person may replace the note, so nothing is decided by it. */
const CHANGED = {
  recipient: "The contact's profile changed. A teammate must approve the action again.",
  sender: "The account has another profile now. A teammate must approve the action again.",
  sequence: "The sequence or its sender changed after this was planned. A teammate must approve the action.",
} as const satisfies Record<ActionChange, string>;

/**
 * An approval pins the recipient. Once the contact has another profile, what was not started loses its approval and is
 * planned for the new profile.
 */
export async function followProfile(ctx: Context, { id, socialnet_url: profile }: Contact): Promise<void> {
  const key = profile === null ? null : profileKey(profile);
  for (const action of await ctx.store.socialnetActions.open({ contactId: id })) {
    if (profileKey(action.recipientUrl) !== key) await changeRecipient(ctx, action, profile);
  }
}

/**
 * Plans an action for another recipient. On an automatic account it goes to a person, where an agent changed the
 * recipient, or where people approved a sequence for the one before.
 *
 * @returns why it is not executed as it is
 */
export async function changeRecipient(ctx: Context, action: ActionRow, profile: string | null): Promise<string> {
  const recipientUrl = profile ?? action.recipientUrl;
  const changed = { ...NO_APPROVAL, recipientUrl, changed: "recipient", note: CHANGED.recipient } as const;
  let planned: ActionRow | undefined;
  if (MOVES[action.status].void_approval !== undefined) {
    planned = await moveAction(ctx, action, "void_approval", { ...changed, ...NO_LEASE });
  } else if (action.status === "planned" || action.status === "held") {
    const held = action.status === "held" ? ({ heldFrom: "planned" } as const) : {};
    planned = await ctx.store.socialnetActions.patch(action.id, [action.status], { ...changed, ...held }, ctx.now);
    if (planned !== undefined) await auditAction(ctx, action, planned, "edit");
  }
  if (planned === undefined) return CHANGED.recipient;
  if (planned.status !== "planned" || (await accountOf(ctx, action)).automationMode !== "automatic") {
    return CHANGED.recipient;
  }
  if (ctx.actor.kind === "key" || action.origin === "engine") await holdForPerson(ctx, planned);
  else if (profile !== null) await approveInNobodysName(ctx, planned);
  return CHANGED.recipient;
}

/** Keeps what changed from the automation of its account: a person releases it. */
async function holdForPerson(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (action.changed === null || action.status !== "planned") return action;
  const held = { heldFrom: "planned", note: CHANGED[action.changed] } as const;
  return (await moveAction(ctx, action, "hold", held)) ?? action;
}

/**
 * Holds what changed after it was planned and no person has approved since, so that an automatic account does not approve
 * it unseen.
 */
export async function holdChanged(ctx: Context, { id }: SocialnetAccountRow): Promise<void> {
  for (const action of await ctx.store.socialnetActions.openOf(id)) await holdForPerson(ctx, action);
}

/** An approval pins the sender: once the account has another profile, what was not executed loses its approval. */
export async function changeSender(ctx: Context, account: SocialnetAccountRow): Promise<void> {
  for (const action of await ctx.store.socialnetActions.openOf(account.id)) {
    const { status } = action;
    if (MOVES[status].void_approval !== undefined) {
      const voided = { ...NO_APPROVAL, ...NO_LEASE, changed: "sender", note: CHANGED.sender } as const;
      await moveAction(ctx, action, "void_approval", voided);
    } else if (status === "planned") await markPlanned(ctx, action, "sender");
    else if (status === "held") await forgetApproval(ctx, action, "sender");
    else if (status === "started" || status === "needs_review") await stopLater(ctx, action, "set_aside", "sender");
  }
  if (account.automationMode === "automatic") await holdChanged(ctx, account);
}

/**
 * What an automatic account approved of a sequence stands by the approvals of its audience. Once these are void, it goes
 * to a person. An action that a person approved by itself stays approved, for they read its copy, but is marked: should
 * it lose that approval, no account approves it unseen.
 */
export async function forgetSequence(ctx: Context, sequenceId: string): Promise<void> {
  for (const action of await ctx.store.socialnetActions.openOfSequence(sequenceId)) {
    const { id, status } = action;
    if (action.approvedBy !== null) {
      await ctx.store.socialnetActions.patch(id, [status], { changed: "sequence" }, ctx.now);
    } else if (status === "planned") await markPlanned(ctx, action, "sequence");
    else if (MOVES[status].set_aside !== undefined) {
      await applyStop(ctx, action, "set_aside", CHANGED.sequence, "sequence");
    } else if (status === "held") await forgetApproval(ctx, action, "sequence");
    else if (status === "started" || status === "needs_review") await stopLater(ctx, action, "set_aside", "sequence");
  }
}

async function markPlanned(ctx: Context, action: ActionRow, changed: ActionChange): Promise<void> {
  const mark = { changed, note: CHANGED[changed] };
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], mark, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "edit");
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

/** What an approval pins: the sender, the recipient, the kind and the exact copy, as one hash. */
export function pinOf(
  { recipientUrl, copy, kind }: Pick<ActionRow, "recipientUrl" | "copy" | "kind">,
  account: Pick<SocialnetAccountRow, "id" | "profileUrl">,
): string {
  const sender = [account.id, profilePin(account.profileUrl)];
  const pinned = JSON.stringify([sender, profilePin(recipientUrl), kind, copy]);
  return createHash("sha256").update(pinned).digest("hex").slice(0, 32);
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
    throw problem("validation_failed", `copy: must be ${most} characters or fewer, the network's limit. Shorten it.`);
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

/** More changes than people make to one action. */
const MAX_CHANGES = 1_000;

/** Everyone who wrote an action: who planned it, and who ever edited it. The row keeps only the last editor. */
export async function authorsOf(
  { store }: Pick<Context, "store">,
  { id, plannedById, editedById }: ActionRow,
): Promise<string[]> {
  const changes = editedById === null ? [] : await store.logs.auditOf(id, MAX_CHANGES);
  const editors = changes.filter(({ action }) => action === "edit_socialnet_action").map(({ actorId }) => actorId);
  return [...new Set([plannedById, editedById, ...editors])].filter((by) => by !== null);
}
