import { and, eq, sql } from "drizzle-orm";
import type { Activity, ActivityType } from "../../domain/activity.ts";
import type { Activities, NewActivity } from "../activities.ts";
import type { Drizzle } from "./connection.ts";
import { isoTime } from "./rows.ts";
import { activities, contacts } from "./schema.ts";

const p = sql.placeholder;

export function prepareActivities(db: Drizzle) {
  return {
    insert: db
      .insert(activities)
      .values({
        id: p("id"),
        workspaceId: p("workspaceId"),
        contactId: p("contactId"),
        type: p("type"),
        subject: p("subject"),
        body: p("body"),
        metadata: p("metadata"),
        createdAt: p("now"),
      })
      .prepare(),
    has: db
      .select({ id: activities.id })
      .from(activities)
      .where(
        and(
          eq(activities.contactId, p("contactId")),
          sql`${activities.type} = ${p("type")}`,
          sql`+${activities.workspaceId} = ${p("workspaceId")}`,
        ),
      )
      .limit(1)
      .prepare(),
    advanceLastContacted: db
      .update(contacts)
      .set({ lastContactedAt: p("at") as never })
      .where(
        and(
          eq(contacts.id, p("contactId")),
          eq(contacts.workspaceId, p("workspaceId")),
          sql`coalesce(${contacts.lastContactedAt}, 0) < ${p("at")}`,
        ),
      )
      .prepare(),
  };
}

export class SqliteActivities implements Activities {
  readonly #s: ReturnType<typeof prepareActivities>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareActivities>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert({ id, contactId, type, subject, body, metadata, now }: NewActivity): Promise<Activity> {
    const workspaceId = this.#workspaceId;
    this.#s.insert.run({ id, workspaceId, contactId, type, subject, body, metadata, now });
    return {
      id,
      contact_id: contactId,
      workspace_id: workspaceId,
      type,
      subject,
      body,
      metadata,
      created_at: isoTime(now),
    };
  }

  async has(contactId: string, type: ActivityType): Promise<boolean> {
    return this.#s.has.get({ contactId, type, workspaceId: this.#workspaceId }) !== undefined;
  }

  async advanceLastContacted(contactId: string, at: number): Promise<void> {
    this.#s.advanceLastContacted.run({ contactId, at, workspaceId: this.#workspaceId });
  }
}
