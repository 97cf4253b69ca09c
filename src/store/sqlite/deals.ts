import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Deal, DealStage } from "../../domain/contacts/deal.ts";
import type { DealChange, Deals, DealTotal, ListedDeal, NewDeal } from "../contacts.ts";
import type { Page } from "../page.ts";
import type { Drizzle } from "./connection.ts";
import { isoTime } from "./rows.ts";
import { contacts as c, deals as d } from "../sql/schema/index.ts";

const p = sql.placeholder;

export function prepareDeals(db: Drizzle) {
  const mine = and(eq(d.id, p("id")), eq(d.workspaceId, p("workspaceId")));
  const staged = and(eq(d.workspaceId, p("workspaceId")), eq(d.stage, p("stage")));
  const contact = { first_name: c.firstName, last_name: c.lastName, email: c.email, company: c.company };
  return {
    list: db
      .select({ deal: d, contact })
      .from(d)
      .innerJoin(c, eq(c.id, d.contactId))
      .where(staged)
      .orderBy(desc(d.createdAt), desc(d.id))
      .limit(p("limit"))
      .offset(p("offset"))
      .prepare(),
    total: db.select({ total: count() }).from(d).where(staged).prepare(),
    totals: db
      .select({ stage: d.stage, currency: d.currency, deals: count(), value: sql<number>`sum(${d.value})` })
      .from(d)
      .where(eq(d.workspaceId, p("workspaceId")))
      .groupBy(d.stage, d.currency)
      .prepare(),
    insert: db
      .insert(d)
      .values({
        id: p("id"),
        workspaceId: p("workspaceId"),
        contactId: p("contactId"),
        title: p("title"),
        value: p("value"),
        currency: p("currency"),
        stage: p("stage"),
        probability: p("probability"),
        expectedCloseDate: p("expectedCloseDate"),
        createdAt: p("now"),
      })
      .returning()
      .prepare(),
    find: db.select().from(d).where(mine).prepare(),
    change: db
      .update(d)
      .set({
        stage: p("stage") as never,
        probability: p("probability") as never,
        expectedCloseDate: p("expectedCloseDate") as never,
      })
      .where(mine)
      .returning()
      .prepare(),
  };
}

export function toDeal(row: typeof d.$inferSelect): Deal {
  return {
    id: row.id,
    contact_id: row.contactId,
    workspace_id: row.workspaceId,
    title: row.title,
    value: row.value,
    currency: row.currency,
    stage: row.stage as DealStage,
    probability: row.probability,
    expected_close_date: row.expectedCloseDate,
    created_at: isoTime(row.createdAt),
  };
}

export class SqliteDeals implements Deals {
  readonly #s: ReturnType<typeof prepareDeals>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareDeals>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(deal: NewDeal): Promise<Deal> {
    return toDeal(this.#s.insert.get({ ...deal, workspaceId: this.#workspaceId }));
  }

  async list(stage: DealStage, page: Page): Promise<{ rows: ListedDeal[]; total: number }> {
    const bound = { stage, workspaceId: this.#workspaceId };
    const rows = this.#s.list.all({ ...bound, ...page });
    return {
      rows: rows.map(({ deal, contact }) => ({ deal: toDeal(deal), contact })),
      total: this.#s.total.get(bound)?.total ?? 0,
    };
  }

  async totals(): Promise<DealTotal[]> {
    return this.#s.totals.all({ workspaceId: this.#workspaceId }) as DealTotal[];
  }

  async find(id: string): Promise<Deal | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && toDeal(row);
  }

  async change(id: string, change: DealChange): Promise<Deal | undefined> {
    // Drizzle types the row as always there; an update that matches nothing answers none.
    const row: typeof d.$inferSelect | undefined = this.#s.change.get({
      ...change,
      id,
      workspaceId: this.#workspaceId,
    });
    return row && toDeal(row);
  }
}
