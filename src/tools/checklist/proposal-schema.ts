import { z } from "zod";
import { operatorLabel } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import type { ReviewKind } from "../../domain/checklist/review.ts";
import type { Step } from "../../domain/outreach/sequence.ts";
import { fillingsOf, fillTemplate, type Recipient } from "../../domain/outreach/template.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { CardRow, PostRow } from "../../store/checklist.ts";
import { time } from "../fields.ts";

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

/** The earlier version that a person sent back, for comparison. */
export const SentBack = z.object({
  id: z.guid(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  body: z.string(),
  note: z.string().nullable().describe("The change that was requested."),
  decided_by: z.string().nullable(),
  decided_at: time.nullable(),
});

export function toSentBack(row: CardRow | PostRow | undefined): z.infer<typeof SentBack> | null {
  if (row === undefined) return null;
  const { id, title, body, note, decidedByName, decidedAt } = row;
  const summary = "summary" in row ? row.summary : null;
  return { id, title, summary, body, note, decided_by: decidedByName, decided_at: isoOrNull(decidedAt) };
}

/** Of the same item, or to the same contact: what people denied before. */
export const DeniedBefore = z.object({
  count: z.int().describe("How many there are."),
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
  .describe("Whether it is approved and unused, so that the approval can be withdrawn.");

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
  steps: z.array(
    z.object({
      type: z.string(),
      subject: z.string().nullable(),
      text: z.string().nullable(),
      unfilled: z.array(z.string()).describe("Fields without a value. The step would be on hold for review."),
    }),
  ),
});

export function toExample(
  steps: readonly Step[],
  recipient: Recipient,
  sender: string | null,
): z.infer<typeof Example> {
  const fillings = fillingsOf(recipient, sender);
  const { first_name, last_name, email } = recipient;
  return {
    contact_id: recipient.id,
    contact: [first_name, last_name].filter(Boolean).join(" ") || email || "No name",
    steps: steps.map((step) => {
      const text = step.type === "wait" ? null : step.type === "socialnet_connect" ? step.note : step.body;
      const subject = step.type === "email" ? step.subject : null;
      const filled = [subject, text].map((one) => (one === null ? { text: null } : fillTemplate(one, fillings)));
      const [asSubject, asText] = filled.map((one) => ("text" in one ? one.text : null));
      const unfilled = [...new Set(filled.flatMap((one) => ("unfilled" in one ? one.unfilled : [])))];
      return { type: step.type, subject: asSubject ?? null, text: asText ?? null, unfilled };
    }),
  };
}
