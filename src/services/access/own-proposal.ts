import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";

/**
 * Requires members to acknowledge that they approve their own proposal. The server operator is no member, so for them only
 * the audit records it.
 *
 * @returns what the audit records
 * @throws Problem own_proposal
 */
export async function acknowledgeOwnProposal(
  ctx: Context,
  by: readonly (string | null)[],
  acknowledged: boolean,
): Promise<{ own_proposal?: true }> {
  if (!(await isOwnProposal(ctx, by))) return {};
  if (!acknowledged && ctx.actor.kind === "member") throw problem("own_proposal");
  return { own_proposal: true };
}

/** Whether something was proposed by the caller, by a key they created, or by the agent of an account they own. */
export async function isOwnProposal(
  { actor, store }: Pick<Context, "actor" | "store">,
  by: readonly (string | null)[],
): Promise<boolean> {
  for (const id of by) {
    if (id === null) continue;
    if (id === actor.id) return true;
    const key = await store.keys.find(id);
    if (key === undefined) continue;
    if (key.creatorId === actor.id) return true;
    const bound = key.socialnetAccountId;
    const account = bound === null ? undefined : await store.socialnetAccounts.find(bound);
    if (account?.ownerMemberId === actor.id) return true;
  }
  return false;
}
