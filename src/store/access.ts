import type { Billing } from "../domain/access/billing.ts";
import type { OwnProposals, Role, Scope } from "../domain/access/roles.ts";
import type { MailDelivery } from "../domain/outreach/sending.ts";
import type { Window } from "../domain/time/calendar.ts";
import type { Page } from "./page.ts";

export interface KeyRow {
  id: string;
  name: string;
  /** The key's first 14 characters. */
  prefix: string;
  scopes: Scope[];
  creator: string;
  /** Whose agent it is, by id; null where it was made before this was kept. */
  creatorId: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  connectorName: string | null;
  socialnetAccountId: string | null;
}

/** By a person in settings, or by the sign-in of an MCP client. */
type MintedBy = "settings" | "sign_in";

export interface Keys {
  insert(key: KeyRow, hash: Buffer): Promise<void>;
  list(page: Page, mintedBy?: MintedBy): Promise<{ rows: KeyRow[]; total: number }>;
  find(id: string): Promise<KeyRow | undefined>;
  /** When it was revoked and when it expires: every write of a key asks. */
  life(id: string): Promise<Pick<KeyRow, "revokedAt" | "expiresAt"> | undefined>;
  /** False where the key is not of this workspace or was revoked already. */
  revoke(id: string, now: number): Promise<boolean>;
}

/** A key as authentication finds it. */
export interface KeyCredential {
  id: string;
  name: string;
  prefix: string;
  workspaceId: string;
  scopes: ReadonlySet<Scope>;
  expiresAt: number | null;
  revokedAt: number | null;
  socialnetAccountId: string | null;
}

/** A person of the workspace. Times are milliseconds since the epoch. */
export interface MemberRow {
  id: string;
  /** As given. Unique among live members, ignoring case. */
  email: string;
  name: string;
  role: Role;
  approveOutbound: boolean;
  createdAt: number;
  removedAt: number | null;
}

type MemberFields = Pick<MemberRow, "name" | "role" | "approveOutbound">;

/** What decides what a member may do. */
export type Seat = Pick<MemberRow, "role" | "approveOutbound">;

/** Thrown by a write that would give one address to two live members of a workspace. */
export class MemberExists extends Error {}

/** The link by which an invited member signs up. Only its hash is stored. */
export interface Invitation {
  memberId: string;
  hash: Buffer;
  /** The member who sees the link. Null for the operator, who vouches for the address. */
  shownTo: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Removed members are invisible to all of these. */
export interface Members {
  find(id: string): Promise<MemberRow | undefined>;
  /** Every write of a member asks. */
  seat(id: string): Promise<Seat | undefined>;
  /** When the visit before this one ended; null where there was none. */
  lastVisit(id: string): Promise<number | null>;
  /** Whether they dismissed the setup guide. */
  hidesGuide(id: string): Promise<boolean>;
  hideGuide(id: string, at: number | null): Promise<void>;
  findByEmail(email: string): Promise<MemberRow | undefined>;
  /** Newest first. */
  list(page: Page): Promise<{ rows: MemberRow[]; total: number }>;
  /** @throws MemberExists */
  insert(member: MemberRow): Promise<void>;
  /** Members whose invitation is pending, and whether a link of it still works. */
  waiting(now: number): Promise<{ id: string; hasLink: boolean }[]>;
  /** Also mails the member a link of their own, where mail is set up. */
  invite(invitation: Invitation, noticeId: string): Promise<void>;
  /** Replaces every earlier link, mailed ones too. False where the member has accepted already. */
  renew(invitation: Invitation, noticeId: string): Promise<boolean>;
  /** Ends the links of a pending invitation that members were shown; emailed ones stay. Returns their number. */
  endShownLinks(id: string): Promise<number>;
  /** False where no live member has this id, or where the workspace would lose its last administrator. */
  update(id: string, fields: MemberFields): Promise<boolean>;
  /** False where no live member has this id, or where the workspace would lose its last administrator. */
  remove(id: string, now: number): Promise<boolean>;
}

/** A client that registered itself. Times are milliseconds since the epoch. */
export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: string[];
  createdAt: number;
}

/** What a person approved, for the client that has the code. */
export interface Grant {
  /** Of the key that the code is for. */
  keyId: string;
  /** Who approved. */
  memberId: string;
  clientId: string;
  connectorName: string;
  redirectUri: string;
  resource: string;
  /** The SHA-256 of the client's verifier, in base64url. */
  challenge: string;
  socialnetAccountId: string;
  createdAt: number;
  expiresAt: number;
}

