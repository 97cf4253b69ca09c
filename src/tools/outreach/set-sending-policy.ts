import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { pinSenders } from "../../services/outreach/approvals.ts";
import { requireMaySetSender } from "../../services/socialnet/accounts.ts";
import { SendingPolicy, toPolicy } from "../access/workspace-schema.ts";
import { atLeastOne, overlay, timeZone, windows } from "../fields.ts";

export const setSendingPolicy = personOperation({
  name: "set_sending_policy",
  area: "workspaces",
  title: "Set the sending policy",
  description:
    "Sets the workspace's time zone, its sending hours in this time zone, the daily limit and the sender name. Omitted " +
    "fields keep their value. A new workspace can send at any hour, in UTC, without a limit. Changing the sender name voids " +
    "every sequence approval and requires the permission approve_outbound.",
  access: { permission: "administer" },
  effect: "write",
  input: z
    .strictObject({
      time_zone: timeZone.optional(),
      windows: windows.optional(),
      daily_cap: z
        .int()
        .min(1)
        .nullable()
        .optional()
        .describe("The maximum number of emails per day, in the workspace's time zone. Null: no limit."),
      sender_name: z
        .string()
        .max(200)
        .trim()
        .min(1)
        .nullable()
        .optional()
        .describe(
          "The value of {{sender_name}} and the name in the From line. Null: {{sender_name}} has no value, and the From line has the name of the server's sender.",
        ),
    })
    .refine(...atLeastOne(["time_zone", "windows", "daily_cap", "sender_name"])),
  output: SendingPolicy,
  async handler(ctx, given) {
    const before = toPolicy(await ctx.store.workspace.sendingPolicy());
    const after = overlay(before, given);
    const renamed = before.sender_name !== after.sender_name;
    if (renamed) requireMaySetSender(ctx, "sender_name");
    if (!isDeepStrictEqual(before, after)) {
      await ctx.store.workspace.setSendingPolicy({
        timeZone: after.time_zone,
        windows: after.windows,
        dailyCap: after.daily_cap,
        senderName: after.sender_name,
      });
      await ctx.store.enrollments.hasten(ctx.now);
      const voided = renamed ? { voided_approvals: await pinSenders(ctx) } : {};
      await ctx.audit({ recordId: ctx.workspaceId, before, after: { ...after, ...voided } });
    }
    return { data: after, record: ctx.workspaceId };
  },
});
