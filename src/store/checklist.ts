import type { Channel, ConnectionState } from "../domain/checklist/channel.ts";
import type { CardStatus, PostStatus, ReviewKind } from "../domain/checklist/review.ts";
import type { Assessment, Mark } from "../domain/checklist/status.ts";
import type { Page } from "./page.ts";

export interface MarkRow extends Mark {
  itemId: string;
  updatedAt: number;
}

export interface AssessmentRow extends Assessment {
  itemId: string;
  assessedAt: number;
}

/** A mark, and the day on which the item was done where the mark has one. */
export type NewMark = Omit<MarkRow, "source"> & { doneOn: string | null };

/** All that is recorded for an item. */
export interface Recorded {
  marks: readonly Omit<MarkRow, "itemId">[];
  lastDoneOn: string | null;
}

interface DayRow {
  itemId: string;
  lastDoneOn: string;
}

interface AssessmentClaim {
  /** The time from which the next assessment is calculated. */
  at: number;
  before: number;
  catalogVersion: string;
}

/** The marks of a catalog's items, and the results of the latest assessment. At most one of each per item. */
export interface Checklist {
  /** A person's mark comes before the service's, and that before an assistant's. */
  marks(): Promise<MarkRow[]>;
  mark(itemId: string): Promise<MarkRow | undefined>;
  /** All that are recorded for an item, also those that another comes before. */
  marksOf(itemId: string): Promise<MarkRow[]>;
  /** The latest day on which each item is known to have been done; kept when its mark changes or is deleted. */
  days(): Promise<DayRow[]>;
  lastDoneOn(itemId: string): Promise<string | null>;
  /** A member's mark, which replaces every other. Its day counts even if a later one is known. */
  setMark(mark: NewMark): Promise<void>;
  /** Deletes all that is recorded for the item, its day too; false where there was nothing. */
  removeMark(itemId: string): Promise<boolean>;
  /** Puts back what was recorded for an item at an earlier time, its day too, in place of all that is there. */
  restore(itemId: string, recorded: Recorded): Promise<void>;
  /**
   * An assistant's mark: a new one, or a replacement of an assistant's. The later day of completion stays. Undefined
   * where a person or the service has marked the item.
   */
  recordEvidence(mark: NewMark): Promise<{ created: boolean } | undefined>;
  /** The service's mark, in addition to an assistant's; none where a person has marked. The later day stays. */
  recordDetection(mark: NewMark): Promise<void>;
  /** Deletes the service's marks of all items but these. */
  keepDetections(itemIds: readonly string[]): Promise<void>;
  assessments(): Promise<AssessmentRow[]>;
  /** When the whole checklist was last assessed, and by which catalog. */
  lastAssessment(): Promise<Omit<AssessmentClaim, "before"> | undefined>;
  /** Replaces what was found for the item before. */
  saveAssessment(row: AssessmentRow): Promise<void>;
  /** Replaces all. */
  replaceAssessments(rows: readonly AssessmentRow[]): Promise<void>;
  /**
   * Records that an assessment begins; false where the last one began after `before` with the same catalog, because
   * another server was quicker.
   */
  claimAssessment(claim: AssessmentClaim): Promise<boolean>;
  /** The same for a requested assessment, whenever the last one began. */
  noteAssessment(claim: Omit<AssessmentClaim, "before">): Promise<void>;
}

/** A submission: who submitted it, when, and what the reviewer decided. */
interface Submitted {
  id: string;
  itemId: string;
  body: string;
  /** The one that a person wanted changed, and that this one replaces. */
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
  /** Replaces the post's own; null leaves it. */
  channel: Channel | null;
  url: string | null;
}

export interface ReviewFilter<Status> {
  status?: Status | undefined;
  itemId?: string | undefined;
}

