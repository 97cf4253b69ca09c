import { and, count, desc, eq, sql } from "drizzle-orm";
import type { CardHead, CardRow, Cards, NewCard, ReviewFilter } from "../checklist.ts";
import type { Page } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { readFiltered } from "./filtered.ts";
import { approvalCards as c } from "../sql/schema/index.ts";

const p = sql.placeholder;

const HEAD = {
  id: c.id,
  itemId: c.itemId,
  status: c.status,
  title: c.title,
  summary: c.summary,
  note: c.note,
  submittedAt: c.submittedAt,
  decidedAt: c.decidedAt,
};

const WHOLE = {
  ...HEAD,
  body: c.body,
  redoOf: c.redoOf,
  submittedById: c.submittedById,
  submittedByName: c.submittedByName,
  decidedById: c.decidedById,
  decidedByName: c.decidedByName,
};

export function prepareCards(db: Drizzle) {
  const mine = eq(c.workspaceId, p("workspaceId"));
  const one = and(eq(c.id, p("id")), mine);
  return {
    // The partial index decides: a second pending card of the item is no row, whoever comes first.
    insert: db.$client.prepare(
      `INSERT INTO approval_cards (id, workspace_id, item_id, status, title, summary, body, redo_of, submitted_by_id,
         submitted_by_name, submitted_at)
       SELECT @id, @workspaceId, @itemId, 'pending', @title, @summary, @body,
         (SELECT iif(status = 'change_requested', id, NULL) FROM approval_cards
          WHERE workspace_id = @workspaceId AND item_id = @itemId ORDER BY seq DESC LIMIT 1),
         @submittedById, @submittedByName, @submittedAt
       WHERE true ON CONFLICT (workspace_id, item_id) WHERE status = 'pending' DO NOTHING`,
    ),
    find: db.select(WHOLE).from(c).where(one).prepare(),
    latest: db
      .select(HEAD)
      .from(sql`json_each(${p("itemIds")}) AS asked`)
      .innerJoin(
        c,
        sql`${c.seq} = (SELECT max(newest.seq) FROM approval_cards AS newest
          WHERE newest.workspace_id = ${p("workspaceId")} AND newest.item_id = asked.value)`,
      )
      .prepare(),
    pages: memoised((filtered) => {
      const by = filtered.split(",").filter((name): name is "status" | "itemId" => name !== "");
      const where = and(mine, ...by.map((name) => eq(c[name], p(name))));
      return {
        page: db
          .select(WHOLE)
          .from(c)
          .where(where)
          .orderBy(desc(c.seq))
          .limit(p("limit"))
          .offset(p("offset"))
          .prepare(),
        total: db.select({ total: count() }).from(c).where(where).prepare(),
      };
    }),
    decide: db
      .update(c)
      .set({
        status: p("to") as never,
        decidedById: p("byId") as never,
        decidedByName: p("byName") as never,
        decidedAt: p("now") as never,
        note: p("note") as never,
      })
      .where(and(one, eq(c.status, "pending")))
      .returning(WHOLE)
      .prepare(),
  };
}

export class SqliteCards implements Cards {
  readonly #s: ReturnType<typeof prepareCards>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareCards>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(card: NewCard): Promise<CardRow | undefined> {
    const { changes } = this.#s.insert.run({ ...card, workspaceId: this.#workspaceId });
    return changes === 1 ? this.find(card.id) : undefined;
  }

  async find(id: string): Promise<CardRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async latest(itemIds: readonly string[]): Promise<CardHead[]> {
    return this.#s.latest.all({ itemIds: JSON.stringify(itemIds), workspaceId: this.#workspaceId });
  }

  async list(filter: ReviewFilter<CardRow["status"]>, page: Page): Promise<{ rows: CardRow[]; total: number }> {
    return readFiltered(this.#s.pages, filter, page, this.#workspaceId);
  }

  async decide(id: string, to: CardRow["status"], deciding: Parameters<Cards["decide"]>[2]) {
    return this.#s.decide.get({ ...deciding, id, to, workspaceId: this.#workspaceId });
  }
}
