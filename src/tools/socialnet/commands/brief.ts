import { z } from "zod";
import { countClaimable } from "../../../domain/socialnet/eligibility.ts";
import { isoOrNull } from "../../../lib/time.ts";
import {
  claimConditions,
  HOLD_REASONS,
  holdsOn,
  NOT_CLAIMABLE,
  whyNoneClaimable,
} from "../../../services/socialnet/eligibility.ts";
import { time, windows } from "../../fields.ts";
import { ReportedSchedule } from "./schedule-report.ts";
import {
  AgentAccount,
  defineCommand,
  Health,
  Instructions,
  Reconnect,
  showAccount,
  showHealth,
  showInstructions,
  showReconnect,
  subscribable,
} from "./shared.ts";

export const brief = defineCommand({
  name: "brief",
  does:
    "What you need at the start of a run: the account, how many actions you can claim or why none, limits left, sending " +
    "hours, reported schedules, holds, an open reconnect request, your instructions.",
  next:
    "If reconnect is open, call reconnect_ack. Report new replies with sync. If claimable is above 0, call " +
    "list_socialnet_actions with status approved, and claim the first without blockedBy. Otherwise tell your user what " +
    "notClaimable says, and end the run.",
  takes: {},
  reads: true,
  answers: z.object({
    account: AgentAccount,
    windows: z.object({
      timeZone: z.string(),
      open: z.boolean(),
      opensAt: time.nullable(),
      rules: windows,
    }),
    schedules: z.array(ReportedSchedule).describe("What schedule_report last reported for this account."),
    checkInMinutes: z.int().nullable().describe("How often its agent checks in. Null: not reported."),
    remaining: z.object({
      connectionRequests: z.int(),
      messages: z.int(),
      planMonth: z.int().nullable().describe("Remaining starts this month. Null: no limit."),
    }),
    executionActivated: z.boolean().describe("Whether this server allows claim and start."),
    claimable: z.int().describe("How many actions you can claim now, one after the other."),
    notClaimable: z
      .array(z.object({ reason: z.enum(NOT_CLAIMABLE), nextWindowAt: time.nullable(), fix: z.string() }))
      .describe(
        "Why claimable is 0. Empty if it is not. fix: who can change it. nextWindowAt: when to look again; null: time alone doesn't help.",
      ),
    holds: z
      .array(z.object({ reason: z.enum(HOLD_REASONS), until: time.nullable(), fix: z.string() }))
      .describe(
        "What stops all sending now: the server's closed outbound gate, a paused workspace, a hold on the account. fix: who can end it.",
      ),
    reconnect: Reconnect,
    events: z.array(z.string()).describe("The events that this key can subscribe to."),
    health: Health,
    instructions: Instructions,
  }),
  example: {},
  async handler(ctx, account) {
    const conditions = await claimConditions(ctx, account);
    const { socialnetAccounts, socialnetActions } = ctx.store;
    const waiting = await socialnetActions.waiting(account.id);
    return {
      account: showAccount(account, ctx.now),
      windows: {
        timeZone: account.timeZone,
        open: conditions.opening.open,
        opensAt: isoOrNull(conditions.opening.opensAt),
        rules: account.windows,
      },
      schedules: account.schedules ?? [],
      checkInMinutes: account.checkInMinutes,
      remaining: {
        connectionRequests: conditions.remaining.connection_request,
        messages: conditions.remaining.message,
        planMonth: conditions.planRemaining,
      },
      executionActivated: conditions.activated,
      claimable: countClaimable(waiting, conditions),
      notClaimable: whyNoneClaimable(account, waiting, conditions).map(({ nextAt, ...why }) => ({
        ...why,
        nextWindowAt: isoOrNull(nextAt),
      })),
      holds: holdsOn(account, conditions).map((hold) => ({ ...hold, until: isoOrNull(hold.until) })),
      reconnect: showReconnect(await socialnetAccounts.openReconnect(account.id)),
      events: subscribable(ctx.actor),
      health: await showHealth(ctx, account.id),
      instructions: showInstructions(ctx.options.instructionsVersion),
    };
  },
});
