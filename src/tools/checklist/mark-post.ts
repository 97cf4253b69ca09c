import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { ALL_CHANNELS } from "../../domain/checklist/channel.ts";
import { POST_ENDS, POST_MOVES } from "../../domain/checklist/review.ts";
import { recheck, recordDone, UNMARKED } from "../../services/checklist/marks.ts";
import { givenTime, recordId } from "../fields.ts";
import { Post, toDecision, toPost } from "./review-schema.ts";

/** What goes with a published post alone. */
const PUBLISHED = {
  platform: z
    .enum(ALL_CHANNELS)
    .optional()
    .describe("The channel on which the post was published. Default: the post's own."),
  published_at: givenTime.optional().describe("When the post was published. Default: now."),
  url: z
    .url({ protocol: /^https?$/, error: "must be a URL that starts with http:// or https://" })
    .max(2_000)
    .optional()
    .describe("The URL of the published post."),
};

export const markPost = personOperation({
  name: "mark_post",
  area: "checklist",
  title: "Mark a post as published or canceled",
  description:
    "Records that an approved post was published, where and when, or that it was canceled. Marking it as published " +
    "completes its item, except a recurring item with detected_by, which is done once its check passes. Rostrum " +
    "itself publishes nothing.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["post_not_found", "post_not_approved"],
  input: z
    .strictObject({
      post_id: recordId("post"),
      status: z.enum(POST_ENDS).describe("The post's new status. Send the other fields only with published."),
      ...PUBLISHED,
    })
    .superRefine((given, issues) => {
      if (given.status === "published") return;
      for (const field of Object.keys(PUBLISHED)) {
        if (given[field as keyof typeof PUBLISHED] === undefined) continue;
        issues.addIssue({
          code: "custom",
          path: [field],
          message: "can only be set with status published. Remove it",
        });
      }
    }),
  output: Post,
  async handler(ctx, { post_id: id, status, platform, published_at, url }) {
    const before = await ctx.store.posts.find(id);
    if (before === undefined) throw problem("post_not_found");
    const ending = { at: moment(ctx, published_at), channel: platform ?? null, url: url ?? null };
    const row = await ctx.store.posts.end(id, POST_MOVES.approved[status], ending);
    if (row === undefined) {
      throw problem(
        "post_not_approved",
        `This post is ${before.status}. Only an approved post can be marked as published or canceled.`,
      );
    }
    const words = `Published: ${row.title ?? `post ${id}`}`;
    const marked = status === "published" ? await recordDone(ctx, row.itemId, words, ending.at) : UNMARKED;
    await recheck(ctx);
    await ctx.audit({
      recordId: id,
      before: { ...toDecision(before), ...marked.before },
      after: { ...toDecision(row), ...toPublication(row), ...marked.after },
    });
    return { data: toPost(row) };
  },
});

/** @throws Problem validation_failed */
function moment({ now }: Context, published_at: string | undefined): number {
  const at = published_at === undefined ? now : Date.parse(published_at);
  if (at <= now) return at;
  throw problem(
    "validation_failed",
    "published_at: can't be in the future. Enter when it was published, or leave it blank.",
  );
}

/** Where and when it was published, as the audit records it. */
function toPublication(row: Parameters<typeof toPost>[0]) {
  const { platform, ended_at, published_url } = toPost(row);
  return row.status === "published" ? { platform, ended_at, published_url } : {};
}
