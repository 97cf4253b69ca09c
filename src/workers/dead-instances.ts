import { type Clock, SECOND_MS } from "../lib/time.ts";
import type { Instance } from "../store/leases.ts";
import type { Store } from "../store/store.ts";
import { DELIVERY_LEASE_MS } from "./dispatcher.ts";
import type { Job } from "./supervisor.ts";

/** Releases what processes had leased that died: a predecessor's leases at start, and those of servers beside this one. */
export function releaseDeadLeases(
  instance: Pick<Instance, "forgetDead">,
  store: Pick<Store, "leases">,
  clock: Clock,
  wake: () => void,
): Job {
  return {
    name: "release_dead_leases",
    everyMs: 5 * SECOND_MS,
    run: () =>
      instance.forgetDead(async (id) => {
        await store.leases.releaseOf(id, clock.now(), DELIVERY_LEASE_MS);
        wake();
      }),
  };
}
