import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import { isSuppressed } from "../../services/outreach/suppression.ts";
import {
  accountOf,
  authorsOf,
  moveAction,
  notMovable,
  requireAction,
  requireReadAction,
} from "../../services/socialnet/actions.ts";
import { recordId } from "../fields.ts";
import { PlannedAction, readCopyHash, showPlanned } from "./action-schema.ts";

export const approveSocialnetAction = personOperation({
  name: "approve_socialnet_action",
  area: "socialnet",
  title: "Approve an action",
  description:
    "Allows the account's agent to execute the action once, with this copy, recipient and sender. If one of them " +
    "changes, the approval is void. If you send the copy_hash that you read, the call is refused if the action has " +
    "changed or the contact has replied since.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: ["action_not_found", "action_not_movable", "version_conflict", "contact_suppressed", "own_proposal"],
  input: z.strictObject({
    action_id: recordId("action"),
    copy_hash: readCopyHash,
    note: z.string().max(500).trim().min(1).optional().describe("The reason, for the history."),
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, copy_hash, note }) {
    const action = await requireAction(ctx, action_id);
    if (action.status !== "planned") throw notMovable(action, "approve");
    await requireReadAction(ctx, action, await accountOf(ctx, action), copy_hash);
    const record = await ctx.store.contacts.find(action.contactId);
    const { socialnet_url: profile = null, email = null } = record?.contact ?? {};
    if (await isSuppressed(ctx.store, email)) throw problem("contact_suppressed");
    if (profile === null || profileKey(profile) === null) {
      throw problem(
        "validation_failed",
        "action_id: the contact of this action has no profile URL. Set the contact's socialnet_url first.",
      );
    }
    // The address that every reading of the action shows is approved, unless the contact has another profile by now.
    const isSame = profileKey(profile) === profileKey(action.recipientUrl);
    if (copy_hash !== undefined && !isSame) {
      throw problem(
        "version_conflict",
        "copy_hash: the contact's profile has changed since you read it. Review the action again.",
      );
    }
    const own = await checkOwnProposal(ctx, await authorsOf(ctx, action));
    const recipientUrl = isSame ? action.recipientUrl : profile;
    const approval = { approvedBy: ctx.actor.name, approvedAt: ctx.now, recipientUrl, changed: null };
    const approved = await moveAction(ctx, action, "approve", { ...approval, note: note ?? null }, {}, own);
    if (approved === undefined) throw notMovable(action, "approve");
    return { data: await showPlanned(ctx, approved) };
  },
});
