import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Contact } from "../../domain/contacts/contact.ts";
import { CLOSED_STAGES } from "../../domain/contacts/deal.ts";
import { type BantAnswers, LIFECYCLE, type Lifecycle } from "../../domain/contacts/lifecycle.ts";
import { OPEN_ENROLLMENT, type Step } from "../../domain/outreach/sequence.ts";
import { BOUNDS, type Brain, LOOKED_AT, type Origin, TRACED_FIELDS } from "../contacts.ts";
import { toActivity } from "./activities.ts";
import { contactJson } from "./contact-lists.ts";
import { toDeal } from "./deals.ts";
import { around } from "./dialect.ts";
import {
  activities as a,
  bantAssessments as b,
  deals as d,
  enrollments as e,
  meetings as m,
  socialnetActions as n,
  sequences,
  socialnetAccounts,
} from "./schema/index.ts";
import type { Db } from "./statement.ts";
import { isSuppressedSql, suppressions } from "./suppressions.ts";

const p = sql.placeholder;
const { workspaceId: _, ...ENROLLMENT } = getTableColumns(e);
const { workspaceId: __, ...MEETING } = getTableColumns(m);
const { workspaceId: ___, ...BANT } = getTableColumns(b);

/** Confirmed meetings beside one page of a timeline. */
const MAX_CONFIRMED = 25;

const TRACED = JSON.stringify(TRACED_FIELDS);

