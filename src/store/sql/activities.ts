import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Activity } from "../../domain/contacts/activity.ts";
import { iso } from "../../lib/time.ts";
import type { Activities } from "../contacts.ts";
import { around } from "./dialect.ts";
import { activities as a, contacts as c } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

export function toActivity(row: Omit<typeof a.$inferSelect, "seq">): Activity {
  return {
    id: row.id,
    contact_id: row.contactId,
    workspace_id: row.workspaceId,
    type: row.type,
    subject: row.subject,
    body: row.body,
    metadata: row.metadata,
    created_at: iso(row.createdAt),
  };
}

export function activities(db: Db): (workspaceId: string) => Activities {
  const { orm, dialect } = db;
  // The contact's index is the narrow one.
  const ofContact = and(
    eq(a.contactId, p("contactId")),
    sql`${around(dialect.unindexed, a.workspaceId)} = ${p("workspaceId")}`,
  );
  const insert = db.query(orm.insert(a).values(newRow(a, "seq")));
  const page = db.query(
    orm
      .select()
      .from(a)
      .where(and(ofContact, lt(a.seq, p("before"))))
      .orderBy(desc(a.seq))
      .limit(p("limit")),
  );
  const ofType = and(ofContact, sql`${a.type} = ${p("type")}`);
  const has = db.query(orm.select({ id: a.id }).from(a).where(ofType).limit(1));
  const messages = db.sql<
    { contactIds: string; newest: number; workspaceId: string },
    { metadata: string; body: string }
  >(
    `SELECT a.metadata, a.body
     FROM ${dialect.elements("@contactIds", "asked")} ${dialect.joinInOrder} activities a
       ON a.contact_id = asked.value AND a.seq > coalesce((
         SELECT seq FROM activities WHERE contact_id = asked.value ORDER BY seq DESC LIMIT 1 OFFSET @newest), 0)
     WHERE a.workspace_id = @workspaceId AND a.type IN ('email_sent', 'email_not_sent') AND a.body IS NOT NULL`,
  );
  const advanceLastContacted = db.query(
    orm
      .update(c)
      .set(placeholders("lastContactedAt"))
      .where(
        and(
          eq(c.id, p("contactId")),
          eq(c.workspaceId, p("workspaceId")),
          sql`coalesce(${c.lastContactedAt}, 0) < ${p("lastContactedAt")}`,
        ),
      ),
  );

  return (workspaceId) => ({
    async insert({ now, ...activity }) {
      const row = { ...activity, workspaceId, createdAt: now };
      await insert.run(row);
      return toActivity(row);
    },
    async page(contactId, { limit, before }) {
      const params = { contactId, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1, workspaceId };
      const found = await page.all(params);
      const rows = found.slice(0, limit);
      return { rows: rows.map(toActivity), next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null };
    },
    async messages(contactIds, newest) {
      const asked = JSON.stringify([...new Set(contactIds)]);
      const found = await messages.all({ contactIds: asked, newest, workspaceId });
      return new Map(found.map(({ metadata, body }) => [String(JSON.parse(metadata).send_id), body]));
    },
    async has(contactId, type) {
      return (await has.get({ contactId, type, workspaceId })) !== undefined;
    },
    async advanceLastContacted(contactId, at) {
      await advanceLastContacted.run({ contactId, lastContactedAt: at, workspaceId });
    },
  });
}
