/** A process that does background work on the database, as others that share it see it. */
export interface Instance {
  readonly id: string;
  /** Calls `release` with the id of each process that died, and then forgets it. */
  forgetDead(release: (id: string) => Promise<void>): Promise<void>;
  close(): void;
}

/**
 * What background jobs lease names the process that leased it, so that the leases of one that died need not be waited
 * out.
 */
export interface Leases {
  /**
   * Makes everything that a dead process had leased due now, and settles deliveries whose success it recorded. The
   * engine decides what became of its messages.
   *
   * @param deliveryLeaseMs how long it had leased deliveries
   */
  releaseOf(instance: string, now: number, deliveryLeaseMs: number): Promise<void>;
}

/** The lease of a claim: each claim has its own token. */
export function leaseOf(instance: string, token: string): string {
  return `${instance}.${token}`;
}
