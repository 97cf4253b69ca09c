import { createHash, randomUUID } from "node:crypto";

/** Only the hash of a lease's token is stored: who reads the database cannot act in an agent's name. */
export function hashLease(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function newLease(): { leaseToken: string; leaseHash: Buffer } {
  const leaseToken = randomUUID();
  return { leaseToken, leaseHash: hashLease(leaseToken) };
}
