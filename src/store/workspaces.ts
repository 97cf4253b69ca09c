import type { Billing } from "../domain/billing.ts";
import type { Window } from "../domain/window.ts";

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

/** A stop to all outreach of the workspace, as its people set it. */
export interface OutreachPause {
  /** Null where outreach goes on. */
  pausedAt: number | null;
  reason: string | null;
}

/** The workspace's own row: name, billing, plan. */
export interface WorkspaceSettings {
  create(name: string, now: number): Promise<void>;
  find(): Promise<Workspace>;
  billing(): Promise<Billing>;
  /** What can keep back everything that is sent, read at once. */
  blocks(): Promise<Billing & Pick<OutreachPause, "pausedAt">>;
  setBilling(billing: Billing): Promise<void>;
  plan(): Promise<Plan>;
  pause(): Promise<OutreachPause>;
  /** Keeps the time of a pause that is on already, and its reason too where none is given. */
  pauseOutreach(reason: string | null, now: number): Promise<OutreachPause>;
  /** False where outreach was not paused. */
  resumeOutreach(): Promise<boolean>;
  setPlan(plan: Plan): Promise<void>;
  sendingPolicy(): Promise<SendingPolicy>;
  /** Until when a mail server of this deployment is left alone, where one is. */
  mailRestsUntil(now: number): Promise<number | null>;
  setSendingPolicy(policy: SendingPolicy): Promise<void>;
}
