import { and, desc, eq, sql } from "drizzle-orm";
import type { SocialnetReports } from "../socialnet-actions.ts";
import type { Drizzle } from "./connection.ts";
import { socialnetHealth as h, socialnetRuns as r, socialnetSightings as s } from "./schema.ts";

const p = sql.placeholder;
const places = (...columns: string[]) => Object.fromEntries(columns.map((name) => [name, p(name)])) as never;

export function prepareReports(db: Drizzle) {
  const mine = (table: typeof h | typeof r) =>
    and(eq(table.accountId, p("accountId")), eq(table.workspaceId, p("workspaceId")));
  return {
    findHealth: db
      .select({ answer: h.answer })
      .from(h)
      .where(and(mine(h), eq(h.observationId, p("observationId"))))
      .prepare(),
    insertHealth: db
      .insert(h)
      .values(places("accountId", "observationId", "workspaceId", "observedAt", "recordedAt", "answer"))
      .prepare(),
    health: db
      .select({ answer: h.answer })
      .from(h)
      .where(mine(h))
      .orderBy(desc(h.observedAt))
      .limit(p("most"))
      .prepare(),
    findRun: db
      .select({ answer: r.answer })
      .from(r)
      .where(and(mine(r), eq(r.runId, p("runId"))))
      .prepare(),
    insertRun: db
      .insert(r)
      .values(places("accountId", "runId", "workspaceId", "finishedAt", "recordedAt", "answer"))
      .prepare(),
    runs: db.select({ answer: r.answer }).from(r).where(mine(r)).orderBy(desc(r.finishedAt)).limit(p("most")).prepare(),
    insertSighting: db
      .insert(s)
      .values(places("accountId", "externalKey", "workspaceId", "kind", "contactId", "observedAt", "recordedAt"))
      .onConflictDoNothing()
      .prepare(),
  };
}

export class SqliteSocialnetReports implements SocialnetReports {
  readonly #s: ReturnType<typeof prepareReports>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareReports>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async findHealth(accountId: string, observationId: string): Promise<string | undefined> {
    return this.#s.findHealth.get({ accountId, observationId, workspaceId: this.#workspaceId })?.answer;
  }

  async insertHealth({ now, ...row }: Parameters<SocialnetReports["insertHealth"]>[0]): Promise<void> {
    this.#s.insertHealth.run({ ...row, recordedAt: now, workspaceId: this.#workspaceId });
  }

  async health(accountId: string, most: number): Promise<string[]> {
    return this.#s.health.all({ accountId, most, workspaceId: this.#workspaceId }).map(({ answer }) => answer);
  }

  async findRun(accountId: string, runId: string): Promise<string | undefined> {
    return this.#s.findRun.get({ accountId, runId, workspaceId: this.#workspaceId })?.answer;
  }

  async insertRun({ now, ...row }: Parameters<SocialnetReports["insertRun"]>[0]): Promise<void> {
    this.#s.insertRun.run({ ...row, recordedAt: now, workspaceId: this.#workspaceId });
  }

  async runs(accountId: string, most: number): Promise<string[]> {
    return this.#s.runs.all({ accountId, most, workspaceId: this.#workspaceId }).map(({ answer }) => answer);
  }

  async insertSighting({ now, ...row }: Parameters<SocialnetReports["insertSighting"]>[0]): Promise<boolean> {
    return this.#s.insertSighting.run({ ...row, recordedAt: now, workspaceId: this.#workspaceId }).changes === 1;
  }
}
