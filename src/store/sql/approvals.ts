import { and, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { AGENT_SOURCES, ON_RECORD, type ProvenanceSource } from "../../domain/contacts/contact.ts";
import { CONTACT_PLACEHOLDERS, type Recipient } from "../../domain/outreach/template.ts";
import type { Approvals, Authorized, Pin, PinnedContact, RecipientRow } from "../outreach.ts";
import { sequenceApprovals as a } from "./schema/index.ts";
import { type Db, placeholders } from "./statement.ts";
import { isSuppressedSql } from "./suppressions.ts";

const p = sql.placeholder;

const { workspaceId: _, ...COLUMNS } = getTableColumns(a);

/** What copy is addressed to and filled from. */
const COPIED = ["email", "socialnet_url", ...CONTACT_PLACEHOLDERS] as const;

/** Where the newest value of a field of contacts c came from. */
function sourceOf(field: string): string {
  return `(SELECT source FROM contact_provenance
    WHERE contact_seq = c.seq AND field = '${field}' ORDER BY id DESC LIMIT 1)`;
}

/** Contacts of one audience, by their ids as a JSON array. */
interface PartParams {
  id: string;
  contactIds: string;
  workspaceId: string;
}

const BY_AGENTS: ReadonlySet<string> = new Set(AGENT_SOURCES);

type CopiedRow = Omit<Recipient, "agentWrote"> & { source: string; sources: string };

/** A value without a source of its own came with its contact. */
function toRecipient<Row extends CopiedRow>({ source, sources, ...row }: Row) {
  const found = JSON.parse(sources) as Record<(typeof COPIED)[number], ProvenanceSource | null>;
  const agentWrote: (typeof COPIED)[number][] = [];
  for (const field of COPIED) {
    if (row[field] !== null && BY_AGENTS.has(found[field] ?? source)) agentWrote.push(field);
  }
  return { ...row, agentWrote, companySource: found.company } satisfies RecipientRow;
}

export function approvals(db: Db): (workspaceId: string) => Approvals {
  const { orm, dialect } = db;
  const mine = eq(a.workspaceId, p("workspaceId"));
  const one = and(eq(a.id, p("id")), mine);
  const ofSequence = and(eq(a.sequenceId, p("sequenceId")), mine);
  const onRecord = ON_RECORD.map((source) => `'${source}'`).join(", ");
  /** The contacts of an audience who can be enrolled and never were. */
  const unenrolled = `FROM sequence_approvals a ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
    ${dialect.joinInOrder} contacts c ON c.id = p.contact_id
    WHERE a.id = @id AND a.workspace_id = @workspaceId AND c.workspace_id = @workspaceId AND c.archived_at IS NULL
      AND coalesce(c.company, '') <> '' AND ((p.spent_at IS NULL AND c.company = p.company) OR ${sourceOf("company")} IN (${onRecord}))
      AND NOT ${isSuppressedSql("c.email_key")}
      AND NOT EXISTS (SELECT 1 FROM enrollments e
        WHERE e.workspace_id = @workspaceId AND e.contact_id = c.id AND e.sequence_id = a.sequence_id)`;
  const sources = dialect.jsonObject(Object.fromEntries(COPIED.map((field) => [field, sourceOf(field)])));
  const copied = `c.id, ${COPIED.map((field) => `c.${field}`).join(", ")}, c.source, ${sources} AS sources`;

  // One statement for a whole audience: each id is looked up, where the planner might walk contacts.
  const recipients = db.sql<{ ids: string; workspaceId: string }, CopiedRow>(
    `SELECT ${copied}
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId AND c.archived_at IS NULL`,
  );
  const insert = db.sql(
    `INSERT INTO sequence_approvals (id, workspace_id, sequence_id, steps_hash, status, contact_count, approved_by,
       approved_at)
     SELECT @id, workspace_id, id, steps_hash, 'approved', @contactCount, @approvedBy, @now FROM sequences
     WHERE id = @sequenceId AND workspace_id = @workspaceId AND steps_hash = @stepsHash`,
  );
  const insertAudience = db.sql(
    `INSERT INTO approval_contacts (approval_id, contact_id, copy_hash, company)
     SELECT @id, key, value, (SELECT nullif(company, '') FROM contacts
       WHERE contacts.id = key AND key NOT IN (SELECT value FROM ${dialect.elements("@withoutCompany")}))
     FROM ${dialect.entries("@hashes")}`,
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
  const current = `a.id = @id AND a.workspace_id = @workspaceId AND a.status = 'approved'
    AND a.steps_hash = (SELECT steps_hash FROM sequences WHERE id = a.sequence_id)`;
  const countPart = db.value<PartParams, number>(
    `SELECT count(*) FROM ${dialect.elements("@contactIds", "asked")}
     ${dialect.joinInOrder} approval_contacts p ON p.approval_id = @id AND p.contact_id = asked.value
     ${dialect.joinInOrder} sequence_approvals a ON a.id = p.approval_id WHERE ${current}`,
  );
  const insertPart = db.sql(
    `INSERT INTO sequence_approvals (id, workspace_id, sequence_id, steps_hash, status, contact_count, approved_by,
       approved_at, applied_by, applied_at)
     SELECT @partId, workspace_id, sequence_id, steps_hash, 'applied', 0, approved_by, approved_at, @by, @now
     FROM sequence_approvals a WHERE ${current} ON CONFLICT (id) DO NOTHING`,
  );
  const movePart = db.sql(
    `UPDATE approval_contacts SET approval_id = @partId
     WHERE approval_id = @id AND contact_id IN (SELECT value FROM ${dialect.elements("@contactIds")})
       AND EXISTS (SELECT 1 FROM sequence_approvals a WHERE ${current})`,
  );
  const unpin = db.sql(
    `UPDATE approval_contacts SET copy_hash = ''
     WHERE approval_id = @id AND contact_id IN (SELECT value FROM ${dialect.elements("@contactIds")})
       AND EXISTS (SELECT 1 FROM sequence_approvals a WHERE ${current})`,
  );
  /**
   * Earlier approvals of the same contacts: none may come back when a value changes back. Also what a reply has spent: no
   * out-of-office notice restores it.
   */
  const supersede = (contactIds: string) =>
    db.sql(
      `UPDATE approval_contacts SET spent_at = @now
     WHERE contact_id IN (${contactIds})
       AND approval_id <> @id AND EXISTS (SELECT 1 FROM sequence_approvals o
         ${dialect.joinInOrder} sequence_approvals n ON n.id = @id AND n.sequence_id = o.sequence_id
         WHERE o.id = approval_contacts.approval_id AND o.workspace_id = @workspaceId AND o.status = 'applied')`,
    );
  const supersedeAll = supersede("SELECT contact_id FROM approval_contacts WHERE approval_id = @id");
  // Pages that were activated before stay as they are: a contact of theirs may have a newer approval.
  const supersedePage = supersede(`SELECT value FROM ${dialect.elements("@contactIds")}`);
  const listReplacing = db.sql<{ id: string; workspaceId: string }, { contactId: string }>(
    `SELECT DISTINCT p.contact_id AS contactId FROM sequence_approvals a
     ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
     ${dialect.joinInOrder} approval_contacts e ON e.contact_id = p.contact_id AND e.approval_id <> a.id
     ${dialect.joinInOrder} sequence_approvals o ON o.id = e.approval_id
     WHERE a.id = @id AND a.workspace_id = @workspaceId AND o.sequence_id = a.sequence_id AND o.status = 'applied'`,
  );
  const spendWhere = (which: string) =>
    db.sql(
      `UPDATE approval_contacts SET spent_at = @now
       WHERE contact_id = @contactId AND EXISTS (SELECT 1 FROM sequence_approvals a
         WHERE a.id = approval_contacts.approval_id AND a.workspace_id = @workspaceId AND ${which})`,
    );
  // Also what a reply has spent: once the contact opted out, no out-of-office notice restores it.
  const spend = spendWhere("a.status IN ('approved', 'applied')");
  const spendGivenBy = spendWhere(
    // What was given at a time that is still to come was given before the clock was set back.
    "a.status IN ('approved', 'applied') AND (a.approved_at <= @givenBy OR a.approved_at > @now) AND approval_contacts.spent_at IS NULL",
  );
  const spentAt = db.sql<{ id: string; contactId: string; workspaceId: string }, { spentAt: number | null }>(
    `SELECT p.spent_at AS spentAt FROM approval_contacts p JOIN sequence_approvals a ON a.id = p.approval_id
     WHERE p.approval_id = @id AND p.contact_id = @contactId AND a.workspace_id = @workspaceId`,
  );
  const restore = db.sql(
    `UPDATE approval_contacts SET spent_at = NULL
     WHERE approval_id = @id AND contact_id = @contactId AND spent_at = @spentAt AND EXISTS (
       SELECT 1 FROM sequence_approvals a
       WHERE a.id = @id AND a.workspace_id = @workspaceId AND a.status = 'applied')`,
  );
  const recount = db.sql(
    `UPDATE sequence_approvals
     SET contact_count = (SELECT count(*) FROM approval_contacts WHERE approval_id = sequence_approvals.id)
     WHERE id IN (@id, @partId) AND workspace_id = @workspaceId`,
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
  const listUnenrolled = db.sql<{ id: string; workspaceId: string; limit: number }, CopiedRow & { copyHash: string }>(
    `SELECT ${copied}, CASE WHEN p.spent_at IS NULL THEN p.copy_hash ELSE '' END AS copyHash ${unenrolled} LIMIT @limit`,
  );
  const countUnenrolled = db.value<{ id: string; workspaceId: string }, number>(`SELECT count(*) ${unenrolled}`);
  const countEnrolled = db.value<{ id: string; workspaceId: string }, number>(
    `SELECT count(*) FROM sequence_approvals a ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
     WHERE a.id = @id AND a.workspace_id = @workspaceId AND EXISTS (SELECT 1 FROM enrollments e
       WHERE e.workspace_id = @workspaceId AND e.contact_id = p.contact_id
         AND ${dialect.unindexed("e.sequence_id")} = a.sequence_id)`,
  );
  const anyApplied = db.query(
    orm
      .select({ id: a.id })
      .from(a)
      .where(and(ofSequence, eq(a.status, "applied"), eq(a.stepsHash, p("stepsHash"))))
      .limit(1),
  );
  // Begins with the contact, who is in few audiences: a sequence may have thousands of approvals.
  const covering = db.sql<
    Authorized & { workspaceId: string },
    { id: string; copyHash: string; company: string | null }
  >(
    `SELECT a.id, CASE WHEN c.spent_at IS NULL THEN c.copy_hash ELSE '' END AS copyHash, c.company
     FROM approval_contacts c ${dialect.joinInOrder} sequence_approvals a ON a.id = c.approval_id
     WHERE c.contact_id = @contactId AND a.sequence_id = @sequenceId AND a.workspace_id = @workspaceId
       AND a.status = 'applied' AND a.steps_hash = @stepsHash
     ORDER BY c.spent_at IS NULL AND c.copy_hash = @copyHash DESC, coalesce(c.company, '') = coalesce(@company, '') DESC,
       a.applied_at DESC, a.id DESC LIMIT 1`,
  );
  const pins = db.sql<{ contactIds: string; sequenceId: string; stepsHash: string; workspaceId: string }, Pin>(
    `SELECT p.contact_id AS contactId, a.id AS approvalId, a.status, p.copy_hash AS copyHash, p.company,
       p.spent_at AS spentAt, a.approved_at AS approvedAt, a.applied_at AS appliedAt
     FROM ${dialect.elements("@contactIds", "asked")}
     ${dialect.joinInOrder} approval_contacts p ON p.contact_id = asked.value
     ${dialect.joinInOrder} sequence_approvals a ON a.id = p.approval_id
     WHERE a.sequence_id = @sequenceId AND a.workspace_id = @workspaceId AND a.steps_hash = @stepsHash
       AND a.status IN ('approved', 'applied')`,
  );
  const audience = db.sql<
    { id: string; workspaceId: string; limit: number; offset: number },
    { contactId: string; copyHash: string }
  >(
    `SELECT p.contact_id AS contactId,
       CASE WHEN a.status = 'approved' AND p.spent_at IS NOT NULL THEN '' ELSE p.copy_hash END AS copyHash
     FROM sequence_approvals a ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
     WHERE a.id = @id AND a.workspace_id = @workspaceId ORDER BY p.contact_id LIMIT @limit OFFSET @offset`,
  );
  const listPart = db.sql<PartParams, PinnedContact>(
    `SELECT p.contact_id AS contactId, p.copy_hash AS copyHash FROM ${dialect.elements("@contactIds", "asked")}
     ${dialect.joinInOrder} approval_contacts p ON p.approval_id = @id AND p.contact_id = asked.value
     ${dialect.joinInOrder} sequence_approvals a ON a.id = p.approval_id WHERE a.workspace_id = @workspaceId`,
  );
  const anyOther = db.value<PartParams, number>(
    `SELECT 1 FROM sequence_approvals a ${dialect.joinInOrder} approval_contacts p ON p.approval_id = a.id
     ${dialect.joinInOrder} contacts c ON c.id = p.contact_id
     WHERE a.id = @id AND a.workspace_id = @workspaceId AND c.workspace_id = @workspaceId AND c.archived_at IS NULL
       AND p.contact_id NOT IN (SELECT value FROM ${dialect.elements("@contactIds")}) LIMIT 1`,
  );

  return (workspaceId) => ({
    async recipients(contactIds) {
      return (await recipients.all({ ids: JSON.stringify(contactIds), workspaceId })).map(toRecipient);
    },
    async insert({ audience, withoutCompany = [], ...approval }) {
      const { changes } = await insert.run({ ...approval, contactCount: audience.size, workspaceId });
      if (changes === 0) return false;
      await insertAudience.run({
        id: approval.id,
        hashes: JSON.stringify(Object.fromEntries(audience)),
        withoutCompany: JSON.stringify(withoutCompany),
      });
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
      if (changes === 1) await supersedeAll.run({ id, now, workspaceId });
      return changes === 1;
    },
    async applyPart(id, { partId, contactIds, by, now }) {
      const part = { id, contactIds: JSON.stringify(contactIds), workspaceId };
      // Counted before anything is written: the caller may commit after a refusal.
      if ((await countPart.get(part)) !== contactIds.length) return false;
      await insertPart.run({ id, partId, by, now, workspaceId });
      await movePart.run({ ...part, partId });
      await recount.run({ id, partId, workspaceId });
      await supersedePage.run({ ...part, id: partId, now });
      return true;
    },
    async replacing(id) {
      return (await listReplacing.all({ id, workspaceId })).map(({ contactId }) => contactId);
    },
    async partOf(id, contactIds) {
      const part = { id, contactIds: JSON.stringify(contactIds), workspaceId };
      return { found: await listPart.all(part), isWhole: (await anyOther.get(part)) === undefined };
    },
    async unpin(id, contactIds) {
      if (contactIds.length > 0) await unpin.run({ id, contactIds: JSON.stringify(contactIds), workspaceId });
    },
    async spend(contactId, now) {
      await spend.run({ contactId, now, workspaceId });
    },
    async spendGivenBy(contactId, givenBy, now) {
      return (await spendGivenBy.run({ contactId, givenBy, now, workspaceId })).changes;
    },
    async spentAt(id, contactId) {
      const [found] = await spentAt.all({ id, contactId, workspaceId });
      return found?.spentAt ?? null;
    },
    async restore(id, contactId, spentAt) {
      await restore.run({ id, contactId, spentAt, workspaceId });
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
      return { rows: rows.map(toRecipient), total: (await countUnenrolled.get({ id, workspaceId })) ?? 0 };
    },
    async countEnrolled(id) {
      return (await countEnrolled.get({ id, workspaceId })) ?? 0;
    },
    async countUnenrolled(id) {
      return (await countUnenrolled.get({ id, workspaceId })) ?? 0;
    },
    async anyApplied(sequenceId, stepsHash) {
      return (await anyApplied.get({ sequenceId, stepsHash, workspaceId })) !== undefined;
    },
    async covering(asked) {
      return covering.get({ ...asked, workspaceId });
    },
    async pins(sequenceId, stepsHash, contactIds) {
      if (contactIds.length === 0) return [];
      return pins.all({ contactIds: JSON.stringify(contactIds), sequenceId, stepsHash, workspaceId });
    },
    async audience(id, page) {
      return audience.all({ ...page, id, workspaceId });
    },
  });
}
