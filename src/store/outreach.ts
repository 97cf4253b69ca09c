// Long because it is the contract of everything that sends: sequences, approvals, enrollments, sends and opt-outs.
import type { ProvenanceSource } from "../domain/contacts/contact.ts";
import type { HoldReason, MailDelivery, Postponement, SendStatus } from "../domain/outreach/sending.ts";
import type { EnrollmentStatus, SequenceStatus, Step } from "../domain/outreach/sequence.ts";
import type { Recipient } from "../domain/outreach/template.ts";
import type { Page } from "./page.ts";

export interface SequenceSummary {
  id: string;
  name: string;
  description: string | null;
  status: SequenceStatus;
  createdAt: number;
  updatedAt: number;
}

export interface SequenceRow extends SequenceSummary {
  steps: Step[];
  /** Covers the steps as they read now, and who they are sent as. */
  stepsHash: string;
  /** The account that acts in its socialnet steps; null where the workspace has only one. */
  socialnetAccountId: string | null;
  /** Where its emails go. */
  delivery: MailDelivery;
}

export type PinnedSequence = Pick<SequenceRow, "id" | "steps" | "stepsHash" | "socialnetAccountId">;

/** Which channels the steps of a sequence use, and where its emails go. */
interface SequenceChannels {
  id: string;
  delivery: MailDelivery;
  hasEmails: boolean;
  hasSocialSteps: boolean;
}

export interface SequencePatch {
  socialnetAccountId?: string | null;
  name?: string;
  description?: string | null;
  status?: SequenceStatus;
  delivery?: MailDelivery;
  steps?: Step[];
  /** Changes with the steps, and with who they are sent as. */
  stepsHash?: string;
  now: number;
}

export interface Sequences {
  insert(sequence: SequenceRow): Promise<void>;
  find(id: string): Promise<SequenceRow | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<{ rows: SequenceSummary[]; total: number }>;
  /** Every sequence, with what its hash is made of. */
  pinned(): Promise<PinnedSequence[]>;
  /** Those of these sequences that there are, in no particular order. */
  channels(ids: readonly string[]): Promise<SequenceChannels[]>;
  /** How many active sequences have emails, by where these go. */
  emailing(): Promise<Record<MailDelivery, number>>;
  /** Undefined where no sequence has this id. */
  update(id: string, patch: SequencePatch): Promise<SequenceRow | undefined>;
}

export interface ApprovalRow {
  id: string;
  sequenceId: string;
  stepsHash: string;
  status: "approved" | "applied" | "voided";
  /** How many contacts the audience has. */
  contactCount: number;
  approvedBy: string;
  approvedAt: number;
  appliedBy: string | null;
  appliedAt: number | null;
  voidedAt: number | null;
}

interface NewApproval {
  id: string;
  sequenceId: string;
  stepsHash: string;
  approvedBy: string;
  now: number;
  /** The copy hash of each contact, by the contact's id. */
  audience: ReadonlyMap<string, string>;
  /** Contacts whose company is invisible: none is pinned for them. */
  withoutCompany?: readonly string[];
}

/** A contact as approvals see it: what copy is filled from, and who wrote it. */
export interface RecipientRow extends Recipient {
  agentWrote: readonly string[];
  /** Where the newest value of the company came from; null where that is not known. */
  companySource: ProvenanceSource | null;
}

/** What an enrollment asks of the applied approvals of a sequence. */
export interface Authorized {
  sequenceId: string;
  stepsHash: string;
  contactId: string;
  copyHash: string;
  /** As the contact has it now. */
  company: string | null;
}

/** What an approval of the current steps of a sequence pins of a contact. */
export interface Pin {
  contactId: string;
  approvalId: string;
  status: "approved" | "applied";
  copyHash: string;
  company: string | null;
  /** Since when it authorizes nothing. */
  spentAt: number | null;
  approvedAt: number;
  appliedAt: number | null;
}

/** What an approval pins of a contact. */
export interface PinnedContact {
  contactId: string;
  copyHash: string;
}