/** What a contact's page reads of its own record and of related ones. */
export function brain(db: Db): (workspaceId: string) => Brain {
  const { orm, dialect } = db;
  const ofAccount = accountContacts(db);
  const listed = suppressions(db);
  const mine = (table: { workspaceId: SQLiteColumn }) => eq(table.workspaceId, p("workspaceId"));
  /** Asked of the rows that the contact's index found: left to itself, SQLite would walk the whole workspace. */
  const mineUnindexed = (table: { workspaceId: SQLiteColumn }) =>
    sql`${around(dialect.unindexed, table.workspaceId)} = ${p("workspaceId")}`;
  const ofContacts = (table: { contactId: SQLiteColumn }) =>
    sql`${table.contactId} IN (SELECT value FROM ${around(dialect.elements, p("contactIds"))})`;
  const open = inArray(e.status, [...OPEN_ENROLLMENT]);
  const newestBant = (condition: SQL, order: SQL) =>
    orm
      .select({ id: b.id })
      .from(b)
      .where(and(eq(b.contactId, p("contactId")), condition, mine(b)))
      .orderBy(order, desc(b.id))
      .limit(1);

  const deals = db.query(
    orm
      .select()
      .from(d)
      .where(and(ofContacts(d), sql`${d.id} IS DISTINCT FROM ${p("except")}`, mineUnindexed(d)))
      .orderBy(asc(inArray(d.stage, [...CLOSED_STAGES])), desc(d.createdAt), desc(d.id))
      .limit(BOUNDS.deals),
  );
  const meetings = db.query(
    orm
      .select(MEETING)
      .from(m)
      .where(and(eq(m.contactId, p("contactId")), mine(m)))
      .orderBy(desc(m.createdAt), desc(m.id))
      .limit(BOUNDS.meetings),
  );
  const bant = db.query(
    orm
      .select(BANT)
      .from(b)
      .where(
        or(
          eq(b.id, newestBant(isNotNull(b.confirmedAt), desc(b.confirmedAt))),
          eq(b.id, newestBant(isNull(b.confirmedAt), desc(b.createdAt))),
        ),
      ),
  );
  const stepType = dialect.fieldAt("sequences.steps", "enrollments.current_step", "type");
  // The few that are shown are found first: of an account, thousands would be joined and read in full.
  const enrollmentOrder = [desc(open), desc(e.enrolledAt), desc(e.id)];
  const firstEnrollments = orm
    .select({ id: e.id })
    .from(e)
    .where(and(ofContacts(e), mine(e)))
    .orderBy(...enrollmentOrder)
    .limit(BOUNDS.enrollments);
  const enrollments = db.query(
    orm
      .select({
        ...ENROLLMENT,
        sequenceName: sequences.name,
        sequenceStatus: sequences.status,
        delivery: sequences.delivery,
        stepType: sql<Step["type"] | null>`${sql.raw(stepType)}`,
      })
      .from(e)
      .innerJoin(sequences, eq(sequences.id, e.sequenceId))
      .where(inArray(e.id, firstEnrollments))
      .orderBy(...enrollmentOrder),
  );
  const actions = db.query(
    orm
      .select({
        id: n.id,
        accountId: n.accountId,
        contactId: n.contactId,
        kind: n.kind,
        origin: n.origin,
        status: n.status,
        copy: n.copy,
        outcome: n.outcome,
        plannedBy: n.plannedBy,
        createdAt: n.createdAt,
        endedAt: n.endedAt,
        accountLabel: socialnetAccounts.label,
      })
      .from(n)
      .innerJoin(socialnetAccounts, eq(socialnetAccounts.id, n.accountId))
      .where(and(ofContacts(n), mineUnindexed(n)))
      .orderBy(desc(isNull(n.endedAt)), desc(n.createdAt), desc(n.id))
      .limit(BOUNDS.actions),
  );
  const countSuppressed = db.value<{ emails: string; workspaceId: string }, number>(
    `SELECT count(DISTINCT asked.value) FROM ${dialect.elements("@emails", "asked")}
     WHERE ${isSuppressedSql("asked.value")}`,
  );
  // Only a contact whose newest entry is among the newest of all can have one of them: no long timeline is walked.
  const newestActivities = sql`
    SELECT a.seq FROM (
      SELECT i.value AS contact_id,
        (SELECT max(seq) FROM activities WHERE contact_id = i.value AND seq < ${p("before")}) AS newest
      FROM ${around((ids) => dialect.elements(ids, "i"), p("contactIds"))} ORDER BY newest DESC NULLS LAST LIMIT ${p("limit")}
    ) c ${sql.raw(dialect.joinInOrder)} activities a ON a.contact_id = c.contact_id AND a.seq < ${p("before")}
      AND a.seq >= coalesce((
        SELECT seq FROM activities WHERE contact_id = c.contact_id AND seq < ${p("before")}
        ORDER BY seq DESC LIMIT 1 OFFSET ${p("offset")}
      ), 0)
    ORDER BY a.seq DESC LIMIT ${p("limit")}`;
  const activities = db.query(
    orm
      .select()
      .from(a)
      .where(and(sql`${a.seq} IN (${newestActivities})`, mine(a)))
      .orderBy(desc(a.seq)),
  );
  const confirmedMeetings = db.query(
    orm
      .select(MEETING)
      .from(m)
      .where(and(ofContacts(m), gte(m.confirmedAt, p("from")), lt(m.confirmedAt, p("until")), mineUnindexed(m)))
      .orderBy(desc(m.confirmedAt), desc(m.id))
      .limit(MAX_CONFIRMED),
  );
  // The latest edit of each field.
  const origins = db.sql<{ seq: number; fields: string; workspaceId: string }, Origin>(
    `SELECT f.value AS field, e.source, e.actor_id AS actorId, e.at
     FROM ${dialect.elements("@fields", "f")} ${dialect.joinInOrder} contact_provenance e ON e.id = (
       SELECT id FROM contact_provenance WHERE contact_seq = @seq AND field = f.value ORDER BY id DESC LIMIT 1)
     WHERE EXISTS (SELECT 1 FROM contacts WHERE seq = @seq AND workspace_id = @workspaceId)`,
  );

  return (workspaceId) => {
    const { find: suppression } = listed(workspaceId);
    const these = (contactIds: readonly string[]) => ({ contactIds: JSON.stringify(contactIds), workspaceId });
    const newest = (contactIds: readonly string[], limit: number, before: number = Number.MAX_SAFE_INTEGER) =>
      activities.all({ ...these(contactIds), limit, offset: limit - 1, before });
    return {
      suppression,
      async deals(contactIds, except) {
        return (await deals.all({ ...these(contactIds), except: except ?? null })).map(toDeal);
      },
      async meetings(contactId) {
        return meetings.all({ contactId, workspaceId });
      },
      async bant(contactId) {
        const found = await bant.all({ contactId, workspaceId });
        const rows = found.map((row) => ({ ...row, answers: row.answers as BantAnswers }));
        return {
          confirmed: rows.find(({ confirmedAt }) => confirmedAt !== null) ?? null,
          unconfirmed: rows.find(({ confirmedAt }) => confirmedAt === null) ?? null,
        };
      },
      async enrollments(contactIds) {
        return enrollments.all(these(contactIds));
      },
      async actions(contactIds) {
        return actions.all(these(contactIds));
      },
      async countSuppressed(emailKeys) {
        return (await countSuppressed.get({ emails: JSON.stringify(emailKeys), workspaceId })) ?? 0;
      },
      async activities(contactIds) {
        return (await newest(contactIds, BOUNDS.activities)).map(toActivity);
      },
      async timeline(contactIds, { limit, before }) {
        const found = await newest(contactIds, limit + 1, before ?? undefined);
        const rows = found.slice(0, limit);
        return { rows: rows.map(toActivity), next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null };
      },
      async confirmedMeetings(contactIds, within) {
        return confirmedMeetings.all({ ...these(contactIds), ...within });
      },
      async origins(seq) {
        return origins.all({ seq, fields: TRACED, workspaceId });
      },
      accountContacts: (accountId) => ofAccount(workspaceId, accountId),
    };
  };
}

