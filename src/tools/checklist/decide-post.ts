import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { OUTCOME_OF, POST_MOVES } from "../../domain/checklist/review.ts";
import { recheck } from "../../services/checklist/marks.ts";
import { alreadyDecided, announce, requirePinned } from "../../services/checklist/review.ts";
import { givenTime, recordId } from "../fields.ts";
import { decision, note, Post, pinned, saysWhatToChange, toDecision, toPost } from "./review-schema.ts";

export const decidePost = personOperation({
  name: "decide_post",
  area: "checklist",
  title: "Review a post",
  description:
    "Approves a post in the review queue, requests changes, or rejects it. An approval can set the time to " +
    "publish. A person publishes the approved post and records it with mark_post. If two people decide, the " +
    "second is refused. withdraw_post undoes an approval.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["post_not_found", "already_decided", "version_conflict", "own_proposal"],
  input: z
    .strictObject({
      post_id: recordId("post"),
      decision,
      note,
      ...pinned,
      scheduled_for: givenTime.optional().describe("Only with approve: when to publish. Must be in the future."),
    })
    .refine(...saysWhatToChange)
    .refine(({ decision, scheduled_for }) => decision === "approve" || scheduled_for === undefined, {
      path: ["scheduled_for"],
      error: "can only be set with decision approve. Remove it",
    }),
  output: Post,
  async handler(ctx, { post_id: id, decision, note, scheduled_for, ...pins }) {
    const { posts } = ctx.store;
    const scheduledFor = scheduled_for === undefined ? null : Date.parse(scheduled_for);
    if (scheduledFor !== null && scheduledFor <= ctx.now) {
      throw problem("validation_failed", "scheduled_for: must be in the future. Choose a later time, or remove it.");
    }
    const before = await posts.find(id);
    if (before === undefined) throw problem("post_not_found");
    const own = await requirePinned(ctx, before, { decision, ...pins });
    const { id: byId, name: byName } = ctx.actor;
    const deciding = { byId, byName, note, scheduledFor, now: ctx.now };
    const row = await posts.decide(id, POST_MOVES.needs_review[decision], deciding);
    if (row === undefined) throw alreadyDecided("post", before.status);
    await recheck(ctx);
    await announce(ctx, row, "post", OUTCOME_OF[decision]);
    await ctx.audit({ recordId: id, before: toDecision(before), after: { ...toDecision(row), ...own } });
    return { data: toPost(row) };
  },
});
