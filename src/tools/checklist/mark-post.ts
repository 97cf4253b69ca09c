import { z } from "zod";
import { POST_ENDS, POST_MOVES } from "../../domain/review.ts";
import { personOperation } from "../../operation.ts";
import { problem } from "../../problem.ts";
import { recordId } from "../ids.ts";
import { lookAgain, recordDone, UNMARKED } from "./effects.ts";
import { Post, toPost } from "./post-schema.ts";
import { toDecision } from "./review-schema.ts";

export const markPost = personOperation({
  name: "mark_post",
  area: "checklist",
  title: "Say what became of a post",
  description:
    "A person's word that an approved post was published, which marks its item as done, or that it was cancelled. " +
    "Rostrum itself publishes nothing.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["post_not_found", "post_not_approved"],
  input: z.strictObject({
    post_id: recordId("post"),
    status: z.enum(POST_ENDS).describe("What became of it."),
  }),
  output: Post,
  async handler(ctx, { post_id: id, status }) {
    const before = await ctx.store.posts.find(id);
    if (before === undefined) throw problem("post_not_found");
    const row = await ctx.store.posts.end(id, POST_MOVES.approved[status], ctx.now);
    if (row === undefined) {
      throw problem("post_not_approved", `post_id: this post is ${before.status}; only an approved one can be marked.`);
    }
    const marked =
      status === "published" ? await recordDone(ctx, row.itemId, `Published: ${row.title ?? `post ${id}`}`) : UNMARKED;
    await lookAgain(ctx);
    await ctx.audit({
      recordId: id,
      before: { ...toDecision(before), ...marked.before },
      after: { ...toDecision(row), ...marked.after },
    });
    return { data: toPost(row) };
  },
});
