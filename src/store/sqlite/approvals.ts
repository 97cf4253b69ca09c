import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Recipient } from "../../domain/outreach/sequence.ts";
import type { ApprovalRow, Approvals, Authorised, NewApproval } from "../outreach.ts";
import type { Drizzle } from "./connection.ts";
import { sequenceApprovals as a } from "../sql/schema/index.ts";

const p = sql.placeholder;

const COLUMNS = {
  id: a.id,
  sequenceId: a.sequenceId,
  stepsHash: a.stepsHash,
  status: a.status,
  contactCount: a.contactCount,
  approvedBy: a.approvedBy,
  approvedAt: a.approvedAt,
  appliedBy: a.appliedBy,
  appliedAt: a.appliedAt,
  voidedAt: a.voidedAt,
};

/** Of an audience, who can be enrolled and never was. */
const UNENROLLED = `FROM sequence_approvals a CROSS JOIN approval_contacts p ON p.approval_id = a.id
  CROSS JOIN contacts c ON c.id = p.contact_id
  WHERE a.id = @id AND a.workspace_id = @workspaceId AND c.workspace_id = @workspaceId AND c.archived_at IS NULL
    AND coalesce(c.company, '') <> ''
    AND NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.workspace_id = @workspaceId AND s.email = c.email_key)
    AND NOT EXISTS (SELECT 1 FROM enrollments e
      WHERE e.workspace_id = @workspaceId AND e.contact_id = c.id AND e.sequence_id = a.sequence_id)`;

export function prepareApprovals(db: Drizzle) {
  const mine = eq(a.workspaceId, p("workspaceId"));
  const ofSequence = and(eq(a.sequenceId, p("sequenceId")), mine);
  const appliedNow = and(ofSequence, eq(a.status, "applied"), eq(a.stepsHash, p("stepsHash")));
  return {
    // One statement for a whole audience: the CROSS JOIN has SQLite look each id up, instead of walking contacts.
    recipients: db.$client.prepare<[{ ids: string; workspaceId: string }], Recipient>(
      `SELECT contacts.id, email, socialnet_url, first_name, last_name, company, job_title
       FROM json_each(@ids) AS asked CROSS JOIN contacts ON contacts.id = asked.value
       WHERE workspace_id = @workspaceId AND archived_at IS NULL`,
    ),
    insert: db.$client.prepare(
      `INSERT INTO sequence_approvals (id, workspace_id, sequence_id, steps_hash, status, contact_count, approved_by,
         approved_at)
       SELECT @id, workspace_id, id, steps_hash, 'approved', @contactCount, @approvedBy, @now FROM sequences
       WHERE id = @sequenceId AND workspace_id = @workspaceId AND steps_hash = @stepsHash`,
    ),
    insertAudience: db.$client.prepare(
      "INSERT INTO approval_contacts (approval_id, contact_id, copy_hash) SELECT @id, key, value FROM json_each(@hashes)",
    ),
    find: db
      .select(COLUMNS)
      .from(a)
      .where(and(eq(a.id, p("id")), mine))
      .prepare(),
    newest: db
      .select(COLUMNS)
      .from(a)
      .where(ofSequence)
      .orderBy(desc(a.approvedAt), desc(a.id))
      .limit(p("limit"))
      .prepare(),
    apply: db
      .update(a)
      .set({ status: "applied", appliedBy: p("by") as never, appliedAt: p("now") as never })
      .where(
        and(
          eq(a.id, p("id")),
          mine,
          eq(a.status, "approved"),
          sql`${a.stepsHash} = (SELECT steps_hash FROM sequences WHERE id = ${a.sequenceId})`,
        ),
      )
      .prepare(),
    withdraw: db
      .update(a)
      .set({ status: "voided", voidedAt: p("now") as never })
      .where(and(eq(a.id, p("id")), mine, eq(a.status, "approved")))
      .prepare(),
    voidAll: db
      .update(a)
      .set({ status: "voided", voidedAt: p("now") as never })
      .where(and(ofSequence, inArray(a.status, ["approved", "applied"])))
      .returning({ id: a.id })
      .prepare(),
    unenrolled: db.$client.prepare<
      [{ id: string; workspaceId: string; limit: number }],
      Recipient & { copyHash: string }
    >(
      `SELECT c.id, c.email, c.socialnet_url, c.first_name, c.last_name, c.company, c.job_title, p.copy_hash AS copyHash
       ${UNENROLLED} LIMIT @limit`,
    ),
    countUnenrolled: db.$client
      .prepare<[{ id: string; workspaceId: string }], number>(`SELECT count(*) ${UNENROLLED}`)
      .pluck(),
    anyApplied: db.select({ id: a.id }).from(a).where(appliedNow).limit(1).prepare(),
    // The CROSS JOIN begins with the contact: they are in few audiences, and a sequence may have thousands of approvals.
    covering: db.$client.prepare<[Authorised & { workspaceId: string }], { id: string; copyHash: string }>(
      `SELECT a.id, c.copy_hash AS copyHash
       FROM approval_contacts c CROSS JOIN sequence_approvals a ON a.id = c.approval_id
       WHERE c.contact_id = @contactId AND a.sequence_id = @sequenceId AND a.workspace_id = @workspaceId
         AND a.status = 'applied' AND a.steps_hash = @stepsHash
       ORDER BY c.copy_hash = @copyHash DESC, a.applied_at DESC, a.id DESC LIMIT 1`,
    ),
  };
}

