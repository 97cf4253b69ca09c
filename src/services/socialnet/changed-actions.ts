import type { Context } from "../../core/context.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import type { Contact } from "../../domain/contacts/contact.ts";
import { type ActionChange, MOVES } from "../../domain/socialnet/action.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { accountOf, auditAction, moveAction, NO_APPROVAL, NO_LEASE } from "./actions.ts";
import { applyStop, forgetApproval, stopLater } from "./stop-actions.ts";
import {
  answersReply,
  approveInNobodysName,
  CHANGED,
  holdChanged,
  holdForPerson,
  needsApprover,
} from "./unattended-approval.ts";

/**
 * An approval pins the recipient. Once the contact has another profile, what was not started loses its approval and is
 * planned for the new profile.
 *
 * @param byPerson a person chose the profile for this contact; an agent or an import did not
 */
export async function followProfile(
  ctx: Context,
  { id, socialnet_url: profile }: Contact,
  byPerson: boolean,
): Promise<void> {
  const key = profile === null ? null : profileKey(profile);
  for (const action of await ctx.store.socialnetActions.open({ contactId: id })) {
    if (profileKey(action.recipientUrl) !== key) await changeRecipient(ctx, action, profile, byPerson);
  }
}

/**
 * Plans an action for another recipient. On an automatic account it goes to a person, where an agent or an import
 * changed the recipient, or where people approved a sequence for the one before.
 *
 * @returns why it is not executed as it is
 */
export async function changeRecipient(
  ctx: Context,
  action: ActionRow,
  profile: string | null,
  byPerson: boolean,
): Promise<string> {
  const recipientUrl = profile ?? action.recipientUrl;
  const changed = { ...NO_APPROVAL, recipientUrl, changed: "recipient", note: CHANGED.recipient } as const;
  let planned: ActionRow | undefined;
  if (MOVES[action.status].void_approval !== undefined) {
    planned = await moveAction(ctx, action, "void_approval", { ...changed, ...NO_LEASE });
  } else if (action.status === "planned" || action.status === "held") {
    const held = action.status === "held" ? ({ heldFrom: "planned" } as const) : {};
    planned = await ctx.store.socialnetActions.patch(action.id, [action.status], { ...changed, ...held }, ctx.now);
    if (planned !== undefined) await auditAction(ctx, action, planned, "edit");
  } else await stopLater(ctx, action, "set_aside", "recipient");
  if (planned === undefined) return CHANGED.recipient;
  if (planned.status !== "planned" || (await accountOf(ctx, action)).automationMode !== "automatic") {
    return CHANGED.recipient;
  }
  if (!byPerson || action.origin === "engine") await holdForPerson(ctx, planned);
  // A teammate who corrects a profile has not read what waits for an approver.
  else if (action.status !== "planned" && profile !== null) await approveCorrected(ctx, action, planned);
  return CHANGED.recipient;
}

async function approveCorrected(ctx: Context, before: ActionRow, planned: ActionRow): Promise<void> {
  if ((await answersReply(ctx, before)) || (await needsApprover(ctx, planned))) return;
  await approveInNobodysName(ctx, planned);
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
  await forgetActions(ctx, await ctx.store.socialnetActions.openOfSequence(sequenceId));
}

/** The same for the actions of one enrollment. */
export async function forgetEnrollment(ctx: Context, enrollmentId: string): Promise<void> {
  await forgetActions(ctx, await ctx.store.socialnetActions.open({ enrollmentId }));
}

async function forgetActions(ctx: Context, actions: readonly ActionRow[]): Promise<void> {
  for (const action of actions) {
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