/** Approvals of sequences, each with its audience. Only an applied one for the current steps authorizes. */
export interface Approvals {
  /** Those of these contacts that are live, in no particular order. */
  recipients(contactIds: readonly string[]): Promise<RecipientRow[]>;
  /** False where the steps of the sequence have another hash. */
  insert(approval: NewApproval): Promise<boolean>;
  find(id: string): Promise<ApprovalRow | undefined>;
  /** The newest of a sequence. */
  newest(sequenceId: string, limit: number): Promise<ApprovalRow[]>;
  /**
   * Puts it in place of what other applied approvals of the sequence pin of the same contacts. False where it is not
   * approved, or the steps of its sequence now have another hash.
   */
  apply(id: string, by: string, now: number): Promise<boolean>;
  /**
   * Applies one for only these contacts of its audience. They move to the approval `partId`, which is created where it is
   * not there yet; the others stay, not applied. False where not all of them are in the audience, and wherever `apply`
   * answers false; then nothing is written.
   */
  applyPart(
    id: string,
    part: { partId: string; contactIds: readonly string[]; by: string; now: number },
  ): Promise<boolean>;
  /** The contacts of an audience who are also in other applied ones of its sequence. */
  replacing(id: string): Promise<string[]>;
  /** What an audience pins of these contacts, of those who are in it, and whether it has no other live contacts. */
  partOf(id: string, contactIds: readonly string[]): Promise<{ found: PinnedContact[]; isWhole: boolean }>;
  /**
   * Takes from an approval what it pins of these contacts: the copy that was approved is not the one that the person who
   * applies it has read. They are on hold until they are approved again, whatever they change to.
   */
  unpin(id: string, contactIds: readonly string[]): Promise<void>;
  /** Spends every approval of a contact, activated or not, and also one that was spent before: that is not restored. */
  spend(contactId: string, now: number): Promise<void>;
  /**
   * Spends the approvals of a contact that were given by a time, or at one that is still to come, activated or not.
   * Returns how many there were.
   */
  spendGivenBy(contactId: string, givenBy: number, now: number): Promise<number>;
  /** When the approval of a contact was spent. Null if it wasn't. */
  spentAt(id: string, contactId: string): Promise<number | null>;
  /** Takes back that the approval of a contact was spent at this time. */
  restore(id: string, contactId: string, spentAt: number): Promise<void>;
  /** Voids one that is approved and not applied; false where it is neither. */
  withdraw(id: string, now: number): Promise<boolean>;
  /** Voids every approved and applied one of a sequence; answers their ids. */
  voidAll(sequenceId: string, now: number): Promise<string[]>;
  /**
   * The contacts of an audience who can be enrolled: live, with a company on record or pinned by this approval, not
   * suppressed, never enrolled before.
   */
  unenrolled(id: string, limit: number): Promise<{ rows: (RecipientRow & { copyHash: string })[]; total: number }>;
  /** How many contacts of an audience are or were in its sequence. It walks the audience. */
  countEnrolled(id: string): Promise<number>;
  /** How many can be enrolled, as `unenrolled` lists them. It walks the audience. */
  countUnenrolled(id: string): Promise<number>;
  /** Whether any is applied for steps of this hash. */
  anyApplied(sequenceId: string, stepsHash: string): Promise<boolean>;
  /** The applied one that covers the contact: of several, one that pins this copy hash, then this company, else the latest. */
  covering(asked: Authorized): Promise<{ id: string; copyHash: string; company: string | null } | undefined>;
  /** What the approvals of a sequence whose steps have this hash pin of these contacts, except voided ones. */
  pins(sequenceId: string, stepsHash: string, contactIds: readonly string[]): Promise<Pin[]>;
  /**
   * The copy hashes that an approval pins, in the order of the contacts' ids. A hash is empty if the approval was spent
   * before it was activated.
   */
  audience(id: string, page: Page): Promise<PinnedContact[]>;
}

