import { and, count, desc, eq, sql } from "drizzle-orm";
import type { SequencePatch, SequenceRow, SequenceSummary, Sequences } from "../outreach.ts";
import type { Page } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { sequences as s } from "../sql/schema/index.ts";

const p = sql.placeholder;

const LISTED = {
  id: s.id,
  name: s.name,
  description: s.description,
  status: s.status,
  createdAt: s.createdAt,
  updatedAt: s.updatedAt,
};

const WHOLE = { ...LISTED, steps: s.steps, stepsHash: s.stepsHash, socialnetAccountId: s.socialnetAccountId };

export function prepareSequences(db: Drizzle) {
  const mine = eq(s.workspaceId, p("workspaceId"));
  const one = and(eq(s.id, p("id")), mine);
  const columns = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, p(name)]));
  return {
    insert: db
      .insert(s)
      .values(columns([...Object.keys(WHOLE), "workspaceId"]) as never)
      .prepare(),
    find: db.select(WHOLE).from(s).where(one).prepare(),
    list: db.select(LISTED).from(s).where(mine).orderBy(desc(s.seq)).limit(p("limit")).offset(p("offset")).prepare(),
    total: db.select({ total: count() }).from(s).where(mine).prepare(),
    update: memoised((names) =>
      db
        .update(s)
        .set(columns(names.split(",")))
        .where(one)
        .returning(WHOLE)
        .prepare(),
    ),
  };
}

export class SqliteSequences implements Sequences {
  readonly #s: ReturnType<typeof prepareSequences>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareSequences>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(sequence: SequenceRow): Promise<void> {
    this.#s.insert.run({ ...sequence, workspaceId: this.#workspaceId });
  }

  async find(id: string): Promise<SequenceRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async list(page: Page): Promise<{ rows: SequenceSummary[]; total: number }> {
    return {
      rows: this.#s.list.all({ ...page, workspaceId: this.#workspaceId }),
      total: this.#s.total.get({ workspaceId: this.#workspaceId })?.total ?? 0,
    };
  }

  async update(id: string, { copy, now, ...fields }: SequencePatch): Promise<SequenceRow | undefined> {
    const set = { ...fields, ...copy, updatedAt: now };
    return this.#s.update(Object.keys(set).join(",")).get({ ...set, id, workspaceId: this.#workspaceId });
  }
}
