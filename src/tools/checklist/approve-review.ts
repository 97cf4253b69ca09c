import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { Problem, problem } from "../../core/problem.ts";
import { TOGETHER } from "../../domain/checklist/review.ts";
import { recordId } from "../fields.ts";
import { approveAnswer } from "../inbox/approve-answer.ts";
import { approveSocialnetAction } from "../socialnet/approve-socialnet-action.ts";
import { decideCard } from "./decide-card.ts";
import { decidePost } from "./decide-post.ts";

const MAX_ITEMS = 25;

const entry = z.strictObject({
  id: recordId("entry"),
  version: z
    .string()
    .max(64)
    .describe("The version of the entry that you read. If the entry has changed since, nothing is approved."),
  read: z.boolean().default(true).describe("False skips this entry: it was listed, but not read."),
});

export const approveReview = personOperation({
  name: "approve_review",
  area: "review",
  title: "Approve several entries",
  description:
    `Approves up to ${MAX_ITEMS} entries of one kind, in the versions that you read. It approves all of them or none. If one ` +
    "has changed, was decided already, or can't be approved, the error names it. Answers and actions require the " +
    "permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: [
    "version_conflict",
    "own_proposal",
    "already_decided",
    "card_not_found",
    "post_not_found",
    "action_not_found",
    "action_not_movable",
    "answer_not_found",
    "answer_not_open",
    "contact_suppressed",
  ],
  input: z
    .strictObject({
      kind: z.enum(TOGETHER).describe("The kind of the entries."),
      items: z.array(entry).min(1).max(MAX_ITEMS).describe("The entries that you read."),
    })
    .refine(({ items }) => items.some(({ read }) => read), "select at least one entry that you have read"),
  output: z.object({ kind: z.enum(TOGETHER), approved: z.array(z.guid()) }),
  async handler(ctx, { kind, items }) {
    if ((kind === "action" || kind === "answer") && !mayApprove(ctx.actor)) {
      throw problem(
        "insufficient_scope",
        "Only teammates with approve_outbound can set kind to action or answer. Ask one of them.",
      );
    }
    const approved: string[] = [];
    for (const [i, { id, version, read }] of items.entries()) {
      if (!read) continue;
      await APPROVE[kind](ctx, id, { version }).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        throw problem(error.code, `items.${i}: ${error.message} Nothing was approved.`);
      });
      approved.push(id);
    }
    return { data: { kind, approved } };
  },
});

type Approve = (ctx: Context, id: string, pins: { version: string }) => Promise<unknown>;

/** Each under the same checks as a single decision: a refusal of one undoes the others. */
const APPROVE: Record<(typeof TOGETHER)[number], Approve> = {
  answer: (ctx, answer_id, { version: copy_hash }) => approveAnswer.handler(ctx, { answer_id, copy_hash }, undefined),
  action: (ctx, action_id, { version: copy_hash }) =>
    approveSocialnetAction.handler(ctx, { action_id, copy_hash }, undefined),
  card: (ctx, card_id, { version: content_hash }) =>
    decideCard.handler(ctx, { card_id, decision: "approve", note: null, content_hash }, undefined),
  post: (ctx, post_id, { version: content_hash }) =>
    decidePost.handler(ctx, { post_id, decision: "approve", note: null, content_hash }, undefined),
};
