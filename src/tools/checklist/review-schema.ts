import { z } from "zod";
import { ALL_CHANNELS } from "../../domain/checklist/channel.ts";
import { CARD_STATUSES, DECISIONS, POST_STATUSES } from "../../domain/checklist/review.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { contentHash } from "../../services/checklist/review.ts";
import type { CardRow, PostRow } from "../../store/checklist.ts";
import { hidden, reveal } from "../fields.ts";

const someone = z.object({ id: z.string(), name: z.string() });

/** What cards and posts have in common: the submitter, and the decision. */
const submitted = {
  id: z.guid(),
  item_id: z.string(),
  body: z.string().describe("The exact text of the submission."),
  content_hash: z
    .string()
    .describe("The hash of all texts of the submission. If sent with a decision, it must match the current texts."),
  redo_of: z
    .guid()
    .nullable()
    .describe("The submission for which changes were requested, and which this one replaces."),
  note: z.string().nullable().describe("The reviewer's note."),
  submitted_by: someone,
  submitted_at: z.iso.datetime(),
  decided_by: someone.nullable(),
  decided_at: z.iso.datetime().nullable(),
};

function toSubmitted(row: CardRow | PostRow) {
  const { decidedById: id, decidedByName: name } = row;
  return {
    id: row.id,
    item_id: row.itemId,
    body: row.body,
    content_hash: contentHash(row),
    redo_of: row.redoOf,
    note: row.note,
    submitted_by: { id: row.submittedById, name: row.submittedByName },
    submitted_at: iso(row.submittedAt),
    decided_by: id === null || name === null ? null : { id, name },
    decided_at: isoOrNull(row.decidedAt),
  };
}

/** What a decision pins. */
export const pinned = {
  content_hash: z
    .string()
    .max(64)
    .optional()
    .describe(
      "The content_hash of the draft or post that you read. If it has changed since, the call is refused. Without the hash, the call applies to the current text.",
    ),
};

export const decision = z
  .enum(DECISIONS)
  .describe("approve, request_change (with a note that says what to change), or deny.");

export const note = z
  .string()
  .max(2_000)
  .trim()
  .optional()
  .transform((text) => text || null)
  .meta({ description: "A note for the agent. Required with request_change." });

/** For `.refine`: requesting a change needs a comment. */
export const saysWhatToChange: [
  (given: { decision: (typeof DECISIONS)[number]; note: string | null }) => boolean,
  { path: string[]; error: string },
] = [
  (given) => given.decision !== "request_change" || given.note !== null,
  { path: ["note"], error: "can't be blank when you request changes. Say what to change" },
];

/** What the audit records of a card or post: the decision, and not the text, which is in the record itself. */
export function toDecision(row: CardRow | PostRow): Record<string, unknown> {
  const { id, itemId, status, note } = row;
  const decision = { id, item_id: itemId, status, note };
  return "scheduledFor" in row ? { ...decision, scheduled_for: isoOrNull(row.scheduledFor) } : decision;
}

/** A card as people decide on it. */
export const Card = z.object({
  ...submitted,
  status: z.enum(CARD_STATUSES),
  title: z.string(),
  summary: z.string().nullable(),
  hidden,
});

export function toCard(row: CardRow): z.infer<typeof Card> {
  const { status, title, summary, body } = row;
  return { ...toSubmitted(row), status, title, summary, hidden: reveal({ title, summary, body }) };
}

const time = z.iso.datetime().nullable();

const shown = {
  status: z.enum(POST_STATUSES),
  platform: z.enum(ALL_CHANNELS).nullable(),
  title: z.string().nullable(),
  scheduled_for: time.describe("When the reviewer wants the post published."),
};

/** A post as people review it. */
export const Post = z.object({
  ...submitted,
  ...shown,
  suggested_for: time.describe("When the agent suggests publishing the post."),
  ended_at: time.describe("When the post was published, or when a teammate marked it as canceled."),
  published_url: z.string().nullable().describe("The URL of the published post."),
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
  body: z.string().describe(`The first ${EXCERPT} characters.`),
  body_length: z.int().describe("The number of characters in the full text."),
  note: z.string().nullable().describe("The reviewer's note."),
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
