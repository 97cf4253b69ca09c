import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";

/** Whether something comes from the caller's own hand, from a key of theirs, or from the agent of an account of theirs. */
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

/**
 * No member approves their own without saying so. Whoever sits at the machine is no member: for them the audit says it
 * alone. Answers what the audit keeps of it.
 *
 * @throws Problem own_proposal
 */
export async function sayOwn(
  ctx: Context,
  by: readonly (string | null)[],
  said: boolean,
): Promise<{ own_proposal?: true }> {
  if (!(await isOwnProposal(ctx, by))) return {};
  if (!said && ctx.actor.kind === "member") throw problem("own_proposal");
  return { own_proposal: true };
}
