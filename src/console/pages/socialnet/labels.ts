import type { AutomationMode, SocialnetSession } from "../../../domain/socialnet/account.ts";
import type { ActionKind, Outcome } from "../../../domain/socialnet/action.ts";
import type { DataOf } from "../../app/operations.ts";
import { codeLabel } from "../../ui/labels.ts";

export type Account = DataOf<"get_socialnet_account">;
/** A row of the action list. */
export type ListedAction = DataOf<"list_planned_actions">[number];
/** An action as its own page shows it. */
export type PlannedAction = DataOf<"get_planned_action">;

export const KINDS: Record<ActionKind, string> = { connection_request: "Connection request", message: "Message" };

export const SESSIONS: Record<SocialnetSession, string> = {
  ready: "The agent is signed in and can work.",
  login_required: "The account holder must sign in to the professional network, in the browser that the agent opened.",
  captcha: "The professional network asks the account holder to solve a CAPTCHA.",
  restricted: "The professional network restricted this account.",
};
/** The browser is signed in to a profile that isn't the account's own. */
export const WRONG_ACCOUNT = "Wrong account";

export const MODES: Record<AutomationMode, { name: string; detail: string }> = {
  off: {
    name: "Manual only",
    detail: "The agent sends only approved actions that a teammate planned in Rostrum. It sends no sequence steps.",
  },
  approve_each: { name: "Approval required", detail: "A teammate approves every action before the agent sends it." },
  automatic: {
    name: "Automatic",
    detail: "The agent sends most planned actions without approval. Sequence steps go out within sending hours.",
  },
};

export const HOLD_LABELS: Record<NonNullable<Account["held_reason"]>, string> = {
  login_required: "sign-in required",
  captcha: "CAPTCHA shown",
  rate_limited: "professional network limit reached",
};

export const HOLD_DETAILS: Record<NonNullable<Account["held_reason"]>, string> = {
  login_required: "The professional network asked for a sign-in.",
  captcha: "The professional network showed a CAPTCHA.",
  rate_limited: "The professional network limited this account for today.",
};

export const OUTCOME_LABELS: Record<Outcome, string> = {
  connection_sent: "Connection request sent",
  message_sent: "Message sent",
  already_connected: "Already connected",
  profile_unavailable: "Profile unavailable",
  login_required: "Not sent: sign-in required",
  captcha: "Not sent: CAPTCHA shown",
  rate_limited: "Not sent: professional network limit reached",
  not_sent: "Not sent",
  outcome_unknown: "Unconfirmed",
};

export const outcomeLabel = (outcome: string): string => OUTCOME_LABELS[outcome as Outcome] ?? codeLabel(outcome);

/** What an agent did, by the status that its action got. */
export const AGENT_MOVES: Record<string, string> = {
  approved: "Return action to queue",
  claimed: "Claim action",
  started: "Start sending action",
  completed: "Report action as done",
  failed: "Report action as failed",
  needs_review: "Report unconfirmed action",
};

/** The path of an account's page. */
export const at = (id: string, rest = ""): `/${string}` => `/agents/${id}${rest}`;
