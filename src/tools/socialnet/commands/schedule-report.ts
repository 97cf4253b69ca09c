import { z } from "zod";
import { recurrenceFault } from "../../../domain/socialnet/recurrence.ts";
import { isTimeZone } from "../../../domain/time/calendar.ts";
import { iso } from "../../../lib/time.ts";
import { time } from "../../fields.ts";
import { defineCommand, fields } from "./shared.ts";

const schedule = z.strictObject({
  label: z.string().max(80).trim().min(1),
  rrule: z
    .string()
    .min(6)
    .max(300)
    .superRefine((text, check) => {
      const fault = recurrenceFault(text);
      if (fault !== undefined) check.addIssue({ code: "custom", message: fault });
    })
    .describe("An RFC 5545 rule: FREQ=DAILY;BYHOUR=9."),
  timezone: z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, "is not an IANA time zone. Use a name such as Europe/Berlin or UTC")
    .describe("An IANA time zone: Europe/Berlin."),
  nextRunAt: fields.time.optional(),
});

/** A schedule as it was reported. */
export const ReportedSchedule = z.object({ ...schedule.shape, nextRunAt: time.nullable() });

export const scheduleReport = defineCommand({
  name: "schedule_report",
  does: "Reports when you run. It replaces what you reported before. rrule is an RFC 5545 rule.",
  next: "Nothing more. Report again when your schedule changes.",
  takes: {
    schedules: z.array(schedule).max(12),
    checkInMinutes: z.int().min(5).max(1_440).describe("How often you check in."),
  },
  answers: z.object({
    schedules: z.array(ReportedSchedule),
    checkInMinutes: z.int(),
    reportedAt: time,
    changed: z.boolean(),
  }),
  example: {
    schedules: [
      { label: "Morning round", rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", timezone: "Europe/Berlin" },
    ],
    checkInMinutes: 60,
  },
  async handler(ctx, account, { schedules: given, checkInMinutes }) {
    const schedules = given.map(({ nextRunAt, ...rest }) => ({
      ...rest,
      nextRunAt: nextRunAt === undefined ? null : iso(Date.parse(nextRunAt)),
    }));
    const rules = (of: typeof schedules | null) =>
      JSON.stringify(of?.map(({ label, rrule, timezone }) => [label, rrule, timezone]));
    const changed = rules(schedules) !== rules(account.schedules) || checkInMinutes !== account.checkInMinutes;
    await ctx.store.socialnetAccounts.setState(account.id, { schedules, checkInMinutes, schedulesAt: ctx.now });
    if (changed) {
      const about = { account_id: account.id, account_label: account.label };
      await ctx.emit("socialnet.schedule.changed", { ...about, changed: ["schedules"] });
    }
    return { schedules, checkInMinutes, reportedAt: iso(ctx.now), changed };
  },
});
