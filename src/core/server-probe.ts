import type { Backlog, LastBackup } from "../store/store.ts";

/** A background job of this process. */
export interface JobStatus {
  name: string;
  /** How often it runs, in ms. */
  everyMs: number;
  /** When its last run without an error ended, in ms. Null before the first one. */
  succeededAt: number | null;
  /** Its last run failed. */
  failing: boolean;
}

/** What each background job does, for server admins. */
export const JOBS: Readonly<Record<string, string>> = {
  deliver_events: "Delivers events to webhook endpoints",
  send_due: "Sends due emails and runs due sequence steps",
  keep_sends: "Renews the leases of emails that are being sent",
  send_notification_emails: "Sends invitations and password resets by email",
  expire_leases: "Ends the leases of agents that stopped responding",
  release_dead_leases: "Takes over the work of servers that stopped",
  announce_work: "Tells agents that approved work is due",
  assess_checklists: "Runs the auto-check of the social checklist once a week",
  expire_subscriptions: "Ends expired event subscriptions, and deletes old deliveries",
  flush_auth_log: "Stores sign-ins, refusals and last uses of API keys",
  follow_mail_settings: "Applies mail settings that were changed in the console",
  index_words: "Adds new and changed records to the search index",
  prune_expired: "Deletes records that are past their retention time",
  prune_sessions: "Deletes expired sessions, invitations and links",
  prune_clients: "Deletes MCP clients that are no longer used",
};

export type JobState = "ok" | "starting" | "failing" | "late";

/** A job may take a while. It is late after as long as several of its runs. */
const LATE_RUNS = 3;
const LATE_MS = 60_000;

/** @param startedAt when the process started */
export function stateOf({ everyMs, succeededAt, failing }: JobStatus, startedAt: number, now: number): JobState {
  if (failing) return "failing";
  if (now - (succeededAt ?? startedAt) > everyMs * LATE_RUNS + LATE_MS) return "late";
  return succeededAt === null ? "starting" : "ok";
}

/** The state of a running server process. */
export interface ProcessStatus {
  startedAt: number;
  /** Bytes of memory in use. */
  memory: number;
  jobs: JobStatus[];
  /** Undefined if the background jobs of this process are off: it sends and reads no mail. */
  mail?: {
    smtp: boolean;
    imap: boolean;
    /** Sending waits because the mail server refuses messages or can't be reached. */
    backingOff: boolean;
    /** The mailbox can be read. */
    mailboxReads: boolean;
  };
  backup: BackupProgress;
}

/** A backup that this process makes. */
export interface BackupProgress {
  startedAt: number | null;
  /** Why the last one failed, for people, and when. */
  failed: string | null;
  failedAt: number | null;
}

/** The state of this process and of its database, for server admins. */
export interface ServerProbe {
  /** Undefined in a command, which runs outside the server. */
  process(): ProcessStatus | undefined;
  engine(): Promise<{ name: "sqlite" | "postgres"; version: string; schema: string }>;
  /** Bytes; NaN for what is not known. */
  disk(): Promise<{ database: number; wal: number; free: number }>;
  backlog(): Promise<Backlog>;
  /** Jobs that wait for the database writer. */
  writerQueue(): number;
  servers(): Promise<number>;
  lastBackup(): Promise<LastBackup | null>;
  /**
   * Begins a backup into the data folder, unless one is in progress.
   *
   * @throws Problem where this process makes none
   */
  startBackup(now: number): BackupProgress;
}
