import { HOUR_MS } from "../../lib/time.ts";

/** How far an account acts by itself: not at all, action by approved action, or whatever an approved sequence plans. */
export const AUTOMATION_MODES = ["off", "approve_each", "automatic"] as const;
export type AutomationMode = (typeof AUTOMATION_MODES)[number];

/**
 * Turning on automatic mode takes the hashes of at most this many planned actions: the console's page holds one field
 * for each.
 */
export const MAX_READ_ACTIONS = 100;

/** An account's daily limits, unless a person sets others. */
export const DEFAULT_DAILY_LIMITS = { connection_requests: 20, messages: 40 };

/** The states of a browser session that an agent reports. */
export const SOCIALNET_SESSIONS = ["ready", "login_required", "captcha", "restricted"] as const;
export type SocialnetSession = (typeof SOCIALNET_SESSIONS)[number];

/** The session that was last reported, and since when it has been so. */
export function sessionNow(
  before: { session: SocialnetSession | null; sessionSince: number | null },
  session: SocialnetSession | null,
  now: number,
): { session: SocialnetSession | null; sessionSince: number | null } {
  return { session, sessionSince: session === before.session ? before.sessionSince : now };
}

/** How long a measurement of the sender counts as evidence. */
export const HEALTH_FRESH_MS = 24 * HOUR_MS;
