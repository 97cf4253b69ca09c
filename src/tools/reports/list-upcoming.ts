import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { openingAt } from "../../domain/time/calendar.ts";
import { DAY_MS, iso } from "../../lib/time.ts";
import { waitsOf } from "../../services/outreach/sending-conditions.ts";
import { time } from "../fields.ts";

/** Sequences that are looked at, newest first. */
const MAX_SEQUENCES = 100;
/** A booked meeting has no date. After this long, it is not ahead anymore. */
const MEETING_MS = 30 * DAY_MS;

const orNull = z.string().nullable();
const Named = z.object({ id: z.guid(), first_name: orNull, last_name: orNull, email: orNull });

export const listUpcoming = personOperation({
  name: "list_upcoming",
  area: "review",
  title: "List what is next",
  description:
    "Lists what is next: steps of active sequences and approved posts with a time, soonest first. It also lists the " +
    `meetings booked in the last ${MEETING_MS / DAY_MS} days that no teammate has confirmed, newest first. Steps on hold ` +
    "are not listed, and neither are those that a pause or a setting blocks. Only the " +
    `${MAX_SEQUENCES} newest sequences are read.`,
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    limit: z.int().min(1).max(25).default(5).describe("The maximum number of entries of each kind."),
  }),
  output: z.object({
    time_zone: z.string().describe("The workspace's time zone."),
    steps: z.array(
      z.object({
        at: time.describe("When it is due. For an email, this is within the workspace's sending hours."),
        type: z.enum(["email", "socialnet_connect", "socialnet_message"]),
        step: z.int().describe("Index of the step, from 0."),
        sequence: z.object({ id: z.guid(), name: z.string() }),
        contact: Named,
      }),
    ),
    posts: z.array(z.object({ at: time, id: z.guid(), title: orNull, channel: orNull })),
    meetings: z.array(z.object({ id: z.guid(), booked_at: time, contact: Named })),
  }),
  async handler(ctx, { limit }) {
    const { timeZone } = await ctx.store.workspace.sendingPolicy();
    const posts = await ctx.store.posts.upcoming(ctx.now, limit);
    const steps = await stepsOf(ctx, limit);
    const booked = await ctx.store.meetings.booked(ctx.now - MEETING_MS, limit);
    const names = await ctx.store.contacts.names([...steps, ...booked].map(({ contactId }) => contactId));
    // An archived contact gets no messages and has no meetings.
    const nameOf = (id: string) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, ...name }];
    };
    return {
      data: {
        time_zone: timeZone,
        steps: steps.flatMap(({ contactId, ...step }) => nameOf(contactId).map((contact) => ({ ...step, contact }))),
        posts: posts.map(({ id, title, channel, scheduledFor }) => ({
          at: iso(scheduledFor ?? ctx.now),
          id,
          title,
          channel,
        })),
        meetings: booked.flatMap(({ id, contactId, createdAt }) =>
          nameOf(contactId).map((contact) => ({ id, booked_at: iso(createdAt), contact })),
        ),
      },
    };
  },
});

/** The next steps of all active sequences. Of each, only the first few can be among them. */
async function stepsOf(ctx: Context, limit: number) {
  const { sequences, enrollments, workspace } = ctx.store;
  const { rows } = await sequences.list({ limit: MAX_SEQUENCES, offset: 0 });
  const active = rows.filter(({ status }) => status === "active");
  const due = (await Promise.all(active.map(({ id }) => enrollments.upcoming(id, limit)))).flat();
  const found = await Promise.all(active.map(({ id }) => sequences.find(id)));
  const known = new Map(found.flatMap((sequence) => (sequence === undefined ? [] : [[sequence.id, sequence]])));
  const waits = await waitsOf(ctx, due);
  const { windows, timeZone } = await workspace.sendingPolicy();
  const steps = due.flatMap((row, i) => {
    const sequence = known.get(row.sequenceId);
    const step = sequence?.steps[row.currentStep];
    const wait = waits[i] ?? null;
    if (sequence === undefined || step === undefined || step.type === "wait") return [];
    // When a pause or a closed gate ends is not known.
    if (wait !== null && wait.until === null) return [];
    const at = Math.max(ctx.now, wait?.until ?? row.dueAt ?? ctx.now);
    const opens = step.type === "email" ? openingAt(windows, timeZone, at).opensAt : null;
    const { id, name } = sequence;
    const { contactId, currentStep } = row;
    return [{ at: iso(opens ?? at), type: step.type, step: currentStep, sequence: { id, name }, contactId }];
  });
  return steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(0, limit);
}
