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
  title: "Get recent changes",
  description:
    "Counts what happened since the member's previous visit, by kind: entries of contacts' timelines and, for admins, " +
    `of the audit log. Covers the newest ${MAX_NEWS.toLocaleString("en")} entries of each.`,
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    since: givenTime
      .optional()
      .describe("Default: when the member's previous visit ended, or a week ago if there was none."),
  }),
  output: z.object({
    since: time,
    first_visit: z.boolean().describe("Whether this is the member's first visit."),
    news: z.array(
      z.object({
        source: z.enum(["activity", "audit"]),
        kind: z.string().describe("An activity's type, or an operation."),
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
