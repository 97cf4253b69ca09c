import { and, count, desc, eq, sql } from "drizzle-orm";
import type { SocialnetReports } from "../socialnet.ts";
import type { Drizzle } from "./connection.ts";
import { socialnetAccounts as a, socialnetHealth as h, socialnetRuns as r, socialnetSightings as s } from "../sql/schema/index.ts";

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
      .offset(p("offset"))
      .prepare(),
    countHealth: db.select({ count: count() }).from(h).where(mine(h)).prepare(),
    findRun: db
      .select({ answer: r.answer })
      .from(r)
      .where(and(mine(r), eq(r.runId, p("runId"))))
      .prepare(),
    insertRun: db
      .insert(r)
      .values(places("accountId", "runId", "workspaceId", "finishedAt", "recordedAt", "answer"))
      .prepare(),
    runs: db
      .select({ answer: r.answer })
      .from(r)
      .where(mine(r))
      .orderBy(desc(r.finishedAt))
      .limit(p("most"))
      .offset(p("offset"))
      .prepare(),
    countRuns: db.select({ count: count() }).from(r).where(mine(r)).prepare(),
    // An account of another workspace has nothing here, not even a row.
    insertSighting: db
      .insert(s)
      .select(
        db
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
      .onConflictDoNothing()
      .prepare(),
    seenAgain: db
      .update(s)
      .set({ recordedAt: p("recordedAt") as never })
      .where(
        and(eq(s.accountId, p("accountId")), eq(s.externalKey, p("externalKey")), eq(s.workspaceId, p("workspaceId"))),
      )
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

  async health(accountId: string, most: number, offset = 0): Promise<string[]> {
    return this.#s.health.all({ accountId, most, offset, workspaceId: this.#workspaceId }).map(({ answer }) => answer);
  }

  async countHealth(accountId: string): Promise<number> {
    return this.#s.countHealth.get({ accountId, workspaceId: this.#workspaceId })?.count ?? 0;
  }

  async findRun(accountId: string, runId: string): Promise<string | undefined> {
    return this.#s.findRun.get({ accountId, runId, workspaceId: this.#workspaceId })?.answer;
  }

  async insertRun({ now, ...row }: Parameters<SocialnetReports["insertRun"]>[0]): Promise<void> {
    this.#s.insertRun.run({ ...row, recordedAt: now, workspaceId: this.#workspaceId });
  }

  async runs(accountId: string, most: number, offset = 0): Promise<string[]> {
    return this.#s.runs.all({ accountId, most, offset, workspaceId: this.#workspaceId }).map(({ answer }) => answer);
  }

  async countRuns(accountId: string): Promise<number> {
    return this.#s.countRuns.get({ accountId, workspaceId: this.#workspaceId })?.count ?? 0;
  }

  async insertSighting({ now, ...row }: Parameters<SocialnetReports["insertSighting"]>[0]): Promise<boolean> {
    const seen = { ...row, recordedAt: now, workspaceId: this.#workspaceId };
    const isNew = this.#s.insertSighting.run(seen).changes === 1;
    if (!isNew) this.#s.seenAgain.run(seen);
    return isNew;
  }
}
