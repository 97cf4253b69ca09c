import type { SequenceStatus } from "../domain/outreach/sequence.ts";
import type { AutomationMode, SocialnetSession } from "../domain/socialnet/account.ts";
import type {
  AccountHold,
  ActionChange,
  ActionKind,
  ActionMove,
  ActionOrigin,
  ActionStatus,
  Outcome,
  Stop,
} from "../domain/socialnet/action.ts";
import type { Waiting } from "../domain/socialnet/eligibility.ts";
import type { Window } from "../domain/time/calendar.ts";
import type { Page } from "./page.ts";

/** When an agent plans to check in by itself. */
export interface ReportedSchedule {
  label: string;
  rrule: string;
  timezone: string;
  nextRunAt: string | null;
}

/** A sender on the professional network. */
export interface SocialnetAccountRow {
  id: string;
  label: string;
  profileUrl: string;
  automationMode: AutomationMode;
  timeZone: string;
  windows: Window[];
  dailyConnectionRequests: number;
  dailyMessages: number;
  /** The member whose account it is. */
  ownerMemberId: string | null;
  /** The last reported state of the agent's browser session, and when. */
  session: SocialnetSession | null;
  sessionAt: number | null;
  /** Since when it has been so. */
  sessionSince: number | null;
  heldReason: AccountHold | null;
  /** Null with a reason: until a heartbeat with a ready session. */
  heldUntil: number | null;
  heldSince: number | null;
  schedules: ReportedSchedule[] | null;
  checkInMinutes: number | null;
  schedulesAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** What a person sets of an account. */
export type AccountSettings = Pick<
  SocialnetAccountRow,
  | "label"
  | "profileUrl"
  | "automationMode"
  | "timeZone"
  | "windows"
  | "dailyConnectionRequests"
  | "dailyMessages"
  | "ownerMemberId"
>;

/** What agents and outcomes change of it. */
export type AccountState = Partial<
  Pick<
    SocialnetAccountRow,
    | "session"
    | "sessionAt"
    | "sessionSince"
    | "heldReason"
    | "heldUntil"
    | "heldSince"
    | "schedules"
    | "checkInMinutes"
    | "schedulesAt"
  >
>;

/** The number of claimable actions that subscribers were last notified of, and when. */
interface Announced {
  announced: number;
  announcedAt: number | null;
}

export interface ReconnectRequest {
  id: string;
  accountId: string;
  requestedBy: string;
  requestedAt: number;
  acknowledgedAt: number | null;
  resolvedAt: number | null;
}

export interface SocialnetAccounts {
  find(id: string): Promise<SocialnetAccountRow | undefined>;
  list(page: Page): Promise<{ rows: SocialnetAccountRow[]; total: number }>;
  insert(account: AccountSettings & Pick<SocialnetAccountRow, "id" | "createdAt" | "updatedAt">): Promise<void>;
  /** Undefined where there is none. */
  update(id: string, settings: AccountSettings, now: number): Promise<SocialnetAccountRow | undefined>;
  setState(id: string, state: AccountState): Promise<void>;
  /** Has what can be claimed counted again: of one account, or of all of the workspace. */
  touch(id: string | null, now: number): Promise<void>;
  announced(id: string): Promise<Announced>;
  setAnnounced(id: string, announced: Announced & { lookAt: number | null }): Promise<void>;
  /** The open request of an account. */
  openReconnect(accountId: string): Promise<ReconnectRequest | undefined>;
  /** The newest request of an account, open or resolved. */
  lastReconnect(accountId: string): Promise<ReconnectRequest | undefined>;
  /**
   * Opens a request, or renews the open one: its time moves, and an acknowledgement is removed. Undefined where there
   * is no such account.
   */
  requestReconnect(
    request: Pick<ReconnectRequest, "id" | "accountId" | "requestedBy" | "requestedAt">,
  ): Promise<ReconnectRequest | undefined>;
  /** Acknowledges the open request of an account; answers it, or undefined where there is none. */
  acknowledgeReconnect(accountId: string, now: number): Promise<ReconnectRequest | undefined>;
  /** Resolves the open request of an account that was acknowledged. */
  resolveReconnect(accountId: string, now: number): Promise<ReconnectRequest | undefined>;
}

/** One action of the ledger. */
export interface ActionRow {
  id: string;
  accountId: string;
  contactId: string;
  kind: ActionKind;
  origin: ActionOrigin;
  status: ActionStatus;
  copy: string;
  /** The recipient's profile as it was planned, or approved. */
  recipientUrl: string;
  enrollmentId: string | null;
  /** The enrollment's sequence. */
  sequenceId: string | null;
  /** Index of the sequence's step, from 0. */
  step: number | null;
  stepCount: number | null;
  campaign: string | null;
  plannedBy: string;
  /** Who wrote its text: the planner, and the last editor. */
  plannedById: string | null;
  editedById: string | null;
  approvedBy: string | null;
  approvedAt: number | null;
  /** The key of the contact's email when it was approved last: the store sets it with the approval. */
  approvedEmailKey: string | null;
  heldFrom: "planned" | "approved" | null;
  /** What changed last since it was planned, until a person approves it. */
  changed: ActionChange | null;
  /** When a member requested changes; null once it was revised, released or canceled. The note says what to change. */
  changeRequestedAt: number | null;
  /** What happened to the contact while the action was in progress. */
  stopWanted: Stop | null;
  leaseHash: Buffer | null;
  leaseExpiresAt: number | null;
  outcome: Outcome | null;
  note: string | null;
  createdAt: number;
  updatedAt: number;
  endedAt: number | null;
}

/** An action with the names of its account, contact and sequence. */
export interface ActionInContext extends ActionRow {
  accountLabel: string;
  accountProfileUrl: string;
  firstName: string | null;
  lastName: string | null;
  company: string | null;
  sequenceName: string | null;
  sequenceStatus: SequenceStatus | null;
}

export interface ActionFilter {
  accountId?: string | undefined;
  contactId?: string | undefined;
  status?: ActionStatus | undefined;
  /** Only those to contacts that are not archived. */
  live?: true | undefined;
}

/** What a move writes in addition to the status. */
export type ActionPatch = Partial<
  Pick<
    ActionRow,
    | "copy"
    | "editedById"
    | "recipientUrl"
    | "approvedBy"
    | "approvedAt"
    | "heldFrom"
    | "changed"
    | "changeRequestedAt"
    | "stopWanted"
    | "leaseHash"
    | "leaseExpiresAt"
    | "outcome"
    | "note"
  >
>;

/** What must hold for a move, in addition to the status. */
export interface MoveGuard {
  /** Only where this is the hash of the last lease's token. */
  leaseHash?: Buffer;
  /** Only where the lease runs beyond this moment. */
  leaseRunsAt?: number;
  /** Only where the lease has run out by this moment. */
  leaseOverAt?: number;
  /** Only from this status. */
  from?: ActionStatus;
}

type UnattendedMove = Pick<ActionRow, "id" | "copy" | "recipientUrl">;

export interface StartRow {
  leaseHash: Buffer;
  accountId: string;
  actionId: string;
  keyId: string;
  kind: ActionKind;
  startedAt: number;
  outcome: Outcome | null;
  evidence: string | null;
  /** Null where nothing was reported, and where the report was refused. */
  statusAfter: ActionStatus | null;
  recordedAt: number | null;
}

/** How often an action was started, and how many of these starts have a reported result. */
export interface Executions {
  started: number;
  reported: number;
}

export interface SocialnetActions {
  insert(action: ActionRow): Promise<void>;
  find(id: string): Promise<ActionRow | undefined>;
  findInContext(id: string): Promise<ActionInContext | undefined>;
  /** Newest first; the conditions are combined with AND. */
  list(filter: ActionFilter, page: Page): Promise<{ rows: ActionInContext[]; total: number }>;
  /** One guarded write: undefined where the action cannot make this move, or not under this guard. */
  move(
    id: string,
    move: ActionMove,
    now: number,
    patch?: ActionPatch,
    guard?: MoveGuard,
  ): Promise<ActionRow | undefined>;
  /** Changes an action that stays where it is; undefined where it is not in one of these statuses. */
  patch(id: string, within: readonly ActionStatus[], patch: ActionPatch, now: number): Promise<ActionRow | undefined>;
  /** Those of a contact that are not over, or of an enrollment. */
  open(of: { contactId: string } | { enrollmentId: string }): Promise<ActionRow[]>;
  /** The engine's actions of a sequence that are not over. */
  openOfSequence(sequenceId: string): Promise<ActionRow[]>;
  /** Those of an account that are not over. */
  openOf(accountId: string): Promise<ActionRow[]>;
  /** Contacts that the account has, or had, an action for at this profile: those at its very query and fragment first. */
  recipients(accountId: string, profileUrl: string): Promise<string[]>;
  /**
   * Whether the contact of an action has ever replied, by email or on the professional network. Replies of other
   * contacts count too: of those who have its profile, had it when they replied or when this account wrote to them, or
   * were sent a message to its address.
   */
  hasReply(action: Pick<ActionRow, "contactId" | "accountId" | "recipientUrl">): Promise<boolean>;
  /**
   * Moves, in one write, every action of an account in one status that no member has approved, or those of them with
   * these ids. A member's answer to a reply, see `hasReply`, is not approved by it.
   */
  moveUnattended(
    accountId: string,
    from: ActionStatus,
    move: "approve" | "void_approval",
    now: number,
    ids?: readonly string[],
  ): Promise<UnattendedMove[]>;
  /** Those that are approved, by what gates them alike. */
  waiting(accountId: string): Promise<Waiting[]>;
  insertStart(start: Omit<StartRow, "outcome" | "evidence" | "statusAfter" | "recordedAt">): Promise<void>;
  findStart(actionId: string, leaseHash: Buffer): Promise<StartRow | undefined>;
  /** The starts of an action, newest first. */
  starts(actionId: string, most: number): Promise<StartRow[]>;
  /** By action id. Actions that were never started are left out. */
  executions(actionIds: readonly string[]): Promise<Map<string, Executions>>;
  /** False where something was reported already. */
  recordOutcome(
    leaseHash: Buffer,
    report: Pick<StartRow, "evidence" | "statusAfter"> & { outcome: Outcome; recordedAt: number },
  ): Promise<boolean>;
  /** Starts of an account since a moment, by kind. */
  startsSince(accountId: string, since: number): Promise<Record<ActionKind, number>>;
  /** Starts of the whole workspace since a moment. */
  allStartsSince(since: number): Promise<number>;
}

/** What agents report about their accounts. */
export interface SocialnetReports {
  /** The answer to this observation, or run, when it was first reported. */
  findHealth(accountId: string, observationId: string): Promise<string | undefined>;
  insertHealth(row: {
    accountId: string;
    observationId: string;
    observedAt: number;
    now: number;
    answer: string;
  }): Promise<void>;
  /** Newest first. */
  health(accountId: string, most: number, offset?: number): Promise<string[]>;
  countHealth(accountId: string): Promise<number>;
  findRun(accountId: string, runId: string): Promise<string | undefined>;
  insertRun(row: { accountId: string; runId: string; finishedAt: number; now: number; answer: string }): Promise<void>;
  runs(accountId: string, most: number, offset?: number): Promise<string[]>;
  countRuns(accountId: string): Promise<number>;
  /**
   * False where it was seen before; then it is kept as long again from now. What was seen of a stranger who is a contact
   * by now counts as new, and so does what turns out to be a reply: a reply is never lost.
   */
  insertSighting(row: {
    accountId: string;
    externalKey: string;
    kind: "reply" | "connection_accepted" | "message_received";
    contactId: string | null;
    observedAt: number;
    now: number;
  }): Promise<boolean>;
}

/** What the workers look for, in every workspace. */
export interface SocialnetDue {
  /** Actions whose lease has run out. */
  expiredLeases(now: number, most: number): Promise<{ workspaceId: string; id: string }[]>;
  /** Accounts of which what can be claimed has to be counted. */
  toCount(now: number, most: number): Promise<{ workspaceId: string; id: string }[]>;
  /** Has every account counted: what gates them all may have changed while no server ran. */
  countAll(now: number): Promise<void>;
}
