import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";

/**
 * Whether people may approve what they proposed themselves is a setting of the workspace. It holds for every caller.
 *
 * @returns what the audit records
 * @throws Problem own_proposal
 */
export async function checkOwnProposal(ctx: Context, by: readonly (string | null)[]): Promise<{ own_proposal?: true }> {
  if (!(await isOwnProposal(ctx, by))) return {};
  if ((await ctx.store.workspace.ownProposals()) === "forbidden") throw problem("own_proposal");
  return { own_proposal: true };
}

/** Whether what the caller writes needs no other teammate: they may approve, and may approve what they wrote. */
export async function mayApproveOwn({ actor, store }: Pick<Context, "actor" | "store">): Promise<boolean> {
  return mayApprove(actor) && (await store.workspace.ownProposals()) === "allowed";
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
