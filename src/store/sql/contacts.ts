// Long because every statement about contacts shares their columns, their filters and the keys of their addresses.
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { emailKey, profileKey, profilePin, profileTail } from "../../domain/contacts/address.ts";
import type { Contact, ContactField } from "../../domain/contacts/contact.ts";
import { socialStatusesBefore } from "../../domain/socialnet/social-status.ts";
import { JsonText } from "../../lib/json-text.ts";
import { iso } from "../../lib/time.ts";
import {
  type ContactName,
  type ContactPatch,
  type ContactRecord,
  type Contacts,
  EmailTaken,
  type FieldEdit,
  type Imports,
} from "../contacts.ts";
import { contactJson, contactPages, contactSearch, contactWalk } from "./contact-lists.ts";
import { around, type Dialect } from "./dialect.ts";
import { bantAssessments, contacts as c, deals, importRuns as i, meetings } from "./schema/index.ts";
import { type Db, memoized, namesIn, newRow, placeholders } from "./statement.ts";

const p = sql.placeholder;

/** More contacts than this with one profile address are a mistake in the data. */
export const MAX_SAME_PROFILE = 50;

/** Whether a contact, given in SQL, has an open enrollment, an open action or an approval that can still start one. */
export function hasOpenWorkSql({ joinInOrder, unindexed }: Dialect, contactId: string): string {
  return `(EXISTS (SELECT 1 FROM enrollments e
      WHERE e.workspace_id = @workspaceId AND e.contact_id = ${contactId} AND e.ended_at IS NULL)
    OR EXISTS (SELECT 1 FROM socialnet_actions a WHERE a.contact_id = ${contactId} AND a.ended_at IS NULL
      AND ${unindexed("a.workspace_id")} = @workspaceId)
    OR EXISTS (SELECT 1 FROM approval_contacts p ${joinInOrder} sequence_approvals a ON a.id = p.approval_id
      WHERE p.contact_id = ${contactId} AND p.spent_at IS NULL AND a.status IN ('approved', 'applied')
        AND ${unindexed("a.workspace_id")} = @workspaceId))`;
}

/** How many earlier addresses of a contact are kept: the first ones, so that an agent can't replace them by others. */
const MAX_EARLIER_ADDRESSES = 50;

const COLUMNS = {
  email: "email",
  first_name: "firstName",
  last_name: "lastName",
  company: "company",
  job_title: "jobTitle",
  phone: "phone",
  socialnet_url: "socialnetUrl",
  website: "website",
} as const satisfies Record<ContactField, keyof typeof c.$inferInsert>;

type Row = typeof c.$inferSelect;

function toRecord(row: Row): ContactRecord {
  return {
    seq: row.seq,
    lifecycle: row.lifecycle,
    accountId: row.accountId,
    lastContactedAt: row.lastContactedAt,
    socialStatus: row.socialStatus,
    contact: {
      id: row.id,
      email: row.email,
      first_name: row.firstName,
      last_name: row.lastName,
      company: row.company,
      job_title: row.jobTitle,
      phone: row.phone,
      socialnet_url: row.socialnetUrl,
      website: row.website,
      lifecycle: row.lifecycle,
      source: row.source,
      tags: row.tags,
      created_at: iso(row.createdAt),
      updated_at: iso(row.updatedAt),
    },
  };
}

/** The columns that a patch writes, with the keys that are derived from them. */
function patchColumns(patch: ContactPatch): Record<string, unknown> {
  const set: Record<string, unknown> = { updatedAt: patch.now };
  for (const [field, value] of Object.entries(patch.fields)) set[COLUMNS[field as ContactField]] = value;
  const { email, socialnet_url } = patch.fields;
  if (email !== undefined) set.emailKey = email === null ? null : emailKey(email);
  if (socialnet_url !== undefined) set.socialnetKey = socialnet_url === null ? null : profileKey(socialnet_url);
  if (patch.lifecycle !== undefined) set.lifecycle = patch.lifecycle;
  if (patch.accountId !== undefined) set.accountId = patch.accountId;
  if (patch.tags !== undefined) set.tags = patch.tags;
  return set;
}

