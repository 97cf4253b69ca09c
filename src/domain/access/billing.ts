export const BILLING_STATES = ["active", "trial", "financed", "delinquent"] as const;
type BillingState = (typeof BILLING_STATES)[number];

export interface Billing {
  state: BillingState;
  /** Milliseconds since the epoch; when the trial or the financed term ends. */
  endsAt: number | null;
}

/** The states that last until a date. */
export function isLimited(state: BillingState): boolean {
  return state === "trial" || state === "financed";
}

/** Why the workspace is read-only at this moment, in words for the caller; undefined where it may write. */
export function readOnlyReason(billing: Billing, now: number): string | undefined {
  const ended = billing.endsAt !== null && billing.endsAt <= now;
  if (billing.state === "trial" && ended) return "the trial has expired";
  if (billing.state === "financed" && ended) return "the financed term has elapsed";
  if (billing.state === "delinquent") return "the account is shut off for delinquency";
  return undefined;
}
