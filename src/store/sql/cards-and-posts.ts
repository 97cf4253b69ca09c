import { and, asc, count, desc, eq, getTableColumns, gte, sql } from "drizzle-orm";
import type { CardRow, Cards, PostRow, Posts, ReviewFilter } from "../checklist.ts";
import { around } from "./dialect.ts";
import { filteredList, list } from "./lists.ts";
import { approvalCards as c, socialPosts as s } from "./schema/index.ts";
import { type Db, placeholders } from "./statement.ts";
import { keepWords, recordText } from "./words.ts";

const p = sql.placeholder;

const { seq: _, workspaceId: __, ...CARD } = getTableColumns(c);
const { seq: ___, workspaceId: ____, ...POST } = getTableColumns(s);

/** A card without its body. */
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

export function cards(db: Db): (workspaceId: string) => Cards {
  const { orm, dialect } = db;
  const mine = eq(c.workspaceId, p("workspaceId"));
  const one = and(eq(c.id, p("id")), mine);
  // The partial index decides: a second pending card of an item gets no row.
  const insert = db.sql(
    `INSERT INTO approval_cards (id, workspace_id, item_id, status, title, summary, body, redo_of, submitted_by_id,
       submitted_by_name, submitted_at)
     SELECT @id, @workspaceId, @itemId, 'pending', @title, @summary, @body,
       (SELECT CASE WHEN status = 'change_requested' THEN id END FROM approval_cards
        WHERE workspace_id = @workspaceId AND item_id = @itemId ORDER BY seq DESC LIMIT 1),
       @submittedById, @submittedByName, @submittedAt
     WHERE true ON CONFLICT (workspace_id, item_id) WHERE status = 'pending' DO NOTHING`,
  );
  const find = db.query(orm.select(CARD).from(c).where(one));
  const latest = db.query(
    orm
      .select(HEAD)
      .from(around((ids) => dialect.elements(ids, "asked"), p("itemIds")))
      .innerJoin(
        c,
        // One whose approval was withdrawn waits again, although later ones were decided.
        sql`${c.seq} = coalesce(
          (SELECT waiting.seq FROM approval_cards AS waiting WHERE waiting.workspace_id = ${p("workspaceId")}
             AND waiting.item_id = asked.value AND waiting.status = 'pending'),
          (SELECT max(newest.seq) FROM approval_cards AS newest
             WHERE newest.workspace_id = ${p("workspaceId")} AND newest.item_id = asked.value))`,
      ),
  );
  const pages = filteredList<CardRow, ReviewFilter<CardRow["status"]>>((names) =>
    list(db, CARD, c, and(mine, ...names.map((name) => eq(c[name], p(name)))), desc(c.seq)),
  );
  const decide = db.query(
    orm
      .update(c)
      .set(placeholders("status", "decidedById", "decidedByName", "decidedAt", "note"))
      .where(and(one, eq(c.status, "pending")))
      .returning(CARD),
  );
  const withdraw = db.query(
    orm
      .update(c)
      .set({ status: "pending", decidedById: null, decidedByName: null, decidedAt: null, note: null })
      .where(and(one, eq(c.status, "approved")))
      .returning(CARD),
  );

  return (workspaceId) => ({
    async insert(card) {
      const { changes } = await insert.run({ ...card, workspaceId });
      return changes === 1 ? find.get({ id: card.id, workspaceId }) : undefined;
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async latest(itemIds) {
      return latest.all({ itemIds: JSON.stringify(itemIds), workspaceId });
    },
    list: (filter, page) => pages({ workspaceId }, filter, page),
    async decide(id, status, { byId, byName, now, note }) {
      const decision = { status, decidedById: byId, decidedByName: byName, decidedAt: now, note };
      return decide.get({ ...decision, id, workspaceId });
    },
    async withdraw(id) {
      return withdraw.get({ id, workspaceId });
    },
  });
}

export function posts(db: Db): (workspaceId: string) => Posts {
  const { orm } = db;
  const keep = keepWords(db);
  const mine = eq(s.workspaceId, p("workspaceId"));
  const one = and(eq(s.id, p("id")), mine);
  // The same statement checks that no card of the item is pending.
  const insert = db.sql(
    `INSERT INTO social_posts (id, workspace_id, item_id, status, channel, title, body, suggested_for, redo_of,
       submitted_by_id, submitted_by_name, submitted_at)
     SELECT @id, @workspaceId, @itemId, 'needs_review', @channel, @title, @body, @suggestedFor,
       (SELECT asked.id FROM social_posts asked
        WHERE asked.workspace_id = @workspaceId AND asked.item_id = @itemId AND asked.status = 'changes_requested'
          AND NOT EXISTS (SELECT 1 FROM social_posts answer
            WHERE answer.workspace_id = @workspaceId AND answer.redo_of = asked.id)
        ORDER BY asked.seq DESC LIMIT 1),
       @submittedById, @submittedByName, @submittedAt
     WHERE NOT EXISTS (SELECT 1 FROM approval_cards
       WHERE workspace_id = @workspaceId AND item_id = @itemId AND status = 'pending')`,
  );
  const find = db.query(orm.select(POST).from(s).where(one));
  const newest = db.query(orm.select(POST).from(s).where(mine).orderBy(desc(s.seq)).limit(p("limit")));
  const pages = filteredList<PostRow, ReviewFilter<PostRow["status"]>>((names) =>
    list(db, POST, s, and(mine, ...names.map((name) => eq(s[name], p(name)))), desc(s.seq)),
  );
  const upcoming = db.query(
    orm
      .select(POST)
      .from(s)
      .where(and(mine, eq(s.status, "approved"), gte(s.scheduledFor, p("from"))))
      .orderBy(asc(s.scheduledFor))
      .limit(p("limit")),
  );
  const waiting = db.query(
    orm
      .select({ itemId: s.itemId, count: count() })
      .from(s)
      // Not a parameter, so that the index of posts that need review is seen to fit.
      .where(and(mine, sql`${s.status} = 'needs_review'`))
      .groupBy(s.itemId),
  );
  const decide = db.query(
    orm
      .update(s)
      .set(placeholders("status", "decidedById", "decidedByName", "decidedAt", "note", "scheduledFor"))
      .where(and(one, eq(s.status, "needs_review")))
      .returning(POST),
  );
  const withdraw = db.query(
    orm
      .update(s)
      .set({
        status: "needs_review",
        scheduledFor: null,
        decidedById: null,
        decidedByName: null,
        decidedAt: null,
        note: null,
      })
      .where(and(one, eq(s.status, "approved")))
      .returning(POST),
  );
  const end = db.query(
    orm
      .update(s)
      .set({
        status: p("status") as never,
        endedAt: p("endedAt") as never,
        channel: sql`coalesce(${p("channel")}, ${s.channel})`,
        publishedUrl: p("publishedUrl") as never,
      })
      .where(and(one, eq(s.status, "approved")))
      .returning(POST),
  );

  return (workspaceId) => ({
    async insert(post) {
      const { changes } = await insert.run({ ...post, workspaceId });
      if (changes !== 1) return undefined;
      await keep(workspaceId, "post", post.id, recordText.post(post));
      return find.get({ id: post.id, workspaceId });
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async newest(limit) {
      return newest.all({ limit, workspaceId });
    },
    async upcoming(from, limit) {
      return upcoming.all({ from, limit, workspaceId });
    },
    async waiting() {
      return waiting.all({ workspaceId });
    },
    list: (filter, page) => pages({ workspaceId }, filter, page),
    async decide(id, status, { byId, byName, now, note, scheduledFor }) {
      const decision = { status, decidedById: byId, decidedByName: byName, decidedAt: now, note, scheduledFor };
      return decide.get({ ...decision, id, workspaceId });
    },
    async withdraw(id) {
      return withdraw.get({ id, workspaceId });
    },
    async end(id, status, { at, channel, url }) {
      return end.get({ id, status, endedAt: at, channel, publishedUrl: url, workspaceId });
    },
  });
}
