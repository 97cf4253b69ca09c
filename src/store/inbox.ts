import type { AnswerMove, AnswerStatus } from "../domain/outreach/answer.ts";
import type {
  ConversationMark,
  ConversationOrder,
  ConversationStatus,
  ConversationView,
  ReplyType,
} from "../domain/outreach/conversation.ts";
import type { MailDelivery } from "../domain/outreach/sending.ts";
import type { Page } from "./page.ts";

/** A reply by email, as the answer to it needs it. */
interface EmailReply {
  /** Who wrote it. */
  emailFrom: string | null;
  emailSubject: string | null;
  emailMessageId: string | null;
  /** The Message-IDs of its thread, oldest first. */
  emailThread: string[];
}

export interface ListedConversation {
  contactId: string;
  status: ConversationStatus;
  unread: boolean;
  assigneeId: string | null;
  snoozedUntil: number | null;
  mark: ConversationMark | null;
  lastReplyId: string;
  lastReplyType: ReplyType;
  lastReplyAt: number;
  subject: string | null;
  /** The beginning of the last reply. */
  excerpt: string | null;
}

export type ConversationRow = ListedConversation & EmailReply;

export type ConversationPatch = Partial<
  Pick<ConversationRow, "status" | "unread" | "assigneeId" | "snoozedUntil" | "mark">
>;

interface NewReply {
  contactId: string;
  lastReplyId: string;
  lastReplyType: ReplyType;
  subject: string | null;
  excerpt: string | null;
  /** Undefined for a reply on another channel: the last one by email stays. */
  email?: EmailReply | undefined;
}

export type ConversationCounts = Record<ConversationView | "unread", number>;

/** How many open conversations a teammate has. Null: those without a teammate. */
export interface OpenCount {
  assigneeId: string | null;
  count: number;
}

/** Conversations with contacts who wrote to us, one for each. Those of archived contacts are not listed. */
export interface Conversations {
  /**
   * A contact wrote: their conversation is open, unread, not snoozed and without a mark, and keeps its assignee. A message
   * that answers nothing leaves the mark `not_interested`.
   */
  receive(reply: NewReply, now: number): Promise<void>;
  find(contactId: string): Promise<ConversationRow | undefined>;
  /** Those of these contacts whose last reply a teammate marked as not interested. */
  notInterested(contactIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The ids of the last reply or message of these contacts, by contact id. */
  lastIds(contactIds: readonly string[]): Promise<Map<string, string>>;
  update(contactId: string, patch: ConversationPatch, now: number): Promise<ConversationRow | undefined>;
  /** Unread ones first, then by their last reply, newest first. Oldest first, read or not. */
  list(
    view: ConversationView,
    by: { memberId: string; now: number },
    page: Page,
    order?: ConversationOrder,
  ): Promise<ListedConversation[]>;
  /** How many one view has. */
  count(view: ConversationView, by: { memberId: string; now: number }): Promise<number>;
  /** How many each view has, and how many open ones are unread. */
  counts(by: { memberId: string; now: number }): Promise<ConversationCounts>;
  /** How many open ones each teammate has, except snoozed ones. */
  openCounts(now: number): Promise<OpenCount[]>;
  /** A teammate left: what they handled is unassigned. */
  unassign(memberId: string, now: number): Promise<void>;
}

/** An answer to a reply by email: one text for one recipient. */
export interface AnswerRow {
  id: string;
  contactId: string;
  status: AnswerStatus;
  address: string;
  subject: string;
  body: string;
  /** The Message-ID that it answers. */
  inReplyTo: string | null;
  /** The Message-IDs of the thread before that, oldest first. */
  thread: string[];
  /** Where it goes. */
  delivery: MailDelivery;
  plannedBy: string;
  plannedById: string;
  approvedBy: string | null;
  approvedAt: number | null;
  /** What the approval pins. */
  approvedHash: string | null;
  /** When it is sent; null while it is being sent, and where it is not approved. */
  dueAt: number | null;
  note: string | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

export type AnswerPatch = Partial<Pick<AnswerRow, "approvedBy" | "approvedAt" | "approvedHash" | "dueAt" | "note">>;

export interface EmailAnswers {
  insert(answer: AnswerRow): Promise<void>;
  find(id: string): Promise<AnswerRow | undefined>;
  /** Newest first. */
  ofContact(contactId: string, limit: number): Promise<AnswerRow[]>;
  /** One guarded write: undefined where the answer's status does not allow the move. */
  move(id: string, move: AnswerMove, now: number, patch?: AnswerPatch): Promise<AnswerRow | undefined>;
  /** Changes the text of one that needs review, or for which changes were requested: it needs review then. Undefined elsewhere. */
  edit(id: string, text: Pick<AnswerRow, "subject" | "body">, now: number): Promise<AnswerRow | undefined>;
  /** Sets when an approved one is sent, and why it waits. */
  wait(id: string, dueAt: number | null, now: number, note?: string | null): Promise<void>;
}
