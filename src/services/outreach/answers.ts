import { hash } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import {
  type AnswerMove,
  type AnswerStatus,
  type AnswerSurroundings,
  answerText,
  MAX_THREAD,
  type PinnedAnswer,
} from "../../domain/outreach/answer.ts";
import { blockOf, POSTPONEMENTS } from "../../domain/outreach/sending.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { AnswerPatch, AnswerRow } from "../../store/inbox.ts";
import type { SendRow } from "../../store/outreach.ts";
import type { WorkspaceStore } from "../../store/store.ts";
import { hasMailServer, workspaceBlocks } from "./sending-conditions.ts";

type Reading = Pick<WorkspaceStore, "activities" | "contacts" | "conversations" | "workspace">;

/**
 * What an approval of an answer pins, as it is now.
 *
 * @param mailFrom who the mail of this process is from; without one, what the sending server has recorded
 */
export async function hashAnswer(store: Reading, answer: PinnedAnswer, mailFrom?: string): Promise<string> {
  return hash("sha256", answerText(answer, await surroundingsOf(store, answer.contactId, mailFrom)), "hex");
}

async function surroundingsOf(store: Reading, contactId: string, mailFrom?: string): Promise<AnswerSurroundings> {
  const { senderName } = await store.workspace.sendingPolicy();
  return {
    contactEmail: (await store.contacts.find(contactId))?.contact.email ?? null,
    senderName,
    mailFrom: mailFrom ?? (await store.workspace.mailFrom()),
    newestReplyId: (await store.activities.lastReplies([contactId])).get(contactId)?.id,
    lastReplyId: (await store.conversations.find(contactId))?.lastReplyId,
  };
}

/** @throws Problem answer_not_found */
export async function requireAnswer(ctx: Context, id: string): Promise<AnswerRow> {
  const answer = await ctx.store.emailAnswers.find(id);
  if (answer === undefined) throw problem("answer_not_found");
  return answer;
}

/** The refusal of a move that the answer's status does not allow. */
export function answerNotOpen({ status }: Pick<AnswerRow, "status">) {
  return problem("answer_not_open", `This answer is ${status}. It can't be changed this way.`);
}

/** Makes every move of an answer: one guarded write, and an audit row of what decides on it. Undefined where its status does not allow it. */
export async function moveAnswer(
  ctx: Context,
  before: AnswerRow,
  move: AnswerMove,
  patch: AnswerPatch = {},
  extra: Record<string, unknown> = {},
): Promise<AnswerRow | undefined> {
  const after = await ctx.store.emailAnswers.move(before.id, move, ctx.now, patch);
  if (after === undefined) return undefined;
  // That it was sent is on the timeline, with its text.
  if (move !== "send" && move !== "write") {
    const shown = { ...answerFacts(after), move, ...extra };
    await ctx.audit({ recordId: after.id, before: answerFacts(before), after: shown });
  }
  if (move === "fail") await reopen(ctx, after.contactId);
  return after;
}

/** The contact got no answer, so their conversation needs one again. */
export async function reopen({ store, now }: Context, contactId: string): Promise<void> {
  await store.conversations.update(contactId, { status: "open", unread: true, snoozedUntil: null }, now);
}

/** What the audit records of an answer. */
export function answerFacts({ contactId, status, address, subject, body, approvedBy, note }: AnswerRow) {
  return { contact_id: contactId, status, address, subject, body, approved_by: approvedBy, note };
}

/** Why the recipient of an answer can't be sent anything, even with an approval. Undefined if they can. */
export async function recipientBlock(
  store: Pick<WorkspaceStore, "contacts" | "suppressions">,
  { contactId, address }: Pick<AnswerRow, "contactId" | "address">,
): Promise<string | undefined> {
  const record = await store.contacts.find(contactId);
  if (record === undefined) return "The contact was archived.";
  const { email } = record.contact;
  const listed = (await store.suppressions.has(address)) || (email !== null && (await store.suppressions.has(email)));
  return listed ? "The contact is on the do-not-contact list." : undefined;
}

const CHANGED =
  "The recipient, the sender or the conversation changed after the approval. Read the answer again, then approve it.";

/** Why an approved answer must not leave, and what that does to it. Undefined where it may. */
async function answerBlock(
  store: WorkspaceStore,
  answer: AnswerRow,
  mailFrom: string | undefined,
): Promise<{ move: "cancel" | "send_back"; note: string } | undefined> {
  const blocked = await recipientBlock(store, answer);
  if (blocked !== undefined) return { move: "cancel", note: blocked };
  const same = answer.approvedHash === (await hashAnswer(store, answer, mailFrom));
  return same ? undefined : { move: "send_back", note: CHANGED };
}

/** An answer that is recorded as queued. Until it is handed over, nothing of it has left. */
export interface DueAnswer {
  send: SendRow;
  answer: AnswerRow;
}

