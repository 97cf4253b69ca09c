import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { MAX_READ_ACTIONS } from "../../domain/socialnet/account.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { approvedByTurningOn } from "../../services/socialnet/turn-on-automatic.ts";
import { recordId } from "../fields.ts";
import { DecidableAction, showDecidable } from "./action-schema.ts";

export const previewAutomaticMode = personOperation({
  name: "preview_automatic_mode",
  area: "socialnet",
  title: "Preview automatic mode",
  description:
    "Lists what turning on automatic mode would approve: the account's planned actions in full, each with its " +
    "copy_hash for update_socialnet_account. These still need approval: actions that changed, answers from the Inbox, " +
    "actions that members planned or edited for contacts who have replied, actions for contacts who might have opted " +
    "out, and your own proposals if the workspace forbids approving them. If more than " +
    `${MAX_READ_ACTIONS} actions are planned, it lists none.`,
  access: { permission: "view" },
  effect: "read",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account") }),
  output: z.object({
    planned_count: z.int().describe("How many actions of the account are planned."),
    approved: z
      .array(DecidableAction)
      .describe(
        `The actions that automatic mode would approve. Empty if more than ${MAX_READ_ACTIONS} actions are planned.`,
      ),
    needs_review_count: z
      .int()
      .nullable()
      .describe(
        `How many planned actions would still need approval. Null if more than ${MAX_READ_ACTIONS} are planned.`,
      ),
  }),
  async handler(ctx, { account_id }) {
    await requireAccount(ctx, account_id);
    const planned = { accountId: account_id, status: "planned" } as const;
    const { rows, total } = await ctx.store.socialnetActions.list(planned, { limit: MAX_READ_ACTIONS, offset: 0 });
    if (total > MAX_READ_ACTIONS) {
      return { data: { planned_count: total, approved: [], needs_review_count: null } };
    }
    const approves = await approvedByTurningOn(ctx, rows);
    const approved = await Promise.all(approves.map(({ action }) => showDecidable(ctx, action)));
    return { data: { planned_count: total, approved, needs_review_count: total - approved.length } };
  },
});
