import type { Contact, ContactField, ContactFields, ProvenanceSource } from "../domain/contact.ts";
import type { Confirmations, Lifecycle } from "../domain/lifecycle.ts";
import type { SocialStatus } from "../domain/social-status.ts";
import type { JsonText } from "../json-text.ts";
import type { Cursor, Page, Rows, Walked } from "./page.ts";

/** A contact as rules need it: the public record with what the public does not see. */
export interface ContactRecord {
  /** Position in creation order, unique in the database. */
  seq: number;
  contact: Contact;
  lifecycle: Lifecycle;
  accountId: string | null;
  /** When the team last reached out. */
  lastContactedAt: number | null;
  socialStatus: SocialStatus;
}

export interface ContactQuery extends Page {
  filter: {
    email?: string | undefined;
    company?: string | undefined;
    source?: string | undefined;
    updatedSince?: number | undefined;
  };
  sort: "created_at" | "updated_at";
  direction: "asc" | "desc";
}

/** All of them hold. */
export interface ContactFilter {
  stage?: Lifecycle | undefined;
  tag?: string | undefined;
  company?: string | undefined;
  source?: string | undefined;
  accountId?: string | undefined;
}

export interface NewContact {
  id: string;
  fields: ContactFields;
  source: string;
  now: number;
}

export interface ContactPatch {
  fields: ContactFields;
  lifecycle?: Lifecycle;
  accountId?: string | null;
  tags?: string[];
  now: number;
}

/** Who edited which fields of a contact, and by what door. */
export interface Provenance {
  seq: number;
  fields: readonly (ContactField | "lifecycle" | "account_id" | "tags")[];
  source: ProvenanceSource;
  actorId: string;
  now: number;
}

/** Thrown by a write that would give one address to two live contacts of a workspace. */
export class EmailTaken extends Error {}

/** Archived contacts are invisible to all of these. */
export interface Contacts {
  find(id: string): Promise<ContactRecord | undefined>;
  findByEmail(email: string): Promise<ContactRecord | undefined>;
  /** The newest live contact with this profile address, compared normalised. */
  findByProfile(url: string): Promise<ContactRecord | undefined>;
  /** Every live contact with this profile address, the newest first; more than a few are a mistake in the data. */
  allByProfile(url: string): Promise<string[]>;
  json(id: string): Promise<JsonText<Contact> | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<Rows<Contact>>;
  /** Those whose address, names or company begin so, newest first; a first and a last name together too. */
  search(text: string, limit: number): Promise<JsonText<Contact[]>>;
  query(query: ContactQuery): Promise<Rows<Contact>>;
  /** Newest first by creation. A page may hold fewer rows than asked for, and go on: it looks at so many and no more. */
  walk(filter: ContactFilter, page: { limit: number; before: Cursor | null }): Promise<Walked<Contact>>;
  /** Tags that live contacts have, in the order of their letters. */
  tags(limit: number): Promise<string[]>;
  count(): Promise<number>;
  /** @throws EmailTaken */
  insert(contact: NewContact): Promise<ContactRecord>;
  /** @throws EmailTaken */
  update(seq: number, patch: ContactPatch): Promise<Contact>;
  /** False where no live contact has this id. */
  archive(id: string, now: number): Promise<boolean>;
  /** Moves the social status forward; false where it stands there already, or further. */
  advanceSocialStatus(id: string, status: SocialStatus): Promise<boolean>;
  recordProvenance(provenance: Provenance): Promise<void>;
  confirmations(contactId: string): Promise<Confirmations>;
}
