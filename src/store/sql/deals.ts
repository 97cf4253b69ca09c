import { and, count, desc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Deal, DealStage } from "../../domain/contacts/deal.ts";
import { iso } from "../../lib/time.ts";
import type { Deals, DealTotal } from "../contacts.ts";
import { around } from "./dialect.ts";
import { keptCountOf, listOf } from "./lists.ts";
import { contacts as c, deals as d } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";
import { keepWords, recordText } from "./words.ts";

const p = sql.placeholder;

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
    created_at: iso(row.createdAt),
  };
}

export function deals(db: Db): (workspaceId: string) => Deals {
  const { orm, dialect } = db;
  const mine = eq(d.workspaceId, p("workspaceId"));
  const one = and(eq(d.id, p("id")), mine);
  const staged = and(mine, eq(d.stage, p("stage")));
  const contact = { first_name: c.firstName, last_name: c.lastName, email: c.email, company: c.company };
  const order = [desc(d.createdAt), desc(d.id)];
  // The page first: joined to contacts, each deal before it would look up its own.
  const page = orm
    .select({ id: d.id })
    .from(d)
    .where(staged)
    .orderBy(...order)
    .limit(p("limit"))
    .offset(p("offset"));
  const list = listOf(
    db.query(
      orm
        .select({ deal: d, contact })
        .from(d)
        .innerJoin(c, eq(c.id, d.contactId))
        .where(inArray(d.id, page))
        .orderBy(...order),
    ),
    keptCountOf(db, "deals", ["stage"]),
  );
  const totalsWhere = (where: SQL | undefined) =>
    db.query(
      orm
        .select({
          stage: d.stage,
          currency: d.currency,
          deals: count(),
          value: sql<number>`${around(dialect.sum, d.value)}`,
        })
        .from(d)
        .where(where)
        .groupBy(d.stage, d.currency),
    );
  const totals = totalsWhere(mine);
  const totalsAt = totalsWhere(staged);
  const keep = keepWords(db);
  const insert = db.query(orm.insert(d).values(newRow(d)).returning());
  const find = db.query(orm.select().from(d).where(one));
  const change = db.query(
    orm
      .update(d)
      .set({
        stage: p("stage") as never,
        probability: p("probability") as never,
        expectedCloseDate: p("expectedCloseDate") as never,
        wonConfirmedBy: sql`CASE WHEN ${p("stage")} <> 'closed_won' THEN NULL
          WHEN ${d.stage} = 'closed_won' THEN ${d.wonConfirmedBy} ELSE ${p("by")} END`,
      })
      .where(one)
      .returning(),
  );
  const edit = db.query(
    orm
      .update(d)
      .set(placeholders("title", "value", "currency", "probability", "expectedCloseDate"))
      .where(one)
      .returning(),
  );
  const confirmWon = db.query(
    orm
      .update(d)
      .set(placeholders("wonConfirmedBy"))
      .where(and(one, eq(d.stage, "closed_won"), isNull(d.wonConfirmedBy))),
  );

  return (workspaceId) => ({
    async insert({ now, wonConfirmedBy = null, ...deal }) {
      const row = await insert.get({ ...deal, wonConfirmedBy, createdAt: now, workspaceId });
      await keep(workspaceId, "deal", deal.id, recordText.deal(deal));
      return toDeal(row as typeof d.$inferSelect);
    },
    async list(stage, page) {
      const { rows, total } = await list({ stage, workspaceId }, page);
      return { rows: rows.map((row) => ({ ...row, deal: toDeal(row.deal) })), total };
    },
    async totals(stage) {
      return (await (stage === undefined ? totals : totalsAt).all({ stage, workspaceId })) as DealTotal[];
    },
    async find(id) {
      const row = await find.get({ id, workspaceId });
      return row && toDeal(row);
    },
    async confirmWon(id, by) {
      return (await confirmWon.run({ id, wonConfirmedBy: by, workspaceId })).changes === 1;
    },
    async change(id, fields) {
      const row = await change.get({ ...fields, id, workspaceId });
      return row && toDeal(row);
    },
    async edit(id, fields) {
      const row = await edit.get({ ...fields, id, workspaceId });
      if (row === undefined) return undefined;
      await keep(workspaceId, "deal", id, recordText.deal(row));
      return toDeal(row);
    },
  });
}
