export const BILLING_STATES = ["active", "trial", "financed", "delinquent"] as const;
export type BillingState = (typeof BILLING_STATES)[number];

export interface Billing {
  state: BillingState;
  /** Milliseconds since the epoch; when the trial or the fixed term ends. */
  endsAt: number | null;
}

/** The states that last until a date. */
export function isLimited(state: BillingState): boolean {
  return state === "trial" || state === "financed";
}

/** Whether the workspace is read-only at this moment: its trial or term is over, or it is delinquent. */
export function isReadOnly({ state, endsAt }: Billing, now: number): boolean {
  return state === "delinquent" || (isLimited(state) && endsAt !== null && endsAt <= now);
}
