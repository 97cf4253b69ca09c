import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { mayUse } from "../../core/policy.ts";
import { DAY_MS, iso } from "../../lib/time.ts";
import { givenTime, time } from "../fields.ts";

const WEEK_MS = 7 * DAY_MS;

/** Counting stops here: a digest with more entries is not useful. */
const MAX_NEWS = 5_000;

const SETTINGS = { access: { permission: "administer" }, effect: "read" } as const;

export const getDigest = personOperation({
  name: "get_digest",
  area: "review",
  title: "Tell what happened meanwhile",
  description: `What happened since the member last looked, by kind: on contacts' timelines and, for administrators, in the audit. Among the newest ${MAX_NEWS} of each.`,
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    since: givenTime
      .optional()
      .describe("Default: when the member's visit before this one ended; where there was none, a week ago."),
  }),
  output: z.object({
    since: time,
    first_visit: z.boolean().describe("Whether there was no visit before this one."),
    news: z.array(
      z.object({
        source: z.enum(["activity", "audit"]),
        kind: z.string().describe("An activity's type, or what was done."),
        count: z.int(),
        latest_at: time,
      }),
    ),
  }),
  async handler(ctx, { since }) {
    const before = ctx.actor.kind === "member" ? await ctx.store.members.lastVisit(ctx.actor.id) : null;
    const from = since === undefined ? (before ?? ctx.now - WEEK_MS) : Date.parse(since);
    const rows = await ctx.store.reviewQueue.news(from, MAX_NEWS);
    const administers = mayUse(ctx.actor, SETTINGS);
    const news = rows
      .filter(({ source }) => source === "activity" || administers)
      .map(({ latestAt, ...row }) => ({ ...row, latest_at: iso(latestAt) }));
    return { data: { since: iso(from), first_visit: before === null, news } };
  },
});
