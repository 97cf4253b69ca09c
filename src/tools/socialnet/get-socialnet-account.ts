import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { countClaimable } from "../../domain/socialnet/eligibility.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { requireAccount } from "../../services/socialnet/accounts.ts";
import { claimConditions } from "../../services/socialnet/eligibility.ts";
import { recordId, time } from "../fields.ts";
import { ReconnectRequest, SocialnetAccount, toAccount, toRequest } from "./account-schema.ts";
import { healthObservation } from "./commands/health-observation.ts";
import { runReport } from "./commands/run-report.ts";

const RUNS = 20;
const MEASUREMENTS = 60;

export const getSocialnetAccount = personOperation({
  name: "get_socialnet_account",
  area: "socialnet",
  title: "Get a social account",
  description:
    "Reads an account: its settings, sending hours, remaining limits, number of claimable actions and open sign-in " +
    "request. Also reads the schedules, latest runs and latest measurements that its agents reported, newest first.",
  access: { permission: "view" },
  effect: "read",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({ account_id: recordId("social account") }),
  output: SocialnetAccount.extend({
    execution_activated: z.boolean(),
    mcp_url: z.string().describe("The URL that its agent connects to."),
    window: z.object({ open: z.boolean(), opens_at: time.nullable(), closes_at: time.nullable() }),
    remaining: z.object({ connection_requests: z.int(), messages: z.int(), plan_month: z.int().nullable() }),
    started_today: z.object({ connection_requests: z.int(), messages: z.int() }),
    approved: z.int().describe("Approved actions that no agent has claimed."),
    claimable: z.int(),
    reconnect: ReconnectRequest.nullable().describe("The open sign-in request."),
    last_reconnect: ReconnectRequest.nullable().describe("The newest sign-in request, open or resolved."),
    schedules: z.array(
      z.object({ label: z.string(), rrule: z.string(), timezone: z.string(), next_run_at: time.nullable() }),
    ),
    check_in_minutes: z.int().nullable(),
    schedules_at: time.nullable(),
    runs: z.array(runReport.answers),
    health: z.array(healthObservation.answers),
  }),
  async handler(ctx, { account_id: id }) {
    const account = await requireAccount(ctx, id);
    const { socialnetAccounts, socialnetActions, socialnetReports } = ctx.store;
    const conditions = await claimConditions(ctx, account);
    const request = await socialnetAccounts.openReconnect(id);
    const last = await socialnetAccounts.lastReconnect(id);
    const waiting = await socialnetActions.waiting(id);
    return {
      data: {
        ...toAccount(account, ctx.now),
        execution_activated: conditions.activated,
        mcp_url: ctx.pageUrl("/api/v1/mcp"),
        window: {
          open: conditions.opening.open,
          opens_at: isoOrNull(conditions.opening.opensAt),
          closes_at: isoOrNull(conditions.opening.closesAt),
        },
        remaining: {
          connection_requests: conditions.remaining.connection_request,
          messages: conditions.remaining.message,
          plan_month: conditions.planRemaining,
        },
        started_today: {
          connection_requests: conditions.started.connection_request,
          messages: conditions.started.message,
        },
        approved: waiting.reduce((sum, { count }) => sum + count, 0),
        claimable: countClaimable(waiting, conditions),
        reconnect: request === undefined ? null : toRequest(request),
        last_reconnect: last === undefined ? null : toRequest(last),
        schedules: (account.schedules ?? []).map(({ nextRunAt, ...rest }) => ({ ...rest, next_run_at: nextRunAt })),
        check_in_minutes: account.checkInMinutes,
        schedules_at: account.schedulesAt === null ? null : iso(account.schedulesAt),
        runs: (await socialnetReports.runs(id, RUNS)).map((text) => JSON.parse(text)),
        health: (await socialnetReports.health(id, MEASUREMENTS)).map((text) => JSON.parse(text)),
      },
    };
  },
});
