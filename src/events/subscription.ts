import { createHash } from "node:crypto";
import type { KeyActor } from "../core/actor.ts";
import { problem } from "../core/problem.ts";
import { DAY_MS, MINUTE_MS } from "../lib/time.ts";
import { EVENTS, type EventName, isEventName } from "./catalog.ts";

const DEFAULT_TTL_MS = DAY_MS;
const LEAST_TTL_MS = MINUTE_MS;
const MAX_TTL_MS = 7 * DAY_MS;

/** How long a replaced secret still signs in addition to the new one. */
export const GRACE_MS = DAY_MS;
/** How long an address counts as verified after it answered a challenge. */
export const VERIFIED_MS = DAY_MS;

export const MAX_PER_KEY = 20;
export const MAX_PER_WORKSPACE = 100;

/** What makes two requests the same subscription. The principal is the id of a key or of a webhook, never a secret. */
export interface SubscriptionKey {
  principal: string;
  url: string;
  event: string;
  arguments: Record<string, unknown>;
}

/** Stable over refreshes and restarts: `sub_` and the first 32 hex digits of a SHA-256 over the key. */
export function subscriptionId({ principal, url, event, arguments: given }: SubscriptionKey): string {
  const parts = JSON.stringify([principal, url, event, given]);
  return `sub_${createHash("sha256").update(parts).digest("hex").slice(0, 32)}`;
}

/** A day by default. A requested time is clamped between a minute and a week; null, for no end, is a week. */
export function lifetime(ttlMs: number | null | undefined): number {
  if (ttlMs === undefined) return DEFAULT_TTL_MS;
  return ttlMs === null ? MAX_TTL_MS : Math.min(MAX_TTL_MS, Math.max(LEAST_TTL_MS, Math.trunc(ttlMs)));
}

/** The event of this name. @throws Problem event_not_found */
export function requireEvent(name: string): EventName {
  if (isEventName(name)) return name;
  throw problem("event_not_found", `No event has the name ${JSON.stringify(name)}. List the names with events/list.`, {
    extra: { kind: "event" },
  });
}

/** Whether a subscription to this event can have these arguments. */
export const isArguments = (event: EventName, given: Record<string, unknown>): boolean =>
  EVENTS[event].arguments.safeParse(given).success;

/**
 * The arguments in the one form that ids are made from. @throws Problem validation_failed
 */
export function canonicalArguments(event: EventName, given: Record<string, unknown>): { account_id?: string } {
  const parsed = EVENTS[event].arguments.safeParse(given);
  if (parsed.success) return JSON.parse(JSON.stringify(parsed.data)) as { account_id?: string };
  const issue = parsed.error.issues[0];
  const path = ["arguments", ...(issue?.path ?? [])].join(".");
  throw problem("validation_failed", `${path}: ${issue?.message ?? "has a value that isn't allowed"}.`);
}

/**
 * The account that a subscription is about: the one asked for, else the one that the key is bound to, else all.
 *
 * @throws Problem subscription_forbidden where a bound key asks for another account than its own
 */
export function accountOf(actor: KeyActor, asked: string | undefined): string | null {
  const bound = actor.socialnetAccountId;
  if (bound !== null && asked !== undefined && asked !== bound) {
    throw problem(
      "subscription_forbidden",
      "arguments.account_id: is not the account of this API key. Remove it, or send that account's id.",
      {
        extra: { reason: "account_not_bound" },
      },
    );
  }
  return asked ?? bound;
}
