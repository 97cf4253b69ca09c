import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { type Activity, keyOf, memberOf } from "../../domain/contacts/activity.ts";
import { iso } from "../../lib/time.ts";

export const ConfirmedMeetings = z
  .array(
    z.object({
      id: z.guid(),
      contact_id: z.guid(),
      held_on: z.iso.date().nullable(),
      note: z.string().nullable(),
      confirmed_by: z.string().nullable(),
      confirmed_at: z.iso.datetime(),
    }),
  )
  .describe("Meetings that teammates confirmed in the time that this page of the timeline covers, newest first.");
type ConfirmedMeetings = z.infer<typeof ConfirmedMeetings>;

export const ActorNames = z
  .record(z.string(), z.string())
  .describe("Names, by id, of the members and API keys that wrote a field or an entry, or that confirmed a meeting.");

interface TimelinePage {
  /** The cursor that the page begins after. Null: the newest page. */
  before: number | null;
  rows: readonly Activity[];
  next: number | null;
}

/** Confirming a meeting adds no entry, so that nothing counts it twice. It is shown between the entries around it. */
export async function confirmedDuring(
  { store, now }: Context,
  contactIds: readonly string[],
  { before, rows, next }: TimelinePage,
): Promise<ConfirmedMeetings> {
  const oldest = rows.at(-1);
  const from = next === null || oldest === undefined ? 0 : Date.parse(oldest.created_at);
  const until = (before === null ? undefined : await store.activities.addedAt(before)) ?? now + 1;
  const found = await store.brain.confirmedMeetings(contactIds, { from, until });
  return found.map(({ id, contactId, heldOn, note, confirmedBy, confirmedAt }) => ({
    id,
    contact_id: contactId,
    held_on: heldOn,
    note,
    confirmed_by: confirmedBy,
    confirmed_at: iso(confirmedAt ?? 0),
  }));
}

/** The members and keys that wrote these entries or confirmed these meetings. */
export function authorsOf(timeline: readonly Activity[], meetings: ConfirmedMeetings): string[] {
  const wrote = timeline.map(({ metadata }) => memberOf(metadata) ?? keyOf(metadata));
  return [...wrote, ...meetings.map(({ confirmed_by }) => confirmed_by)].filter((id) => typeof id === "string");
}

export async function namesOf({ store }: Context, ids: readonly string[]): Promise<Record<string, string>> {
  const names = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const found = (await store.members.find(id)) ?? (await store.keys.find(id));
      return found === undefined ? [] : [[id, found.name] as const];
    }),
  );
  return Object.fromEntries(names.flat());
}
