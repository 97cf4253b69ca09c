import type { Page } from "./page.ts";

/** A change by a person, for the audit log. Secrets never go in. */
export interface AuditEntry {
  recordId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface AuditRow extends AuditEntry {
  action: string;
  actorKind: string;
  actorId: string;
  at: number;
}

export interface AuthEventRow {
  at: number;
  code: string;
  keyPrefix: string | null;
  /** Who signed in, or failed to. */
  memberId: string | null;
  /** Of a row of several events, their network. */
  address: string | null;
  /** Of a row of several events that differ in it, `*`. */
  route: string;
  /** How many events the row represents. `at` is the last of them. */
  count: number;
}

/** All of them hold. */
export interface AuditFilter {
  action?: string | undefined;
  actorId?: string | undefined;
  /** Made at this moment or before. */
  until?: number | undefined;
}

export interface Logs {
  /** Newest first. */
  listAudit(page: Page, filter?: AuditFilter): Promise<{ rows: AuditRow[]; total: number }>;
  /** The changes of one record, newest first. */
  auditOf(recordId: string, most: number): Promise<AuditRow[]>;
  /** The ids of all who ever did this to the record. */
  actorsOf(recordId: string, action: string): Promise<string[]>;
  /** What keys wrote, newest first, among the newest writes of the server before a position of the journal. */
  listKeyWrites(filter: { keyId?: string | undefined }, page: JournalPage): Promise<JournalSlice>;
  /** Those of this workspace's keys; `unattributed` adds the ones that belong to no key at all. */
  listAuthEvents(page: Page, unattributed: boolean, code?: string): Promise<{ rows: AuthEventRow[]; total: number }>;
}

interface JournalPage {
  limit: number;
  /** A position that an earlier slice returned; null for the newest. */
  before: number | null;
}

interface JournalSlice {
  rows: OperationRow[];
  /** Where to look on; null where nothing older is kept. */
  next: number | null;
}

/** Only the pipeline writes this. A handler uses ctx.audit. */
export interface Journal {
  audit(row: AuditRow): Promise<void>;
  operation(row: OperationRow): Promise<void>;
}

export interface OperationRow {
  at: number;
  operation: string;
  surface: string;
  actorKind: string;
  actorId: string;
  recordId: string | null;
  requestId: string;
}

export interface StoredAnswer {
  status: number;
  body: string;
}

/** Answers of idempotent writes. The hash covers workspace, method, path and key. */
export interface Answers {
  find(hash: Buffer): Promise<StoredAnswer | undefined>;
  insert(hash: Buffer, answer: StoredAnswer, now: number): Promise<void>;
}
