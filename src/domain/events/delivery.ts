import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../lib/time.ts";

/** Why an attempt failed, as subscribers read it; never anything that the endpoint sent. */
export const DELIVERY_ERRORS = [
  "connection_refused",
  "timeout",
  "tls_error",
  "http_4xx",
  "http_5xx",
  "challenge_failed",
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/**
 * How an attempt ended: the class of the answer's status, or why there was no answer. `internal` is a fault of this
 * server: the endpoint was not asked.
 */
export type AttemptOutcome =
  | "2xx"
  | "3xx"
  | "4xx"
  | "5xx"
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "internal";

export const DELIVERY_STATUSES = ["pending", "delivered", "given_up", "dead", "dropped"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The result of one POST: an answer, or the reason why there was none. */
export type Attempted =
  | { status: number; retryAfterMs?: number | undefined }
  | { failed: "connection_refused" | "timeout" | "tls_error" | "internal" };

/** What becomes of a delivery after an attempt; without an error where the fault was not the endpoint's. */
export type Verdict =
  | { status: "delivered" }
  | { status: "given_up" | "dead"; error: DeliveryError | null }
  | { status: "pending"; error: DeliveryError | null; waitMs: number };

/** Waits after the first five attempts; after the sixth there is none. */
const BACKOFF_MS = [5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS] as const;
export const MAX_ATTEMPTS = BACKOFF_MS.length + 1;
const SPREAD = 0.2;
const LONGEST_RETRY_AFTER_MS = 2 * HOUR_MS;

/** The endpoint does not want this event: 410 Gone, 413 Content Too Large. */
const GIVE_UP = [410, 413];

/** Statuses with which an endpoint asks to be called later. */
const RETRY_AFTER_STATUSES = [429, 503];

export function outcomeOf(attempted: Attempted): AttemptOutcome {
  if ("failed" in attempted) return attempted.failed;
  return `${Math.min(5, Math.max(2, Math.trunc(attempted.status / 100)))}xx` as AttemptOutcome;
}

function errorOf(attempted: Attempted): DeliveryError | null {
  if ("failed" in attempted) return attempted.failed === "internal" ? null : attempted.failed;
  // A redirect is never followed: the subscriber gave the wrong address.
  return attempted.status < 500 ? "http_4xx" : "http_5xx";
}

/**
 * What follows from the attempt of this number, 1 to 6.
 *
 * @param random from 0 to 1: spreads the waits by 20 % to either side
 */
export function judge(attempted: Attempted, attempt: number, random: number): Verdict {
  if ("status" in attempted && attempted.status >= 200 && attempted.status < 300) return { status: "delivered" };
  const error = errorOf(attempted);
  if ("status" in attempted && GIVE_UP.includes(attempted.status)) return { status: "given_up", error };
  const backoff = BACKOFF_MS[attempt - 1];
  if (backoff === undefined) return { status: "dead", error };
  const spread = backoff * (1 - SPREAD + 2 * SPREAD * random);
  const asked =
    "status" in attempted && RETRY_AFTER_STATUSES.includes(attempted.status) ? (attempted.retryAfterMs ?? 0) : 0;
  return { status: "pending", error, waitMs: Math.round(Math.max(spread, Math.min(asked, LONGEST_RETRY_AFTER_MS))) };
}

/** After failing for this long, an endpoint that loses another event gets no more until someone subscribes again. */
export const SUSPEND_AFTER_MS = 24 * HOUR_MS;
