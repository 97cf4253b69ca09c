import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import { requireReadMode } from "../../services/socialnet/accounts.ts";
import {
  accountOf,
  authorsOf,
  moveAction,
  notMovable,
  requireAction,
  requireReadAction,
  requireReadHold,
} from "../../services/socialnet/actions.ts";
import { approveUnattended, voidUnattended } from "../../services/socialnet/unattended-approval.ts";
import { recordId } from "../fields.ts";
import { readAutomationMode } from "./account-schema.ts";
import { note, PlannedAction, readCopyHash, readHold, showPlanned } from "./action-schema.ts";

export const releaseSocialnetAction = personOperation({
  name: "release_socialnet_action",
  area: "socialnet",
  title: "Release an action",
  description:
    "Releases an action on hold. If it was approved before the hold, it stays approved, unless the server put it on hold or its copy " +
    "was edited since. On an automatic account, releasing an action that has no approval also approves it. This " +
    "requires the permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["action_not_found", "action_not_movable", "version_conflict", "own_proposal"],
  input: z.strictObject({
    action_id: recordId("action"),
    copy_hash: readCopyHash,
    read_automation_mode: readAutomationMode,
    read_hold: readHold,
    note,
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, copy_hash, read_automation_mode, read_hold, note: why = null }) {
    const action = await requireAction(ctx, action_id);
    const account = await accountOf(ctx, action);
    requireReadMode(account, read_automation_mode);
    // Says more than a hash that differs.
    requireReadHold(action, read_hold);
    await requireReadAction(ctx, action, account, copy_hash);
    const approved = action.heldFrom === "approved";
    const approves = action.status === "held" && !approved && account.automationMode === "automatic";
    if (approves && !mayApprove(ctx.actor)) {
      throw problem(
        "insufficient_scope",
        "action_id: can be released only by teammates with approve_outbound, because its account is automatic and the " +
          "release approves the action. Ask one of them.",
      );
    }
    const own = approves ? await checkOwnProposal(ctx, await authorsOf(ctx, action)) : {};
    const seen = approves ? ({ changed: null } as const) : {};
    const patch = { ...seen, heldFrom: null, note: why };
    const released = await moveAction(ctx, action, approved ? "resume" : "release", patch, {}, own);
    if (released === undefined) throw notMovable(action, "release", "resume");
    await voidUnattended(ctx, account, await approveUnattended(ctx, account, released));
    return { data: await showPlanned(ctx, released) };
  },
});
