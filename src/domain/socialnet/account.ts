import { HOUR_MS } from "../../lib/time.ts";
import { type Calendar, calendarAt, type Opening, openingAt, type Window } from "../time/calendar.ts";
import type { AccountHold, ActionKind } from "./action.ts";

/** How far an account acts by itself: not at all, action by approved action, or whatever an approved sequence plans. */
export const AUTOMATION_MODES = ["off", "approve_each", "automatic"] as const;
export type AutomationMode = (typeof AUTOMATION_MODES)[number];

/** What an account may do in a day of its time zone, unless a person sets another limit. */
export const DEFAULT_DAILY_LIMITS = { connection_requests: 20, messages: 40 };

/** What an agent found its browser session to be. */
export const SOCIALNET_SESSIONS = ["ready", "login_required", "captcha", "restricted"] as const;
export type SocialnetSession = (typeof SOCIALNET_SESSIONS)[number];

/** A session as it is told now, and since when it is that. */
export function sessionNow(
  before: { session: SocialnetSession | null; sessionSince: number | null },
  session: SocialnetSession | null,
  now: number,
): { session: SocialnetSession | null; sessionSince: number | null } {
  return { session, sessionSince: session === before.session ? before.sessionSince : now };
}

/** How long a measurement of the sender counts as evidence. */
export const HEALTH_FRESH_MS = 24 * HOUR_MS;

/** What of an account decides when it may act. */
export interface AccountRules {
  automationMode: AutomationMode;
  timeZone: string;
  windows: readonly Window[];
  limits: Record<ActionKind, number>;
}

/**
 * Why an account is held, and until when: null is until a heartbeat with a ready session. A closed door with a time is
 * one that a limit of the network stands behind: the session opens the one, time alone the other.
 */
export interface AccountHeld {
  reason: AccountHold;
  until: number | null;
}

/** The hold that an outcome brings, beside one that stands: an account that met a door and a limit waits for both. */
export function holdFor(outcome: AccountHold, nextDay: number, standing: AccountHeld | null): AccountHeld {
  if (outcome !== "rate_limited") return { reason: outcome, until: standing?.until ?? null };
  const door = standing !== null && standing.reason !== "rate_limited";
  return { reason: door ? standing.reason : outcome, until: nextDay };
}

/** A hold as it counts at a moment. */
export function heldAt(held: AccountHeld | null, now: number): AccountHeld | null {
  if (held === null) return null;
  if (held.reason !== "rate_limited") return { ...held, until: null };
  return held.until === null || held.until > now ? held : null;
}

/** What a ready session leaves of a hold: the limit that is not over. */
export function afterReady({ until }: AccountHeld, now: number): AccountHeld | null {
  return until !== null && until > now ? { reason: "rate_limited", until } : null;
}

/** The account's clock: its calendar, whether its windows are open, and when they are from a moment on. */
export function accountClock(
  { timeZone, windows }: Pick<AccountRules, "timeZone" | "windows">,
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
