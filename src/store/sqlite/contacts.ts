import { and, eq, isNull, sql } from "drizzle-orm";
import { type Contact, type ContactField, emailKey, profileKey } from "../../domain/contacts/contact.ts";
import type { Confirmations } from "../../domain/contacts/lifecycle.ts";
import { type SocialStatus, socialStatusesBefore } from "../../domain/socialnet/social-status.ts";
import { JsonText } from "../../lib/json-text.ts";
import {
  type ContactPatch,
  type ContactQuery,
  type ContactRecord,
  type Contacts,
  EmailTaken,
  type NewContact,
  type Provenance,
} from "../contacts.ts";
import type { Page, Rows, Walked } from "../page.ts";
import { type Drizzle, memoised } from "./connection.ts";
import { contactJson, prepareContactPages } from "./contact-pages.ts";
import { prepareContactSearch } from "./contact-search.ts";
import { prepareContactWalk } from "./contact-walk.ts";
import { isoTime } from "./rows.ts";
import { bantAssessments, contacts, deals, meetings } from "../sql/schema/index.ts";

const COLUMNS = {
  email: "email",
  first_name: "firstName",
  last_name: "lastName",
  company: "company",
  job_title: "jobTitle",
  phone: "phone",
  socialnet_url: "socialnetUrl",
  website: "website",
} as const satisfies Record<ContactField, keyof typeof contacts.$inferInsert>;

const INSERTED = [
  ...["id", "workspaceId", "email", "emailKey", "firstName", "lastName", "company", "jobTitle", "phone"],
  ...["socialnetUrl", "socialnetKey", "website", "lifecycle", "source", "createdAt", "updatedAt"],
];

type Row = typeof contacts.$inferSelect;

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
      created_at: isoTime(row.createdAt),
      updated_at: isoTime(row.updatedAt),
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

function rethrow(error: unknown): never {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "SQLITE_CONSTRAINT_UNIQUE" && message?.includes("contacts.email_key")) throw new EmailTaken();
  throw error;
}

export function prepareContacts(db: Drizzle) {
  const p = sql.placeholder;
  const mine = and(eq(contacts.workspaceId, p("workspaceId")), isNull(contacts.archivedAt));
  const insertColumns = Object.fromEntries(INSERTED.map((name) => [name, p(name)]));
  return {
    ...prepareContactPages(db),
    search: prepareContactSearch(db),
    ...prepareContactWalk(db),
    find: db
      .select()
      .from(contacts)
      .where(and(eq(contacts.id, p("id")), mine))
      .prepare(),
    findByEmail: db
      .select()
      .from(contacts)
      .where(and(eq(contacts.emailKey, p("emailKey")), mine))
      .prepare(),
    findByProfile: db
      .select()
      .from(contacts)
      .where(and(eq(contacts.socialnetKey, p("socialnetKey")), mine))
      .orderBy(sql`${contacts.seq} DESC`)
      .limit(1)
      .prepare(),
    allByProfile: db
      .select({ id: contacts.id })
      .from(contacts)
      .where(and(eq(contacts.socialnetKey, p("socialnetKey")), mine))
      .orderBy(sql`${contacts.seq} DESC`)
      .limit(50)
      .prepare(),
    // The hottest read of all, past drizzle's mapping of rows.
    json: db.$client
      .prepare<[string, string], string>(
        db
          .select({ text: contactJson })
          .from(contacts)
          .where(and(eq(contacts.id, p("id")), mine))
          .toSQL().sql,
      )
      .pluck(),
    insert: db
      .insert(contacts)
      .values(insertColumns as never)
      .returning({ seq: contacts.seq })
      .prepare(),
    update: memoised((columns) =>
      db
        .update(contacts)
        .set(Object.fromEntries(columns.split(",").map((name) => [name, p(name)])))
        .where(and(eq(contacts.seq, p("seq")), mine))
        .returning()
        .prepare(),
    ),
    archive: db
      .update(contacts)
      .set({ archivedAt: p("now") as never, updatedAt: p("now") as never })
      .where(and(eq(contacts.id, p("id")), mine))
      .prepare(),
    advanceSocialStatus: db
      .update(contacts)
      .set({ socialStatus: p("status") as never })
      .where(
        and(
          eq(contacts.id, p("id")),
          sql`${contacts.socialStatus} IN (SELECT value FROM json_each(${p("before")}))`,
          mine,
        ),
      )
      .prepare(),
    provenance: db.$client.prepare(
      `INSERT INTO contact_provenance (contact_seq, field, source, actor_id, at)
       SELECT @seq, value, @source, @actorId, @now FROM json_each(@fields)`,
    ),
    confirmations: db
      .select({
        meeting: sql<number>`EXISTS (SELECT 1 FROM ${meetings}
          WHERE ${meetings.contactId} = ${p("id")} AND ${meetings.confirmedAt} IS NOT NULL)`,
        bant: sql<number>`EXISTS (SELECT 1 FROM ${bantAssessments}
          WHERE ${bantAssessments.contactId} = ${p("id")} AND ${bantAssessments.confirmedAt} IS NOT NULL)`,
        wonDeal: sql<number>`EXISTS (SELECT 1 FROM ${deals}
          WHERE ${deals.contactId} = ${p("id")} AND ${deals.stage} = 'closed_won')`,
      })
      .from(contacts)
      .where(and(eq(contacts.id, p("id")), mine))
      .prepare(),
  };
}

