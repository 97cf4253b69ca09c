import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { recheck } from "../../services/checklist/marks.ts";
import { announce } from "../../services/checklist/review.ts";
import { recordId } from "../fields.ts";
import { Post, toDecision, toPost } from "./review-schema.ts";

export const withdrawPost = personOperation({
  name: "withdraw_post",
  area: "checklist",
  title: "Withdraw a post's approval",
  description:
    "Withdraws the approval of a post that is not published or canceled yet, and clears its publishing time. The post " +
    "needs review again.",
  access: { permission: "work" },
  effect: "write",
  restricts: () => true,
  errors: ["post_not_found", "version_conflict"],
  input: z.strictObject({
    post_id: recordId("post"),
    note: z.string().max(500).trim().min(1).nullable().default(null).describe("The reason, for the audit log."),
  }),
  output: Post,
  async handler(ctx, { post_id: id, note }) {
    const before = await ctx.store.posts.find(id);
    if (before === undefined) throw problem("post_not_found");
    const row = await ctx.store.posts.withdraw(id);
    if (row === undefined) {
      throw problem(
        "version_conflict",
        `This post is ${before.status}. Only an approved post has an approval to withdraw.`,
      );
    }
    await recheck(ctx);
    await announce(ctx, row, "post", "withdrawn");
    await ctx.audit({ recordId: id, before: toDecision(before), after: { ...toDecision(row), note } });
    return { data: toPost(row) };
  },
});
