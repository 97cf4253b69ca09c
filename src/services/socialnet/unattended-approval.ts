import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import type { ActionChange } from "../../domain/socialnet/action.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { findAllSimilarSuppressed, findSimilarSuppressed } from "../outreach/suppression.ts";
import { auditAction, moveAction, NO_APPROVAL } from "./actions.ts";
import { forgetApproval } from "./stop-actions.ts";

/** An automatic account approves its planned actions, without an approver. What changed since goes to a person. */
export async function approveUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (automationMode !== "automatic" || action.status !== "planned") return action;
  return action.changed === null ? approveInNobodysName(ctx, action) : holdForPerson(ctx, action);
}

/** Whether an action with a member's text answers a reply, whichever way that came, or a message in the Inbox. */
export async function answersReply({ store }: Context, action: ActionRow): Promise<boolean> {
  const isByMember = action.origin === "member" || action.editedById !== null;
  return isByMember && ((await store.socialnetActions.hasReply(action)) || (await isFromInbox({ store }, action)));
}

/** Whether an action was planned as an answer in the Inbox. A person approves it, whatever became of it since. */
export async function isFromInbox({ store }: Pick<Context, "store">, { id }: ActionRow): Promise<boolean> {
  return (await store.logs.actorsOf(id, "answer_on_network")).length > 0;
}

/** Whether the contact of an action may have opted out under another address, or as another contact. */
async function mayHaveOptedOut({ store }: Context, { contactId }: ActionRow): Promise<boolean> {
  const record = await store.contacts.find(contactId);
  return record !== undefined && (await findSimilarSuppressed(store, record.contact)) !== null;
}

/** The contacts of these actions who might have opted out: automatic mode approves nothing for them. */
export async function findOptedOut({ store }: Context, actions: readonly ActionRow[]): Promise<string[]> {
  const contacts = await store.contacts.names(actions.map(({ contactId }) => contactId));
  const addressed = [...contacts].map(([contactId, { email }]) => ({ id: contactId, email }));
  return [...(await findAllSimilarSuppressed(store, addressed)).keys()];
}

/** Whether an approver has to read an action first: it answers a reply, or its contact may have opted out. */
export async function needsApprover(ctx: Context, action: ActionRow): Promise<boolean> {
  return (await answersReply(ctx, action)) || (await mayHaveOptedOut(ctx, action));
}

/** An action that needs an approver stays planned if its author can't approve it. */
export async function approveInNobodysName(ctx: Context, action: ActionRow): Promise<ActionRow> {
  if (!mayApprove(ctx.actor) && (await needsApprover(ctx, action))) return action;
  return (await moveAction(ctx, action, "approve", { approvedBy: null, approvedAt: ctx.now })) ?? action;
}

/**
 * An action that no person approved stays approved only while its account is automatic, and if that approval wasn't
 * withdrawn while an agent executed the action.
 */
export async function voidUnattended(
  ctx: Context,
  { automationMode }: SocialnetAccountRow,
  action: ActionRow,
): Promise<ActionRow> {
  if (action.status !== "approved" || action.approvedBy !== null) return action;
  if (automationMode === "automatic" && action.approvedAt !== null) return action;
  return (await moveAction(ctx, action, "void_approval", NO_APPROVAL)) ?? action;
}

/**
 * An account that is no longer automatic takes back what it approved by itself, of what a person holds or an agent
 * executes too. Should an executed action come back, a person has to approve it, even if the account is automatic again.
 */
export async function forgetUnattended(ctx: Context, { id }: SocialnetAccountRow): Promise<void> {
  for (const action of await ctx.store.socialnetActions.openOf(id)) {
    if (action.approvedBy !== null) continue;
    if (action.status === "held") await forgetApproval(ctx, action);
    else if (action.status === "started" || action.status === "needs_review") await forgetExecuted(ctx, action);
  }
}

async function forgetExecuted(ctx: Context, action: ActionRow): Promise<void> {
  if (action.approvedAt === null) return;
  const patched = await ctx.store.socialnetActions.patch(action.id, [action.status], NO_APPROVAL, ctx.now);
  if (patched !== undefined) await auditAction(ctx, action, patched, "late_void");
}

/** What the note says of each change. A person may replace the note, so nothing is decided by it. */
export const CHANGED = {
  recipient: "The contact's profile changed. A teammate must approve the action again.",
  sender: "The account has another profile now. A teammate must approve the action again.",
  sequence:
    "The sequence, its sender or an approval of its audience changed after the action was planned. A teammate must " +
    "approve the action.",
} as const satisfies Record<ActionChange, string>;

/** Keeps what changed from the automation of its account: a person releases it. */
export async function holdForPerson(ctx: Context, action: ActionRow): Promise<ActionRow> {
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