export class SqliteApprovals implements Approvals {
  readonly #s: ReturnType<typeof prepareApprovals>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareApprovals>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async recipients(contactIds: readonly string[]): Promise<Recipient[]> {
    return this.#s.recipients.all({ ids: JSON.stringify(contactIds), workspaceId: this.#workspaceId });
  }

  async insert({ audience: hashes, ...approval }: NewApproval): Promise<boolean> {
    if (this.#s.insert.run({ ...approval, contactCount: hashes.size, workspaceId: this.#workspaceId }).changes === 0)
      return false;
    this.#s.insertAudience.run({ id: approval.id, hashes: JSON.stringify(Object.fromEntries(hashes)) });
    return true;
  }

  async find(id: string): Promise<ApprovalRow | undefined> {
    return this.#s.find.get({ id, workspaceId: this.#workspaceId });
  }

  async newest(sequenceId: string, limit: number): Promise<ApprovalRow[]> {
    return this.#s.newest.all({ sequenceId, limit, workspaceId: this.#workspaceId });
  }

  async apply(id: string, by: string, now: number): Promise<boolean> {
    return this.#s.apply.run({ id, by, now, workspaceId: this.#workspaceId }).changes === 1;
  }

  async withdraw(id: string, now: number): Promise<boolean> {
    return this.#s.withdraw.run({ id, now, workspaceId: this.#workspaceId }).changes === 1;
  }

  async voidAll(sequenceId: string, now: number): Promise<string[]> {
    return this.#s.voidAll.all({ sequenceId, now, workspaceId: this.#workspaceId }).map(({ id }) => id);
  }

  async unenrolled(id: string, limit: number) {
    const bound = { id, workspaceId: this.#workspaceId };
    return { rows: this.#s.unenrolled.all({ ...bound, limit }), total: this.#s.countUnenrolled.get(bound) ?? 0 };
  }

  async anyApplied(sequenceId: string, stepsHash: string): Promise<boolean> {
    return this.#s.anyApplied.get({ sequenceId, stepsHash, workspaceId: this.#workspaceId }) !== undefined;
  }

  async covering(asked: Authorised): Promise<{ id: string; copyHash: string } | undefined> {
    return this.#s.covering.get({ ...asked, workspaceId: this.#workspaceId });
  }
}
