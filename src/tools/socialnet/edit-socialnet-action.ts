import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { type ActionStatus, COPY_LIMITS, statusesBefore } from "../../domain/socialnet/action.ts";
import { mayApproveOwn } from "../../services/access/own-proposal.ts";
import { requireReadMode } from "../../services/socialnet/accounts.ts";
import {
  accountOf,
  auditAction,
  moveAction,
  NO_APPROVAL,
  NO_LEASE,
  notMovable,
  requireAction,
  requireCopy,
  requireReadAction,
  requireReadHold,
  reviseAction,
} from "../../services/socialnet/actions.ts";
import { approveUnattended, isFromInbox } from "../../services/socialnet/unattended-approval.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { recordId } from "../fields.ts";
import { readAutomationMode } from "./account-schema.ts";
import { PlannedAction, readCopyHash, readHold, showPlanned } from "./action-schema.ts";

const EDITABLE: readonly ActionStatus[] = ["planned", "held", ...statusesBefore("void_approval")];

/** Where an action stays as its copy changes; from elsewhere the edit takes its approval back. */
const STAYS = ["planned", "held"] as const;

export const editSocialnetAction = personOperation({
  name: "edit_socialnet_action",
  area: "socialnet",
  title: "Edit an action",
  description:
    "Changes the exact copy of an action that no agent has started. This voids its approval and any claim of an " +
    "agent. On an automatic account, the new copy is approved, unless the action needs a person's approval. An " +
    "action on hold stays on hold, unless changes were requested: then it needs approval.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["action_not_found", "action_not_movable", "version_conflict"],
  input: z.strictObject({
    action_id: recordId("action"),
    copy: z.string().max(COPY_LIMITS.message).describe("The exact text to send."),
    copy_hash: readCopyHash,
    read_automation_mode: readAutomationMode,
    read_hold: readHold,
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, copy, copy_hash, read_automation_mode, read_hold }) {
    const action = await requireAction(ctx, action_id);
    const account = await accountOf(ctx, action);
    requireReadMode(account, read_automation_mode);
    // Says more than a hash that differs.
    requireReadHold(action, read_hold);
    await requireReadAction(ctx, action, account, copy_hash);
    if (!EDITABLE.includes(action.status)) throw notMovable(action, "hold", "void_approval", "resume");
    requireCopy(action.kind, copy);
    if (copy === action.copy) return { data: await showPlanned(ctx, action) };
    const { socialnetActions } = ctx.store;
    const worded = { copy, editedById: ctx.actor.id, ...NO_APPROVAL };
    let edited: ActionRow | undefined;
    if (action.changeRequestedAt !== null) edited = await reviseAction(ctx, action, copy);
    else if (STAYS.some((status) => status === action.status)) {
      const held = action.status === "held" ? ({ heldFrom: "planned" } as const) : {};
      edited = await socialnetActions.patch(action.id, [action.status], { ...worded, ...held }, ctx.now);
      if (edited !== undefined) await auditAction(ctx, action, edited, "edit");
    } else {
      edited = await moveAction(ctx, action, "void_approval", { ...worded, ...NO_LEASE });
    }
    if (edited === undefined) throw notMovable(action, "hold", "void_approval", "resume");
    // What a person approved, an answer, or what is planned on an automatic account, is left for someone who can approve it.
    const isForPerson = action.approvedBy !== null || (await isFromInbox(ctx, action));
    const needsPerson = action.status === "planned" || (isForPerson && action.changed === null);
    const isLeft = action.changeRequestedAt !== null || (needsPerson && !(await mayApproveOwn(ctx)));
    return { data: await showPlanned(ctx, isLeft ? edited : await approveUnattended(ctx, account, edited)) };
  },
});
