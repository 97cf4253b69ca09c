import { type Calendar, calendarAt, type Opening, openingAt } from "./calendar.ts";
import type { AccountHold, ActionKind } from "./socialnet-action.ts";
import type { Window } from "./window.ts";

/** How far an account acts by itself: not at all, action by approved action, or whatever an approved sequence plans. */
export const AUTOMATION_MODES = ["off", "approve_each", "automatic"] as const;
export type AutomationMode = (typeof AUTOMATION_MODES)[number];

/** What an account may do in a day of its time zone, unless a person sets another limit. */
export const DEFAULT_DAILY_LIMITS = { connection_requests: 20, messages: 40 } as const;

/** What an agent found its browser session to be. */
export const SOCIALNET_SESSIONS = ["ready", "login_required", "captcha", "restricted"] as const;
export type SocialnetSession = (typeof SOCIALNET_SESSIONS)[number];

/** How long a measurement of the sender counts as evidence. */
export const HEALTH_FRESH_MS = 24 * 3_600_000;

/** What of an account decides when it may act. */
export interface AccountRules {
  automationMode: AutomationMode;
  timeZone: string;
  windows: readonly Window[];
  limits: Record<ActionKind, number>;
}

/** Why an account is held, and until when: null is until a heartbeat with a ready session. */
export interface AccountHeld {
  reason: AccountHold;
  until: number | null;
}

/** The hold that an outcome brings: a limit of the network lasts until the next day, a closed door until it is open. */
export function holdFor(outcome: AccountHold, nextDay: number): AccountHeld {
  return { reason: outcome, until: outcome === "rate_limited" ? nextDay : null };
}

/** A hold as it counts at a moment. */
export function heldAt(held: AccountHeld | null, now: number): AccountHeld | null {
  return held !== null && (held.until === null || held.until > now) ? held : null;
}

/** A ready session ends every hold but that of a limit, which only time does. */
export function endsWithReady({ until }: AccountHeld): boolean {
  return until === null;
}

/** The account's clock: its calendar, whether its windows are open, and when they open after today. */
export function accountClock(
  { timeZone, windows }: Pick<AccountRules, "timeZone" | "windows">,
  now: number,
): { calendar: Calendar; opening: Opening; opensTomorrow: number } {
  const calendar = calendarAt(now, timeZone);
  const tomorrow = openingAt(windows, timeZone, calendar.nextDay);
  return {
    calendar,
    opening: openingAt(windows, timeZone, now),
    opensTomorrow: tomorrow.opensAt ?? calendar.nextDay,
  };
}
