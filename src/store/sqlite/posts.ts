import { and, count, desc, eq, sql } from "drizzle-orm";
import type { NewPost, PostRow, Posts, ReviewFilter } from "../checklist.ts";
import type { Page } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { readFiltered } from "./filtered.ts";
import { socialPosts as s } from "../sql/schema/index.ts";

const p = sql.placeholder;

const WHOLE = {
  id: s.id,
  itemId: s.itemId,
  status: s.status,
  channel: s.channel,
  title: s.title,
  body: s.body,
  suggestedFor: s.suggestedFor,
  scheduledFor: s.scheduledFor,
  redoOf: s.redoOf,
  submittedById: s.submittedById,
  submittedByName: s.submittedByName,
  submittedAt: s.submittedAt,
  decidedById: s.decidedById,
  decidedByName: s.decidedByName,
  decidedAt: s.decidedAt,
  note: s.note,
  endedAt: s.endedAt,
  publishedUrl: s.publishedUrl,
};

export function preparePosts(db: Drizzle) {
  const mine = eq(s.workspaceId, p("workspaceId"));
  const one = and(eq(s.id, p("id")), mine);
  const newest = (where: ReturnType<typeof and>) =>
    db.select(WHOLE).from(s).where(where).orderBy(desc(s.seq)).limit(p("limit"));
  return {
    // Nothing comes in past a card that waits, and the same statement sees to it.
    insert: db.$client.prepare(
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
    ),
    find: db.select(WHOLE).from(s).where(one).prepare(),
    newest: newest(mine).prepare(),
    pages: memoised((filtered) => {
      const by = filtered.split(",").filter((name): name is "status" | "itemId" => name !== "");
      const where = and(mine, ...by.map((name) => eq(s[name], p(name))));
      return {
        page: newest(where).offset(p("offset")).prepare(),
        total: db.select({ total: count() }).from(s).where(where).prepare(),
      };
    }),
    waiting: db
      .select({ itemId: s.itemId, count: count() })
      .from(s)
      // Spelt out, so that the index of what waits is seen to fit.
      .where(and(mine, sql`${s.status} = 'needs_review'`))
      .groupBy(s.itemId)
      .prepare(),
    decide: db
      .update(s)
      .set({
        status: p("to") as never,
        decidedById: p("byId") as never,
        decidedByName: p("byName") as never,
        decidedAt: p("now") as never,
        note: p("note") as never,
        scheduledFor: p("scheduledFor") as never,
      })
      .where(and(one, eq(s.status, "needs_review")))
      .returning(WHOLE)
      .prepare(),
    end: db
      .update(s)
      .set({
        status: p("to") as never,
        endedAt: p("at") as never,
        channel: sql`coalesce(${p("channel")}, ${s.channel})`,
        publishedUrl: p("url") as never,
      })
      .where(and(one, eq(s.status, "approved")))
      .returning(WHOLE)
      .prepare(),
  };
}

export class SqlitePosts implements Posts {
  readonly #s: ReturnType<typeof preparePosts>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof preparePosts>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(post: NewPost): Promise<PostRow | undefined> {
    const { changes } = this.#s.insert.run({ ...post, workspaceId: this.#workspaceId });
    return changes === 1 ? this.find(post.id) : undefined;
  }

  async find(id: string): Promise<PostRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async newest(limit: number): Promise<PostRow[]> {
    return this.#s.newest.all({ limit, workspaceId: this.#workspaceId });
  }

  async waiting(): Promise<{ itemId: string; count: number }[]> {
    return this.#s.waiting.all({ workspaceId: this.#workspaceId });
  }

  async list(filter: ReviewFilter<PostRow["status"]>, page: Page): Promise<{ rows: PostRow[]; total: number }> {
    return readFiltered(this.#s.pages, filter, page, this.#workspaceId);
  }

  async decide(id: string, to: PostRow["status"], deciding: Parameters<Posts["decide"]>[2]) {
    return this.#s.decide.get({ ...deciding, id, to, workspaceId: this.#workspaceId });
  }

  async end(id: string, to: PostRow["status"], ending: Parameters<Posts["end"]>[2]): Promise<PostRow | undefined> {
    return this.#s.end.get({ ...ending, id, to, workspaceId: this.#workspaceId });
  }
}
