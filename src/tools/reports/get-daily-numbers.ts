import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { type ActivityType, REPLIES } from "../../domain/contacts/activity.ts";
import { lastDays } from "../../domain/time/calendar.ts";

/** What a team looks at each day, and the entries of timelines that it is counted from. */
const NUMBERS = {
  emails_sent: ["email_sent"],
  agent_actions: ["socialnet_connection_sent", "socialnet_message_sent"],
  replies: REPLIES,
  meetings_booked: ["meeting_booked"],
  bounces: ["email_bounced"],
} as const satisfies Record<string, readonly ActivityType[]>;

const DAYS = 14;

export const getDailyNumbers = personOperation({
  name: "get_daily_numbers",
  area: "review",
  title: "Get daily numbers",
  description:
    `Counts emails sent, agents' actions, replies, meetings booked and bounces on each of the last ${DAYS} days, oldest ` +
    "first. The last day is today. Days begin at midnight in the workspace's time zone.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    time_zone: z.string(),
    days: z.array(
      z.object({
        date: z.iso.date(),
        emails_sent: z.int().describe("Emails of sequences and answers to replies."),
        agent_actions: z.int().describe("Connection requests and messages that agents sent."),
        replies: z.int().describe("By email and on the professional network, without automatic replies."),
        meetings_booked: z.int(),
        bounces: z.int(),
      }),
    ),
  }),
  async handler({ store, now }) {
    const { timeZone } = await store.workspace.sendingPolicy();
    const days = [];
    for (const { date, from, to } of lastDays(now, timeZone, DAYS)) {
      const counts = await store.activities.counts(from, to);
      const sum = (types: readonly ActivityType[]) => types.reduce((all, type) => all + (counts.get(type) ?? 0), 0);
      const numbers = Object.entries(NUMBERS).map(([name, types]) => [name, sum(types)]);
      days.push({ date, ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>) });
    }
    return { data: { time_zone: timeZone, days } };
  },
});
