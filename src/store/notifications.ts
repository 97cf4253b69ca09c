/** A letter to somebody that waits to be mailed. Times are milliseconds since the epoch. */
export interface Notice {
  id: string;
  kind: "reset" | "invitation";
  /** Of a reset: as it was typed. */
  email: string | null;
  /** Of an invitation. */
  memberId: string | null;
  /** How often it was tried, this time included. */
  attempts: number;
  expiresAt: number;
}

export interface Notices {
  /** Notes that somebody forgot the password of an address; the same work whether anybody has it or not. */
  askReset(reset: { id: string; email: string; now: number; expiresAt: number }): Promise<void>;
  areDue(now: number): Promise<boolean>;
  /** Takes what is due, for so long: nobody else takes it meanwhile. */
  claim(now: number, until: number, limit: number): Promise<Notice[]>;
  retry(id: string, at: number): Promise<void>;
  /** Sent, or given up. */
  settle(id: string): Promise<void>;
}
