import { and, count, desc, eq, gte, isNull, lt, lte, or, sql } from "drizzle-orm";
import type {
  AuditFilter,
  AuditRow,
  AuthEventRow,
  Journal,
  JournalPage,
  JournalSlice,
  Logs,
  OperationRow,
} from "../logs.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { auditLog, authEvents, operationLog } from "../sql/schema/index.ts";

const p = sql.placeholder;

/** So many writes of the whole server are looked through for one page: some milliseconds. */
const LOOKED_THROUGH = 20_000;

export function prepareLogs(db: Drizzle) {
  return {
    db,
    auditOf: db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.workspaceId, p("workspaceId")), eq(auditLog.recordId, p("recordId"))))
      .orderBy(desc(auditLog.id))
      .limit(p("most"))
      .prepare(),
    // Every write of the server stands here: an index by its writer would cost each of them, so looking back is bounded.
    keyWrites: db
      .select()
      .from(operationLog)
      .where(
        and(
          lt(operationLog.id, p("before")),
          gte(operationLog.id, p("from")),
          sql`+${operationLog.workspaceId} = ${p("workspaceId")}`,
          eq(operationLog.actorKind, "key"),
          sql`coalesce(${p("keyId")}, ${operationLog.actorId}) = ${operationLog.actorId}`,
        ),
      )
      .orderBy(desc(operationLog.id))
      .limit(p("limit"))
      .prepare(),
    oldestWrite: db
      .select({ id: sql<number | null>`min(${operationLog.id})` })
      .from(operationLog)
      .prepare(),
    newestWrite: db
      .select({ id: sql<number | null>`max(${operationLog.id})` })
      .from(operationLog)
      .prepare(),
    operation: db
      .insert(operationLog)
      .values({
        workspaceId: p("workspaceId"),
        at: p("at"),
        operation: p("operation"),
        surface: p("surface"),
        actorKind: p("actorKind"),
        actorId: p("actorId"),
        recordId: p("recordId"),
        requestId: p("requestId"),
      })
      .prepare(),
  };
}

export class SqliteLogs implements Logs, Journal {
  readonly #s: ReturnType<typeof prepareLogs>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareLogs>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async audit(row: AuditRow): Promise<void> {
    this.#s.db
      .insert(auditLog)
      .values({ ...row, workspaceId: this.#workspaceId })
      .run();
  }

  async listAudit(
    { limit, offset }: Page,
    { action, actorId, until }: AuditFilter = {},
  ): Promise<{ rows: AuditRow[]; total: number }> {
    const mine = and(
      eq(auditLog.workspaceId, this.#workspaceId),
      action === undefined ? undefined : eq(auditLog.action, action),
      actorId === undefined ? undefined : eq(auditLog.actorId, actorId),
      until === undefined ? undefined : lte(auditLog.at, until),
    );
    const newest = [desc(auditLog.at), desc(auditLog.id)];
    const rows = this.#s.db
      .select()
      .from(auditLog)
      .where(mine)
      .orderBy(...newest)
      .limit(limit)
      .offset(offset);
    return {
      rows: rows.all(),
      total: this.#s.db.select({ total: count() }).from(auditLog).where(mine).get()?.total ?? 0,
    };
  }

  async listKeyWrites(
    { keyId }: { keyId?: string | undefined },
    { limit, before }: JournalPage,
  ): Promise<JournalSlice> {
    const [oldest, newest] = [this.#s.oldestWrite.get()?.id, this.#s.newestWrite.get()?.id];
    if (oldest == null || newest == null) return { rows: [], next: null };
    const end = Math.min(before ?? newest + 1, newest + 1);
    const from = Math.max(end - LOOKED_THROUGH, oldest);
    const bound = { workspaceId: this.#workspaceId, keyId: keyId ?? null, before: end, from, limit: limit + 1 };
    const found = this.#s.keyWrites.all(bound);
    const rows = found.slice(0, limit);
    return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : from > oldest ? from : null };
  }

  async auditOf(recordId: string, most: number): Promise<AuditRow[]> {
    return this.#s.auditOf.all({ recordId, most, workspaceId: this.#workspaceId });
  }

  async listAuthEvents(
    { limit, offset }: Page,
    unattributed: boolean,
    code?: string,
  ): Promise<{ rows: AuthEventRow[]; total: number }> {
    const own = eq(authEvents.workspaceId, this.#workspaceId);
    const belonging = unattributed ? or(own, isNull(authEvents.workspaceId)) : own;
    const shown = code === undefined ? belonging : and(belonging, eq(authEvents.code, code));
    const rows = this.#s.db
      .select()
      .from(authEvents)
      .where(shown)
      .orderBy(desc(authEvents.id))
      .limit(limit)
      .offset(offset);
    return {
      rows: rows.all(),
      total: this.#s.db.select({ total: count() }).from(authEvents).where(shown).get()?.total ?? 0,
    };
  }

  async operation(row: OperationRow): Promise<void> {
    this.#s.operation.run({ ...row, workspaceId: this.#workspaceId });
  }
}
