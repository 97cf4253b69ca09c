import type { AutomationMode } from "../domain/socialnet-account.ts";
import type { Window } from "../domain/window.ts";

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
  createdAt: number;
  updatedAt: number;
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
  insert(account: SocialnetAccountRow): Promise<void>;
  /** The open request of an account. */
  openReconnect(accountId: string): Promise<ReconnectRequest | undefined>;
  /** Opens a request, or renews the open one: its time moves, and an acknowledgement is taken back. */
  requestReconnect(
    request: Pick<ReconnectRequest, "id" | "accountId" | "requestedBy" | "requestedAt">,
  ): Promise<ReconnectRequest>;
}
