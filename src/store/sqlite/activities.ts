import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Activity, ActivityType } from "../../domain/contacts/activity.ts";
import type { Activities, NewActivity, TimelinePage } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";
import { isoTime } from "./rows.ts";
import { activities, contacts } from "../sql/schema/index.ts";

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
    page: db
      .select()
      .from(activities)
      .where(
        and(
          eq(activities.contactId, p("contactId")),
          lt(activities.seq, p("before")),
          sql`+${activities.workspaceId} = ${p("workspaceId")}`,
        ),
      )
      .orderBy(desc(activities.seq))
      .limit(p("limit"))
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

export function toActivity(row: typeof activities.$inferSelect): Activity {
  return {
    id: row.id,
    contact_id: row.contactId,
    workspace_id: row.workspaceId,
    type: row.type,
    subject: row.subject,
    body: row.body,
    metadata: row.metadata,
    created_at: isoTime(row.createdAt),
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

  async page(contactId: string, { limit, before }: { limit: number; before: number | null }): Promise<TimelinePage> {
    const bound = { contactId, before: before ?? Number.MAX_SAFE_INTEGER, workspaceId: this.#workspaceId };
    const found = this.#s.page.all({ ...bound, limit: limit + 1 });
    const rows = found.slice(0, limit);
    return { rows: rows.map(toActivity), next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null };
  }

  async has(contactId: string, type: ActivityType): Promise<boolean> {
    return this.#s.has.get({ contactId, type, workspaceId: this.#workspaceId }) !== undefined;
  }

  async advanceLastContacted(contactId: string, at: number): Promise<void> {
    this.#s.advanceLastContacted.run({ contactId, at, workspaceId: this.#workspaceId });
  }
}
