import { and, asc, count, eq, sql } from "drizzle-orm";
import { emailKey } from "../../domain/contacts/contact.ts";
import type { SuppressionRow, Suppressions } from "../outreach.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { suppressions as s } from "../sql/schema/index.ts";

const p = sql.placeholder;

const COLUMNS = { id: s.id, email: s.email, reason: s.reason, source: s.source, createdAt: s.createdAt };

const weightOf = (row: "excluded" | "suppressions") =>
  sql.raw(
    `CASE WHEN ${row}.source = 'engine' AND ${row}.reason = 'complaint' THEN 3 WHEN ${row}.source = 'unsubscribe_link' THEN 2
       WHEN ${row}.source = 'engine' AND ${row}.reason = 'bounce' THEN 0 ELSE 1 END`,
  );

export function prepareSuppressions(db: Drizzle) {
  const mine = eq(s.workspaceId, p("workspaceId"));
  const names = [...Object.keys(COLUMNS), "workspaceId"];
  const heavier = sql`${p("stated")} AND ${weightOf("excluded")} >= ${weightOf("suppressions")}`;
  return {
    upsert: db
      .insert(s)
      .values(Object.fromEntries(names.map((name) => [name, p(name)])) as never)
      .onConflictDoUpdate({
        target: [s.workspaceId, s.email],
        set: {
          reason: sql`iif(${heavier}, excluded.reason, ${s.reason})`,
          source: sql`iif(${heavier}, excluded.source, ${s.source})`,
        },
      })
      .returning(COLUMNS)
      .prepare(),
    find: db
      .select(COLUMNS)
      .from(s)
      .where(and(mine, eq(s.email, p("email"))))
      .prepare(),
    list: db.select(COLUMNS).from(s).where(mine).orderBy(asc(s.email)).limit(p("limit")).offset(p("offset")).prepare(),
    total: db.select({ total: count() }).from(s).where(mine).prepare(),
  };
}

export class SqliteSuppressions implements Suppressions {
  readonly #s: ReturnType<typeof prepareSuppressions>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSuppressions>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async upsert({
    stated,
    ...given
  }: SuppressionRow & { stated: boolean }): Promise<{ row: SuppressionRow; added: boolean }> {
    const values = { ...given, stated: Number(stated), email: emailKey(given.email), workspaceId: this.#workspaceId };
    const row = this.#s.upsert.get(values) as SuppressionRow;
    return { row, added: row.id === given.id };
  }

  async has(email: string): Promise<boolean> {
    return (await this.find(email)) !== undefined;
  }

  async find(email: string): Promise<SuppressionRow | undefined> {
    return this.#s.find.get({ email: emailKey(email), workspaceId: this.#workspaceId });
  }

  async list(page: Page): Promise<{ rows: SuppressionRow[]; total: number }> {
    return {
      rows: this.#s.list.all({ ...page, workspaceId: this.#workspaceId }),
      total: this.#s.total.get({ workspaceId: this.#workspaceId })?.total ?? 0,
    };
  }
}
