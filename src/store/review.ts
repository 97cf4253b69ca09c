import type { Channel } from "../domain/channel.ts";
import type { CardStatus, PostStatus } from "../domain/review.ts";
import type { Page } from "./page.ts";

/** Who handed something in, when, and what a person said of it. */
interface Submitted {
  id: string;
  itemId: string;
  body: string;
  /** The one that a person wanted changed, which this one answers. */
  redoOf: string | null;
  submittedById: string;
  submittedByName: string;
  submittedAt: number;
  decidedById: string | null;
  decidedByName: string | null;
  decidedAt: number | null;
  note: string | null;
}

export interface CardRow extends Submitted {
  status: CardStatus;
  title: string;
  summary: string | null;
}

/** A card without its body, as lists of items show it. */
export type CardHead = Pick<
  CardRow,
  "id" | "itemId" | "status" | "title" | "summary" | "note" | "submittedAt" | "decidedAt"
>;

export interface PostRow extends Submitted {
  status: PostStatus;
  channel: Channel | null;
  title: string | null;
  suggestedFor: number | null;
  scheduledFor: number | null;
  endedAt: number | null;
  publishedUrl: string | null;
}

type New<Row extends Submitted, Fields extends keyof Row> = Pick<
  Row,
  "id" | "itemId" | "body" | "submittedById" | "submittedByName" | "submittedAt" | Fields
>;
export type NewCard = New<CardRow, "title" | "summary">;
export type NewPost = New<PostRow, "channel" | "title" | "suggestedFor">;

interface Deciding {
  byId: string;
  byName: string;
  now: number;
  note: string | null;
}

interface Ending {
  at: number;
  /** In place of the post's own; null leaves that. */
  channel: Channel | null;
  url: string | null;
}

export interface ReviewFilter<Status> {
  status?: Status | undefined;
  itemId?: string | undefined;
}

/** Approval cards. One of an item waits at a time. */
export interface Cards {
  /** A pending card, the redo of the item's latest where a change was asked for. Undefined while one waits. */
  insert(card: NewCard): Promise<CardRow | undefined>;
  find(id: string): Promise<CardRow | undefined>;
  /** The latest of each of these items that has any. */
  latest(itemIds: readonly string[]): Promise<CardHead[]>;
  /** Newest first. */
  list(filter: ReviewFilter<CardStatus>, page: Page): Promise<{ rows: CardRow[]; total: number }>;
  /** Undefined where no card of this id is pending. */
  decide(id: string, to: CardStatus, deciding: Deciding): Promise<CardRow | undefined>;
}

/** Posts in the review queue. */
export interface Posts {
  /** A post that needs review: the redo of the item's latest that was sent back and not yet redone. Undefined while a card waits. */
  insert(post: NewPost): Promise<PostRow | undefined>;
  find(id: string): Promise<PostRow | undefined>;
  /** Newest first. */
  list(filter: ReviewFilter<PostStatus>, page: Page): Promise<{ rows: PostRow[]; total: number }>;
  newest(limit: number): Promise<PostRow[]>;
  /** How many wait for a person, of each item that has any. */
  waiting(): Promise<{ itemId: string; count: number }[]>;
  /** Undefined where no post of this id needs review. */
  decide(
    id: string,
    to: PostStatus,
    deciding: Deciding & { scheduledFor: number | null },
  ): Promise<PostRow | undefined>;
  /** Undefined where no post of this id is approved. */
  end(id: string, to: PostStatus, ending: Ending): Promise<PostRow | undefined>;
}
