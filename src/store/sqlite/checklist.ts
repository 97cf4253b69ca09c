import type { Statement } from "better-sqlite3";
import { and, eq, gt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { MarkSource } from "../../domain/checklist/status.ts";
import type { AssessmentClaim, AssessmentRow, Checklist, DayRow, MarkRow, NewMark } from "../checklist.ts";
import type { Drizzle } from "./connection.ts";
import { checklistAssessments as a, checklistDays as d, checklistMarks as m, workspaces as w } from "../sql/schema/index.ts";

const p = sql.placeholder;

const MARK = {
  itemId: m.itemId,
  status: m.status,
  evidence: m.evidence,
  source: m.source,
  byId: m.byId,
  byName: m.byName,
  updatedAt: m.updatedAt,
};

/** Whose word counts, the first before the others. */
const IN_FORCE: readonly MarkSource[] = ["member", "system", "agent"];

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
  const { itemId: _, ...found } = ASSESSMENT;
  const excluded = (name: string) => sql.raw(`excluded.${toSnakeCase(name)}`);
  const dated = and(eq(d.workspaceId, p("workspaceId")), eq(d.itemId, p("itemId")));
  const keepDay = (day: SQL) =>
    db
      .insert(d)
      .values(given("workspaceId", "itemId", "lastDoneOn") as never)
      .onConflictDoUpdate({ target: [d.workspaceId, d.itemId], set: { lastDoneOn: day } })
      .prepare();
  // A mark comes in where nobody has marked the item whose word counts for more, and the same statement sees to it.
  const put = (source: MarkSource) => {
    const above = IN_FORCE.slice(0, IN_FORCE.indexOf(source));
    const stands = above.map((other) => `source = '${other}'`).join(" OR ") || "false";
    return db.$client.prepare(
      `INSERT INTO checklist_marks (workspace_id, item_id, source, status, evidence, by_id, by_name, updated_at)
       SELECT @workspaceId, @itemId, '${source}', @status, @evidence, @byId, @byName, @updatedAt
       WHERE NOT EXISTS (SELECT 1 FROM checklist_marks
         WHERE workspace_id = @workspaceId AND item_id = @itemId AND (${stands}))
       ON CONFLICT DO UPDATE SET status = excluded.status, evidence = excluded.evidence, by_id = excluded.by_id,
         by_name = excluded.by_name, updated_at = excluded.updated_at`,
    );
  };
  return {
    marks: db.select(MARK).from(m).where(mine).prepare(),
    mark: db.select(MARK).from(m).where(one).prepare(),
    days: db
      .select({ itemId: d.itemId, lastDoneOn: d.lastDoneOn })
      .from(d)
      .where(eq(d.workspaceId, p("workspaceId")))
      .prepare(),
    day: db.select({ lastDoneOn: d.lastDoneOn }).from(d).where(dated).prepare(),
    setDay: keepDay(excluded("lastDoneOn")),
    raiseDay: keepDay(sql`max(${d.lastDoneOn}, ${excluded("lastDoneOn")})`),
    forgetDay: db.delete(d).where(dated).prepare(),
    set: put("member"),
    record: put("agent"),
    detect: put("system"),
    remove: db.delete(m).where(one).prepare(),
    keep: db
      .delete(m)
      .where(and(mine, eq(m.source, "system"), sql`${m.itemId} NOT IN (SELECT value FROM json_each(${p("kept")}))`))
      .prepare(),
    assessments: db
      .select(ASSESSMENT)
      .from(a)
      .where(eq(a.workspaceId, p("workspaceId")))
      .prepare(),
    noted: db
      .select({ at: w.checklistAssessedAt, catalogVersion: w.checklistCatalog })
      .from(w)
      .where(and(eq(w.id, p("workspaceId")), gt(w.checklistAssessedAt, 0)))
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
    note: db
      .update(w)
      .set({ checklistAssessedAt: p("at") as never, checklistCatalog: p("catalogVersion") as never })
      .where(eq(w.id, p("workspaceId")))
      .prepare(),
    claim: db
      .update(w)
      .set({ checklistAssessedAt: p("at") as never, checklistCatalog: p("catalogVersion") as never })
      .where(
        and(
          eq(w.id, p("workspaceId")),
          or(lte(w.checklistAssessedAt, p("before")), ne(w.checklistCatalog, p("catalogVersion"))),
        ),
      )
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
    return inForce(this.#s.marks.all({ workspaceId: this.#workspaceId }));
  }

  async mark(itemId: string): Promise<MarkRow | undefined> {
    return inForce(this.#s.mark.all({ itemId, workspaceId: this.#workspaceId }))[0];
  }

  async days(): Promise<DayRow[]> {
    return this.#s.days.all({ workspaceId: this.#workspaceId });
  }

  async lastDoneOn(itemId: string): Promise<string | null> {
    return this.#s.day.get({ itemId, workspaceId: this.#workspaceId })?.lastDoneOn ?? null;
  }

  async setMark({ doneOn: lastDoneOn, ...mark }: NewMark): Promise<void> {
    const of = { itemId: mark.itemId, workspaceId: this.#workspaceId };
    this.#s.remove.run(of);
    this.#s.set.run({ ...mark, ...of });
    if (lastDoneOn !== null) this.#s.setDay.run({ ...of, lastDoneOn });
  }

  async removeMark(itemId: string): Promise<boolean> {
    const of = { itemId, workspaceId: this.#workspaceId };
    return this.#s.forgetDay.run(of).changes + this.#s.remove.run(of).changes > 0;
  }

  async recordEvidence(mark: NewMark): Promise<{ created: boolean } | undefined> {
    const before = await this.mark(mark.itemId);
    return this.#put(this.#s.record, mark) ? { created: before === undefined } : undefined;
  }

  async recordDetection(mark: NewMark): Promise<void> {
    this.#put(this.#s.detect, mark);
  }

  async keepDetections(itemIds: readonly string[]): Promise<void> {
    this.#s.keep.run({ kept: JSON.stringify(itemIds), workspaceId: this.#workspaceId });
  }

  /** False where somebody's word stands against it. */
  #put(statement: Statement, { doneOn: lastDoneOn, ...mark }: NewMark): boolean {
    const of = { itemId: mark.itemId, workspaceId: this.#workspaceId };
    if (statement.run({ ...mark, ...of }).changes === 0) return false;
    if (lastDoneOn !== null) this.#s.raiseDay.run({ ...of, lastDoneOn });
    return true;
  }

  async assessments(): Promise<AssessmentRow[]> {
    return this.#s.assessments.all({ workspaceId: this.#workspaceId });
  }

  async lastAssessment(): Promise<Omit<AssessmentClaim, "before"> | undefined> {
    return this.#s.noted.get({ workspaceId: this.#workspaceId });
  }

  async saveAssessment(row: AssessmentRow): Promise<void> {
    this.#s.assess.run({ ...row, workspaceId: this.#workspaceId });
  }

  async replaceAssessments(rows: readonly AssessmentRow[]): Promise<void> {
    this.#s.forget.run({ workspaceId: this.#workspaceId });
    for (const row of rows) await this.saveAssessment(row);
  }

  async noteAssessment(noted: Omit<AssessmentClaim, "before">): Promise<void> {
    this.#s.note.run({ ...noted, workspaceId: this.#workspaceId });
  }

  async claimAssessment(claim: AssessmentClaim): Promise<boolean> {
    return this.#s.claim.run({ ...claim, workspaceId: this.#workspaceId }).changes === 1;
  }
}

/** Of each item the mark that counts. */
function inForce(marks: MarkRow[]): MarkRow[] {
  const rank = ({ source }: MarkRow) => IN_FORCE.indexOf(source);
  const first = new Map<string, MarkRow>();
  for (const mark of marks.toSorted((a, b) => rank(a) - rank(b))) {
    if (!first.has(mark.itemId)) first.set(mark.itemId, mark);
  }
  return [...first.values()];
}
