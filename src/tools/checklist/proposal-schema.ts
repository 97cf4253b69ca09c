import { z } from "zod";
import { operatorLabel } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import type { ReviewKind } from "../../domain/checklist/review.ts";
import type { Step } from "../../domain/outreach/sequence.ts";
import type { Recipient } from "../../domain/outreach/template.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { CardRow, PostRow } from "../../store/checklist.ts";
import { time } from "../fields.ts";
import { RenderedStep, renderSteps } from "../outreach/rendered-step.ts";

export const Proposer = z.object({
  id: z.string().nullable(),
  name: z.string(),
  key: z
    .object({ prefix: z.string(), creator: z.string(), account_label: z.string().nullable() })
    .nullable()
    .describe("For an agent: its key, who created the key, and the account it acts for."),
});

export async function toProposer(
  { store }: Context,
  { id, name }: { id: string | null; name: string },
): Promise<z.infer<typeof Proposer>> {
  const key = id === null ? undefined : await store.keys.find(id);
  if (key === undefined) return { id, name, key: null };
  const { prefix, creator, socialnetAccountId: bound } = key;
  const account = bound === null ? undefined : await store.socialnetAccounts.find(bound);
  return { id, name, key: { prefix, creator, account_label: account?.label ?? null } };
}

/** The earlier version, for comparison: the one that a person sent back, or a message as it was first proposed. */
export const SentBack = z.object({
  id: z.guid(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  body: z.string(),
  note: z.string().nullable().describe("The change that was requested. Null if the text was only edited."),
  decided_by: z.string().nullable(),
  decided_at: time.nullable(),
});

export function toSentBack(row: CardRow | PostRow | undefined): z.infer<typeof SentBack> | null {
  if (row === undefined) return null;
  const { id, title, body, note, decidedByName, decidedAt } = row;
  const summary = "summary" in row ? row.summary : null;
  return { id, title, summary, body, note, decided_by: decidedByName, decided_at: isoOrNull(decidedAt) };
}

/** Changes of one message that are looked through for its earlier version. */
const MAX_CHANGES = 100;

/**
 * The earlier version of a message, from its audit log: the one for which changes were requested last, or else its first
 * text. Null if the text never changed and no changes were requested.
 */
export async function earlierMessage(
  ctx: Context,
  message: { id: string; subject: string | null; body: string },
): Promise<z.infer<typeof SentBack> | null> {
  const versions = (await ctx.store.logs.auditOf(message.id, MAX_CHANGES)).filter(({ after }) => hasText(after));
  const request = versions.find(({ after }) => after?.move === "request_change");
  const version = request ?? versions.at(-1);
  if (version === undefined) return null;
  const of = version.after as Record<string, unknown>;
  const title = textOf(of.subject);
  const body = textOf(of.body) ?? textOf(of.copy) ?? "";
  if (request === undefined && title === message.subject && body === message.body) return null;
  return {
    id: message.id,
    title,
    summary: null,
    body,
    note: request === undefined ? null : textOf(of.note),
    decided_by: request === undefined ? null : await deciderOf(ctx, request),
    decided_at: isoOrNull(request?.at ?? null),
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null);
const hasText = (facts: Record<string, unknown> | null) =>
  typeof facts?.copy === "string" || typeof facts?.body === "string";

/** Of the same item, or to the same contact: what people denied before. */
export const DeniedBefore = z.object({
  count: z.int().describe("How many were rejected or canceled."),
  id: z.guid().describe("The latest one."),
  note: z.string().nullable(),
  decided_by: z.string(),
  decided_at: time,
});

export function toDeniedBefore({ rows, total }: { rows: (CardRow | PostRow)[]; total: number }) {
  const [last] = rows;
  if (last === undefined || last.decidedAt === null) return null;
  const { id, note, decidedByName, decidedAt } = last;
  return { count: total, id, note, decided_by: decidedByName ?? "", decided_at: iso(decidedAt) };
}

export const withdrawable = z
  .boolean()
  .describe("Whether the entry is approved and its approval can still be withdrawn.");

/** An approved sequence is withdrawn before it is applied, which is a decision on what waits. */
export async function isWithdrawable({ store }: Context, kind: ReviewKind, id: string): Promise<boolean> {
  // An answer is taken back by canceling it: its author writes another.
  if (kind === "sequence" || kind === "answer") return false;
  if (kind === "action") return (await store.socialnetActions.find(id))?.status === "approved";
  if (kind !== "card") return (await store.posts.find(id))?.status === "approved";
  const card = await store.cards.find(id);
  if (card?.status !== "approved") return false;
  // Of an item one card waits at a time.
  const waiting = await store.cards.list({ status: "pending", itemId: card.itemId }, { limit: 1, offset: 0 });
  return waiting.total === 0;
}

/** The name in the audit: a member's, or the server admin. */
export async function deciderOf(
  { store }: Context,
  { actorKind, actorId }: { actorKind: string; actorId: string },
): Promise<string> {
  if (actorKind === "local_operator") return operatorLabel(actorId);
  if (actorKind !== "member") return actorId;
  return (await store.members.find(actorId))?.name ?? "a former member";
}

/** The steps as one contact would read them. */
export const Example = z.object({
  contact_id: z.uuid(),
  contact: z.string(),
  steps: z.array(RenderedStep),
});

export function toExample(
  steps: readonly Step[],
  recipient: Recipient,
  sender: string | null,
): z.infer<typeof Example> {
  const { first_name, last_name, email } = recipient;
  return {
    contact_id: recipient.id,
    contact: [first_name, last_name].filter(Boolean).join(" ") || email || "No name",
    steps: renderSteps(steps, recipient, sender),
  };
}
