import { MINUTE_MS } from "../../lib/time.ts";

/** What an agent can do for an account. */
export const ACTION_KINDS = ["connection_request", "message"] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** Who planned it: a sequence, which the engine runs, or a member. */
export const ACTION_ORIGINS = ["engine", "member"] as const;
export type ActionOrigin = (typeof ACTION_ORIGINS)[number];

export const ACTION_STATUSES = [
  "planned",
  "approved",
  "claimed",
  "started",
  "needs_review",
  "held",
  "completed",
  "failed",
  "cancelled",
] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** The statuses of an action that is not over. */
export const OPEN_ACTION = ["planned", "approved", "claimed", "started", "needs_review", "held"] as const;

/** Whether an action is on hold, and if so, whether an approval still stands. */
export const ACTION_HOLDS = ["none", "approved", "unapproved"] as const;
export type ActionHold = (typeof ACTION_HOLDS)[number];

export function actionHold(status: ActionStatus, isApproved: boolean): ActionHold {
  return status !== "held" ? "none" : isApproved ? "approved" : "unapproved";
}

/** What moves an action, each with who or what does it. */
export const ACTION_MOVES = {
  approve: "A member approved it, or the account is automatic.",
  void_approval:
    "Its copy, recipient or sender changed, its approval was withdrawn, or the account is no longer automatic.",
  claim: "The account's agent claimed it for 10 minutes.",
  lapse: "The claim expired before the agent started.",
  start: "The agent started its only execution and has 15 minutes to report the result.",
  complete: "The agent reported that it was sent, or that the contact was connected already.",
  fail: "The agent reported that it was not sent.",
  turn_back: "A login, captcha or limit stopped the agent. Nothing was sent, and the account is on hold.",
  lose: "The agent reported an unknown outcome, or no result within 15 minutes.",
  settle_sent: "A member marked it as sent.",
  settle_not_sent: "A member marked it as not sent.",
  settle_retry: "A member marked it as not sent and asked for a retry.",
  hold: "A member put it on hold.",
  set_aside:
    "The server put it on hold, for one of the causes below this table. Releasing it doesn't restore its approval.",
  request_change: "A member requested changes. It can't be approved until a teammate edits its text or releases it.",
  revise: "A member edited the text after a change request. It needs approval.",
  release: "A member released it, and it had no approval.",
  resume: "A member released it, and it still had its approval.",
  cancel: "A member canceled it or marked the contact as not interested, or the contact opted out or was archived.",
  withdraw: "The contact replied, or the enrollment ended. Only for an action of a sequence.",
} as const;
export type ActionMove = keyof typeof ACTION_MOVES;

/** The moves that have other causes from one status than from another. */
const CAUSES_FROM: Partial<Record<ActionMove, Partial<Record<ActionStatus, string>>>> = {
  hold: {
    planned: "A member put it on hold. On an automatic account, also if its recipient, sender or sequence changed.",
    approved: "A member put it on hold. On an automatic account, also if a member withdrew its approval.",
  },
  void_approval: {
    claimed: "Its copy, recipient or sender changed, or the account is no longer automatic.",
  },
};

/** What moves an action from this status. */
export const causeOf = (from: ActionStatus, move: ActionMove): string =>
  CAUSES_FROM[move]?.[from] ?? ACTION_MOVES[move];

/** The state machine: from, by, to. Code, tests and documentation read this table. */
export const MOVES: Readonly<Record<ActionStatus, Readonly<Partial<Record<ActionMove, ActionStatus>>>>> = {
  planned: {
    approve: "approved",
    hold: "held",
    request_change: "held",
    set_aside: "held",
    cancel: "cancelled",
    withdraw: "cancelled",
  },
  approved: {
    void_approval: "planned",
    claim: "claimed",
    hold: "held",
    set_aside: "held",
    cancel: "cancelled",
    withdraw: "cancelled",
  },
  claimed: {
    void_approval: "planned",
    lapse: "approved",
    start: "started",
    set_aside: "held",
    cancel: "cancelled",
    withdraw: "cancelled",
  },
  started: {
    complete: "completed",
    fail: "failed",
    turn_back: "approved",
    lose: "needs_review",
  },
  needs_review: {
    complete: "completed",
    fail: "failed",
    turn_back: "approved",
    settle_sent: "completed",
    settle_not_sent: "failed",
    settle_retry: "approved",
  },
  held: { release: "planned", revise: "planned", resume: "approved", cancel: "cancelled", withdraw: "cancelled" },
  completed: {},
  failed: {},
  cancelled: {},
};

/** The statuses that a move can start from. */
export function statusesBefore(move: ActionMove): ActionStatus[] {
  return ACTION_STATUSES.filter((status) => MOVES[status][move] !== undefined);
}

const leadsTo = (move: ActionMove) => MOVES[statusesBefore(move)[0] as ActionStatus][move];

/** The status that each move leads to, the same from any start. */
export const STATUS_AFTER = Object.fromEntries(
  (Object.keys(ACTION_MOVES) as ActionMove[]).map((move) => [move, leadsTo(move)]),
) as Readonly<Record<ActionMove, ActionStatus>>;

/** What can stop an action that has not been executed. One that is being executed stops when it comes back. */
const STOPS = ["cancel", "withdraw", "set_aside"] as const satisfies readonly ActionMove[];
export type Stop = (typeof STOPS)[number];

/** What of an action can change after it was planned, so that a person has to see it again. */
export type ActionChange = "recipient" | "sender" | "sequence";

export const CLAIM_LEASE_MS = 10 * MINUTE_MS;
export const START_LEASE_MS = 15 * MINUTE_MS;

/** What an agent can report of an action that it started. */
export const OUTCOMES = [
  "connection_sent",
  "message_sent",
  "already_connected",
  "profile_unavailable",
  "login_required",
  "captcha",
  "rate_limited",
  "not_sent",
  "outcome_unknown",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

const COMPLETING: Record<ActionKind, readonly Outcome[]> = {
  connection_request: ["connection_sent", "already_connected"],
  message: ["message_sent"],
};

/** The move for a reported outcome; undefined where an action of this kind cannot end with it. */
export function moveFor(kind: ActionKind, outcome: Outcome): ActionMove | undefined {
  if (outcome === "outcome_unknown") return "lose";
  if (isAccountHold(outcome)) return "turn_back";
  if (outcome === "profile_unavailable" || outcome === "not_sent") return "fail";
  return COMPLETING[kind].includes(outcome) ? "complete" : undefined;
}

/** Outcomes that put the whole account on hold. */
export const ACCOUNT_HOLDS = ["login_required", "captcha", "rate_limited"] as const satisfies readonly Outcome[];
export type AccountHold = (typeof ACCOUNT_HOLDS)[number];

export function isAccountHold(outcome: Outcome): outcome is AccountHold {
  return ACCOUNT_HOLDS.some((hold) => hold === outcome);
}

/** The limits of a connection request's note and of a message, in characters. */
export const COPY_LIMITS: Record<ActionKind, number> = { connection_request: 300, message: 8_000 };
