import { z } from "zod";
import { countClaimable } from "../../../domain/socialnet/eligibility.ts";
import { isoOrNull } from "../../../lib/time.ts";
import { claimConditions, HOLD_REASONS, holdsOn } from "../../../services/socialnet/eligibility.ts";
import { AGENT_INSTRUCTIONS } from "../../../services/socialnet/instructions.ts";
import { time, windows } from "../../fields.ts";
import {
  AgentAccount,
  defineCommand,
  Health,
  Instructions,
  Reconnect,
  showAccount,
  showHealth,
  showReconnect,
  subscribable,
} from "./shared.ts";

export const brief = defineCommand({
  name: "brief",
  does: "Everything that an agent needs when it wakes: account, windows, what is left of the limits, how much can be claimed, open requests, instructions.",
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
    remaining: z.object({
      connectionRequests: z.int(),
      messages: z.int(),
      planMonth: z.int().nullable().describe("Null where the plan sets no limit."),
    }),
    claimable: z.int(),
    holds: z
      .array(z.object({ reason: z.enum(HOLD_REASONS), until: time.nullable(), fix: z.string() }))
      .describe("What stops every action now: a pause of the workspace, a hold of the account. fix: who can end it."),
    reconnect: Reconnect,
    events: z.array(z.string()),
    health: Health,
    instructions: Instructions,
  }),
  example: {
    takes: {},
    answers: {
      account: {
        id: "0193a1f0-7c1e-7b0a-9f3e-2d6c5b4a3f21",
        label: "Ada",
        profileUrl: "https://socialnet.example/in/ada",
        automationMode: "approve_each",
        timeZone: "Europe/Berlin",
        session: "ready",
        sessionAt: "2026-11-20T08:58:00.000Z",
        held: null,
      },
      windows: { timeZone: "Europe/Berlin", open: true, opensAt: null, rules: [] },
      remaining: { connectionRequests: 18, messages: 40, planMonth: null },
      claimable: 3,
      holds: [],
      reconnect: null,
      events: ["socialnet.work.available"],
      health: null,
      instructions: { version: "3f2a9c1d5e70", text: "…" },
    },
  },
  async handler(ctx, account) {
    const conditions = await claimConditions(ctx, account);
    const { socialnetAccounts, socialnetActions } = ctx.store;
    return {
      account: showAccount(account, ctx.now),
      windows: {
        timeZone: account.timeZone,
        open: conditions.opening.open,
        opensAt: isoOrNull(conditions.opening.opensAt),
        rules: account.windows,
      },
      remaining: {
        connectionRequests: conditions.remaining.connection_request,
        messages: conditions.remaining.message,
        planMonth: conditions.planRemaining,
      },
      claimable: countClaimable(await socialnetActions.waiting(account.id), conditions),
      holds: holdsOn(account, conditions).map((hold) => ({ ...hold, until: isoOrNull(hold.until) })),
      reconnect: showReconnect(await socialnetAccounts.openReconnect(account.id)),
      events: subscribable(ctx.actor),
      health: await showHealth(ctx, account.id),
      instructions: AGENT_INSTRUCTIONS,
    };
  },
});
