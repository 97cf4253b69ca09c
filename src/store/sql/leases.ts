import { type Leases, leaseOf } from "../leases.ts";
import { acrossWorkspaces } from "./statement.ts";

// Alone: rows of many workspaces are locked in an order of their own, and a write that holds one may wait for another.
export const leases = acrossWorkspaces<Leases>({ durable: [], alone: ["releaseOf"] }, (db) => {
  // By time, which is indexed: what is leased is due when its lease expires.
  const deliveries = db.sql<{ from: string; to: string; now: number }>(
    `UPDATE deliveries SET lease = NULL, next_attempt_at = @now
     WHERE status = 'pending' AND next_attempt_at > @now AND lease > @from AND lease < @to`,
  );
  const sends = db.sql<{ instance: string }>(
    `UPDATE sends SET lease_until = 0
     WHERE status IN ('queued', 'sending') AND lease_until > 0 AND leased_by = @instance`,
  );
  const notices = db.sql<{ instance: string; now: number }>(
    "UPDATE notices SET due_at = @now, leased_by = NULL WHERE due_at > @now AND leased_by = @instance",
  );
  return {
    async releaseOf(instance, now) {
      await deliveries.run({ from: leaseOf(instance, ""), to: leaseOf(instance, "~"), now });
      await sends.run({ instance });
      await notices.run({ instance, now });
    },
  };
});
