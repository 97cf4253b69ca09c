import type { SendStatus } from "../domain/sending.ts";
import type { Page } from "./page.ts";

/** One step's message to one contact. Its id stays the same however often it is tried. */
export interface SendRow {
  id: string;
  enrollmentId: string;
  sequenceId: string;
  contactId: string;
  /** Index of the sequence's step, from 0. */
  step: number;
  /** As its recipient sees it: some servers put their own. */
  messageId: string;
  address: string;
  subject: string;
  status: SendStatus;
  attempts: number;
  lastAttemptAt: number;
  /** Until when whoever sends it is believed to be alive. */
  leaseUntil: number | null;
  /** What the server said, or why it was not sent. */
  detail: string | null;
  createdAt: number;
  updatedAt: number;
}

export type SendPatch = Partial<
  Pick<SendRow, "messageId" | "detail" | "leaseUntil" | "attempts" | "lastAttemptAt" | "address" | "subject">
>;

export interface SendFilter {
  status?: SendStatus | undefined;
  sequenceId?: string | undefined;
}

export interface Sends {
  insert(send: SendRow): Promise<void>;
  find(id: string): Promise<SendRow | undefined>;
  /** That of a step of an enrollment. */
  ofStep(enrollmentId: string, step: number): Promise<SendRow | undefined>;
  /** Message-IDs that an enrollment's contact has, oldest first. */
  thread(enrollmentId: string): Promise<string[]>;
  /**
   * One guarded write: undefined where it is in none of these statuses. Whoever hands a message over names the attempt,
   * by when it began: what is learnt of one says nothing of the next.
   */
  move(
    id: string,
    from: readonly SendStatus[],
    to: SendStatus,
    now: number,
    patch?: SendPatch,
    attemptAt?: number,
  ): Promise<SendRow | undefined>;
  /** How many were tried since a moment, each once. */
  countSince(since: number): Promise<number>;
  /** Newest first. */
  list(filter: SendFilter, page: Page): Promise<{ rows: SendRow[]; total: number }>;
  /** False where this message was received before. */
  receive(messageId: string, now: number): Promise<boolean>;
}

/** A mail server that is left alone for a while, and then asked with one message. */
export interface MailRest {
  /** In a row, each after a rest. */
  refusals: number;
  beganAt: number;
  until: number;
  /** What it said last. */
  detail: string;
}

/** What the engine looks for, in every workspace. */
export interface EngineDue {
  /** Active sequences, of workspaces that are not paused, which something is due in, by their id. */
  sequences(now: number): Promise<{ workspaceId: string; sequenceId: string }[]>;
  /** Enrollments of a sequence that are due, the longest first. */
  enrollments(sequenceId: string, now: number, most: number): Promise<string[]>;
  /** Messages whose sender was not heard of for too long. */
  stale(now: number, most: number): Promise<{ workspaceId: string; id: string }[]>;
  /** The workspace of a send; of one that a Message-ID names, where a server put its own. */
  workspaceOf(send: { id: string } | { messageId: string }): Promise<{ workspaceId: string; id: string } | undefined>;
  /** Of a mail server that has refused us, and taken nothing since. */
  rest(server: string): Promise<MailRest | undefined>;
  /** One guarded write: an attempt that began before a rest did is of the same refusal, and makes it no longer. */
  beginRest(
    server: string,
    refusal: { attemptAt: number; detail: string; rests: readonly number[] },
    now: number,
  ): Promise<MailRest>;
  /** It has taken a message of an attempt that began after the rest did. */
  endRest(server: string, attemptAt: number): Promise<void>;
  /** When the first message of any workspace was made, where there is one. */
  firstSendAt(): Promise<number | undefined>;
  /** How far the mailbox of this name was read. */
  cursor(mailbox: string): Promise<{ uidValidity: string; uid: number } | undefined>;
  keepCursor(mailbox: string, cursor: { uidValidity: string; uid: number }, now: number): Promise<void>;
}
