import type { AsSystem, Context } from "../core/context.ts";
import { announcement, countClaimable, nextChange } from "../domain/socialnet/eligibility.ts";
import type { Log } from "../lib/log.ts";
import { type Clock, MINUTE_MS } from "../lib/time.ts";
import { claimConditions } from "../services/socialnet/eligibility.ts";
import type { Store } from "../store/store.ts";
import type { Job } from "./supervisor.ts";

/** Accounts that one run counts; the next run continues. */
const BATCH = 100;
/** When an account that could not be counted is tried again. */
const RETRY_MS = MINUTE_MS;

/**
 * Announces work to agents: counts the claimable actions of each account that changed, or whose conditions changed with
 * time. Counting, announcing and remembering are one write, so that only one of several servers announces.
 */
export function announceWork(store: Store, clock: Clock, asSystem: AsSystem, log: Log): Job {
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
            log.error(
              { err: error, accountId: id },
              "an account's claimable actions could not be counted; retrying in a minute",
            );
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
  const conditions = await claimConditions(ctx, account);
  const claimable = countClaimable(await socialnetActions.waiting(id), conditions);
  const { tell, after, again } = announcement(await socialnetAccounts.announced(id), claimable, ctx.now);
  if (tell) {
    await ctx.emit("socialnet.work.available", { account_id: id, account_label: account.label, claimable });
  }
  await socialnetAccounts.setAnnounced(id, {
    ...after,
    lookAt: Math.min(nextChange(conditions), again ?? Number.POSITIVE_INFINITY),
  });
}
