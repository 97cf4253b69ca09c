import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import {
  accountOf,
  approveUnattended,
  hasChanged,
  moveAction,
  notMovable,
  pinOf,
  requireAction,
  voidUnattended,
} from "../../services/socialnet/actions.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, showPlanned } from "./action-schema.ts";

export const releaseSocialnetAction = personOperation({
  name: "release_socialnet_action",
  area: "socialnet",
  title: "Release a held socialnet action",
  description:
    "Puts a held action back to where it was: approved stays approved. One that a reply set aside, or whose copy was edited meanwhile, goes back to be approved. On an automatic account, one without an approval is approved by this: that needs the permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["action_not_found", "action_not_movable", "version_conflict", "own_proposal"],
  input: z.strictObject({
    action_id: recordId("action"),
    copy_hash: z.string().max(64).optional().describe("Of what was read; left out, what is there now is meant."),
    note,
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, copy_hash, note: why = null }) {
    const action = await requireAction(ctx, action_id);
    // On an automatic account a release approves.
    if (copy_hash !== undefined && copy_hash !== pinOf(action, await accountOf(ctx, action))) {
      throw problem("version_conflict");
    }
    const own = await requireMayRelease(ctx, action);
    const approved = action.heldFrom === "approved";
    const move = approved ? "resume" : "release";
    const released = await moveAction(ctx, action, move, { heldFrom: null, note: why }, {}, own);
    if (released === undefined) throw notMovable(action, "release", "resume");
    const account = await accountOf(ctx, released);
    await voidUnattended(ctx, account, await approveUnattended(ctx, account, released));
    return { data: await showPlanned(ctx, released) };
  },
});

/**
 * On an automatic account a release approves what has no approval: its recipient changed, or its approval was withdrawn.
 *
 * @returns what the audit records
 * @throws Problem insufficient_scope, own_proposal
 */
async function requireMayRelease(ctx: Context, action: ActionRow): Promise<{ own_proposal?: true }> {
  if (action.heldFrom === "approved" && !hasChanged(action)) return {};
  if ((await accountOf(ctx, action)).automationMode !== "automatic") return {};
  if (mayApprove(ctx.actor)) {
    return action.status === "held" ? checkOwnProposal(ctx, [action.plannedById, action.editedById]) : {};
  }
  throw problem(
    "insufficient_scope",
    "action_id: it has no approval, and this account is automatic. Releasing it approves it, which needs the permission approve_outbound.",
  );
}