export class SqliteContacts implements Contacts {
  readonly #s: ReturnType<typeof prepareContacts>;
  readonly #workspaceId: string;

  constructor(statements: ReturnType<typeof prepareContacts>, workspaceId: string) {
    this.#s = statements;
    this.#workspaceId = workspaceId;
  }

  async find(id: string): Promise<ContactRecord | undefined> {
    const row = this.#s.find.get({ id, workspaceId: this.#workspaceId });
    return row && toRecord(row);
  }

  async findByEmail(email: string): Promise<ContactRecord | undefined> {
    const row = this.#s.findByEmail.get({ emailKey: emailKey(email), workspaceId: this.#workspaceId });
    return row && toRecord(row);
  }

  async findByProfile(url: string): Promise<ContactRecord | undefined> {
    const socialnetKey = profileKey(url);
    if (socialnetKey === null) return undefined;
    const row = this.#s.findByProfile.get({ socialnetKey, workspaceId: this.#workspaceId });
    return row && toRecord(row);
  }

  async allByProfile(url: string): Promise<string[]> {
    const socialnetKey = profileKey(url);
    if (socialnetKey === null) return [];
    return this.#s.allByProfile.all({ socialnetKey, workspaceId: this.#workspaceId }).map(({ id }) => id);
  }

  async json(id: string): Promise<JsonText<Contact> | undefined> {
    const text = this.#s.json.get(id, this.#workspaceId);
    return text === undefined ? undefined : new JsonText<Contact>(text);
  }

  async list(page: Page): Promise<Rows<Contact>> {
    return this.#s.list(this.#workspaceId, page);
  }

  async search(text: string, limit: number): Promise<JsonText<Contact[]>> {
    return this.#s.search(this.#workspaceId, text, limit);
  }

  async query(query: ContactQuery): Promise<Rows<Contact>> {
    return this.#s.query(this.#workspaceId, query);
  }

  async walk(...[filter, page]: Parameters<Contacts["walk"]>): Promise<Walked<Contact>> {
    return this.#s.walk(this.#workspaceId, filter, page);
  }

  async tags(limit: number): Promise<string[]> {
    return this.#s.tags(this.#workspaceId, limit);
  }

  async count(): Promise<number> {
    return this.#s.count(this.#workspaceId);
  }

  async insert({ id, fields, source, now }: NewContact): Promise<ContactRecord> {
    const row = {
      id,
      workspaceId: this.#workspaceId,
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
      lifecycle: "prospect" as const,
      source,
      createdAt: now,
      updatedAt: now,
    };
    try {
      const { seq } = this.#s.insert.get(row);
      return toRecord({
        ...row,
        seq,
        tags: null,
        accountId: null,
        archivedAt: null,
        lastContactedAt: null,
        socialStatus: "none",
      });
    } catch (error) {
      rethrow(error);
    }
  }

  async update(seq: number, patch: ContactPatch): Promise<Contact> {
    const set = patchColumns(patch);
    try {
      const row = this.#s.update(Object.keys(set).join(",")).get({ ...set, seq, workspaceId: this.#workspaceId });
      return toRecord(row as Row).contact;
    } catch (error) {
      rethrow(error);
    }
  }

  async archive(id: string, now: number): Promise<boolean> {
    return this.#s.archive.run({ id, now, workspaceId: this.#workspaceId }).changes === 1;
  }

  async advanceSocialStatus(id: string, status: SocialStatus): Promise<boolean> {
    const before = JSON.stringify(socialStatusesBefore(status));
    return this.#s.advanceSocialStatus.run({ id, status, before, workspaceId: this.#workspaceId }).changes === 1;
  }

  async recordProvenance({ fields, ...rest }: Provenance): Promise<void> {
    if (fields.length > 0) this.#s.provenance.run({ ...rest, fields: JSON.stringify(fields) });
  }

  async confirmations(contactId: string): Promise<Confirmations> {
    const row = this.#s.confirmations.get({ id: contactId, workspaceId: this.#workspaceId });
    return { meeting: row?.meeting === 1, bant: row?.bant === 1, wonDeal: row?.wonDeal === 1 };
  }
}