interface MemberOfAccount {
  seq: number;
  id: string;
  updatedAt: number;
  emailKey: string | null;
}

/** The contacts of an account: counted, and those updated last in full. */
function accountContacts(
  db: Db,
): (workspaceId: string, ...asked: Parameters<Brain["accountContacts"]>) => ReturnType<Brain["accountContacts"]> {
  const { dialect } = db;
  const live = `contacts ${dialect.indexedBy("contacts_account")}
    WHERE workspace_id = @workspaceId AND account_id = @accountId AND archived_at IS NULL`;
  const stages = db.sql<{ workspaceId: string; accountId: string }, { lifecycle: Lifecycle; count: number }>(
    `SELECT lifecycle, count(*) AS count FROM ${live} GROUP BY lifecycle`,
  );
  const newest = db.sql<{ workspaceId: string; accountId: string; limit: number }, MemberOfAccount>(
    `SELECT seq, id, updated_at AS updatedAt, email_key AS emailKey FROM ${live} ORDER BY updated_at DESC LIMIT @limit`,
  );
  const full = db.value<{ workspaceId: string; seqs: string }, string>(
    `SELECT ${contactJson(dialect)} FROM contacts
     WHERE seq IN (SELECT value FROM ${dialect.numbers("@seqs")})
       AND workspace_id = @workspaceId AND archived_at IS NULL`,
  );

  return async (workspaceId, accountId) => {
    const counted = await stages.all({ accountId, workspaceId });
    const counts = new Map(counted.map(({ lifecycle, count }) => [lifecycle, count]));
    const members = await newest.all({ accountId, workspaceId, limit: LOOKED_AT });
    const recent = members.toSorted((x, y) => y.updatedAt - x.updatedAt || y.seq - x.seq).slice(0, BOUNDS.contacts);
    const texts = await full.all({ seqs: JSON.stringify(recent.map(({ seq }) => seq)), workspaceId });
    const byId = new Map(texts.map((text) => JSON.parse(text) as Contact).map((contact) => [contact.id, contact]));
    const byStage = LIFECYCLE.map((stage) => [stage, counts.get(stage) ?? 0]);
    return {
      byStage: Object.fromEntries(byStage) as Record<Lifecycle, number>,
      ids: members.map(({ id }) => id),
      emailKeys: members.flatMap(({ emailKey }) => emailKey ?? []),
      recent: recent.flatMap(({ id }) => byId.get(id) ?? []),
    };
  };
}
