import { z } from "zod";
import { ALL_CHANNELS } from "../../domain/channel.ts";
import { POST_STATUSES } from "../../domain/review.ts";
import type { PostRow } from "../../store/review.ts";
import { hidden, reveal } from "../hidden.ts";
import { iso, isoOrNull } from "../time.ts";
import { submitted, toSubmitted } from "./review-schema.ts";

const time = z.iso.datetime().nullable();

const shown = {
  status: z.enum(POST_STATUSES),
  platform: z.enum(ALL_CHANNELS).nullable(),
  title: z.string().nullable(),
  scheduled_for: time.describe("When the reviewer wants it published."),
};

/** A post as people review it. */
export const Post = z.object({
  ...submitted,
  ...shown,
  suggested_for: time.describe("When the assistant would publish it."),
  ended_at: time.describe("When it was published, or a person said that it is cancelled."),
  published_url: z.string().nullable().describe("Where it can be read, as a person said."),
  hidden,
});

export function toPost(row: PostRow): z.infer<typeof Post> {
  const { title, body } = row;
  return {
    ...toSubmitted(row),
    ...toShown(row),
    suggested_for: isoOrNull(row.suggestedFor),
    ended_at: isoOrNull(row.endedAt),
    published_url: row.publishedUrl,
    hidden: reveal({ title, body }),
  };
}

function toShown(row: PostRow) {
  return {
    status: row.status,
    platform: row.channel,
    title: row.title,
    scheduled_for: isoOrNull(row.scheduledFor),
  };
}

/** So much of a post's text is enough to repeat none. */
const EXCERPT = 2_000;

/** A post as an item's context shows it. */
export const RecentPost = z.object({
  id: z.guid(),
  item_id: z.string(),
  ...shown,
  body: z.string().describe(`Its first ${EXCERPT} characters.`),
  body_length: z.int().describe("How many characters the whole has."),
  note: z.string().nullable().describe("What the reviewer said."),
  submitted_at: z.iso.datetime(),
});

export function toRecentPost(row: PostRow): z.infer<typeof RecentPost> {
  const characters = [...row.body];
  return {
    id: row.id,
    item_id: row.itemId,
    ...toShown(row),
    body: characters.slice(0, EXCERPT).join(""),
    body_length: characters.length,
    note: row.note,
    submitted_at: iso(row.submittedAt),
  };
}
