import type { AutomationMode, SocialnetSession } from "../../../domain/socialnet/account.ts";
import type { ActionKind, Outcome } from "../../../domain/socialnet/action.ts";
import type { Block } from "../../../domain/socialnet/eligibility.ts";
import type { DataOf } from "../../app/operations.ts";
import { codeLabel } from "../../ui/labels.ts";

export type Account = DataOf<"get_socialnet_account">;
/** A row of the ledger. */
export type ListedAction = DataOf<"list_planned_actions">[number];
/** An action as its own page shows it. */
export type PlannedAction = DataOf<"get_planned_action">;

export const KINDS: Record<ActionKind, string> = { connection_request: "Connection request", message: "Message" };

export const SESSIONS: Record<SocialnetSession, string> = {
  ready: "The agent is signed in, and can work.",
  login_required: "The social network wants the owner to sign in.",
  captcha: "The social network wants to see a person.",
  restricted: "The social network has restricted the account.",
};
/** The browser is signed in as another person than the account's owner. */
export const WRONG_ACCOUNT = "Wrong account";

export const MODES: Record<AutomationMode, { name: string; say: string }> = {
  off: { name: "Off", say: "Nothing that a sequence plans is sent. What a person planned and approved is." },
  approve_each: { name: "Approve each", say: "An agent sends only what a person has approved, action by action." },
  automatic: { name: "Automatic", say: "Whatever is planned is sent within the windows, without asking anybody." },
};

export const HOLDS: Record<NonNullable<Account["held_reason"]>, string> = {
  login_required: "The agent was asked to sign in. It ends when a heartbeat says ready: ask for a reconnect.",
  captcha: "The agent met a captcha. It ends when a heartbeat says ready: ask for a reconnect.",
  rate_limited: "The social network said that it is enough for today. It ends by itself; no heartbeat shortens it.",
};

type ActionBlock = "not_approved" | "held" | "already_claimed" | "already_started";

/** Reasons that block an action, for people. */
const REASONS: Record<Block | ActionBlock, string> = {
  execution_not_activated: "This server lets no agent execute",
  session_not_ready: "The agent's session is not ready",
  account_held: "The account is held",
  automation_off: "The account's automation is off",
  outside_window: "The account's windows are shut",
  daily_limit: "Today's limit is used up",
  plan_quota: "The plan's allowance of the month is used up",
  not_approved: "Waits for somebody's approval",
  held: "A person holds it",
  already_claimed: "The agent has it",
  already_started: "The agent has started it",
};

export function reasonOf(
  { blocked_by, status }: Pick<ListedAction, "blocked_by" | "status">,
  paused: boolean,
): string | undefined {
  if (status === "needs_review") return "Nobody knows what became of it";
  if (blocked_by === null) return undefined;
  if (blocked_by.reason === "account_held" && paused) return "Outreach is paused";
  return REASONS[blocked_by.reason as keyof typeof REASONS];
}

export const OUTCOME_WORDS: Record<Outcome, string> = {
  connection_sent: "Connection request sent",
  message_sent: "Message sent",
  already_connected: "Was connected already",
  profile_unavailable: "The profile cannot be reached",
  login_required: "Met a login, sent nothing",
  captcha: "Met a captcha, sent nothing",
  rate_limited: "Met a limit of the social network, sent nothing",
  not_sent: "Not sent",
  outcome_unknown: "Nobody knows whether it was sent",
};

export const outcomeLabel = (outcome: string): string => OUTCOME_WORDS[outcome as Outcome] ?? codeLabel(outcome);

/** Where the pages of an account are. */
export const at = (id: string, rest = ""): `/${string}` => `/agents/${id}${rest}`;
