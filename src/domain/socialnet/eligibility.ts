import { MINUTE_MS } from "../../lib/time.ts";
import type { SequenceStatus } from "../outreach/sequence.ts";
import { type Calendar, calendarAt, type Opening, openingAt, type Window } from "../time/calendar.ts";
import type { AutomationMode, SocialnetSession } from "./account.ts";
import type { AccountHold, ActionKind, ActionOrigin } from "./action.ts";

/** Why an approved action cannot be claimed or started now, in the order of the checks. */
export const BLOCKS = [
  "execution_not_activated",
  "held",
  "session_not_ready",
  "account_held",
  "automation_off",
  "outside_window",
  "daily_limit",
  "plan_quota",
] as const;
export type Block = (typeof BLOCKS)[number];

/** Everything that gates an account's actions at one moment. */
export interface ClaimConditions {
  now: number;
  /** Whether the server admin lets agents execute actions. */
  activated: boolean;
  /** Whether the server admin lets this server send anything. */
  gateOpen: boolean;
  /** Whether a person paused the workspace's outreach. */
  paused: boolean;
  mode: AutomationMode;
  session: SocialnetSession | null;
  /** Until when the account is held: a time, until a ready heartbeat (null), or not at all. */
  heldUntil: number | null | undefined;
  opening: Opening;
  /** When the windows are open first, from a moment on; null where they never are. */
  opensFrom(at: number): number | null;
  calendar: Calendar;
  /** The limits of a day. */
  limits: Record<ActionKind, number>;
  /** What is left today. */
  remaining: Record<ActionKind, number>;
  /** What the plan allows in a month; null where it sets no limit. */
  planAllowance: number | null;
  /** What is left this month. */
  planRemaining: number | null;
}

export interface Blocked {
  reason: Block;
  /** When it may be possible, if time alone will change it. */
  nextAt: number | null;
}

/** What decides, of an approved action, whether it can be claimed. */
export interface Claimable {
  kind: ActionKind;
  origin: ActionOrigin;
  /** Of the sequence that it is a step of; null where a member planned it. */
  sequenceStatus: SequenceStatus | null;
}

/**
 * Whether such an action can be claimed, or started, now: null, or the first reason against it. The sequence's status,
 * windows and mode gate what the engine plans; session, limits and the plan gate everything.
 */
export function blockOf({ kind, origin, sequenceStatus }: Claimable, at: ClaimConditions): Blocked | null {
  const engine = origin === "engine";
  // An action of the engine waits until the windows open, even if another reason ends sooner.
  const from = (time: number | null) => (engine && time !== null ? at.opensFrom(time) : time);
  if (!at.activated) return { reason: "execution_not_activated", nextAt: null };
  if (engine && sequenceStatus !== "active") return { reason: "held", nextAt: null };
  if (at.session !== "ready") return { reason: "session_not_ready", nextAt: null };
  if (!at.gateOpen || at.paused) return { reason: "account_held", nextAt: null };
  if (at.heldUntil !== undefined) return { reason: "account_held", nextAt: from(at.heldUntil) };
  if (engine && at.mode === "off") return { reason: "automation_off", nextAt: null };
  if (engine && !at.opening.open) return { reason: "outside_window", nextAt: at.opening.opensAt };
  // A limit of zero is the same tomorrow.
  if (at.remaining[kind] < 1) {
    return { reason: "daily_limit", nextAt: at.limits[kind] < 1 ? null : from(at.calendar.nextDay) };
  }
  if (at.planRemaining !== null && at.planRemaining < 1) {
    return { reason: "plan_quota", nextAt: at.planAllowance === 0 ? null : from(at.calendar.nextMonth) };
  }
  return null;
}

/** Approved actions of an account, counted by what gates them alike. */
export interface Waiting extends Claimable {
  count: number;
}

/** How many of the waiting actions could be claimed now, one after the other. */
export function countClaimable(waiting: readonly Waiting[], at: ClaimConditions): number {
  const left = { ...at.remaining };
  let all = at.planRemaining ?? Number.POSITIVE_INFINITY;
  let claimable = 0;
  for (const { count, ...group } of waiting) {
    if (blockOf(group, at) !== null) continue;
    const taken = Math.min(count, left[group.kind], all);
    left[group.kind] -= taken;
    all -= taken;
    claimable += taken;
  }
  return claimable;
}

/** When the answers above may change by time alone: a window opens or closes, a day or a month begins, a hold ends. */
export function nextChange({ now, opening, calendar, heldUntil }: ClaimConditions): number {
  const times = [opening.opensAt, opening.closesAt, calendar.nextDay, heldUntil ?? null];
  return Math.min(...times.filter((time): time is number => time !== null && time > now));
}

/** The last announcement to the subscribers of an account: how many actions can be claimed, and when. */
export interface Announced {
  announced: number;
  announcedAt: number | null;
}

/** The shortest time between two events while the count grows. */
export const ANNOUNCE_EVERY_MS = 15 * MINUTE_MS;

/**
 * What follows from a new count. New work after none is announced immediately, more of it every 15 minutes at most, and
 * less of it is only remembered. `again` is when to check again, if the announcement has to wait.
 */
export function announcement(
  before: Announced,
  claimable: number,
  now: number,
): { tell: boolean; after: Announced; again: number | null } {
  if (claimable <= before.announced) {
    return { tell: false, after: { ...before, announced: claimable }, again: null };
  }
  const due = (before.announcedAt ?? Number.NEGATIVE_INFINITY) + ANNOUNCE_EVERY_MS;
  if (before.announced > 0 && now < due) return { tell: false, after: before, again: due };
  return { tell: true, after: { announced: claimable, announcedAt: now }, again: null };
}

/** The account's clock: its calendar, whether its windows are open, and when they are from a moment on. */
export function accountClock(
  { timeZone, windows }: { timeZone: string; windows: readonly Window[] },
  now: number,
): { calendar: Calendar; opening: Opening; opensFrom(at: number): number | null } {
  return {
    calendar: calendarAt(now, timeZone),
    opening: openingAt(windows, timeZone, now),
    opensFrom(at) {
      const { open, opensAt } = openingAt(windows, timeZone, at);
      return open ? at : opensAt;
    },
  };
}

/**
 * Why an account is on hold, and until when: null is until a heartbeat with a ready session. A login or captcha with a
 * time waits for both: a ready session, and the end of the network's limit.
 */
export interface AccountHeld {
  reason: AccountHold;
  until: number | null;
}

/** The hold that an account row states. */
export function holdOf(account: { heldReason: AccountHold | null; heldUntil: number | null }): AccountHeld | null {
  const { heldReason: reason, heldUntil: until } = account;
  return reason === null ? null : { reason, until };
}

/** The hold that an outcome causes, merged into an earlier one: an account with a login and a limit waits for both. */
export function accountHoldAfter(outcome: AccountHold, nextDay: number, before: AccountHeld | null): AccountHeld {
  if (outcome !== "rate_limited") return { reason: outcome, until: before?.until ?? null };
  const needsSession = before !== null && before.reason !== "rate_limited";
  return { reason: needsSession ? before.reason : outcome, until: nextDay };
}

/** A hold as it counts at a given moment. */
export function heldAt(held: AccountHeld | null, now: number): AccountHeld | null {
  if (held === null) return null;
  if (held.reason !== "rate_limited") return { ...held, until: null };
  return held.until === null || held.until > now ? held : null;
}

/** What remains of a hold after a ready session: a limit that is not over. */
export function afterReady({ until }: AccountHeld, now: number): AccountHeld | null {
  return until !== null && until > now ? { reason: "rate_limited", until } : null;
}