/**
 * Takes an answer that is due, if everything still allows it.
 *
 * @param begin records the message as queued
 * @param mail of this process: who it is from, and whether there is a mail server
 * @returns undefined where it was canceled, needs review again or waits for a mail server; null where nothing changed, because it is not due or
 * the workspace sends nothing now
 */
export async function takeAnswer(
  ctx: Context,
  id: string,
  { from, hasServer }: { from: string | undefined; hasServer?: boolean | undefined },
  begin: (answer: AnswerRow) => Promise<SendRow>,
): Promise<DueAnswer | undefined | null> {
  const answer = await ctx.store.emailAnswers.find(id);
  if (answer?.status !== "approved" || answer.dueAt === null || answer.dueAt > ctx.now) return null;
  if (blockOf({ ...(await workspaceBlocks(ctx)), sequence: "active" }) !== null) return null;
  const block = await answerBlock(ctx.store, answer, from);
  if (block !== undefined) {
    await moveAnswer(ctx, answer, block.move, { ...(block.move === "send_back" && NO_APPROVAL), note: block.note });
    return undefined;
  }
  if (answer.delivery === "send" && !(hasServer ?? (await hasMailServer(ctx)))) {
    await ctx.store.emailAnswers.wait(id, ctx.now + NO_SERVER_MS, ctx.now, POSTPONEMENTS.mail_not_configured);
    return undefined;
  }
  const send = await begin(answer);
  // Nothing is due while it is being sent: its outcome decides what comes next.
  await ctx.store.emailAnswers.wait(id, null, ctx.now);
  return { send, answer };
}

/** How often an approved answer looks for a mail server. */
const NO_SERVER_MS = MINUTE_MS;

/** Not approved. */
const NO_APPROVAL = { approvedBy: null, approvedAt: null, approvedHash: null, dueAt: null } as const;

/** Why a message that is about to leave must not: the answer changed, or was canceled, since it was queued. */
export async function whyAnswerDropped(
  reading: Parameters<typeof workspaceBlocks>[0],
  answerId: string,
  mailFrom: string | undefined,
): Promise<string | undefined> {
  const block = blockOf({ ...(await workspaceBlocks(reading)), sequence: "active" });
  if (block !== null) return `Stopped before sending. ${POSTPONEMENTS[block.reason]}`;
  const answer = await reading.store.emailAnswers.find(answerId);
  if (answer?.status !== "approved") return "The answer was canceled.";
  return (await answerBlock(reading.store, answer, mailFrom))?.note;
}

/** The thread of an answer, oldest first, as its headers name it. */
export function threadOf({ thread, inReplyTo }: Pick<AnswerRow, "thread" | "inReplyTo">): string[] {
  const before = thread.filter((id) => id !== inReplyTo);
  const whole = inReplyTo === null ? before : [...before, inReplyTo];
  return [...whole.slice(0, 1), ...whole.slice(1).slice(1 - MAX_THREAD)];
}

const STOPPED = {
  suppressed: "The contact is on the do-not-contact list.",
  archived: "The contact was archived.",
} as const;

/** The statuses of an answer that has not left. */
const OPEN_ANSWER: readonly AnswerStatus[] = ["needs_review", "changes_requested", "approved"];

/** Cancels the answers of a contact that have not left. One that is being handed over stops at the last check. */
export async function cancelAnswers(ctx: Context, contactId: string, reason: keyof typeof STOPPED): Promise<void> {
  for (const answer of await ctx.store.emailAnswers.ofContact(contactId, MAX_OPEN)) {
    if (!OPEN_ANSWER.includes(answer.status)) continue;
    await moveAnswer(ctx, answer, "cancel", { note: STOPPED[reason] });
  }
}

/** More answers to one contact are stopped when they are due. */
const MAX_OPEN = 100;

/** A message ended: what that means for the answer that it carried. A move that its status does not allow is no news. */
export async function endAnswer(
  ctx: Context,
  answerId: string,
  move: "send" | "write" | "fail" | "send_back",
  note: string | null = null,
): Promise<void> {
  const answer = await ctx.store.emailAnswers.find(answerId);
  if (answer !== undefined) await moveAnswer(ctx, answer, move, { ...(move === "send_back" && NO_APPROVAL), note });
}

/** Everyone who wrote an answer: who planned it, and who ever edited it. */
export async function authorsOfAnswer({ store }: Pick<Context, "store">, answer: AnswerRow): Promise<string[]> {
  return [...new Set([answer.plannedById, ...(await editorsOfAnswer({ store }, answer.id))])];
}

/** Everyone who ever edited the text of an answer. */
export async function editorsOfAnswer({ store }: Pick<Context, "store">, id: string): Promise<string[]> {
  return [...new Set(await store.logs.actorsOf(id, "edit_answer"))];
}
