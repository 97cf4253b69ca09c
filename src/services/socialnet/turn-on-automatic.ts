import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import type { ActionRow, SocialnetAccountRow } from "../../store/socialnet.ts";
import { isOwnProposal } from "../access/own-proposal.ts";
import { authorsOf, hashAllShown } from "./actions.ts";
import { answersReply, findOptedOut } from "./unattended-approval.ts";

interface ApprovedByTurningOn {
  action: ActionRow;
  /** Whether the caller proposed it. */
  isOwn: boolean;
}

/**
 * What turning on automatic mode approves of an account's planned actions. It leaves for a person those that changed,
 * answers to replies, those for contacts who might have opted out, and the caller's own where the workspace forbids
 * approving these.
 */
export async function approvedByTurningOn(ctx: Context, planned: readonly ActionRow[]): Promise<ApprovedByTurningOn[]> {
  const forbidsOwn = (await ctx.store.workspace.ownProposals()) === "forbidden";
  const approves: ApprovedByTurningOn[] = [];
  const optedOut = new Set(await findOptedOut(ctx, planned));
  for (const action of planned) {
    if (action.changed !== null || optedOut.has(action.contactId) || (await answersReply(ctx, action))) continue;
    const isOwn = await isOwnProposal(ctx, await authorsOf(ctx, action));
    if (!(isOwn && forbidsOwn)) approves.push({ action, isOwn });
  }
  return approves;
}

/**
 * What is approved is exactly what was read: the same actions, each with the same hash.
 *
 * @throws Problem version_conflict, which names the actions that changed
 */
export async function requireReadActions(
  { store }: Pick<Context, "store">,
  account: SocialnetAccountRow,
  actions: readonly ActionRow[],
  read: Readonly<Record<string, string>>,
): Promise<void> {
  const hashes = await hashAllShown(store, actions, account);
  const changed = [...new Set([...hashes.keys(), ...Object.keys(read)])].filter((id) => hashes.get(id) !== read[id]);
  if (changed.length === 0) return;
  const [which, them] =
    changed.length === 1 ? [`action ${changed[0]} is`, "it"] : [`${changed.length} planned actions are`, "them"];
  throw problem(
    "version_conflict",
    `automation_mode: can't be automatic yet, because ${which} new or changed since you read the list. Review ${them} again.`,
    { extra: { changed_action_ids: changed } },
  );
}
