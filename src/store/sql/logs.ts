import { and, desc, eq, getTableColumns, gte, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Answers, AuditFilter, AuditRow, AuthEventRow, Journal, Logs } from "../logs.ts";
import { around } from "./dialect.ts";
import { filteredList, list } from "./lists.ts";
import { answers as a, auditLog, authEvents, operationLog as o } from "./schema/index.ts";
import { type Db, newRow } from "./statement.ts";

const p = sql.placeholder;

/** How many writes of the whole server one page looks through: it takes some milliseconds. */
const MAX_SEARCHED = 20_000;

export function logs(db: Db): (workspaceId: string) => Logs {
  const { orm, dialect } = db;
  const audited = eq(auditLog.workspaceId, p("workspaceId"));
  const audits = filteredList<AuditRow, AuditFilter>((names) => {
    const conditions = names.map((name) =>
      name === "until" ? lte(auditLog.at, p(name)) : eq(auditLog[name], p(name)),
    );
    const newest = [desc(auditLog.at), desc(auditLog.id)];
    return list(db, getTableColumns(auditLog), auditLog, and(audited, ...conditions), ...newest);
  });
  const auditOf = db.query(
    orm
      .select()
      .from(auditLog)
      .where(and(audited, eq(auditLog.recordId, p("recordId"))))
      .orderBy(desc(auditLog.id))
      .limit(p("most")),
  );
  const actorsOf = db.query(
    orm
      .select({ actorId: auditLog.actorId })
      .from(auditLog)
      // The record's index is the narrow one.
      .where(
        and(
          audited,
          eq(auditLog.recordId, p("recordId")),
          sql`${around(db.dialect.unindexed, auditLog.action)} = ${p("action")}`,
        ),
      ),
  );
  // An index by actor would cost every write of the server, so looking back is bounded instead.
  const keyWrites = db.query(
    orm
      .select()
      .from(o)
      .where(
        and(
          lt(o.id, p("before")),
          gte(o.id, p("from")),
          sql`${around(dialect.unindexed, o.workspaceId)} = ${p("workspaceId")}`,
          eq(o.actorKind, "key"),
          sql`coalesce(${p("keyId")}, ${o.actorId}) = ${o.actorId}`,
        ),
      )
      .orderBy(desc(o.id))
      .limit(p("limit")),
  );
  const oldestWrite = db.value<object, number | null>("SELECT min(id) FROM operation_log");
  const newestWrite = db.value<object, number | null>("SELECT max(id) FROM operation_log");
  const events = filteredList<AuthEventRow, { code?: string | undefined; unattributed?: true | undefined }>((names) => {
    const own = eq(authEvents.workspaceId, p("workspaceId"));
    const shown = names.includes("unattributed") ? or(own, isNull(authEvents.workspaceId)) : own;
    const where = names.includes("code") ? and(shown, eq(authEvents.code, p("code"))) : shown;
    return list(db, getTableColumns(authEvents), authEvents, where, desc(authEvents.id));
  });

  return (workspaceId) => ({
    listAudit: (page, filter = {}) => audits({ workspaceId }, filter, page),
    async auditOf(recordId, most) {
      return auditOf.all({ recordId, most, workspaceId });
    },
    async actorsOf(recordId, action) {
      const rows = await actorsOf.all({ recordId, action, workspaceId });
      return [...new Set(rows.map(({ actorId }) => actorId))];
    },
    async listKeyWrites({ keyId }, { limit, before }) {
      const oldest = await oldestWrite.get({});
      const newest = await newestWrite.get({});
      if (oldest == null || newest == null) return { rows: [], next: null };
      const end = Math.min(before ?? newest + 1, newest + 1);
      const from = Math.max(end - MAX_SEARCHED, oldest);
      const params = { keyId: keyId ?? null, before: end, from, limit: limit + 1, workspaceId };
      const found = await keyWrites.all(params);
      const rows = found.slice(0, limit);
      if (found.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
      return { rows, next: from > oldest ? from : null };
    },
    listAuthEvents: (page, unattributed, code) =>
      events({ workspaceId }, { code, unattributed: unattributed || undefined }, page),
  });
}

export function journal(db: Db): (workspaceId: string) => Journal {
  const audit = db.query(db.orm.insert(auditLog).values(newRow(auditLog, "id")));
  const operation = db.query(db.orm.insert(o).values(newRow(o, "id")));
  return (workspaceId) => ({
    async audit(row) {
      await audit.run({ ...row, workspaceId });
    },
    // Every write records this, and a literal costs less than a spread.
    async operation({ at, operation: name, surface, actorKind, actorId, recordId, requestId }) {
      await operation.run({ workspaceId, at, operation: name, surface, actorKind, actorId, recordId, requestId });
    },
  });
}

/** Answers of idempotent writes. The workspace is part of the hash, so they are bound to none. */
export function answers(db: Db): () => Answers {
  const find = db.query(
    db.orm
      .select({ status: a.status, body: a.body })
      .from(a)
      .where(eq(a.hash, p("hash"))),
  );
  const insert = db.query(db.orm.insert(a).values(newRow(a, "id")));
  const bound: Answers = {
    async find(hash) {
      return find.get({ hash });
    },
    async insert(hash, { status, body }, now) {
      await insert.run({ hash, status, body, createdAt: now });
    },
  };
  return () => bound;
}