/** Approval cards. One of an item waits at a time. */
export interface Cards {
  /** Withdraws the approval of a card; undefined where it is not approved. */
  withdraw(id: string): Promise<CardRow | undefined>;
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
  /** Withdraws the approval of a post; undefined where it is not approved, or was published or canceled. */
  withdraw(id: string): Promise<PostRow | undefined>;
  /** A post that needs review: the redo of the item's latest that was sent back and not yet redone. Undefined while a card waits. */
  insert(post: NewPost): Promise<PostRow | undefined>;
  find(id: string): Promise<PostRow | undefined>;
  /** Newest first. */
  list(filter: ReviewFilter<PostStatus>, page: Page): Promise<{ rows: PostRow[]; total: number }>;
  newest(limit: number): Promise<PostRow[]>;
  /** Approved posts that are to be published at this moment or later, the next one first. */
  upcoming(from: number, limit: number): Promise<PostRow[]>;
  /** How many need review, of each item that has any. */
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

/** A record that needs review, as the queue lists it. */
export interface WaitingRow {
  id: string;
  title: string;
  /** The contact, the target, or the parent of the record. */
  about: string | null;
  /** The beginning of what would be sent or published. Null: it has no single text. */
  text: string | null;
  proposedBy: string;
  /** Whether an API key proposed it. */
  byAgent: boolean;
  /** Since when it needs review. */
  since: number;
}

/** Something that happened, how often, and when last. */
export interface NewsRow {
  source: "activity" | "audit";
  kind: string;
  count: number;
  latestAt: number;
}

/** A decision that the audit keeps. */
export interface DecisionRow {
  recordId: string;
  /** The operation that decided. */
  action: string;
  at: number;
  actorKind: string;
  actorId: string;
  /** What it became. */
  after: Record<string, unknown>;
}

/** How often people canceled actions to a contact, and the last time. */
export interface CancelledRow {
  count: number;
  id: string;
  note: string | null;
  at: number;
  actorKind: string;
  actorId: string;
}

/** What needs review, over all kinds, and what happened since a moment. */
export interface ReviewQueue {
  /** The longest waiting first. */
  waiting(kind: ReviewKind, page: Page): Promise<WaitingRow[]>;
  counts(): Promise<Record<ReviewKind, number>>;
  /** The newest decisions made by these operations. */
  decided(operations: readonly string[], most: number): Promise<DecisionRow[]>;
  /** Undefined where no person canceled one; cancellations by the server do not count. */
  cancelled(contactId: string): Promise<CancelledRow | undefined>;
  /** By kind, the latest first, among the newest `most` of each source. */
  news(since: number, most: number): Promise<NewsRow[]>;
}

interface Saved {
  /** Who saved it, by name. */
  savedBy: string;
  savedAt: number;
}

export interface BrandVoiceRow extends Saved {
  text: string;
}

export interface ProfileFactsRow extends Saved {
  facts: string[];
}

export interface SocialConnectionRow extends Saved {
  channel: Channel;
  state: ConnectionState;
  handle: string | null;
}

/** What drafts are made from: how the workspace sounds, what it may claim, and where it publishes. */
export interface Voice {
  brandVoice(): Promise<BrandVoiceRow | undefined>;
  saveBrandVoice(voice: BrandVoiceRow): Promise<void>;
  profileFacts(): Promise<ProfileFactsRow | undefined>;
  saveProfileFacts(facts: ProfileFactsRow): Promise<void>;
  /** By channel's name. */
  socialConnections(): Promise<SocialConnectionRow[]>;
  saveSocialConnection(connection: SocialConnectionRow): Promise<void>;
}

/** A record that a check names. */
export interface Facts {
  id: string;
  name: string;
}

/** What the checks of an assessment read from the rest of the workspace. Each is bounded, however much there is. */
export interface WorkspaceFacts {
  /** Whether any address is suppressed. */
  suppresses(): Promise<boolean>;
  /** How many sequences are active, and some of those that no applied approval covers as they read now. */
  activeSequences(): Promise<{ active: number; unapproved: Facts[] }>;
  members(): Promise<{ administrators: number; approvers: number }>;
  /** How many keys are neither revoked nor expired, and some of those that were never used since. */
  keys(since: number, now: number): Promise<{ live: number; idle: Facts[] }>;
  /** Posts that a person recorded as published since this moment, of one channel where it is given. */
  published(since: number, channel: Channel | undefined): Promise<number>;
  /** Approved posts with a time from one moment to the other. */
  scheduled(from: number, to: number): Promise<number>;
  /** When the oldest card or post that needs review was submitted. Null where none does. */
  waitingSince(): Promise<number | null>;
}