export interface EnrollmentRow {
  id: string;
  sequenceId: string;
  contactId: string;
  approvalId: string;
  status: EnrollmentStatus;
  /** Why the enrollment is on hold, where it is. */
  heldReason: HoldReason | null;
  /** Details of the hold for a teammate. */
  heldDetail: string | null;
  /** Why the current step was postponed to the time when it is due. */
  postponedReason: Postponement | null;
  /** Index of the step that comes next, from 0. */
  currentStep: number;
  /** When the current step is due for a check; null once the enrollment has ended. */
  dueAt: number | null;
  enrolledAt: number;
  endedAt: number | null;
  /** Why it ended before its last step, where its status is not specific enough. */
  endedReason: string | null;
}

/** That a contact is or was in a sequence. */
export type ContactEnrollment = Pick<EnrollmentRow, "contactId" | "status" | "heldReason" | "enrolledAt" | "endedAt">;

/** How many enrollments a sequence has. */
export interface EnrollmentCounts {
  byStatus: Partial<Record<EnrollmentStatus, number>>;
  /** Of the open ones, those on hold. */
  held: number;
}

interface EnrollmentWait {
  status?: "active" | "waiting_on_action";
  /** Null: nothing is due until its step ends. */
  dueAt: number | null;
  heldReason?: HoldReason | null;
  heldDetail?: string | null;
  postponedReason?: Postponement | null;
}

export interface EnrollmentFilter {
  sequenceId?: string | undefined;
  contactId?: string | undefined;
  status?: EnrollmentStatus | undefined;
  /** Enrollments on hold. */
  held?: true | undefined;
}

/** How an enrollment can be ended before its last step. */
export type StoppedStatus = Extract<EnrollmentStatus, `stopped_${string}` | "failed">;

/**
 * When an enrollment ends for any reason, the contact's approvals for its sequence are used up, activated or not. The
 * contact gets these messages again only if a person approves them after that.
 */
export interface Enrollments {
  /** False where the contact is enrolled in the sequence already. */
  insert(enrollment: EnrollmentRow): Promise<boolean>;
  find(id: string): Promise<EnrollmentRow | undefined>;
  /** Newest first; the conditions are combined with AND. */
  list(filter: EnrollmentFilter, page: Page): Promise<{ rows: EnrollmentRow[]; total: number }>;
  /** How many of all sequences are active and not on hold, and how many wait for an agent. */
  current(): Promise<{ active: number; waiting: number }>;
  /** By the id of the sequence, of those that have any. */
  counts(sequenceIds: readonly string[]): Promise<Map<string, EnrollmentCounts>>;
  /** All enrollments of these contacts in a sequence, in no particular order. */
  ofContacts(sequenceId: string, contactIds: readonly string[]): Promise<ContactEnrollment[]>;
  /** The enrollments of a sequence whose step comes next, those that are due first. Not those on hold. */
  upcoming(sequenceId: string, limit: number): Promise<EnrollmentRow[]>;
  /** The furthest step of the open enrollments of a sequence. Null where there are none. */
  reached(sequenceId: string): Promise<number | null>;
  /** Undefined where no open enrollment has this id. */
  stop(id: string, status: StoppedStatus, now: number, reason?: string | null): Promise<EnrollmentRow | undefined>;
  /** Releases enrollments on hold whose contact changed and is in the audience of this approval. */
  release(sequenceId: string, approvalId: string): Promise<number>;
  /** Advances it from a step to the next; of holds, only a lasting one stays. False where it is not open at this step. */
  advance(
    id: string,
    step: number,
    next: { status: "active" | "completed"; dueAt: number | null },
    now: number,
  ): Promise<boolean>;
  /** Keeps it at a step: on hold, until a later time, or while its step is in progress. A lasting hold stays. */
  wait(id: string, step: number, wait: EnrollmentWait): Promise<boolean>;
  /**
   * Postpones what is due at these steps of a sequence, up to a limit, except what was tried since a moment if one is
   * given. Returns how many.
   */
  postpone(
    sequenceId: string,
    steps: readonly number[],
    to: { dueAt: number; reason: Postponement; notTriedSince: number | null },
    now: number,
    most: number,
  ): Promise<number>;
  /** Releases a hold: the step is due on its day, or now where it has none. Undefined where it was not on hold. */
  unhold(id: string, now: number): Promise<EnrollmentRow | undefined>;
  /** Makes steps due now that were postponed for sending hours or a daily limit. Returns how many. */
  hasten(now: number): Promise<number>;
  /**
   * Opens an enrollment again that a reply stopped. Undefined where none stopped has this id, or where the contact is in
   * the sequence again.
   */
  resume(id: string, step: number, dueAt: number): Promise<EnrollmentRow | undefined>;
  /** Stops every open enrollment of a contact, of those that began by a time, or at one that is still to come; answers how many. */
  stopAll(contactId: string, status: StoppedStatus, now: number, begunBy: number): Promise<number>;
}

