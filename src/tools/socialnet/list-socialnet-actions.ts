import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { ACTION_STATUSES } from "../../domain/socialnet/action.ts";
import { accountOfAgent, claimConditions } from "../../services/socialnet/eligibility.ts";
import { ListMeta, listMeta } from "../page.ts";
import { COMPACT_ACTION, SocialnetAction, toAction } from "./action-schema.ts";

const PAGE = 25;

export const listSocialnetActions = agentOperation({
  name: "list_socialnet_actions",
  area: "socialnet",
  title: "List the agent's actions",
  description:
    "Lists the actions of this key's social account, newest first, 25 a page, each with kind " +
    "(connection_request or message), recipient and exact copy. Use status approved to find the next one to " +
    "claim. A listed action is not permission to send: claim and start it with socialnet_command first. Without " +
    "an account, the list is empty. Archived contacts are not listed.",
  access: { scope: "socialnet.read" },
  http: { method: "GET", path: "/socialnet/actions", statuses: [200] },
  tool: { annotations: READ_ONLY, compact: COMPACT_ACTION },
  budget: "write",
  idempotent: false,
  effect: "read",
  input: z.strictObject({
    status: z.enum(ACTION_STATUSES).optional().describe("Only actions in this status. needs_review: outcome unknown."),
    offset: z.int().min(0).default(0).describe("Rows to skip."),
  }),
  output: z.array(SocialnetAction),
  meta: ListMeta,
  async handler(ctx, { status, offset }) {
    const page = { limit: PAGE, offset };
    const account = await accountOfAgent(ctx);
    if (account === undefined) return { data: [], meta: listMeta(page, 0, 0) };
    const { rows, total } = await ctx.store.socialnetActions.list({ accountId: account.id, status, live: true }, page);
    const conditions = await claimConditions(ctx, account);
    return { data: rows.map((row) => toAction(row, conditions)), meta: listMeta(page, rows.length, total) };
  },
});
