import type { SocialnetSession } from "../../../domain/socialnet/account.ts";
import type { AccountHold } from "../../../domain/socialnet/action.ts";
import type { WorkspaceStatus } from "../../app/sidebar.ts";
import { closedSettings } from "../../ui/closed-settings.ts";
import { codeLabel } from "../../ui/labels.ts";
import type { Account, ListedAction } from "./labels.ts";

type Action = Pick<ListedAction, "kind" | "origin" | "status" | "blocked_by">;

/** What an account waits for, after "waiting for", because of its hold or the session that its agent reported. */
const ACCOUNT_WAITS: Record<AccountHold | Exclude<SocialnetSession, "ready">, string> = {
  login_required: "the account holder to sign in",
  captcha: "the account holder to solve the CAPTCHA",
  rate_limited: "the professional network's limit to end",
  restricted: "the professional network to lift its restriction",
};

/** What keeps an account's agent from sending such an action, even an approved one, after "waiting for". Null: nothing. */
export function sendingWaitsFor(
  { kind, origin }: Pick<Action, "kind" | "origin">,
  account: Account,
  { deployment, outreach }: WorkspaceStatus,
): string | null {
  const { held_reason, session, session_at, remaining } = account;
  const states = [held_reason, session].filter((state) => state !== null && state !== "ready");
  const waits: [applies: boolean, what: string][] = [
    [closedSettings(deployment).length > 0, "social sending to be turned on"],
    [outreach.paused_at !== null, "outreach to be resumed"],
    ...[...new Set(states)].map((state): [boolean, string] => [true, ACCOUNT_WAITS[state]]),
    [session === null && session_at !== null, "the agent's browser to be signed in to this account"],
    [isManualStep({ origin }, account), "the account mode to change"],
    [remaining[kind === "message" ? "messages" : "connection_requests"] < 1, "the daily limit to reset or be raised"],
    [remaining.plan_month !== null && remaining.plan_month < 1, "the plan's monthly limit to reset or be raised"],
  ];
  const open = waits.filter(([applies]) => applies).map(([, what]) => what);
  return open.length === 0 ? null : LIST.format(open);
}

const LIST = new Intl.ListFormat("en-US");

/** What an action waits for because of its own state, by the reason that blocks it. */
const ACTION_WAITS: Record<string, string> = {
  not_approved: "approval",
  already_claimed: "the agent to send it",
  already_started: "the agent to report the outcome",
  outside_window: "sending hours",
  session_not_ready: "the agent's first check-in",
};

/** What an action waits for before it is sent or done, after "waiting for". Null: it has ended. */
export function actionWaitsFor(action: Action, account: Account, workspace: WorkspaceStatus): string | null {
  const { status, blocked_by } = action;
  if (status === "needs_review") return "confirmation of the outcome";
  if (blocked_by === null) return status === "approved" ? "the agent's next check-in" : null;
  const { reason } = blocked_by;
  if (reason === "held") return status === "approved" ? "its sequence to be active" : "release by a teammate";
  const own = status === "approved" ? sendingWaitsFor(action, account, workspace) : null;
  return own ?? ACTION_WAITS[reason] ?? codeLabel(reason).toLowerCase();
}

/** What happens after an approval, as a sentence without its period. */
export function afterApprovalText(action: Action, account: Account, workspace: WorkspaceStatus): string {
  if (action.blocked_by === null) return "The agent can now send it";
  return `The action is waiting for ${actionWaitsFor(action, account, workspace)}`;
}

/** Whether a sequence planned the action, and its account sends no sequence steps. */
const isManualStep = ({ origin }: Pick<Action, "origin">, { automation_mode: mode }: Account) =>
  origin === "engine" && mode === "off";

/** The effect of an approval of the action. */
export function sendingText(action: Action, account: Account, workspace: WorkspaceStatus): string {
  const { label } = account;
  if (isManualStep(action, account))
    return `The account ${label} is manual only, so its agent doesn't send sequence steps. To send this one, change the mode under Hours and limits.`;
  const what = action.kind === "message" ? "message" : "connection request";
  const waitsFor = sendingWaitsFor(action, account, workspace);
  const sends = `After an approval, ${label}'s agent ${waitsFor === null ? "" : `waits for ${waitsFor}, then `}sends`;
  // Sending hours and the sequence's status apply only to actions that a sequence plans.
  return action.origin === "engine"
    ? `${sends} this ${what} once, ${sendingHours(account)}. It sends only while the sequence is active.`
    : `${sends} this ${what} once, at its next check-in.`;
}

/** More are on the page of the account. */
const MAX_LISTED_HOURS = 4;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function sendingHours({ windows, time_zone }: Account): string {
  if (windows.length === 0) return "at any time";
  if (windows.length > MAX_LISTED_HOURS) return `within the account's sending hours (${time_zone})`;
  const hours = windows.map(
    ({ days, from, to }) => `${days.length === 7 ? "every day" : daysText(days)} ${from}–${to}`,
  );
  return `within sending hours: ${LIST.format(hours)} (${time_zone})`;
}

/** Three or more consecutive days are shown as a range. */
function daysText(days: readonly number[]): string {
  const names = days.map((day) => WEEKDAYS[day - 1]);
  const inRow = days.length > 2 && days.every((day, i) => i === 0 || day === (days[i - 1] ?? 0) + 1);
  return inRow ? `${names[0]}–${names.at(-1)}` : names.join(", ");
}
