import { and, eq, lte, ne, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { AssessmentRow, Checklist, MarkRow } from "../checklist.ts";
import type { Drizzle } from "./connection.ts";
import { checklistAssessments as a, checklistMarks as m, workspaces as w } from "./schema.ts";

const p = sql.placeholder;

const MARK = {
  itemId: m.itemId,
  status: m.status,
  evidence: m.evidence,
  lastDoneOn: m.lastDoneOn,
  source: m.source,
  byId: m.byId,
  byName: m.byName,
  updatedAt: m.updatedAt,
};

const ASSESSMENT = {
  itemId: a.itemId,
  state: a.state,
  reason: a.reason,
  sources: a.sources,
  assessedAt: a.assessedAt,
};

const given = (...names: string[]) => Object.fromEntries(names.map((name) => [name, p(name)]));

export function prepareChecklist(db: Drizzle) {
  const mine = eq(m.workspaceId, p("workspaceId"));
  const one = and(mine, eq(m.itemId, p("itemId")));
  const { itemId: _, lastDoneOn: __, ...rest } = MARK;
  const { itemId: ___, ...found } = ASSESSMENT;
  const key = [m.workspaceId, m.itemId];
  const put = () => db.insert(m).values(given(...Object.keys(MARK), "workspaceId") as never);
  const excluded = (name: string) => sql.raw(`excluded.${toSnakeCase(name)}`);
  const replaced = Object.fromEntries(Object.keys(rest).map((name) => [name, excluded(name)]));
  const later = (date: unknown) => sql`nullif(max(coalesce(${m.lastDoneOn}, ''), coalesce(${date}, '')), '')`;
  return {
    marks: db.select(MARK).from(m).where(mine).prepare(),
    mark: db.select(MARK).from(m).where(one).prepare(),
    set: put()
      .onConflictDoUpdate({ target: key, set: { ...replaced, lastDoneOn: excluded("lastDoneOn") } })
      .prepare(),
    remove: db.delete(m).where(one).prepare(),
    removeOf: db
      .delete(m)
      .where(and(one, eq(m.source, p("source"))))
      .prepare(),
    add: put().onConflictDoNothing({ target: key }).returning(MARK).prepare(),
    renew: db
      .update(m)
      .set({ ...given(...Object.keys(rest)), lastDoneOn: later(p("lastDoneOn")) })
      .where(and(one, eq(m.source, "agent")))
      .returning(MARK)
      .prepare(),
    detect: put()
      .onConflictDoUpdate({
        target: key,
        set: { ...replaced, lastDoneOn: later(excluded("lastDoneOn")) },
        setWhere: ne(m.source, "member"),
      })
      .prepare(),
    assessments: db
      .select(ASSESSMENT)
      .from(a)
      .where(eq(a.workspaceId, p("workspaceId")))
      .prepare(),
    forget: db
      .delete(a)
      .where(eq(a.workspaceId, p("workspaceId")))
      .prepare(),
    assess: db
      .insert(a)
      .values(given(...Object.keys(ASSESSMENT), "workspaceId") as never)
      .onConflictDoUpdate({
        target: [a.workspaceId, a.itemId],
        set: Object.fromEntries(Object.keys(found).map((name) => [name, excluded(name)])),
      })
      .prepare(),
    claim: db
      .update(w)
      .set({ checklistAssessedAt: p("now") as never })
      .where(and(eq(w.id, p("workspaceId")), lte(w.checklistAssessedAt, p("before"))))
      .prepare(),
  };
}

export class SqliteChecklist implements Checklist {
  readonly #s: ReturnType<typeof prepareChecklist>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareChecklist>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async marks(): Promise<MarkRow[]> {
    return this.#s.marks.all({ workspaceId: this.#workspaceId });
  }

  async mark(itemId: string): Promise<MarkRow | undefined> {
    return this.#s.mark.get({ itemId, workspaceId: this.#workspaceId });
  }

  async setMark(mark: MarkRow): Promise<void> {
    this.#s.set.run({ ...mark, workspaceId: this.#workspaceId });
  }

  async removeMark(itemId: string, source?: MarkRow["source"]): Promise<boolean> {
    const of = { itemId, workspaceId: this.#workspaceId };
    const { changes } = source === undefined ? this.#s.remove.run(of) : this.#s.removeOf.run({ ...of, source });
    return changes === 1;
  }

  async recordEvidence(given: Omit<MarkRow, "source">): Promise<{ mark: MarkRow; created: boolean } | undefined> {
    const values = { ...given, source: "agent", workspaceId: this.#workspaceId };
    const renewed = this.#s.renew.get(values);
    if (renewed !== undefined) return { mark: renewed, created: false };
    const mark = this.#s.add.get(values);
    return mark && { mark, created: true };
  }

  async recordDetection(given: Omit<MarkRow, "source">): Promise<void> {
    this.#s.detect.run({ ...given, source: "system", workspaceId: this.#workspaceId });
  }

  async assessments(): Promise<AssessmentRow[]> {
    return this.#s.assessments.all({ workspaceId: this.#workspaceId });
  }

  async saveAssessment(row: AssessmentRow): Promise<void> {
    this.#s.assess.run({ ...row, workspaceId: this.#workspaceId });
  }

  async replaceAssessments(rows: readonly AssessmentRow[]): Promise<void> {
    this.#s.forget.run({ workspaceId: this.#workspaceId });
    for (const row of rows) await this.saveAssessment(row);
  }

  async claimAssessment(now: number, before: number): Promise<boolean> {
    return this.#s.claim.run({ now, before, workspaceId: this.#workspaceId }).changes === 1;
  }
}