/** One message to one contact: of a step, or an answer. Its id stays the same however often it is tried. */
export type SendRow = StepSend | AnswerSend;

export interface StepSend extends AnySend {
  enrollmentId: string;
  sequenceId: string;
  /** Index of the sequence's step, from 0. */
  step: number;
  answerId: null;
}

interface AnswerSend extends AnySend {
  enrollmentId: null;
  sequenceId: null;
  step: null;
  /** The answer to a reply. */
  answerId: string;
}

interface AnySend {
  id: string;
  contactId: string;
  /** As its recipient sees it: some servers put their own. */
  messageId: string;
  address: string;
  subject: string;
  status: SendStatus;
  attempts: number;
  lastAttemptAt: number;
  /** When its lease expires, and its sender counts as crashed. */
  leaseUntil: number | null;
  /** The process that has the lease. */
  leasedBy: string | null;
  /** The mail server's response, or why it was not sent. */
  detail: string | null;
  createdAt: number;
  updatedAt: number;
}

export type SendPatch = Partial<
  Pick<
    SendRow,
    "messageId" | "detail" | "leaseUntil" | "leasedBy" | "attempts" | "lastAttemptAt" | "address" | "subject"
  >
>;

export interface SendFilter {
  status?: SendStatus | undefined;
  sequenceId?: string | undefined;
}

export interface Sends {
  insert(send: SendRow): Promise<void>;
  find(id: string): Promise<SendRow | undefined>;
  /** That of a step of an enrollment. */
  ofStep(enrollmentId: string, step: number): Promise<StepSend | undefined>;
  ofAnswer(answerId: string): Promise<SendRow | undefined>;
  /** Message-IDs that an enrollment's contact has, oldest first. */
  thread(enrollmentId: string): Promise<string[]>;
  /**
   * One guarded write: undefined where the send is in none of these statuses. A worker that reports an outcome names
   * the attempt by its start time, so that a late outcome of one attempt does not affect the next.
   */
  move(
    id: string,
    from: readonly SendStatus[],
    to: SendStatus,
    now: number,
    patch?: SendPatch,
    attemptAt?: number,
  ): Promise<SendRow | undefined>;
  /** Renews the lease of an attempt, whether it waits for a connection or is being handed over. */
  renew(id: string, leaseUntil: number, attemptAt: number): Promise<void>;
  /** Messages of unknown outcome that became so by a moment, of all sequences or one, the longest ago written first. */
  unknown(filter: { sequenceId?: string | undefined; until: number }, limit: number): Promise<SendRow[]>;
  /** How many were tried since a moment, each once. */
  countSince(since: number): Promise<number>;
  /** Newest first. */
  list(filter: SendFilter, page: Page): Promise<{ rows: SendRow[]; total: number }>;
  /** False where this message was received for this send before. Answers of two contacts may share a Message-ID. */
  receive(messageId: string, sendId: string, now: number): Promise<boolean>;
}

/** The back-off from a mail server. After it, one message probes the server. */
export interface SmtpBackoffRow {
  /** Refusals in a row, each after a back-off. */
  refusals: number;
  beganAt: number;
  until: number;
  /** The server's last answer. */
  detail: string;
}

