import { and, desc, eq, lt, sql } from "drizzle-orm";
import { type Activity, isReply, REPLIES } from "../../domain/contacts/activity.ts";
import { profileKey } from "../../domain/contacts/address.ts";
import { iso } from "../../lib/time.ts";
import type { Activities, LastReply } from "../contacts.ts";
import { around } from "./dialect.ts";
import { activities as a, contacts as c } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

/** As the index activities_replies has it. */
export const IS_REPLY = `type IN (${REPLIES.map((type) => `'${type}'`).join(", ")})`;

export function toActivity(row: Omit<typeof a.$inferSelect, "seq" | "profileKey">): Activity {
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
  const insert = db.query(orm.insert(a).values(newRow(a, "seq", "profileKey")));
  const insertReply = db.query(
    orm.insert(a).values({
      ...(newRow(a, "seq", "profileKey") as object),
      profileKey: sql`coalesce(${p("profileKey")}, (SELECT ${c.socialnetKey} FROM ${c} WHERE ${c.id} = ${p("contactId")}))`,
    } as never),
  );
  const page = db.query(
    orm
      .select()
      .from(a)
      .where(and(ofContact, lt(a.seq, p("before"))))
      .orderBy(desc(a.seq))
      .limit(p("limit")),
  );
  const find = db.query(
    orm
      .select()
      .from(a)
      .where(and(ofContact, sql`${a.id} = ${p("id")}`))
      .orderBy(desc(a.seq))
      .limit(1),
  );
  const ofType = and(ofContact, sql`${a.type} = ${p("type")}`);
  const has = db.query(orm.select({ id: a.id }).from(a).where(ofType).limit(1));
  const byContact = `activities r ${dialect.indexedBy("activities_replies")}`;
  // Where the replies of a contact c are: their own, those from their profile, those of others who
  // have it now, those to messages that their address got, and the newest that counted for them too.
  const replies = [
    `${byContact} WHERE r.contact_id = c.id AND r.${IS_REPLY}`,
    `activities r ${dialect.indexedBy("activities_replied_profile")}
     WHERE r.workspace_id = c.workspace_id AND r.profile_key = c.socialnet_key`,
    `contacts o ${dialect.joinInOrder} ${byContact} ON r.contact_id = o.id
     WHERE o.workspace_id = c.workspace_id AND o.socialnet_key = c.socialnet_key AND o.archived_at IS NULL
       AND r.${IS_REPLY}`,
    `sends m ${dialect.joinInOrder} ${byContact} ON r.contact_id = m.contact_id
     WHERE m.workspace_id = c.workspace_id AND m.address_key = c.email_key AND r.${IS_REPLY}`,
    "activities r WHERE r.seq = c.last_reply_seq AND r.workspace_id = c.workspace_id",
  ];
  // In the order of recording, because a clock can be set back. A bare max(r.seq) could walk the whole table backwards.
  const newest = replies
    .map((those) => `coalesce((SELECT max(r.seq + 0) FROM ${those}), 0)`)
    .reduce((one, other) => dialect.greatest(one, other));
  const counts = db.sql<{ from: number; to: number; workspaceId: string }, { type: string; count: number }>(
    `SELECT type, count(*) AS count FROM activities
     WHERE workspace_id = @workspaceId AND created_at >= @from AND created_at < @to GROUP BY type`,
  );
  const lastReplies = db.sql<
    { contactIds: string; workspaceId: string },
    LastReply & { contactId: string; seq: number }
  >(
    `SELECT n.contact_id AS contactId, a.seq, a.id, a.created_at AS at
     FROM (SELECT c.id AS contact_id, ${newest} AS seq
       FROM ${dialect.elements("@contactIds", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
       WHERE c.workspace_id = @workspaceId) AS n
     ${dialect.joinInOrder} activities a ON a.seq = n.seq
     WHERE ${dialect.unindexed("a.workspace_id")} = @workspaceId`,
  );
  const otherReplyAt = db.value<{ contactId: string; at: number; id: string; workspaceId: string }, number>(
    `SELECT 1 FROM ${byContact} WHERE r.contact_id = @contactId AND ${dialect.unindexed("r.workspace_id")} = @workspaceId
       AND r.${IS_REPLY} AND r.created_at = @at AND r.id <> @id LIMIT 1`,
  );
  const bySeq = db.query(
    orm
      .select()
      .from(a)
      .where(and(eq(a.seq, p("seq")), eq(a.workspaceId, p("workspaceId")))),
  );
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
  const countReply = db.sql<{ contactId: string; id: string; workspaceId: string }>(
    `UPDATE contacts SET last_reply_seq = r.seq FROM activities r
     WHERE r.id = @id AND r.workspace_id = @workspaceId AND contacts.id = @contactId
       AND contacts.workspace_id = @workspaceId AND coalesce(contacts.last_reply_seq, 0) < r.seq`,
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
    async insert({ now, profileUrl, ...activity }) {
      const row = { ...activity, workspaceId, createdAt: now };
      const key = profileUrl === undefined ? null : profileKey(profileUrl);
      if (isReply(activity.type)) await insertReply.run({ ...row, profileKey: key });
      else await insert.run(row);
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
    async addedAt(seq) {
      return (await bySeq.get({ seq, workspaceId }))?.createdAt;
    },
    async has(contactId, type) {
      return (await has.get({ contactId, type, workspaceId })) !== undefined;
    },
    async counts(from, to) {
      const rows = await counts.all({ from, to, workspaceId });
      return new Map(rows.map(({ type, count }) => [type, count]));
    },
    async lastReplies(contactIds) {
      const found = await lastReplies.all({ contactIds: JSON.stringify(contactIds), workspaceId });
      return new Map(found.map(({ contactId, id, at }) => [contactId, { id, at }]));
    },
    async hasOtherReplyAt(contactId, at, id) {
      return (await otherReplyAt.get({ contactId, at, id, workspaceId })) !== undefined;
    },
    async lastReply(contactId) {
      const [last] = await lastReplies.all({ contactIds: JSON.stringify([contactId]), workspaceId });
      const row = last && (await bySeq.get({ seq: last.seq, workspaceId }));
      return row && toActivity(row);
    },
    async find(contactId, id) {
      const row = await find.get({ contactId, id, workspaceId });
      return row && toActivity(row);
    },
    async countReply(id, contactId) {
      await countReply.run({ id, contactId, workspaceId });
    },
    async advanceLastContacted(contactId, at) {
      await advanceLastContacted.run({ contactId, lastContactedAt: at, workspaceId });
    },
  });
}
