import type { AsSystem, Context } from "../core/context.ts";
import { announcement, countClaimable, nextChange } from "../domain/socialnet/eligibility.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import { expireLease } from "../services/socialnet/actions.ts";
import { claimConditions } from "../services/socialnet/eligibility.ts";
import type { Store } from "../store/store.ts";
import type { Chore } from "./supervisor.ts";

/** Rows that one run takes up; what is left waits for the next. */
const BATCH = 100;
/** When an account that could not be counted is looked at again. */
const RETRY_MS = MINUTE_MS;

/** Frees what was claimed and never started, and hands to a person what was started and never reported. */
export function reapLeases(store: Store, clock: Clock, asSystem: AsSystem, log: Log): Chore {
  return {
    name: "reap_leases",
    everyMs: 1_000,
    async run(signal) {
      for (const { workspaceId, id } of await store.socialnetDue.lapsed(clock.now(), BATCH)) {
        if (signal?.aborted) return;
        const lapse = async (ctx: Context) => {
          const action = await ctx.store.socialnetActions.find(id);
          if (action !== undefined) await expireLease(ctx, action);
        };
        // One that fails keeps no other waiting; it comes again.
        await asSystem(workspaceId, "reap_leases", lapse).catch((error: unknown) =>
          log.error({ err: error, actionId: id }, "a lease could not be ended"),
        );
      }
    },
  };
}

/**
 * Tells agents of work: counts what can be claimed of each account where something changed, by whichever process, or
 * where time alone changed it. Counting, telling and remembering are one write, so that of several servers one tells.
 */
export function announceWork(store: Store, clock: Clock, asSystem: AsSystem, log: Log): Chore {
  let counted = false;
  return {
    name: "announce_work",
    everyMs: 500,
    async run(signal) {
      if (!counted) {
        // What gates every account may have changed while no server ran.
        await store.socialnetDue.countAll(clock.now());
        counted = true;
      }
      for (const { workspaceId, id } of await store.socialnetDue.toCount(clock.now(), BATCH)) {
        if (signal?.aborted) return;
        await asSystem(workspaceId, "announce_work", (ctx) => announceAccount(ctx, id)).catch(
          async (error: unknown) => {
            log.error({ err: error, accountId: id }, "an account's work could not be counted; it waits a minute");
            await asSystem(workspaceId, "announce_work", (ctx) =>
              ctx.store.socialnetAccounts.touch(id, ctx.now + RETRY_MS),
            );
          },
        );
      }
    },
  };
}

async function announceAccount(ctx: Context, id: string): Promise<void> {
  const { socialnetAccounts, socialnetActions } = ctx.store;
  const account = await socialnetAccounts.find(id);
  if (account === undefined) return;
  const standing = await claimConditions(ctx, account);
  const claimable = countClaimable(await socialnetActions.waiting(id), standing);
  const { tell, known, again } = announcement(await socialnetAccounts.announced(id), claimable, ctx.now);
  if (tell) {
    await ctx.emit("socialnet.work.available", { account_id: id, account_label: account.label, claimable });
  }
  await socialnetAccounts.setAnnounced(id, {
    ...known,
    lookAt: Math.min(nextChange(standing), again ?? Number.POSITIVE_INFINITY),
  });
}