/** Keys that a sign-in created: what was approved, by whom, and for which client. */
export interface Connectors {
  /** Stores the grant of a code. A client that registered itself is kept from now on. False where it is gone. */
  approve(grant: Grant, codeHash: Buffer, registered: boolean): Promise<boolean>;
  /** Uses the code, whatever follows. Of several calls with one code, one gets the grant. */
  take(codeHash: Buffer): Promise<Grant | undefined>;
  /** Records the key that the code was exchanged for. */
  minted(grant: Grant, codeHash: Buffer): Promise<void>;
  /** The key that a used code was exchanged for. */
  keyOf(codeHash: Buffer): Promise<string | undefined>;
  /** The client that a key was minted for. */
  clientOf(keyId: string): Promise<string | undefined>;
  /**
   * Revokes the live keys that a member approved, and deletes their codes: for one account where it is given, or for
   * all. Returns the keys as they were.
   */
  endOf(memberId: string, now: number, accountId?: string): Promise<KeyRow[]>;
}

/** OAuth clients and codes over all workspaces, for requests that do not name one. */
export interface Clients {
  find(id: string): Promise<RegisteredClient | undefined>;
  /** False where `most` clients are registered that no member has approved anything for. */
  register(client: RegisteredClient, most: number): Promise<boolean>;
  /** The workspace of a code, used or not. */
  workspaceOf(codeHash: Buffer): Promise<string | undefined>;
  /** Deletes expired codes, unused registrations, and the records of keys revoked long ago. */
  pruneClients(before: { now: number; unused: number; revoked: number }): Promise<void>;
}

export interface Plan {
  name: string;
  contactAllowance: number | null;
  /** Actions a month. */
  socialnetAllowance: number | null;
}

/** When and how much the engine sends. */
export interface SendingPolicy {
  timeZone: string;
  /** Empty: always open. */
  windows: Window[];
  dailyCap: number | null;
  senderName: string | null;
}

export interface Workspace {
  id: string;
  name: string;
  createdAt: number;
}

/** How a test message ended. */
export interface MailTest {
  at: number;
  to: string;
  accepted: boolean;
  detail: string;
  /** The server and the sender that it was sent with. */
  setup: string;
}

/** What is stored of the server's mail. */
interface MailRecord {
  /** Whether the server that sends has a mail server, as it has recorded; null before one has started. */
  hasServer: boolean | null;
  /** Where a sequence's emails go by default if there is no mail server. Null: the caller must choose. */
  defaultDelivery: MailDelivery | null;
  /** The settings that were made in the console, sealed. */
  settings: string | null;
  test: MailTest | null;
}

/** A pause of all outreach of the workspace, set by a member. */
export interface OutreachPause {
  /** Null where outreach is not paused. */
  pausedAt: number | null;
  reason: string | null;
}

/** The workspace's own row: name, billing, plan. */
export interface WorkspaceSettings {
  create(name: string, now: number): Promise<void>;
  find(): Promise<Workspace>;
  billing(): Promise<Billing>;
  /** What can stop or postpone all sending, in one read. */
  gates(): Promise<Billing & SendingPolicy & Pick<OutreachPause, "pausedAt">>;
  setBilling(billing: Billing): Promise<void>;
  plan(): Promise<Plan>;
  pause(): Promise<OutreachPause>;
  /** Keeps the time of a pause that is on already, and its reason where none is given. */
  pauseOutreach(reason: string | null, now: number): Promise<OutreachPause>;
  /** False where outreach was not paused. */
  resumeOutreach(): Promise<boolean>;
  setPlan(plan: Plan): Promise<void>;
  sendingPolicy(): Promise<SendingPolicy>;
  /** Until when the deployment backs off from a mail server, where it does. */
  smtpBackoffUntil(now: number): Promise<number | null>;
  setSendingPolicy(policy: SendingPolicy): Promise<void>;
  /** Who the server's mail is from, as recorded by the server that sends; null before one has started. */
  mailFrom(): Promise<string | null>;
  /** The mail of the server, which is the same for every workspace. */
  mail(): Promise<MailRecord>;
  /**
   * Keeps the mail settings of the server, sealed; null removes them. What the last test message showed no longer
   * counts.
   *
   * @param hasServer whether the server that sends has a mail server by them
   */
  setMailSettings(sealed: string | null, hasServer: boolean, now: number): Promise<void>;
  recordMailTest(test: MailTest, now: number): Promise<void>;
  ownProposals(): Promise<OwnProposals>;
  setOwnProposals(setting: OwnProposals): Promise<void>;
}