/** The contact that a patch leaves behind. Mapping the whole row that an update can return costs as much as the update. */
function applyPatch(contact: Contact, { fields, lifecycle, tags, now }: ContactPatch): Contact {
  return {
    ...contact,
    ...(fields as Partial<Contact>),
    lifecycle: lifecycle ?? contact.lifecycle,
    tags: tags ?? contact.tags,
    updated_at: iso(now),
  };
}

export function contacts(db: Db): (workspaceId: string) => Contacts {
  const { orm, dialect } = db;
  const live = and(eq(c.workspaceId, p("workspaceId")), isNull(c.archivedAt));
  const pages = contactPages(db);
  const search = contactSearch(db);
  const walk = contactWalk(db);

  const find = db.query(
    orm
      .select()
      .from(c)
      .where(and(eq(c.id, p("id")), live)),
  );
  const findByEmail = db.query(
    orm
      .select()
      .from(c)
      .where(and(eq(c.emailKey, p("emailKey")), live)),
  );
  const byProfile = and(eq(c.socialnetKey, p("socialnetKey")), live);
  const findByProfile = db.query(orm.select().from(c).where(byProfile).orderBy(desc(c.seq)).limit(MAX_SAME_PROFILE));
  // Contacts that can be written to come first. An agent could add others with the same profile, to hide them.
  const profiled = (among: string) =>
    db.value<{ socialnetKey: string; tail: string; workspaceId: string }, string>(
      `SELECT c.id FROM contacts c
       WHERE c.workspace_id = @workspaceId AND c.socialnet_key = @socialnetKey AND c.archived_at IS NULL AND ${among}
       ORDER BY ${hasOpenWorkSql(dialect, "c.id")} DESC, c.seq DESC
       LIMIT ${MAX_SAME_PROFILE}`,
    );
  const isExact = `${dialect.profileTail("c.socialnet_url")} = @tail`;
  const [exactly, otherwise] = [profiled(isExact), profiled(`NOT ${isExact}`)];
  // Profiles of a contact now, and those that it had until after a time.
  const profilesOf = db.value<{ id: string; at: number; workspaceId: string }, string>(
    `SELECT socialnet_url FROM contacts WHERE id = @id AND workspace_id = @workspaceId AND socialnet_url IS NOT NULL
     UNION ALL
     SELECT socialnet_url FROM earlier_profiles x
     WHERE x.contact_id = @id AND ${dialect.unindexed("x.workspace_id")} = @workspaceId AND x.replaced_at > @at`,
  );
  const profileAt = db.value<{ id: string; at: number; workspaceId: string }, string | null>(
    `SELECT coalesce(
       (SELECT socialnet_url FROM earlier_profiles x
        WHERE x.contact_id = @id AND ${dialect.unindexed("x.workspace_id")} = @workspaceId AND x.replaced_at > @at
        ORDER BY x.replaced_at, x.seq LIMIT 1),
       (SELECT socialnet_url FROM contacts WHERE id = @id AND workspace_id = @workspaceId))`,
  );
  const hadProfile = db.value<{ socialnetKey: string; at: number; workspaceId: string }, string>(
    `SELECT c.id FROM earlier_profiles x ${dialect.joinInOrder} contacts c ON c.id = x.contact_id
     WHERE x.workspace_id = @workspaceId AND x.socialnet_key = @socialnetKey AND x.replaced_at > @at
       AND c.archived_at IS NULL
     ORDER BY ${hasOpenWorkSql(dialect, "c.id")} DESC, c.seq DESC
     LIMIT ${MAX_SAME_PROFILE}`,
  );
  const hasEarlierAddress = db.value<{ id: string; workspaceId: string }, string>(
    `SELECT c.id FROM earlier_addresses x
     ${dialect.joinInOrder} contacts c ON c.workspace_id = x.workspace_id AND c.email_key = x.email_key
     WHERE x.contact_id = @id AND ${dialect.unindexed("x.workspace_id")} = @workspaceId AND c.archived_at IS NULL`,
  );
  // The hottest read of all: the engine writes the JSON.
  const names = db.sql<{ ids: string; workspaceId: string }, ContactName & { id: string }>(
    `SELECT c.id, c.first_name, c.last_name, c.email
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId AND c.archived_at IS NULL`,
  );
  const companies = db.sql<{ ids: string; workspaceId: string }, { id: string; company: string }>(
    `SELECT c.id, c.company
     FROM ${dialect.elements("@ids", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     WHERE c.workspace_id = @workspaceId AND c.archived_at IS NULL AND c.company IS NOT NULL`,
  );
  const json = db.value<{ id: string; workspaceId: string }, string>(
    `SELECT ${contactJson(dialect)} FROM contacts
     WHERE id = @id AND workspace_id = @workspaceId AND archived_at IS NULL`,
  );
  const insert = db.query(
    orm
      .insert(c)
      .values(newRow(c, "seq", "tags", "accountId", "archivedAt", "lastContactedAt", "lastReplySeq", "socialStatus"))
      .returning({ seq: c.seq }),
  );
  const update = memoized((columns) =>
    db.query(
      orm
        .update(c)
        .set(placeholders(...namesIn(columns)))
        .where(and(eq(c.seq, p("seq")), live)),
    ),
  );
  const keepAddress = db.sql(
    `INSERT INTO earlier_addresses (workspace_id, contact_id, email_key, replaced_at)
     SELECT @workspaceId, @contactId, @emailKey, @now
     WHERE (SELECT count(*) FROM earlier_addresses x
       WHERE x.contact_id = @contactId AND ${dialect.unindexed("x.workspace_id")} = @workspaceId)
       < ${MAX_EARLIER_ADDRESSES}
     ON CONFLICT (contact_id, email_key) DO NOTHING`,
  );
  const keepProfile = db.sql(
    `INSERT INTO earlier_profiles (workspace_id, contact_id, socialnet_url, socialnet_key, replaced_at)
     VALUES (@workspaceId, @contactId, @socialnetUrl, @socialnetKey, @now)
     ON CONFLICT (contact_id, socialnet_key)
     DO UPDATE SET socialnet_url = excluded.socialnet_url, replaced_at = excluded.replaced_at`,
  );
  const archive = db.query(
    orm
      .update(c)
      .set(placeholders("archivedAt", "updatedAt"))
      .where(and(eq(c.id, p("id")), live)),
  );
  const hideConversation = db.sql<{ id: string; workspaceId: string }>(
    "UPDATE conversations SET archived = 1 WHERE contact_id = @id AND workspace_id = @workspaceId",
  );
  const advanceSocialStatus = db.query(
    orm
      .update(c)
      .set(placeholders("socialStatus"))
      .where(
        and(
          eq(c.id, p("id")),
          sql`${c.socialStatus} IN (SELECT value FROM ${around(dialect.elements, p("before"))})`,
          live,
        ),
      ),
  );
  const recordProvenance = db.sql(
    `INSERT INTO contact_provenance (contact_seq, field, source, actor_id, at)
     SELECT @seq, value, @source, @actorId, @now FROM ${dialect.elements("@fields")}`,
  );
  const editsSince = db.sql<{ contactIds: string; since: number; workspaceId: string }, FieldEdit>(
    `SELECT c.id AS contactId, p.field, p.at
     FROM ${dialect.elements("@contactIds", "asked")} ${dialect.joinInOrder} contacts c ON c.id = asked.value
     ${dialect.joinInOrder} contact_provenance p ON p.contact_seq = c.seq
     WHERE c.workspace_id = @workspaceId AND p.at > @since`,
  );
  const confirmations = db.query(
    orm
      .select({
        meeting: sql<number>`EXISTS (SELECT 1 FROM ${meetings}
          WHERE ${meetings.contactId} = ${p("id")} AND ${meetings.confirmedAt} IS NOT NULL)`,
        bant: sql<number>`EXISTS (SELECT 1 FROM ${bantAssessments}
          WHERE ${bantAssessments.contactId} = ${p("id")} AND ${bantAssessments.confirmedAt} IS NOT NULL)`,
        wonDeal: sql<number>`EXISTS (SELECT 1 FROM ${deals}
          WHERE ${deals.contactId} = ${p("id")} AND ${deals.stage} = 'closed_won'
            AND ${deals.wonConfirmedBy} IS NOT NULL)`,
      })
      .from(c)
      .where(and(eq(c.id, p("id")), live)),
  );

  function rethrow(error: unknown): never {
    throw dialect.isDuplicate(error, "contacts.email_key") ? new EmailTaken() : error;
  }

  async function allByProfile(workspaceId: string, url: string): Promise<string[]> {
    const socialnetKey = profileKey(url);
    if (socialnetKey === null) return [];
    const profile = { socialnetKey, tail: profileTail(url), workspaceId };
    return [...(await exactly.all(profile)), ...(await otherwise.all(profile))];
  }

  return (workspaceId) => ({
    async find(id) {
      const row = await find.get({ id, workspaceId });
      return row && toRecord(row);
    },
    async findByEmail(email) {
      const row = await findByEmail.get({ emailKey: emailKey(email), workspaceId });
      return row && toRecord(row);
    },
    async findByProfile(url) {
      const socialnetKey = profileKey(url);
      if (socialnetKey === null) return undefined;
      const [newest, ...others] = await findByProfile.all({ socialnetKey, workspaceId });
      if (newest === undefined || others.length === 0) return newest && toRecord(newest);
      const pin = profilePin(url);
      const same = [newest, ...others].find(({ socialnetUrl }) => profilePin(socialnetUrl ?? "") === pin);
      return toRecord(same ?? newest);
    },
    allByProfile: (url) => allByProfile(workspaceId, url),
    async hadProfile(url, at) {
      const socialnetKey = profileKey(url);
      return socialnetKey === null ? [] : hadProfile.all({ socialnetKey, at, workspaceId });
    },
    async profileAt(id, at) {
      return (await profileAt.get({ id, at, workspaceId })) ?? undefined;
    },
    async samePerson(id, at) {
      const found = new Set(await hasEarlierAddress.all({ id, workspaceId }));
      for (const url of await profilesOf.all({ id, at, workspaceId })) {
        const socialnetKey = profileKey(url);
        if (socialnetKey === null) continue;
        for (const one of await allByProfile(workspaceId, url)) found.add(one);
        for (const one of await hadProfile.all({ socialnetKey, at, workspaceId })) found.add(one);
      }
      found.delete(id);
      return [...found];
    },
    async names(ids) {
      const found = await names.all({ ids: JSON.stringify([...new Set(ids)]), workspaceId });
      return new Map(found.map(({ id, ...name }) => [id, name]));
    },
    async companies(ids) {
      const found = await companies.all({ ids: JSON.stringify([...new Set(ids)]), workspaceId });
      return new Map(found.map(({ id, company }) => [id, company]));
    },
    async json(id) {
      const text = await json.get({ id, workspaceId });
      return text === undefined ? undefined : new JsonText<Contact>(text);
    },
    list: (page) => pages.list(workspaceId, page),
    query: (query) => pages.query(workspaceId, query),
    count: () => pages.count(workspaceId),
    search: (text, limit) => search.search(workspaceId, text, limit),
    byName: (name, limit) => search.byName(workspaceId, name, limit),
    byNameBeginning: (name, limit) => search.byNameBeginning(workspaceId, name, limit),
    walk: (filter, page) => walk.walk(workspaceId, filter, page),
    tags: (limit) => walk.tags(workspaceId, limit),
    async insert({ id, fields, source, now }) {
      const row: Row = {
        // The engine gives it.
        seq: 0,
        id,
        workspaceId,
        email: fields.email ?? null,
        emailKey: fields.email ? emailKey(fields.email) : null,
        firstName: fields.first_name ?? null,
        lastName: fields.last_name ?? null,
        company: fields.company ?? null,
        jobTitle: fields.job_title ?? null,
        phone: fields.phone ?? null,
        socialnetUrl: fields.socialnet_url ?? null,
        socialnetKey: fields.socialnet_url ? profileKey(fields.socialnet_url) : null,
        website: fields.website ?? null,
        lifecycle: "prospect",
        source,
        createdAt: now,
        updatedAt: now,
        tags: null,
        accountId: null,
        archivedAt: null,
        lastContactedAt: null,
        lastReplySeq: null,
        socialStatus: "none",
      };
      try {
        row.seq = ((await insert.get(row)) as { seq: number }).seq;
        return toRecord(row);
      } catch (error) {
        rethrow(error);
      }
    },
    async update({ seq, contact }, patch) {
      const set = patchColumns(patch);
      try {
        const { changes } = await update(Object.keys(set).join()).run({ ...set, seq, workspaceId });
        if (changes !== 1) throw new Error("The contact was not read in this transaction.");
        const replaced = set.emailKey === undefined || contact.email === null ? undefined : emailKey(contact.email);
        if (replaced !== undefined && replaced !== set.emailKey) {
          await keepAddress.run({ contactId: contact.id, emailKey: replaced, now: patch.now, workspaceId });
        }
        const socialnetUrl = set.socialnetKey === undefined ? null : contact.socialnet_url;
        const socialnetKey = socialnetUrl === null ? null : profileKey(socialnetUrl);
        if (socialnetUrl !== null && socialnetKey !== null && socialnetKey !== set.socialnetKey) {
          const kept = { contactId: contact.id, socialnetUrl, socialnetKey, now: patch.now, workspaceId };
          await keepProfile.run(kept);
        }
        return applyPatch(contact, patch);
      } catch (error) {
        rethrow(error);
      }
    },
    async archive(id, now) {
      const { changes } = await archive.run({ id, archivedAt: now, updatedAt: now, workspaceId });
      if (changes === 1) await hideConversation.run({ id, workspaceId });
      return changes === 1;
    },
    async advanceSocialStatus(id, socialStatus) {
      const before = JSON.stringify(socialStatusesBefore(socialStatus));
      return (await advanceSocialStatus.run({ id, socialStatus, before, workspaceId })).changes === 1;
    },
    async editsSince(contactIds, since) {
      if (contactIds.length === 0) return [];
      return editsSince.all({ contactIds: JSON.stringify(contactIds), since, workspaceId });
    },
    async recordProvenance({ seq, fields, source, actorId, now }) {
      if (fields.length === 0) return;
      await recordProvenance.run({ seq, source, actorId, now, fields: JSON.stringify(fields) });
    },
    async confirmations(id) {
      const row = await confirmations.get({ id, workspaceId });
      return { meeting: row?.meeting === 1, bant: row?.bant === 1, wonDeal: row?.wonDeal === 1 };
    },
  });
}

export function imports(db: Db): (workspaceId: string) => Imports {
  const { rowsDone, created, updated, unchanged, rejected, lastRejected, finishedAt } = i;
  const run = { rowsDone, created, updated, unchanged, rejected, lastRejected, finishedAt };
  const changing = placeholders(...Object.keys(run), "updatedAt");
  const find = db.query(
    db.orm
      .select(run)
      .from(i)
      .where(and(eq(i.workspaceId, p("workspaceId")), eq(i.fingerprint, p("fingerprint")))),
  );
  const save = db.query(
    db.orm
      .insert(i)
      .values(newRow(i))
      .onConflictDoUpdate({ target: [i.workspaceId, i.fingerprint], set: changing }),
  );
  return (workspaceId) => ({
    async find(fingerprint) {
      return find.get({ fingerprint, workspaceId });
    },
    async save(fingerprint, progress, now) {
      await save.run({ ...progress, workspaceId, fingerprint, startedAt: now, updatedAt: now });
    },
  });
}
