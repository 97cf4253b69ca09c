import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recheck, takeBackDone } from "../../services/checklist/marks.ts";
import { announce } from "../../services/checklist/review.ts";
import { recordId } from "../fields.ts";
import { Card, toCard, toDecision } from "./review-schema.ts";

export const withdrawCard = personOperation({
  name: "withdraw_card",
  area: "checklist",
  title: "Withdraw a document's approval",
  description:
    "Withdraws the approval of a document, and the status that the approval set on its item. The document needs " +
    "review again.",
  access: { permission: "work" },
  effect: "write",
  restricts: () => true,
  errors: ["card_not_found", "card_waiting", "version_conflict"],
  input: z.strictObject({
    card_id: recordId("card"),
    note: z.string().max(500).trim().min(1).nullable().default(null).describe("The reason, for the audit log."),
  }),
  output: Card,
  async handler(ctx, { card_id: id, note }) {
    const before = await ctx.store.cards.find(id);
    if (before === undefined) throw problem("card_not_found");
    const waiting = await ctx.store.cards.list({ status: "pending", itemId: before.itemId }, { limit: 1, offset: 0 });
    if (waiting.total > 0)
      throw problem("card_waiting", "Another document for this item needs review. Decide on that document first.");
    const row = await ctx.store.cards.withdraw(id);
    if (row === undefined) {
      throw problem(
        "version_conflict",
        `This document is ${before.status}. Only an approved document has an approval to withdraw.`,
      );
    }
    const marked = await takeBackDone(ctx, before);
    await recheck(ctx);
    await announce(ctx, row, "card", "withdrawn");
    await ctx.audit({
      recordId: id,
      before: { ...toDecision(before), ...marked.before },
      after: { ...toDecision(row), ...marked.after, note },
    });
    return { data: toCard(row) };
  },
});
