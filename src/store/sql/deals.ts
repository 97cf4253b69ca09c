import { and, count, desc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Deal, DealStage } from "../../domain/contacts/deal.ts";
import { iso } from "../../lib/time.ts";
import type { Deals, DealTotal } from "../contacts.ts";
import { around } from "./dialect.ts";
import { keptCountOf, listOf } from "./lists.ts";
import { contacts as c, deals as d } from "./schema/index.ts";
import { type Db, newRow, type Params, placeholders } from "./statement.ts";
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
  const pageWhere = (where: SQL | undefined) => {
    const page = orm
      .select({ id: d.id })
      .from(d)
      .where(where)
      .orderBy(...order)
      .limit(p("limit"))
      .offset(p("offset"));
    return db.query(
      orm
        .select({ deal: d, contact })
        .from(d)
        .innerJoin(c, eq(c.id, d.contactId))
        .where(inArray(d.id, page))
        .orderBy(...order),
    );
  };
  const list = listOf(pageWhere(staged), keptCountOf(db, "deals", ["stage"]));
  const byStage = db.sql<Params, { stage: DealStage; total: number }>(
    `SELECT status AS stage, total FROM list_counts WHERE workspace_id = @workspaceId AND list = 'deals' AND part = ''`,
  );
  const owned = and(mine, eq(d.ownerId, p("ownerId")));
  const ownedAt = and(owned, eq(d.stage, p("stage")));
  const listOwned = listOf(pageWhere(ownedAt), db.query(orm.select({ total: count() }).from(d).where(ownedAt)));
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
  const totalsOwned = totalsWhere(owned);
  const totalsOwnedAt = totalsWhere(ownedAt);
  const keep = keepWords(db);
  const insert = db.query(orm.insert(d).values(newRow(d)).returning());
  const find = db.query(orm.select().from(d).where(one));
  const unassign = db.query(
    orm
      .update(d)
      .set({ ownerId: null })
      .where(and(mine, eq(d.ownerId, p("memberId")))),
  );
  const { elements, joinInOrder, unindexed } = db.dialect;
  const moves = db.sql<Params, { id: string; at: number; before: string; after: string }>(
    `SELECT l.record_id AS id, l.at, l.before, l.after
     FROM ${elements("@ids", "asked")} ${joinInOrder} audit_log l
       ON l.workspace_id = @workspaceId AND l.record_id = asked.value
     WHERE ${unindexed("l.action")} = 'set_deal_stage' AND l.before IS NOT NULL AND l.after IS NOT NULL`,
  );
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
      .set(placeholders("title", "value", "currency", "probability", "expectedCloseDate", "ownerId"))
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
    async insert({ now, wonConfirmedBy = null, ownerId = null, ...deal }) {
      const row = await insert.get({ ...deal, wonConfirmedBy, ownerId, createdAt: now, workspaceId });
      await keep(workspaceId, "deal", deal.id, recordText.deal(deal));
      return toDeal(row as typeof d.$inferSelect);
    },
    async list({ stage, ownerId }, page) {
      const { rows, total } =
        ownerId === undefined
          ? await list({ stage, workspaceId }, page)
          : await listOwned({ stage, ownerId, workspaceId }, page);
      return { rows: rows.map(({ deal, contact }) => ({ contact, deal: toDeal(deal), ownerId: deal.ownerId })), total };
    },
    async countByStage() {
      return new Map((await byStage.all({ workspaceId })).map(({ stage, total }) => [stage, total]));
    },
    async totals({ stage, ownerId }) {
      const [every, one] = ownerId === undefined ? [totals, totalsAt] : [totalsOwned, totalsOwnedAt];
      return (await (stage === undefined ? every : one).all({ stage, ownerId, workspaceId })) as DealTotal[];
    },
    async ownerOf(id) {
      return (await find.get({ id, workspaceId }))?.ownerId ?? null;
    },
    async unassign(memberId) {
      await unassign.run({ memberId, workspaceId });
    },
    async movedAt(ids) {
      if (ids.length === 0) return new Map();
      const found = new Map<string, number>();
      for (const { id, at, before, after } of await moves.all({
        ids: JSON.stringify([...new Set(ids)]),
        workspaceId,
      })) {
        if (JSON.parse(before).stage !== JSON.parse(after).stage) found.set(id, Math.max(at, found.get(id) ?? 0));
      }
      return found;
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