/** What the engine looks for, in every workspace. */
export interface EngineDue {
  /** Active sequences, of workspaces that are not paused, which something is due in, by their id. */
  sequences(now: number): Promise<{ workspaceId: string; sequenceId: string }[]>;
  /** Enrollments of a sequence that are due, the longest first. */
  enrollments(sequenceId: string, now: number, most: number): Promise<string[]>;
  /** Answers to replies that are due, of workspaces that are not paused, the longest first. */
  answers(now: number, most: number): Promise<{ workspaceId: string; id: string; delivery: MailDelivery }[]>;
  /** Messages whose lease has expired. */
  stale(now: number, most: number): Promise<{ workspaceId: string; id: string }[]>;
  /** The workspace of a send; of one that a Message-ID names, where a server put its own. */
  workspaceOf(send: { id: string } | { messageId: string }): Promise<{ workspaceId: string; id: string } | undefined>;
  /** The back-off from a mail server that refused a message and has accepted none since. */
  backoff(server: string): Promise<SmtpBackoffRow | undefined>;
  /** One guarded write: an attempt that began before the back-off is of the same refusal and does not extend it. */
  beginBackoff(
    server: string,
    refusal: { attemptAt: number; detail: string; backoffMs: readonly number[] },
    now: number,
  ): Promise<SmtpBackoffRow>;
  /** Ends the back-off: the server accepted a message of an attempt that began after it. */
  endBackoff(server: string, attemptAt: number): Promise<void>;
  /** When the first message of any workspace was made, where there is one. */
  firstSendAt(): Promise<number | undefined>;
  /** How far the mailbox of this name was read. */
  cursor(mailbox: string): Promise<{ uidValidity: string; uid: number } | undefined>;
  keepCursor(mailbox: string, cursor: { uidValidity: string; uid: number }, now: number): Promise<void>;
}

export interface SuppressionRow {
  id: string;
  /** In lower case. */
  email: string;
  reason: string;
  source: "public_api" | "member" | "unsubscribe_link" | "engine";
  createdAt: number;
}

interface RelatedOptOut {
  /** Of the newest activity of type `suppressed`. */
  noted: Record<string, unknown>;
  /** A listed address that the contact had before, except one that bounced. */
  earlier: string | undefined;
  sameProfile: string | undefined;
  /** All addresses that the contact had before, listed or not. */
  addresses: string[];
}

/** The do-not-contact list: one row for each address. Addresses are compared ignoring case. */
export interface Suppressions {
  /**
   * Adds an address. One that is listed keeps its id and time, and gets the new reason and source only where a reason is
   * stated and weighs at least as much: a complaint outweighs an unsubscription, that outweighs what a teammate or the
   * API entered, and that outweighs a bounce. Any entry replaces a bounce, also without a reason. The first profile that
   * is given stays with it: `related` finds it.
   */
  upsert(
    suppression: SuppressionRow & { stated: boolean; profileUrl?: string | null },
  ): Promise<{ row: SuppressionRow; added: boolean }>;
  /**
   * Contacts that were sent a message to this address, or that have an open action that was approved when it was theirs;
   * after them, contacts that had it before.
   */
  reached(email: string): Promise<string[]>;
  /**
   * Whether one of these contacts, live or archived, has something for an opt-out to end: an open enrollment, an open
   * action, or an approval that is not spent.
   */
  anyOpen(contactIds: readonly string[]): Promise<boolean>;
  has(email: string): Promise<boolean>;
  find(email: string): Promise<SuppressionRow | undefined>;
  /** Those of these contacts whose current address is listed. */
  among(contactIds: readonly string[]): Promise<string[]>;
  /** A listed address that differs from this one only in what follows a plus sign. It likely reaches the same person. */
  similar(email: string): Promise<string | undefined>;
  /** What was listed of each of these contacts, or of others with the same profile, by the contact's id. */
  related(contactIds: readonly string[]): Promise<Map<string, RelatedOptOut>>;
  /** By address. */
  list(page: Page): Promise<{ rows: SuppressionRow[]; total: number }>;
}
