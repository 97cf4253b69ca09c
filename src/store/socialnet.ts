import type { AutomationMode, SocialnetSession } from "../domain/socialnet-account.ts";
import type { AccountHold } from "../domain/socialnet-action.ts";
import type { Window } from "../domain/window.ts";
import type { Page } from "./page.ts";

/** When an agent says that it will look in by itself. */
export interface ReportedSchedule {
  label: string;
  rrule: string;
  timezone: string;
  nextRunAt: string | null;
}

/** A sender on the social network. */
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
  /** What the agent last said of its browser session, and when. */
  session: SocialnetSession | null;
  sessionAt: number | null;
  /** Since when it says so. */
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

/** The count of claimable actions that subscribers know of, and when they were told. */
export interface Announced {
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
   * Opens a request, or renews the open one: its time moves, and an acknowledgement is taken back. Undefined where there
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
