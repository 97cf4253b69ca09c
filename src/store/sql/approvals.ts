import { and, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Recipient } from "../../domain/outreach/sequence.ts";
import type { Approvals, Authorised } from "../outreach.ts";
import { sequenceApprovals as a } from "./schema/index.ts";
import { type Db, placeholders } from "./statement.ts";
import { isSuppressedSql } from "./suppressions.ts";

const p = sql.placeholder;

const { workspaceId: _, ...COLUMNS } = getTableColumns(a);

export function approvals(db: Db): (workspaceId: string) => Approvals {
  const { orm, dialect } = db;
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const ofSequence = and(eq(a.sequenceId, p("sequenceId")), mine);
  /** The contacts of an audience who can be enrolled and never were. */
  const unenrolled = `FROM sequence_approvals a ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
    ${dialect.joinInOrder} contacts c ON c.id = p.contact_id
    WHERE a.id = @id AND a.workspace_id = @workspaceId AND c.workspace_id = @workspaceId AND c.archived_at IS NULL
      AND coalesce(c.company, '') <> '' AND NOT ${isSuppressedSql("c.email_key")}
      AND NOT EXISTS (SELECT 1 FROM enrollments e
        WHERE e.workspace_id = @workspaceId AND e.contact_id = c.id AND e.sequence_id = a.sequence_id)`;

  // One statement for a whole audience: each id is looked up, because the planner might scan contacts instead.
  const recipients = db.sql<{ ids: string; workspaceId: string }, Recipient>(
    `SELECT contacts.id, email, socialnet_url, first_name, last_name, company, job_title
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts ON contacts.id = asked.value
     WHERE workspace_id = @workspaceId AND archived_at IS NULL`,
  );
  const insert = db.sql(
    `INSERT INTO sequence_approvals (id, workspace_id, sequence_id, steps_hash, status, contact_count, approved_by,
       approved_at)
     SELECT @id, workspace_id, id, steps_hash, 'approved', @contactCount, @approvedBy, @now FROM sequences
     WHERE id = @sequenceId AND workspace_id = @workspaceId AND steps_hash = @stepsHash`,
  );
  const insertAudience = db.sql(
    `INSERT INTO approval_contacts (approval_id, contact_id, copy_hash)
     SELECT @id, key, value FROM ${dialect.entries("@hashes")}`,
  );
  const find = db.query(orm.select(COLUMNS).from(a).where(one));
  const newest = db.query(
    orm.select(COLUMNS).from(a).where(ofSequence).orderBy(desc(a.approvedAt), desc(a.id)).limit(p("limit")),
  );
  const apply = db.query(
    orm
      .update(a)
      .set(placeholders("status", "appliedBy", "appliedAt"))
      .where(
        and(
          one,
          eq(a.status, "approved"),
          sql`${a.stepsHash} = (SELECT steps_hash FROM sequences WHERE id = ${a.sequenceId})`,
        ),
      ),
  );
  const withdraw = db.query(
    orm
      .update(a)
      .set(placeholders("status", "voidedAt"))
      .where(and(one, eq(a.status, "approved"))),
  );
  const voidAll = db.query(
    orm
      .update(a)
      .set(placeholders("status", "voidedAt"))
      .where(and(ofSequence, inArray(a.status, ["approved", "applied"])))
      .returning({ id: a.id }),
  );
  const listUnenrolled = db.sql<{ id: string; workspaceId: string; limit: number }, Recipient & { copyHash: string }>(
    `SELECT c.id, c.email, c.socialnet_url, c.first_name, c.last_name, c.company, c.job_title, p.copy_hash AS copyHash
     ${unenrolled} LIMIT @limit`,
  );
  const countUnenrolled = db.value<{ id: string; workspaceId: string }, number>(`SELECT count(*) ${unenrolled}`);
  const anyApplied = db.query(
    orm
      .select({ id: a.id })
      .from(a)
      .where(and(ofSequence, eq(a.status, "applied"), eq(a.stepsHash, p("stepsHash"))))
      .limit(1),
  );
  // Begins with the contact, who is in few audiences: a sequence may have thousands of approvals.
  const covering = db.sql<Authorised & { workspaceId: string }, { id: string; copyHash: string }>(
    `SELECT a.id, c.copy_hash AS copyHash
     FROM approval_contacts c ${dialect.joinInOrder} sequence_approvals a ON a.id = c.approval_id
     WHERE c.contact_id = @contactId AND a.sequence_id = @sequenceId AND a.workspace_id = @workspaceId
       AND a.status = 'applied' AND a.steps_hash = @stepsHash
     ORDER BY c.copy_hash = @copyHash DESC, a.applied_at DESC, a.id DESC LIMIT 1`,
  );

  return (workspaceId) => ({
    async recipients(contactIds) {
      return recipients.all({ ids: JSON.stringify(contactIds), workspaceId });
    },
    async insert({ audience, ...approval }) {
      const { changes } = await insert.run({ ...approval, contactCount: audience.size, workspaceId });
      if (changes === 0) return false;
      await insertAudience.run({ id: approval.id, hashes: JSON.stringify(Object.fromEntries(audience)) });
      return true;
    },
    async find(id) {
      return find.get({ id, workspaceId });
    },
    async newest(sequenceId, limit) {
      return newest.all({ sequenceId, limit, workspaceId });
    },
    async apply(id, by, now) {
      const { changes } = await apply.run({ id, status: "applied", appliedBy: by, appliedAt: now, workspaceId });
      return changes === 1;
    },
    async withdraw(id, now) {
      return (await withdraw.run({ id, status: "voided", voidedAt: now, workspaceId })).changes === 1;
    },
    async voidAll(sequenceId, now) {
      const voided = await voidAll.all({ sequenceId, status: "voided", voidedAt: now, workspaceId });
      return voided.map(({ id }) => id);
    },
    async unenrolled(id, limit) {
      const rows = await listUnenrolled.all({ id, workspaceId, limit });
      return { rows, total: (await countUnenrolled.get({ id, workspaceId })) ?? 0 };
    },
    async anyApplied(sequenceId, stepsHash) {
      return (await anyApplied.get({ sequenceId, stepsHash, workspaceId })) !== undefined;
    },
    async covering(asked) {
      return covering.get({ ...asked, workspaceId });
    },
  });
}
