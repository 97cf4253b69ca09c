import { type Leases, leaseOf } from "../leases.ts";
import { releasingOf } from "./outbox.ts";
import { acrossWorkspaces } from "./statement.ts";

// Alone: rows of many workspaces are locked in an order of their own, and a write that holds one may wait for another.
export const leases = acrossWorkspaces<Leases>({ durable: [], alone: ["releaseOf"] }, (db) => {
  const releaseDeliveries = releasingOf(db);
  const sends = db.sql<{ instance: string }>(
    `UPDATE sends SET lease_until = 0
     WHERE status IN ('queued', 'sending') AND lease_until > 0 AND leased_by = @instance`,
  );
  const notices = db.sql<{ instance: string; now: number }>(
    "UPDATE notices SET due_at = @now, leased_by = NULL WHERE due_at > @now AND leased_by = @instance",
  );
  return {
    async releaseOf(instance, now, leaseMs) {
      await releaseDeliveries({ from: leaseOf(instance, ""), to: leaseOf(instance, "~"), now, leaseMs });
      await sends.run({ instance });
      await notices.run({ instance, now });
    },
  };
});
