import type { AsSystem, Context } from "../core/context.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, SECOND_MS } from "../lib/time.ts";
import { expireLease } from "../services/socialnet/actions.ts";
import type { Store } from "../store/store.ts";
import type { Job } from "./supervisor.ts";

/** Leases that one run expires; the next run continues. */
const BATCH = 100;

/**
 * Expires the leases of agents: an action that was claimed and never started is free again, and one that was started
 * and never reported needs review. The engine expires leases of messages, because it knows what it is sending.
 */
export function expireLeases(store: Store, clock: Clock, asSystem: AsSystem, log: Log): Job {
  return {
    name: "expire_leases",
    everyMs: SECOND_MS,
    async run(signal) {
      for (const { workspaceId, id } of await store.socialnetDue.expiredLeases(clock.now(), BATCH)) {
        if (signal?.aborted) return;
        const expire = async (ctx: Context) => {
          const action = await ctx.store.socialnetActions.find(id);
          if (action !== undefined) await expireLease(ctx, action);
        };
        // One that fails delays no other, and is tried again by the next run.
        await asSystem(workspaceId, "reap_leases", expire).catch((error: unknown) =>
          log.error({ err: error, actionId: id }, "a lease could not be released"),
        );
      }
    },
  };
}
