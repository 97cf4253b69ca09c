import { z } from "zod";
import { profileKey } from "../../domain/contact.ts";
import { AUTOMATION_MODES, DEFAULT_DAILY_LIMITS } from "../../domain/socialnet-account.ts";
import { personOperation } from "../../operation.ts";
import { timeZone, windows } from "../window.ts";
import { SocialnetAccount, toAccount } from "./schema.ts";

const limit = (of: string, otherwise: number) => z.int().min(0).max(1_000).default(otherwise).describe(`${of} a day.`);

export const createSocialnetAccount = personOperation({
  name: "create_socialnet_account",
  area: "socialnet",
  title: "Add a socialnet account",
  description:
    "Adds a sender: a person's account on the social network, which an agent acts for in its own browser session. " +
    "Unless told otherwise a person approves each action, it may act at any time, and daily limits are cautious.",
  access: { permission: "administer" },
  effect: "write",
  gates: ["billing"],
  errors: [],
  input: z.strictObject({
    label: z.string().trim().min(1).max(200).describe("What the team calls the account; events carry it."),
    profile_url: z
      .string()
      .trim()
      .max(500)
      .refine((url) => profileKey(url) !== null, "is not the address of a profile")
      .describe("The sender's own profile on the social network."),
    automation_mode: z
      .enum(AUTOMATION_MODES)
      .default("approve_each")
      .describe("off: nothing; approve_each: what a person approved; automatic: whatever an approved sequence plans."),
    time_zone: timeZone.default("UTC"),
    windows: windows.default([]),
    daily_limits: z
      .strictObject({
        connection_requests: limit("Connection requests", DEFAULT_DAILY_LIMITS.connection_requests),
        messages: limit("Messages", DEFAULT_DAILY_LIMITS.messages),
      })
      .default(DEFAULT_DAILY_LIMITS)
      .describe("What may be done in a day of the account's time zone."),
  }),
  output: SocialnetAccount,
  async handler(ctx, { label, profile_url, automation_mode, time_zone, windows, daily_limits }) {
    const row = {
      id: ctx.newId(),
      label,
      profileUrl: profile_url,
      automationMode: automation_mode,
      timeZone: time_zone,
      windows,
      dailyConnectionRequests: daily_limits.connection_requests,
      dailyMessages: daily_limits.messages,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
    await ctx.store.socialnetAccounts.insert(row);
    const after = toAccount(row);
    await ctx.audit({ recordId: row.id, before: null, after });
    return { data: after };
  },
});
