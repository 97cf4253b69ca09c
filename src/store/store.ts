import type { Billing } from "../domain/billing.ts";
import type { Contact, ContactField, ContactFields, ProvenanceSource } from "../domain/contact.ts";
import type { Confirmations, Lifecycle } from "../domain/lifecycle.ts";
import type { Scope } from "../domain/scopes.ts";
import type { JsonText } from "../json-text.ts";

/** All times are milliseconds since the epoch, all ids text. */

export interface Page {
  limit: number;
  offset: number;
}

export interface Rows<T> {
  rows: JsonText<T[]>;
  /** How many rows this page holds. */
  count: number;
  /** Exact, over all pages. */
  total: number;
}

/** A contact as rules need it: the public record with what the public does not see. */
export interface ContactRecord {
  /** Position in creation order, unique in the database. */
  seq: number;
  contact: Contact;
  lifecycle: Lifecycle;
  accountId: string | null;
}

export interface ContactQuery extends Page {
  filter: {
    email?: string | undefined;
    company?: string | undefined;
    source?: string | undefined;
    updatedSince?: number | undefined;
  };
  sort: "created_at" | "updated_at";
  direction: "asc" | "desc";
}

export interface NewContact {
  id: string;
  fields: ContactFields;
  source: string;
  now: number;
}

export interface ContactPatch {
  fields: ContactFields;
  lifecycle?: Lifecycle;
  accountId?: string | null;
  tags?: string[];
  now: number;
}

/** Who edited which fields of a contact, and by what door. */
export interface Provenance {
  seq: number;
  fields: readonly (ContactField | "lifecycle" | "account_id" | "tags")[];
  source: ProvenanceSource;
  actorId: string;
  now: number;
}

/** Thrown by a write that would give one address to two live contacts of a workspace. */
export class EmailTaken extends Error {}

/** Archived contacts are invisible to all of these. */
export interface Contacts {
  find(id: string): Promise<ContactRecord | undefined>;
  findByEmail(email: string): Promise<ContactRecord | undefined>;
  /** The newest live contact with this profile address, compared normalised. */
  findByProfile(url: string): Promise<ContactRecord | undefined>;
  json(id: string): Promise<JsonText<Contact> | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<Rows<Contact>>;
  query(query: ContactQuery): Promise<Rows<Contact>>;
  count(): Promise<number>;
  /** @throws EmailTaken */
  insert(contact: NewContact): Promise<ContactRecord>;
  /** @throws EmailTaken */
  update(seq: number, patch: ContactPatch): Promise<Contact>;
  /** False where no live contact has this id. */
  archive(id: string, now: number): Promise<boolean>;
  recordProvenance(provenance: Provenance): Promise<void>;
  confirmations(contactId: string): Promise<Confirmations>;
}

export interface Accounts {
  exists(id: string): Promise<boolean>;
}

export interface Plan {
  name: string;
  contactAllowance: number | null;
}

export interface Workspace {
  id: string;
  name: string;
  createdAt: number;
}

/** The workspace's own row: name, billing, plan. */
export interface WorkspaceSettings {
  create(name: string, now: number): Promise<void>;
  billing(): Promise<Billing>;
  plan(): Promise<Plan>;
}

export interface KeyRow {
  id: string;
  name: string;
  /** The key's first 14 characters. */
  prefix: string;
  scopes: Scope[];
  creator: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  connectorName: string | null;
  socialnetAccountId: string | null;
}

export interface Keys {
  insert(key: KeyRow, hash: Buffer): Promise<void>;
  list(page: Page): Promise<{ rows: KeyRow[]; total: number }>;
  find(id: string): Promise<KeyRow | undefined>;
  /** False where the key is not of this workspace or was revoked already. */
  revoke(id: string, now: number): Promise<boolean>;
}

/** A change of settings, for the configuration audit. Secrets never go in. */
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
  address: string | null;
  route: string;
}

export interface Logs {
  listAudit(page: Page): Promise<{ rows: AuditRow[]; total: number }>;
  /** Those of this workspace's keys; `unattributed` adds the ones that belong to no key at all. */
  listAuthEvents(page: Page, unattributed: boolean): Promise<{ rows: AuthEventRow[]; total: number }>;
}

/** What the pipeline alone writes: a handler has ctx.audit. */
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

export interface ImportRun {
  rowsDone: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** What the last call rejected, for a sender who lost its answer. */
  lastRejected: { row: number; reason: string }[];
  finishedAt: number | null;
}

/** How far the import of one file has come; its fingerprint covers content and mapping. */
export interface Imports {
  find(fingerprint: string): Promise<ImportRun | undefined>;
  save(fingerprint: string, run: ImportRun, now: number): Promise<void>;
}

/** Everything a handler can reach: one workspace. */
export interface WorkspaceStore {
  contacts: Contacts;
  accounts: Accounts;
  workspace: WorkspaceSettings;
  keys: Keys;
  logs: Logs;
  imports: Imports;
}

/** The same workspace as the pipeline sees it. */
export interface PipelineStore extends WorkspaceStore {
  journal: Journal;
  answers: Answers;
}

/** A key as authentication finds it. */
export interface KeyCredential {
  id: string;
  name: string;
  prefix: string;
  workspaceId: string;
  scopes: Scope[];
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  socialnetAccountId: string | null;
}

/** The whole deployment: what runs before a workspace is known, and what keeps the house. */
export interface Store {
  /** Reads see what is committed. */
  read(workspaceId: string): PipelineStore;
  /**
   * Runs the job in a write transaction and resolves when it is durable. A job that throws leaves nothing behind.
   * A job must not wait for anything but this store: jobs that arrive together share one commit.
   */
  write<T>(workspaceId: string, job: (store: PipelineStore) => Promise<T>): Promise<T>;
  findKey(hash: Buffer): Promise<KeyCredential | undefined>;
  workspaces(): Promise<Workspace[]>;
  /** Last uses of keys and failed sign-ins, gathered by the caller; written best effort. */
  recordUse(
    lastUsed: ReadonlyMap<string, number>,
    events: readonly (AuthEventRow & { workspaceId: string | null })[],
  ): Promise<void>;
  /** Deletes what is older than its keeping time, a bounded batch at a time; answers how many rows went. */
  prune(before: { answers: number; authEvents: number; operations: number }): Promise<number>;
  /** Whether an error means that the database cannot be reached, as opposed to a mistake of ours. */
  isUnavailable(error: unknown): boolean;
  /** Jobs that wait for the writer. */
  readonly queueDepth: number;
  /** Throws where the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
