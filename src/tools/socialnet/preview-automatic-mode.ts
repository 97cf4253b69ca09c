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
    "Lists the planned actions that turning on automatic mode would approve. Each has its full text and the " +
    "copy_hash to send to update_socialnet_account. Actions that need a person's approval even on an automatic " +
    `account are not listed. If more than ${MAX_READ_ACTIONS} actions are planned, the list is empty.`,
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
