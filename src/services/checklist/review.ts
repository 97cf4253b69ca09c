import { createHash } from "node:crypto";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { DECIDED, DECISIONS } from "../../domain/checklist/review.ts";
import { iso } from "../../lib/time.ts";
import type { CardRow, PostRow } from "../../store/checklist.ts";
import { checkOwnProposal } from "../access/own-proposal.ts";

/** What a decision pins: the text that was read. */
interface Pinned {
  decision: (typeof DECISIONS)[number];
  content_hash?: string | undefined;
}

/**
 * Checks what a decision pins. Returns what the audit records of it.
 *
 * @throws Problem version_conflict where the text has changed since it was read; own_proposal
 */
export async function requirePinned(
  ctx: Context,
  row: CardRow | PostRow,
  { decision, content_hash }: Pinned,
): Promise<{ own_proposal?: true }> {
  if (content_hash !== undefined && content_hash !== contentHash(row)) {
    throw problem(
      "version_conflict",
      "content_hash: is not the hash of the current text. Read the text again and decide again.",
    );
  }
  return decision === "approve" ? checkOwnProposal(ctx, [row.submittedById]) : {};
}

/** One hash of everything that a person reads of a card or a post. */
export function contentHash(row: CardRow | PostRow): string {
  const texts = "summary" in row ? [row.title, row.summary, row.body] : [row.channel, row.title, row.body];
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 32);
}

/** Tells subscribers what a person decided on a card or a post. */
export async function announce(
  ctx: Context,
  { id, itemId }: CardRow | PostRow,
  kind: "card" | "post",
  decision: (typeof DECIDED)[number],
): Promise<void> {
  const told = { item_id: itemId, decision, decided_at: iso(ctx.now) };
  if (kind === "card") await ctx.emit("checklist.card.decided", { card_id: id, ...told });
  else await ctx.emit("checklist.post.decided", { post_id: id, ...told });
}

/** The refusal of a second decision: the first is final. */
export function alreadyDecided(kind: "card" | "post", status: string) {
  const what = kind === "card" ? "document" : kind;
  return problem("already_decided", `This ${what} is already ${status}. Read it again.`);
}
