import { z } from "zod";
import { recurrenceFault } from "../../../domain/socialnet/recurrence.ts";
import { isTimeZone } from "../../../domain/time/calendar.ts";
import { iso } from "../../../lib/time.ts";
import { time } from "../../fields.ts";
import { defineCommand, fields } from "./shared.ts";

const schedule = z.strictObject({
  label: z.string().trim().min(1).max(80).describe("What the run is for."),
  rrule: z
    .string()
    .min(6)
    .max(300)
    .superRefine((text, check) => {
      const fault = recurrenceFault(text);
      if (fault !== undefined) check.addIssue({ code: "custom", message: fault });
    })
    .describe("When it recurs: a rule of RFC 5545, with or without RRULE: before it."),
  timezone: z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, "is not a time zone of the IANA database, spelled as there: Europe/Berlin, or UTC")
    .describe("The IANA name of the zone that the rule is meant in."),
  nextRunAt: fields.time.optional().describe("When it runs next."),
});

export const scheduleReport = defineCommand({
  name: "schedule_report",
  does: "Tells when the agent looks in by itself, in place of what it told before.",
  takes: {
    schedules: z.array(schedule).max(12).describe("The agent's own schedules, at most 12."),
    checkInMinutes: z.int().min(5).max(1_440).describe("How often it looks in, in minutes."),
  },
  answers: z.object({
    schedules: z.array(z.object({ ...schedule.shape, nextRunAt: time.nullable() })),
    checkInMinutes: z.int(),
    reportedAt: time,
    changed: z.boolean(),
  }),
  example: {
    takes: {
      schedules: [
        { label: "Morning round", rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9", timezone: "Europe/Berlin" },
      ],
      checkInMinutes: 60,
    },
    answers: {
      schedules: [
        {
          label: "Morning round",
          rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9",
          timezone: "Europe/Berlin",
          nextRunAt: null,
        },
      ],
      checkInMinutes: 60,
      reportedAt: "2026-11-20T09:00:00.000Z",
      changed: true,
    },
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
