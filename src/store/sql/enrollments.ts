import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, sql } from "drizzle-orm";
import { LASTING_HOLD } from "../../domain/outreach/sending.ts";
import { type EnrollmentStatus, OPEN_ENROLLMENT } from "../../domain/outreach/sequence.ts";
import type { ContactEnrollment, EnrollmentCounts, EnrollmentFilter, EnrollmentRow, Enrollments } from "../outreach.ts";
import { around } from "./dialect.ts";
import { filteredList, listOf, rowsOf, totalOf } from "./lists.ts";
import { enrollments as e } from "./schema/index.ts";
import { type Db, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

/** Filters, the one that leaves the fewest rows first. */
const RAREST = ["contactId", "held", "sequenceId", "status"] as const satisfies readonly (keyof EnrollmentFilter)[];

/** As the index enrollments_held has it. */
const HELD = sql`held_reason IS NOT NULL AND ended_at IS NULL`;

/** As the index enrollments_open has it. */
const OPEN_STATUSES = `(${OPEN_ENROLLMENT.map((status) => `'${status}'`).join(", ")})`;
const OPEN = `status IN ${OPEN_STATUSES}`;

interface SequencesParams {
  sequenceIds: string;
  workspaceId: string;
}

const LASTS = `held_reason = '${LASTING_HOLD}'`;

const { workspaceId: _, ...COLUMNS } = getTableColumns(e);

export function enrollments(db: Db): (workspaceId: string) => Enrollments {
  const { orm, dialect } = db;
  const mine = eq(e.workspaceId, p("workspaceId"));
  const one = and(eq(e.id, p("id")), mine);
  const open = inArray(e.status, [...OPEN_ENROLLMENT]);
  const stopping = placeholders("status", "dueAt", "endedAt", "endedReason");
  const openAtStep = `WHERE id = @id AND workspace_id = @workspaceId AND ${OPEN} AND current_step = @step`;

  // Without a target, since drizzle cannot name a partial index: ids are new, so it is enrollments_open that decides.
  const insert = db.query(orm.insert(e).values(newRow(e)).onConflictDoNothing());
  const find = db.query(orm.select(COLUMNS).from(e).where(one));
  const pages = filteredList<EnrollmentRow, EnrollmentFilter>((names) => {
    // Only the rarest may choose the index.
    const rarest = RAREST.find((name) => names.includes(name));
    const conditions = names.map((name) => {
      if (name === "held") return HELD;
      return name === rarest ? eq(e[name], p(name)) : sql`${around(dialect.unindexed, e[name])} = ${p(name)}`;
    });
    const where = and(mine, ...conditions);
    const rows = rowsOf(db, COLUMNS, e, where, desc(e.enrolledAt), desc(e.id));
    return listOf(rows, totalOf(db, "enrollments", names, e, where));
  });
  // As the index enrollments_due has it: a parameter would not fit it.
  const upcoming = db.query(
    orm
      .select(COLUMNS)
      .from(e)
      .where(
        and(
          eq(e.sequenceId, p("sequenceId")),
          sql`${e.status} = 'active' AND ${e.heldReason} IS NULL`,
          sql`${around(dialect.unindexed, e.workspaceId)} = ${p("workspaceId")}`,
        ),
      )
      .orderBy(asc(e.dueAt))
      .limit(p("limit")),
  );
  // Triggers keep the counts by status. Few are on hold, and their index has them. SQLite wouldn't choose it for a group.
  const byStatus = db.sql<SequencesParams, { sequenceId: string; status: EnrollmentStatus; total: number }>(
    `SELECT n.part AS sequenceId, n.status, n.total
     FROM ${dialect.elements("@sequenceIds", "asked")} ${dialect.joinInOrder} list_counts n
       ON n.workspace_id = @workspaceId AND n.list = 'enrollments' AND n.part = asked.value`,
  );
  const heldBySequence = db.sql<SequencesParams, { sequenceId: string; total: number }>(
    `SELECT sequence_id AS sequenceId, count(*) AS total FROM enrollments ${dialect.indexedBy("enrollments_held")}
     WHERE workspace_id = @workspaceId AND held_reason IS NOT NULL AND ended_at IS NULL
       AND ${dialect.unindexed("sequence_id")} IN (SELECT value FROM ${dialect.elements("@sequenceIds")})
     GROUP BY sequence_id`,
  );
  const current = db.sql<{ workspaceId: string }, { active: number; waiting: number; held: number }>(
    `SELECT coalesce(sum(total) FILTER (WHERE status = 'active'), 0) AS active,
       coalesce(sum(total) FILTER (WHERE status = 'waiting_on_action'), 0) AS waiting,
       (SELECT count(*) FROM enrollments ${dialect.indexedBy("enrollments_held")}
        WHERE workspace_id = @workspaceId AND held_reason IS NOT NULL AND ended_at IS NULL
          AND ${dialect.unindexed("status")} = 'active') AS held
     FROM list_counts WHERE workspace_id = @workspaceId AND list = 'enrollments'`,
  );
  const ofContacts = db.sql<{ contactIds: string; sequenceId: string; workspaceId: string }, ContactEnrollment>(
    `SELECT e.contact_id AS contactId, e.status, e.held_reason AS heldReason, e.enrolled_at AS enrolledAt,
       e.ended_at AS endedAt
     FROM ${dialect.elements("@contactIds", "asked")}
     ${dialect.joinInOrder} enrollments e ON e.workspace_id = @workspaceId AND e.contact_id = asked.value
     WHERE ${dialect.unindexed("e.sequence_id")} = @sequenceId`,
  );
  const furthestStep = db.value<{ sequenceId: string; workspaceId: string }, number>(
    `SELECT current_step FROM enrollments WHERE sequence_id = @sequenceId AND workspace_id = @workspaceId AND ${OPEN}
     ORDER BY current_step DESC LIMIT 1`,
  );
  const stop = db.query(orm.update(e).set(stopping).where(and(one, open)).returning(COLUMNS));
  const stopAll = db.query(
    orm
      .update(e)
      .set(stopping)
      .where(
        and(
          eq(e.contactId, p("contactId")),
          mine,
          open,
          // What began at a time that is still to come began before the clock was set back.
          sql`(${e.enrolledAt} <= ${p("begunBy")} OR ${e.enrolledAt} > ${p("now")})`,
        ),
      ),
  );
  /** As `Enrollments` says of the end of one. Begins with the contact, who is in few audiences. */
  const useUp = db.sql<{ contactId: string; now: number; workspaceId: string }>(
    `UPDATE approval_contacts SET spent_at = @now WHERE contact_id = @contactId AND approval_id IN (
       SELECT p.approval_id FROM approval_contacts p
       ${dialect.joinInOrder} sequence_approvals a ON a.id = p.approval_id
       WHERE p.contact_id = @contactId AND p.spent_at IS NULL AND a.workspace_id = @workspaceId
         AND a.status IN ('approved', 'applied') AND EXISTS (SELECT 1 FROM enrollments e
           WHERE e.workspace_id = @workspaceId AND e.contact_id = @contactId
             AND ${dialect.unindexed("e.sequence_id")} = a.sequence_id AND e.ended_at = @now))`,
  );
  const release = db.sql(
    `UPDATE enrollments SET approval_id = @approvalId, held_reason = NULL, held_detail = NULL
     WHERE workspace_id = @workspaceId AND ${dialect.unindexed("sequence_id")} = @sequenceId AND ended_at IS NULL
       AND held_reason IN ('contact_changed', 'not_authorised') AND ${dialect.unindexed("status")} IN ${OPEN_STATUSES}
       AND EXISTS (SELECT 1 FROM approval_contacts a
         WHERE a.approval_id = @approvalId AND a.contact_id = enrollments.contact_id)`,
  );
  const advance = db.sql(
    `UPDATE enrollments SET status = @status, current_step = current_step + 1, due_at = @dueAt,
       ended_at = CASE @status WHEN 'completed' THEN @now END, postponed_reason = NULL,
       held_reason = CASE WHEN @status = 'active' AND ${LASTS} THEN held_reason END,
       held_detail = CASE WHEN @status = 'active' AND ${LASTS} THEN held_detail END
     ${openAtStep}`,
  );
  const wait = db.sql(
    `UPDATE enrollments SET status = @status, due_at = @dueAt, postponed_reason = @postponedReason,
       held_reason = CASE WHEN ${LASTS} THEN held_reason ELSE @heldReason END,
       held_detail = CASE WHEN ${LASTS} THEN held_detail ELSE @heldDetail END
     ${openAtStep}`,
  );
  const postpone = db.sql(
    `UPDATE enrollments SET due_at = @dueAt, postponed_reason = @reason
     WHERE id IN (
       SELECT e.id FROM enrollments e
       WHERE e.sequence_id = @sequenceId AND e.status = 'active' AND e.held_reason IS NULL AND e.due_at <= @now
         AND e.workspace_id = @workspaceId AND e.current_step IN (SELECT value FROM ${dialect.numbers("@steps")})
         AND NOT EXISTS (
           SELECT 1 FROM sends s
           WHERE s.enrollment_id = e.id AND s.step = e.current_step AND s.last_attempt_at >= @notTriedSince)
       ORDER BY e.due_at, e.${dialect.added} LIMIT @most)`,
  );
  const unhold = db.query(
    orm
      .update(e)
      .set({ heldReason: null, heldDetail: null, dueAt: sql`coalesce(${e.dueAt}, ${p("now")})` })
      .where(and(one, open, isNotNull(e.heldReason)))
      .returning(COLUMNS),
  );
  const resume = db.query(
    orm
      .update(e)
      .set(
        placeholders(
          "status",
          "currentStep",
          "dueAt",
          "endedAt",
          "endedReason",
          "heldReason",
          "heldDetail",
          "postponedReason",
        ),
      )
      .where(
        and(
          one,
          eq(e.status, "stopped_replied"),
          sql`NOT EXISTS (SELECT 1 FROM enrollments o WHERE o.sequence_id = ${e.sequenceId}
            AND o.contact_id = ${e.contactId} AND ${sql.raw(`o.${OPEN}`)})`,
        ),
      )
      .returning(COLUMNS),
  );
  const hasten = db.sql(
    `UPDATE enrollments ${dialect.indexedBy("enrollments_postponed")} SET due_at = @now, postponed_reason = NULL
     WHERE workspace_id = @workspaceId AND postponed_reason IN ('outside_window', 'daily_cap', 'mail_not_configured')
       AND ${dialect.unindexed("status")} = 'active' AND held_reason IS NULL AND due_at > @now`,
  );

  return (workspaceId) => ({
    async insert(enrollment) {
      return (await insert.run({ ...enrollment, workspaceId })).changes === 1;
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    list: (filter, page) => pages({ workspaceId }, filter, page),
    async current() {
      const { active, waiting, held } = (await current.get({ workspaceId })) ?? { active: 0, waiting: 0, held: 0 };
      return { active: Number(active) - Number(held), waiting: Number(waiting) };
    },
    async counts(sequenceIds) {
      const found = new Map<string, EnrollmentCounts>();
      if (sequenceIds.length === 0) return found;
      const asked = { sequenceIds: JSON.stringify(sequenceIds), workspaceId };
      for (const { sequenceId, status, total } of await byStatus.all(asked)) {
        const counts = found.get(sequenceId) ?? { byStatus: {}, held: 0 };
        counts.byStatus[status] = Number(total);
        found.set(sequenceId, counts);
      }
      for (const { sequenceId, total } of await heldBySequence.all(asked)) {
        const counts = found.get(sequenceId);
        if (counts !== undefined) counts.held = Number(total);
      }
      return found;
    },
    async ofContacts(sequenceId, contactIds) {
      if (contactIds.length === 0) return [];
      return ofContacts.all({ contactIds: JSON.stringify(contactIds), sequenceId, workspaceId });
    },
    async upcoming(sequenceId, limit) {
      return upcoming.all({ sequenceId, limit, workspaceId });
    },
    async reached(sequenceId) {
      return (await furthestStep.get({ sequenceId, workspaceId })) ?? null;
    },
    async stop(id, status, now, reason = null) {
      const ended = await stop.get({ id, status, dueAt: null, endedAt: now, endedReason: reason, workspaceId });
      if (ended !== undefined) await useUp.run({ contactId: ended.contactId, now, workspaceId });
      return ended;
    },
    async release(sequenceId, approvalId) {
      return (await release.run({ sequenceId, approvalId, workspaceId })).changes;
    },
    async advance(id, step, next, now) {
      const { changes } = await advance.run({ id, step, ...next, now, workspaceId });
      const ended = changes === 1 && next.status === "completed" ? await find.get({ id, workspaceId }) : undefined;
      if (ended !== undefined) await useUp.run({ contactId: ended.contactId, now, workspaceId });
      return changes === 1;
    },
    async wait(id, step, { status = "active", ...waiting }) {
      const none = { heldReason: null, heldDetail: null, postponedReason: null };
      return (await wait.run({ ...none, ...waiting, status, id, step, workspaceId })).changes === 1;
    },
    async postpone(sequenceId, steps, to, now, most) {
      const params = { ...to, sequenceId, steps: JSON.stringify(steps), now, most, workspaceId };
      return (await postpone.run(params)).changes;
    },
    async unhold(id, now) {
      return unhold.get({ id, now, workspaceId });
    },
    async resume(id, currentStep, dueAt) {
      const none = { endedAt: null, endedReason: null, heldReason: null, heldDetail: null, postponedReason: null };
      return resume.get({ ...none, id, status: "active", currentStep, dueAt, workspaceId });
    },
    async hasten(now) {
      return (await hasten.run({ now, workspaceId })).changes;
    },
    async stopAll(contactId, status, now, begunBy) {
      const params = { contactId, status, dueAt: null, endedAt: now, endedReason: null, begunBy, now, workspaceId };
      const { changes } = await stopAll.run(params);
      if (changes > 0) await useUp.run({ contactId, now, workspaceId });
      return changes;
    },
  });
}
