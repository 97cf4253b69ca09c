/** A notification email that is still to be sent. Times are milliseconds since the epoch. */
export interface Notice {
  id: string;
  kind: "reset" | "invitation";
  /** Of a reset: as it was typed. */
  email: string | null;
  /** Of an invitation. */
  memberId: string | null;
  /** Attempts so far, including this one. */
  attempts: number;
  expiresAt: number;
}

export interface Notices {
  /** Queues a password reset for an address. It does the same work whether an account has the address or not. */
  askReset(reset: { id: string; email: string; now: number; expiresAt: number }): Promise<void>;
  areDue(now: number): Promise<boolean>;
  /** Claims what is due for a process, until a moment. No other worker claims it before then, unless the process dies. */
  claim(now: number, until: number, limit: number, by: string): Promise<Notice[]>;
  retry(id: string, at: number): Promise<void>;
  /** Deletes a notification that was sent, or that will not be. */
  settle(id: string): Promise<void>;
}
