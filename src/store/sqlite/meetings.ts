import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Meeting, MeetingConfirmation, Meetings } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";
import { meetings as m } from "../sql/schema/index.ts";

const p = sql.placeholder;

export function prepareMeetings(db: Drizzle) {
  const newestOpen = db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.contactId, p("contactId")), isNull(m.confirmedAt), eq(m.workspaceId, p("workspaceId"))))
    .orderBy(desc(m.createdAt), desc(m.id))
    .limit(1);
  return {
    insert: db
      .insert(m)
      .values({
        id: p("id"),
        workspaceId: p("workspaceId"),
        contactId: p("contactId"),
        activityId: p("activityId"),
        heldOn: p("heldOn"),
        note: p("note"),
        confirmedBy: p("confirmedBy"),
        confirmedAt: p("confirmedAt"),
        createdAt: p("createdAt"),
      })
      .prepare(),
    confirmNewest: db
      .update(m)
      .set({
        heldOn: p("heldOn") as never,
        note: p("note") as never,
        confirmedBy: p("confirmedBy") as never,
        confirmedAt: p("now") as never,
      })
      .where(eq(m.id, newestOpen))
      .returning()
      .prepare(),
  };
}

export class SqliteMeetings implements Meetings {
  readonly #s: ReturnType<typeof prepareMeetings>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareMeetings>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(meeting: Meeting): Promise<void> {
    this.#s.insert.run({ ...meeting, workspaceId: this.#workspaceId });
  }

  async confirmNewest(contactId: string, confirmation: MeetingConfirmation): Promise<Meeting | undefined> {
    // Drizzle types the row as always there; an update that matches nothing answers none.
    const row: typeof m.$inferSelect | undefined = this.#s.confirmNewest.get({
      ...confirmation,
      contactId,
      workspaceId: this.#workspaceId,
    });
    if (row === undefined) return undefined;
    const { workspaceId: _, ...meeting } = row;
    return meeting;
  }
}
