import type { ReviewKind } from "../domain/review.ts";
import type { Page } from "./page.ts";

/** Something that waits for a person, as the queue lists it. */
export interface WaitingRow {
  id: string;
  title: string;
  /** Who it is for, where it goes, or what it belongs to. */
  about: string | null;
  proposedBy: string;
  /** Since when it waits. */
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

/** How often people cancelled actions to a contact, and the last time. */
export interface CancelledRow {
  count: number;
  id: string;
  note: string | null;
  at: number;
  actorKind: string;
  actorId: string;
}

/** What waits for people, over all kinds, and what happened meanwhile. */
export interface ReviewQueue {
  /** The longest waiting first. */
  waiting(kind: ReviewKind, page: Page): Promise<WaitingRow[]>;
  counts(): Promise<Record<ReviewKind, number>>;
  /** The first contacts of an approval's audience. */
  audience(approvalId: string, limit: number): Promise<string[]>;
  /** Of what these operations decided, the newest. */
  decided(operations: readonly string[], most: number): Promise<DecisionRow[]>;
  /** Undefined where nobody ever cancelled one; what the server cancels by itself does not count. */
  cancelled(contactId: string): Promise<CancelledRow | undefined>;
  /** By kind, the latest first, among the newest `most` of each source. */
  news(since: number, most: number): Promise<NewsRow[]>;
}
