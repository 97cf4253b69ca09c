import { and, count, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { OPEN_ENROLLMENT } from "../../domain/outreach/sequence.ts";
import type { EnrollmentFilter, EnrollmentRow, Enrollments, EnrollmentWait, StoppedStatus } from "../outreach.ts";
import type { Page } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { readFiltered } from "./filtered.ts";
import { enrollments as e } from "../sql/schema/index.ts";

const p = sql.placeholder;

/** Filters, the one that leaves the fewest first. */
const RAREST = ["contactId", "held", "sequenceId", "status"] as const satisfies readonly (keyof EnrollmentFilter)[];

/** As enrollments_held has it. */
const HELD = sql`held_reason IS NOT NULL AND ended_at IS NULL`;

const COLUMNS = {
  id: e.id,
  sequenceId: e.sequenceId,
  contactId: e.contactId,
  approvalId: e.approvalId,
  status: e.status,
  heldReason: e.heldReason,
  heldDetail: e.heldDetail,
  postponedReason: e.postponedReason,
  currentStep: e.currentStep,
  dueAt: e.dueAt,
  enrolledAt: e.enrolledAt,
  endedAt: e.endedAt,
  endedReason: e.endedReason,
};

export function prepareEnrollments(db: Drizzle) {
  const mine = eq(e.workspaceId, p("workspaceId"));
  const open = inArray(e.status, [...OPEN_ENROLLMENT]);
  const names = [...Object.keys(COLUMNS), "workspaceId"];
  const stopping = {
    ...{ status: p("status") as never, endedAt: p("now") as never, endedReason: p("reason") as never },
    dueAt: null,
  };
  return {
    insert: db
      .insert(e)
      .values(Object.fromEntries(names.map((name) => [name, p(name)])) as never)
      // Without a target, since drizzle cannot name a partial index: ids are new, so it is enrollments_open that decides.
      .onConflictDoNothing()
      .prepare(),
    find: db
      .select(COLUMNS)
      .from(e)
      .where(and(eq(e.id, p("id")), mine))
      .prepare(),
    pages: memoised((filtered) => {
      const by = filtered.split(",").filter((name): name is keyof EnrollmentFilter => name !== "");
      // The plus keeps all but the rarest from choosing the index.
      const rarest = RAREST.find((name) => by.includes(name));
      const is = (name: Exclude<keyof EnrollmentFilter, "held">) =>
        name === rarest ? eq(e[name], p(name)) : sql`+${e[name]} = ${p(name)}`;
      const where = and(mine, ...by.map((name) => (name === "held" ? HELD : is(name))));
      const newest = db.select(COLUMNS).from(e).where(where).orderBy(desc(e.enrolledAt), desc(e.id));
      return {
        page: newest.limit(p("limit")).offset(p("offset")).prepare(),
        total: db.select({ total: count() }).from(e).where(where).prepare(),
      };
    }),
    reached: db.$client
      .prepare<{ sequenceId: string; workspaceId: string }, number>(
        `SELECT current_step FROM enrollments
         WHERE sequence_id = @sequenceId AND workspace_id = @workspaceId AND status IN ('active', 'waiting_on_action')
         ORDER BY current_step DESC LIMIT 1`,
      )
      .pluck(),
    stop: db
      .update(e)
      .set(stopping)
      .where(and(eq(e.id, p("id")), mine, open))
      .returning(COLUMNS)
      .prepare(),
    release: db.$client.prepare(
      `UPDATE enrollments SET approval_id = @approvalId, held_reason = NULL, held_detail = NULL
       WHERE workspace_id = @workspaceId AND +sequence_id = @sequenceId AND ended_at IS NULL
         AND held_reason IN ('contact_changed', 'not_authorised') AND +status IN ('active', 'waiting_on_action')
         AND EXISTS (SELECT 1 FROM approval_contacts a WHERE a.approval_id = @approvalId AND a.contact_id = enrollments.contact_id)`,
    ),
    advance: db.$client.prepare(
      `UPDATE enrollments SET status = @status, current_step = current_step + 1, due_at = @dueAt,
         ended_at = CASE @status WHEN 'completed' THEN @now END, held_reason = NULL, held_detail = NULL,
         postponed_reason = NULL
       WHERE id = @id AND workspace_id = @workspaceId AND status IN ('active', 'waiting_on_action')
         AND current_step = @step`,
    ),
    wait: db.$client.prepare(
      `UPDATE enrollments SET status = @status, due_at = @dueAt, held_reason = @heldReason, held_detail = @heldDetail,
         postponed_reason = @postponedReason
       WHERE id = @id AND workspace_id = @workspaceId AND status IN ('active', 'waiting_on_action')
         AND current_step = @step`,
    ),
    postpone: db.$client.prepare(
      `UPDATE enrollments SET due_at = @dueAt, postponed_reason = @reason
       WHERE id IN (
         SELECT e.id FROM enrollments e
         WHERE e.sequence_id = @sequenceId AND e.status = 'active' AND e.held_reason IS NULL AND e.due_at <= @now
           AND e.workspace_id = @workspaceId AND e.current_step IN (SELECT value FROM json_each(@steps))
           AND NOT EXISTS (
             SELECT 1 FROM sends s
             WHERE s.enrollment_id = e.id AND s.step = e.current_step AND s.last_attempt_at >= @notTriedSince)
         ORDER BY e.due_at LIMIT @most)`,
    ),
    unhold: db
      .update(e)
      .set({ heldReason: null, heldDetail: null, dueAt: sql`coalesce(${e.dueAt}, ${p("now")})` })
      .where(and(eq(e.id, p("id")), mine, open, isNotNull(e.heldReason)))
      .returning(COLUMNS)
      .prepare(),
    hasten: db.$client.prepare(
      `UPDATE enrollments INDEXED BY enrollments_postponed SET due_at = @now, postponed_reason = NULL
       WHERE workspace_id = @workspaceId AND postponed_reason IN ('outside_window', 'daily_cap')
         AND +status = 'active' AND held_reason IS NULL AND due_at > @now`,
    ),
    stopAll: db
      .update(e)
      .set(stopping)
      .where(and(eq(e.contactId, p("contactId")), mine, open, sql`${e.enrolledAt} <= ${p("begunBy")}`))
      .prepare(),
  };
}

export class SqliteEnrollments implements Enrollments {
  readonly #s: ReturnType<typeof prepareEnrollments>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareEnrollments>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async insert(enrollment: EnrollmentRow): Promise<boolean> {
    return this.#s.insert.run({ ...enrollment, workspaceId: this.#workspaceId }).changes === 1;
  }

  async find(id: string): Promise<EnrollmentRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async list(filter: EnrollmentFilter, page: Page): Promise<{ rows: EnrollmentRow[]; total: number }> {
    return readFiltered(this.#s.pages, filter, page, this.#workspaceId);
  }

  async reached(sequenceId: string): Promise<number | null> {
    return this.#s.reached.get({ sequenceId, workspaceId: this.#workspaceId }) ?? null;
  }

  async stop(
    id: string,
    status: StoppedStatus,
    now: number,
    reason: string | null = null,
  ): Promise<EnrollmentRow | undefined> {
    return this.#s.stop.get({ id, status, now, reason, workspaceId: this.#workspaceId });
  }

  async release(sequenceId: string, approvalId: string): Promise<number> {
    return this.#s.release.run({ sequenceId, approvalId, workspaceId: this.#workspaceId }).changes;
  }

  async advance(...[id, step, next, now]: Parameters<Enrollments["advance"]>): Promise<boolean> {
    return this.#s.advance.run({ id, step, ...next, now, workspaceId: this.#workspaceId }).changes === 1;
  }

  async wait(id: string, step: number, { status = "active", ...wait }: EnrollmentWait): Promise<boolean> {
    const none = { heldReason: null, heldDetail: null, postponedReason: null };
    return this.#s.wait.run({ ...none, ...wait, status, id, step, workspaceId: this.#workspaceId }).changes === 1;
  }

  async postpone(...[sequenceId, steps, to, now, most]: Parameters<Enrollments["postpone"]>): Promise<number> {
    const bound = { ...to, sequenceId, steps: JSON.stringify(steps), now, most, workspaceId: this.#workspaceId };
    return this.#s.postpone.run(bound).changes;
  }

  async unhold(id: string, now: number): Promise<EnrollmentRow | undefined> {
    return this.#s.unhold.get({ id, now, workspaceId: this.#workspaceId });
  }

  async hasten(now: number): Promise<number> {
    return this.#s.hasten.run({ now, workspaceId: this.#workspaceId }).changes;
  }

  async stopAll(contactId: string, status: StoppedStatus, now: number, begunBy: number): Promise<number> {
    return this.#s.stopAll.run({ contactId, status, now, begunBy, reason: null, workspaceId: this.#workspaceId })
      .changes;
  }
}
