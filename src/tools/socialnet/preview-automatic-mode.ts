import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { pinOf } from "../../services/socialnet/actions.ts";
import { approvedByTurningOn } from "../../services/socialnet/turn-on-automatic.ts";
import { recordId } from "../fields.ts";
import { MAX_READ_ACTIONS } from "./account-schema.ts";

export const previewAutomaticMode = personOperation({
  name: "preview_automatic_mode",
  area: "socialnet",
  title: "Preview automatic mode",
  description:
    "Lists what turning on automatic mode would approve: the account's planned actions, each with its copy_hash " +
    "for update_socialnet_account. These still need review: actions that changed, answers to replies, actions for " +
    "someone who might have opted out, and your own proposals if the workspace forbids approving them.",
  access: { permission: "view" },
  effect: "read",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account") }),
  output: z.object({
    approved_count: z.int().describe("How many planned actions it approves."),
    approved: z
      .array(z.object({ action_id: z.uuid(), copy_hash: z.string() }))
      .describe(`The first ${MAX_READ_ACTIONS} of these actions.`),
    needs_review_count: z.int().describe("How many planned actions still need review."),
  }),
  async handler(ctx, { account_id }) {
    const account = await requireAccount(ctx, account_id);
    const { approves, leaves } = await approvedByTurningOn(ctx, account);
    const approved = approves
      .slice(0, MAX_READ_ACTIONS)
      .map(({ action }) => ({ action_id: action.id, copy_hash: pinOf(action, account) }));
    return { data: { approved_count: approves.length, approved, needs_review_count: leaves } };
  },
});
