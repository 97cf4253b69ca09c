import { and, count, desc, eq, isNull, lte, or, sql } from "drizzle-orm";
import type { AuditFilter, AuditRow, AuthEventRow, Journal, Logs, OperationRow } from "../logs.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { auditLog, authEvents, operationLog } from "./schema.ts";

const p = sql.placeholder;

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
