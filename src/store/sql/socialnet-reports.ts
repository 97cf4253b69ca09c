import { and, count, desc, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { SocialnetReports } from "../socialnet.ts";
import {
  socialnetAccounts as a,
  socialnetHealth as h,
  socialnetRuns as r,
  socialnetSightings as s,
} from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

export function socialnetReports(db: Db): (workspaceId: string) => SocialnetReports {
  const { orm } = db;
  /** What agents report of an account: each report has an id, and the answer to it is kept. */
  const reports = (
    table: typeof h | typeof r,
    id: typeof h.observationId | typeof r.runId,
    at: typeof h.observedAt | typeof r.finishedAt,
  ) => {
    const mine = and(eq(table.accountId, p("accountId")), eq(table.workspaceId, p("workspaceId")));
    const answers = orm.select({ answer: table.answer }).from(table);
    return {
      find: db.query(
        orm
          .select({ answer: table.answer })
          .from(table)
          .where(and(mine, eq(id, p("id")))),
      ),
      insert: db.query(orm.insert(table).values(newRow(table))),
      newest: db.query(answers.where(mine).orderBy(desc(at)).limit(p("most")).offset(p("offset"))),
      count: db.query(orm.select({ count: count() }).from(table).where(mine)),
    };
  };
  const health = reports(h, h.observationId, h.observedAt);
  const runs = reports(r, r.runId, r.finishedAt);
  // Selected from the account, so that one of another workspace gets no row.
  const insertSighting = db.query(
    orm
      .insert(s)
      .select(
        orm
          .select({
            accountId: a.id,
            externalKey: sql`${p("externalKey")}`.as("external_key"),
            workspaceId: a.workspaceId,
            kind: sql`${p("kind")}`.as("kind"),
            contactId: sql`${p("contactId")}`.as("contact_id"),
            observedAt: sql`${p("observedAt")}`.as("observed_at"),
            recordedAt: sql`${p("recordedAt")}`.as("recorded_at"),
          } as never)
          .from(a)
          .where(and(eq(a.id, p("accountId")), eq(a.workspaceId, p("workspaceId")))),
      )
      .onConflictDoNothing(),
  );
  const sameSighting = and(
    eq(s.accountId, p("accountId")),
    eq(s.externalKey, p("externalKey")),
    eq(s.workspaceId, p("workspaceId")),
  );
  const renewSighting = db.query(orm.update(s).set(placeholders("recordedAt")).where(sameSighting));
  const correct = (condition: SQL) => {
    const changes = placeholders("kind", "contactId", "observedAt", "recordedAt");
    return db.query(orm.update(s).set(changes).where(and(sameSighting, condition)));
  };
  const findContact = correct(isNull(s.contactId));
  const becomeReply = correct(ne(s.kind, "reply"));

  return (workspaceId) => ({
    async findHealth(accountId, id) {
      return (await health.find.get({ accountId, id, workspaceId }))?.answer;
    },
    async insertHealth({ now, ...row }) {
      await health.insert.run({ ...row, recordedAt: now, workspaceId });
    },
    async health(accountId, most, offset = 0) {
      return (await health.newest.all({ accountId, most, offset, workspaceId })).map(({ answer }) => answer);
    },
    async countHealth(accountId) {
      return (await health.count.get({ accountId, workspaceId }))?.count ?? 0;
    },
    async findRun(accountId, id) {
      return (await runs.find.get({ accountId, id, workspaceId }))?.answer;
    },
    async insertRun({ now, ...row }) {
      await runs.insert.run({ ...row, recordedAt: now, workspaceId });
    },
    async runs(accountId, most, offset = 0) {
      return (await runs.newest.all({ accountId, most, offset, workspaceId })).map(({ answer }) => answer);
    },
    async countRuns(accountId) {
      return (await runs.count.get({ accountId, workspaceId }))?.count ?? 0;
    },
    async insertSighting({ now, ...row }) {
      const sighting = { ...row, recordedAt: now, workspaceId };
      if ((await insertSighting.run(sighting)).changes === 1) return true;
      if (row.contactId !== null && (await findContact.run(sighting)).changes === 1) return true;
      if (row.kind === "reply" && (await becomeReply.run(sighting)).changes === 1) return true;
      await renewSighting.run(sighting);
      return false;
    },
  });
}
