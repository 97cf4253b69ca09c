import { and, eq, getTableColumns, gt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { MarkSource } from "../../domain/checklist/status.ts";
import type { Checklist, MarkRow, NewMark } from "../checklist.ts";
import { around } from "./dialect.ts";
import { checklistAssessments as a, checklistDays as d, checklistMarks as m, workspaces as w } from "./schema/index.ts";
import { type Db, newRow, type Params, placeholders, type Statement } from "./statement.ts";

const p = sql.placeholder;

const { workspaceId: _, ...MARK } = getTableColumns(m);
const { workspaceId: __, ...ASSESSMENT } = getTableColumns(a);

/** Whose mark counts, the first before the others. */
const PRECEDENCE: readonly MarkSource[] = ["member", "system", "agent"];

/** Of each item the mark that counts. */
function effective(marks: MarkRow[]): MarkRow[] {
  const rank = ({ source }: MarkRow) => PRECEDENCE.indexOf(source);
  const first = new Map<string, MarkRow>();
  for (const mark of marks.toSorted((x, y) => rank(x) - rank(y))) {
    if (!first.has(mark.itemId)) first.set(mark.itemId, mark);
  }
  return [...first.values()];
}

export function checklist(db: Db): (workspaceId: string) => Checklist {
  const { orm, dialect } = db;
  const mine = eq(m.workspaceId, p("workspaceId"));
  const one = and(mine, eq(m.itemId, p("itemId")));
  const dayOfItem = and(eq(d.workspaceId, p("workspaceId")), eq(d.itemId, p("itemId")));
  const assessments = eq(a.workspaceId, p("workspaceId"));
  const workspace = eq(w.id, p("workspaceId"));
  const saveDay = (day: SQL) =>
    db.query(
      orm
        .insert(d)
        .values(newRow(d))
        .onConflictDoUpdate({ target: [d.workspaceId, d.itemId], set: { lastDoneOn: day } }),
    );
  // The same statement checks that the item whose mark comes first is unmarked.
  const put = (source: MarkSource) => {
    const above = PRECEDENCE.slice(0, PRECEDENCE.indexOf(source)).map((other) => `source = '${other}'`);
    return db.sql(
      `INSERT INTO checklist_marks (workspace_id, item_id, source, status, evidence, by_id, by_name, updated_at)
       SELECT @workspaceId, @itemId, '${source}', @status, @evidence, @byId, @byName, @updatedAt
       WHERE NOT EXISTS (SELECT 1 FROM checklist_marks
         WHERE workspace_id = @workspaceId AND item_id = @itemId AND (${above.join(" OR ") || "false"}))
       ON CONFLICT (workspace_id, item_id, source) DO UPDATE SET status = excluded.status,
         evidence = excluded.evidence, by_id = excluded.by_id, by_name = excluded.by_name,
         updated_at = excluded.updated_at`,
    );
  };

  const marks = db.query(orm.select(MARK).from(m).where(mine));
  const mark = db.query(orm.select(MARK).from(m).where(one));
  const days = db.query(
    orm
      .select({ itemId: d.itemId, lastDoneOn: d.lastDoneOn })
      .from(d)
      .where(eq(d.workspaceId, p("workspaceId"))),
  );
  const day = db.query(orm.select({ lastDoneOn: d.lastDoneOn }).from(d).where(dayOfItem));
  const setDay = saveDay(sql`excluded.last_done_on`);
  const raiseDay = saveDay(sql.raw(dialect.greatest("checklist_days.last_done_on", "excluded.last_done_on")));
  const deleteDay = db.query(orm.delete(d).where(dayOfItem));
  const putByMember = put("member");
  const putByAgent = put("agent");
  const putBySystem = put("system");
  const insertMark = db.query(orm.insert(m).values(newRow(m)));
  const deleteMarks = db.query(orm.delete(m).where(one));
  const keepDetections = db.query(
    orm
      .delete(m)
      .where(
        and(
          mine,
          eq(m.source, "system"),
          sql`${m.itemId} NOT IN (SELECT value FROM ${around(dialect.elements, p("kept"))})`,
        ),
      ),
  );
  const listAssessments = db.query(orm.select(ASSESSMENT).from(a).where(assessments));
  const deleteAssessments = db.query(orm.delete(a).where(assessments));
  const saveAssessment = db.query(
    orm
      .insert(a)
      .values(newRow(a))
      .onConflictDoUpdate({
        target: [a.workspaceId, a.itemId],
        set: placeholders("state", "reason", "sources", "assessedAt"),
      }),
  );
  const lastAssessment = db.query(
    orm
      .select({ at: w.checklistAssessedAt, catalogVersion: w.checklistCatalog })
      .from(w)
      .where(and(workspace, gt(w.checklistAssessedAt, 0))),
  );
  const assessed = placeholders("checklistAssessedAt", "checklistCatalog");
  const noteAssessment = db.query(orm.update(w).set(assessed).where(workspace));
  const claimAssessment = db.query(
    orm
      .update(w)
      .set(assessed)
      .where(
        and(workspace, or(lte(w.checklistAssessedAt, p("before")), ne(w.checklistCatalog, p("checklistCatalog")))),
      ),
  );

  return (workspaceId) => {
    const effectiveMark = async (itemId: string) => effective(await mark.all({ itemId, workspaceId }))[0];
    /** False where a mark that comes first is there. */
    const putMark = async (statement: Statement<Params, unknown>, { doneOn, ...row }: NewMark) => {
      if ((await statement.run({ ...row, workspaceId })).changes === 0) return false;
      if (doneOn !== null) await raiseDay.run({ itemId: row.itemId, lastDoneOn: doneOn, workspaceId });
      return true;
    };
    const save = async (row: Parameters<Checklist["saveAssessment"]>[0]) => {
      await saveAssessment.run({ ...row, workspaceId });
    };
    return {
      async marks() {
        return effective(await marks.all({ workspaceId }));
      },
      mark: effectiveMark,
      async marksOf(itemId) {
        return mark.all({ itemId, workspaceId });
      },
      async days() {
        return days.all({ workspaceId });
      },
      async lastDoneOn(itemId) {
        return (await day.get({ itemId, workspaceId }))?.lastDoneOn ?? null;
      },
      async setMark({ doneOn, ...row }) {
        const { itemId } = row;
        await deleteMarks.run({ itemId, workspaceId });
        await putByMember.run({ ...row, workspaceId });
        if (doneOn !== null) await setDay.run({ itemId, lastDoneOn: doneOn, workspaceId });
      },
      async removeMark(itemId) {
        const { changes: ofDays } = await deleteDay.run({ itemId, workspaceId });
        const { changes: ofMarks } = await deleteMarks.run({ itemId, workspaceId });
        return ofDays + ofMarks > 0;
      },
      async restore(itemId, recorded) {
        await deleteDay.run({ itemId, workspaceId });
        await deleteMarks.run({ itemId, workspaceId });
        for (const row of recorded.marks) await insertMark.run({ ...row, itemId, workspaceId });
        if (recorded.lastDoneOn !== null) await setDay.run({ itemId, lastDoneOn: recorded.lastDoneOn, workspaceId });
      },
      async recordEvidence(row) {
        const before = await effectiveMark(row.itemId);
        return (await putMark(putByAgent, row)) ? { created: before === undefined } : undefined;
      },
      async recordDetection(row) {
        await putMark(putBySystem, row);
      },
      async keepDetections(itemIds) {
        await keepDetections.run({ kept: JSON.stringify(itemIds), workspaceId });
      },
      async assessments() {
        return listAssessments.all({ workspaceId });
      },
      async lastAssessment() {
        return lastAssessment.get({ workspaceId });
      },
      saveAssessment: save,
      async replaceAssessments(rows) {
        await deleteAssessments.run({ workspaceId });
        for (const row of rows) await save(row);
      },
      async noteAssessment({ at, catalogVersion }) {
        await noteAssessment.run({ checklistAssessedAt: at, checklistCatalog: catalogVersion, workspaceId });
      },
      async claimAssessment({ at, before, catalogVersion }) {
        const claim = { checklistAssessedAt: at, checklistCatalog: catalogVersion, before };
        return (await claimAssessment.run({ ...claim, workspaceId })).changes === 1;
      },
    };
  };
}
