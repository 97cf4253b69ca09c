import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { ACTION_STATUSES } from "../../domain/socialnet/action.ts";
import type { ClaimConditions } from "../../domain/socialnet/eligibility.ts";
import { accountOf } from "../../services/socialnet/actions.ts";
import { claimConditions } from "../../services/socialnet/eligibility.ts";
import { recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { PlannedAction, toPlanned } from "./action-schema.ts";

export const listPlannedActions = personOperation({
  name: "list_planned_actions",
  area: "socialnet",
  title: "List actions",
  description:
    "Lists the workspace's actions, newest first, with the exact copy and what blocks each. Filter by account, " +
    "contact or status.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    account_id: recordId("social account").optional(),
    contact_id: recordId("contact").optional(),
    status: z
      .enum(ACTION_STATUSES)
      .optional()
      .describe(
        "Only actions in this status. planned: needs approval. needs_review: started, and its outcome is unknown.",
      ),
    ...pageFields,
  }),
  output: z.array(PlannedAction),
  meta: ListMeta,
  async handler(ctx, { account_id: accountId, contact_id: contactId, status, limit, offset }) {
    const page = { limit, offset };
    const { rows, total } = await ctx.store.socialnetActions.list({ accountId, contactId, status }, page);
    if (rows.length === 0) return { data: [], meta: listMeta(page, 0, total) };
    const byAccount = new Map<string, ClaimConditions>();
    for (const row of rows) {
      if (!byAccount.has(row.accountId))
        byAccount.set(row.accountId, await claimConditions(ctx, await accountOf(ctx, row)));
    }
    const contactIds = rows.map((row) => row.contactId);
    const replies = await ctx.store.activities.lastReplies(contactIds);
    const messages = await ctx.store.conversations.lastIds(contactIds);
    const executed = await ctx.store.socialnetActions.executions(rows.map(({ id }) => id));
    const data = rows.map((row) =>
      toPlanned(row, byAccount.get(row.accountId) as ClaimConditions, {
        reply: replies.get(row.contactId),
        lastMessageId: messages.get(row.contactId),
        executions: executed.get(row.id),
      }),
    );
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
