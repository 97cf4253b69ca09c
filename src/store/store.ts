import type { MailDelivery } from "../domain/outreach/sending.ts";
import type { Clients, Connectors, KeyCredential, Keys, Members, Workspace, WorkspaceSettings } from "./access.ts";
import type { Cards, Checklist, Posts, ReviewQueue, Voice, WorkspaceFacts } from "./checklist.ts";
import type { Accounts, Activities, BantAssessments, Brain, Contacts, Deals, Imports, Meetings } from "./contacts.ts";
import type { Deliveries, Outbox, Subscriptions, Webhooks } from "./events.ts";
import type { Conversations, EmailAnswers } from "./inbox.ts";
import type { Leases } from "./leases.ts";
import type { Answers, AuthEventRow, Journal, Logs } from "./logs.ts";
import type { Notices } from "./notifications.ts";
import type { Approvals, EngineDue, Enrollments, Sends, Sequences, Suppressions } from "./outreach.ts";
import type { People } from "./people.ts";
import type { SocialnetAccounts, SocialnetActions, SocialnetDue, SocialnetReports } from "./socialnet.ts";
import type { Finder, WordIndex } from "./words.ts";

/** All times are milliseconds since the epoch, all ids text. */

/** Everything a handler can reach: one workspace. */
export interface WorkspaceStore {
  contacts: Contacts;
  activities: Activities;
  meetings: Meetings;
  bant: BantAssessments;
  deals: Deals;
  sequences: Sequences;
  approvals: Approvals;
  enrollments: Enrollments;
  sends: Sends;
  suppressions: Suppressions;
  conversations: Conversations;
  emailAnswers: EmailAnswers;
  accounts: Accounts;
  brain: Brain;
  workspace: WorkspaceSettings;
  members: Members;
  keys: Keys;
  connectors: Connectors;
  logs: Logs;
  imports: Imports;
  subscriptions: Subscriptions;
  webhooks: Webhooks;
  deliveries: Deliveries;
  socialnetAccounts: SocialnetAccounts;
  socialnetActions: SocialnetActions;
  socialnetReports: SocialnetReports;
  checklist: Checklist;
  cards: Cards;
  posts: Posts;
  reviewQueue: ReviewQueue;
  voice: Voice;
  workspaceFacts: WorkspaceFacts;
  finder: Finder;
}

/** The same workspace as the pipeline sees it. */
export interface PipelineStore extends WorkspaceStore {
  journal: Journal;
  answers: Answers;
}

/** The moments before which rows are pruned, for each kind of row. */
interface Kept {
  answers: number;
  authEvents: number;
  operations: number;
  /** What agents reported about their accounts: health, runs, sightings. */
  agentReports: number;
  mailReceived: number;
}

/** What waits or needs a person, over all workspaces. Each count stops at 10,000. */
export interface Backlog {
  /** How long ago the oldest delivery was created that is still to be made; 0 where there is none. */
  oldestPendingDeliveryMs: number;
  /** Deliveries that failed after their retries. */
  deadDeliveries: number;
  /** Enrollments whose step is due, or waits for the mail server. */
  dueSteps: number;
  /** Messages whose delivery is unconfirmed. */
  unconfirmedSends: number;
  /** Actions, audiences, documents and posts that a person must decide on. Each kind is counted for itself. */
  waitingReviews: number;
  /** How long the oldest of them waits; 0 where there is none. */
  oldestReviewMs: number;
}

/** A backup of the SQLite database. */
export interface LastBackup {
  at: number;
  file: string;
  bytes: number;
}

/** The clock of the machine moved by more than time can have passed. */
export interface ClockJump {
  from: number;
  to: number;
}

/** The whole deployment: what runs before a workspace is known, and housekeeping. */
export interface Store {
  /** Reads see what is committed. */
  read(workspaceId: string): PipelineStore;
  /**
   * Runs the job in a write transaction and resolves when it is durable. A job that throws leaves nothing behind.
   * A job must not wait for anything but this store: jobs that arrive together share one commit.
   */
  write<T>(workspaceId: string, job: (store: PipelineStore) => Promise<T>): Promise<T>;
  outbox: Outbox;
  socialnetDue: SocialnetDue;
  people: People;
  clients: Clients;
  notices: Notices;
  leases: Leases;
  /** Changes whenever any process has written. It costs next to nothing. */
  version(): number;
  engineDue: EngineDue;
  wordIndex: WordIndex;
  /** The ids of the data keys that sealed what is stored, and of the one that the database is used with. */
  dataKeys(): Promise<{ sealed: string[]; recorded: string | undefined }>;
  recordDataKey(id: string, now: number): Promise<void>;
  /** Records who the server's mail is from, so that every process pins the same. */
  recordMailFrom(from: string, now: number): Promise<void>;
  /** Records whether the server that sends has a mail server, for every process. */
  recordHasMailServer(has: boolean, now: number): Promise<void>;
  /** Saves emails to files by default while there is no mail server, as on a demo server. */
  recordDefaultDelivery(delivery: MailDelivery, now: number): Promise<void>;
  /** The mail settings that were made in the console, sealed; null where there are none. */
  mailSettings(): Promise<string | null>;
  /** Null where none was made. PostgreSQL is backed up by its own tools, which record none. */
  lastBackup(): Promise<LastBackup | null>;
  recordLastBackup(backup: LastBackup): Promise<void>;
  /** By when retention counts, as it was recorded last; and when the newest row was written. */
  retention(): Promise<{ at: number | undefined; newest: number | undefined }>;
  /** @param jump why it was recorded, if the clock jumped; the last one is kept */
  recordRetention(at: number, jump: ClockJump | undefined, now: number): Promise<void>;
  findKey(hash: Buffer): Promise<KeyCredential | undefined>;
  workspaces(): Promise<Workspace[]>;
  /** The keys that have this id or prefix, in any workspace. */
  keysNamed(name: string): Promise<{ id: string; workspaceId: string }[]>;
  /**
   * Workspaces whose checklist was not yet assessed with this version of the catalog, and then those whose latest
   * assessment began by then, the longest ago first.
   */
  assessmentsDue(before: number, catalogVersion: string, limit: number): Promise<string[]>;
  /** Last uses of keys and failed sign-ins, gathered by the caller; written best effort. */
  recordUse(
    lastUsed: ReadonlyMap<string, number>,
    events: readonly (AuthEventRow & { workspaceId: string | null })[],
  ): Promise<void>;
  /**
   * Deletes events of one workspace, or of none, and one code, beyond the newest `keep`: a bounded batch. Returns how
   * many events were in the deleted rows.
   */
  trimAuthEvents(workspaceId: string | null, code: string, keep: number): Promise<number>;
  /** What waits or needs a person, over all workspaces. */
  backlog(now: number): Promise<Backlog>;
  /** Deletes what is older than its retention time, a bounded batch at a time; returns the number of rows. */
  prune(before: Kept): Promise<number>;
  /** Whether an error means that the database cannot be reached, as opposed to a bug. */
  isUnavailable(error: unknown): boolean;
  /** Jobs that wait for the writer. */
  readonly queueDepth: number;
  /** Throws where the store can't be read or written; a DiskFault says why. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
