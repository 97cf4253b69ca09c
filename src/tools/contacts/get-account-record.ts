import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { isoOrNull } from "../../lib/time.ts";
import { LOOKED_AT } from "../../store/contacts.ts";
import { recordId, time } from "../fields.ts";
import { cursor } from "../page.ts";
import { AccountView, gatherAccount } from "./brain-account.ts";
import { BrainEnrollments } from "./brain-schema.ts";
import { ActionsToReview, withPlanners } from "./brain-view.ts";
import { Activity, Contact } from "./contact-schema.ts";
import { ActorNames, authorsOf, ConfirmedMeetings, confirmedDuring, namesOf } from "./timeline-page.ts";

const TIMELINE_ENTRIES = 25;
const MAX_UNLINKED = 25;
/** Contacts on the do-not-contact list that are named. */
const MAX_NAMED = 5;

const orNull = z.string().nullable();
const Named = z.object({ first_name: orNull, last_name: orNull, email: orNull });

const { activities: _, ...shared } = AccountView.shape;

export const getAccountRecord = personOperation({
  name: "get_account_record",
  area: "accounts",
  title: "Get an account's record",
  description:
    "Reads everything that an account's page shows: the record, its contacts, their deals, enrollments and " +
    "social-network actions, and a page of their timelines. The counts per stage cover all contacts. Everything " +
    `else covers the ${LOOKED_AT} contacts that were updated last.`,
  access: { permission: "view" },
  effect: "read",
  errors: ["account_not_found"],
  input: z.strictObject({ id: recordId("account"), before: cursor.optional() }),
  output: z.object({
    ...shared,
    enrollments: z.array(
      BrainEnrollments.element.extend({
        contact_id: z.uuid(),
        last_reply_at: time.nullable().describe("When the contact last replied."),
      }),
    ),
    suppressed_ids: z
      .array(z.uuid())
      .describe(`Of the contacts that the lists cover, the first ${MAX_NAMED} that are on the do-not-contact list.`),
    actions: ActionsToReview,
    timeline: z.array(Activity).describe("Entries of the covered contacts, newest first."),
    older: z.string().nullable().describe('To get older entries, send this value as "before". Null at the end.'),
    confirmed_meetings: ConfirmedMeetings,
    covered: z.int().min(0).describe("How many contacts the timeline covers."),
    contact_names: z
      .record(z.string(), Named)
      .describe(
        "Names, by id, of the contacts in the timeline, deals, enrollments and actions, and of suppressed_ids.",
      ),
    actor_names: ActorNames,
    unlinked: z
      .array(Contact)
      .describe(`Of the ${MAX_UNLINKED} newest contacts with this company's name, those without an account.`),
  }),
  async handler(ctx, { id, before }) {
    const account = await ctx.store.accounts.find(id);
    if (account === undefined) throw problem("account_not_found");
    const { ids, view: known, enrolledIds } = await gatherAccount(ctx, account);
    const replies = await ctx.store.activities.lastReplies(enrolledIds);
    const enrollments = known.enrollments.map((enrollment, i) => {
      const contact_id = enrolledIds[i] as string;
      return { ...enrollment, contact_id, last_reply_at: isoOrNull(replies.get(contact_id)?.at ?? null) };
    });
    const suppressed = known.suppressed === 0 ? [] : await ctx.store.suppressions.among([...ids]);
    const suppressed_ids = suppressed.slice(0, MAX_NAMED);
    const position = before === undefined ? null : Number.parseInt(before, 10);
    const { rows: timeline, next } = await ctx.store.brain.timeline(ids, { limit: TIMELINE_ENTRIES, before: position });
    const confirmed = await confirmedDuring(ctx, ids, { before: position, rows: timeline, next });
    const listed = [...timeline, ...confirmed, ...known.deals, ...enrollments, ...known.actions];
    const shown = [...listed.map(({ contact_id }) => contact_id), ...suppressed_ids];
    return {
      data: {
        ...known,
        enrollments,
        suppressed_ids,
        actions: await withPlanners(ctx, known.actions),
        timeline,
        older: next === null ? null : String(next),
        confirmed_meetings: confirmed,
        covered: ids.length,
        contact_names: Object.fromEntries(await ctx.store.contacts.names(shown)),
        unlinked: await unlinkedOf(ctx, account.name),
        actor_names: await namesOf(ctx, authorsOf(timeline, confirmed)),
      },
    };
  },
});

async function unlinkedOf({ store: { contacts } }: Context, company: string): Promise<z.infer<typeof Contact>[]> {
  const { rows } = await contacts.walk({ company }, { limit: MAX_UNLINKED, before: null });
  const records = await Promise.all(rows.map(({ id }) => contacts.find(id)));
  return rows.filter((_, i) => records[i]?.accountId === null);
}
