import { z } from "zod";
import type { Standing } from "../../domain/claimability.ts";
import { ACTION_STATUSES } from "../../domain/socialnet-action.ts";
import { personOperation } from "../../operation.ts";
import { standingOf } from "../../rules/standing.ts";
import { recordId } from "../ids.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { PlannedAction, toPlanned } from "./action-schema.ts";
import { accountOf } from "./person-actions.ts";

export const listPlannedActions = personOperation({
  name: "list_planned_actions",
  area: "socialnet",
  title: "List the ledger of socialnet actions",
  description:
    "The actions of the workspace, newest first: of an account, a contact, in a status, or all. Each with the exact copy, and what blocks it.",
  access: { permission: "view" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject({
    account_id: recordId("socialnet account").optional(),
    contact_id: recordId("contact").optional(),
    status: z.enum(ACTION_STATUSES).optional().describe("Only those in this status."),
    ...pageFields,
  }),
  output: z.array(PlannedAction),
  meta: ListMeta,
  async handler(ctx, { account_id: accountId, contact_id: contactId, status, limit, offset }) {
    const page = { limit, offset };
    const { rows, total } = await ctx.store.socialnetActions.list({ accountId, contactId, status }, page);
    const standings = new Map<string, Standing>();
    for (const row of rows) {
      if (!standings.has(row.accountId)) standings.set(row.accountId, await standingOf(ctx, await accountOf(ctx, row)));
    }
    const data = rows.map((row) => toPlanned(row, standings.get(row.accountId) as Standing));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
