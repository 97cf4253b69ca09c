// Long because it is the contract of everything about contacts: timelines, companies, deals, meetings and views of them.
import type { Activity, ActivityType } from "../domain/contacts/activity.ts";
import {
  CONTACT_FIELDS,
  type Contact,
  type ContactField,
  type ContactFields,
  type ProvenanceSource,
} from "../domain/contacts/contact.ts";
import type { Deal, DealStage } from "../domain/contacts/deal.ts";
import type { BantAnswers, Confirmations, Lifecycle } from "../domain/contacts/lifecycle.ts";
import type { MailDelivery } from "../domain/outreach/sending.ts";
import type { SequenceStatus, Step } from "../domain/outreach/sequence.ts";
import type { SocialStatus } from "../domain/socialnet/social-status.ts";
import type { JsonText } from "../lib/json-text.ts";
import type { EnrollmentRow, SuppressionRow } from "./outreach.ts";
import type { Cursor, Page, Rows, Walked } from "./page.ts";
import type { ActionRow } from "./socialnet.ts";

/** A contact as rules need it: the public record with what the public does not see. */
export interface ContactRecord {
  /** Position in creation order, unique in the database. */
  seq: number;
  contact: Contact;
  lifecycle: Lifecycle;
  accountId: string | null;
  /** When a call, voicemail, text or social message was last logged. What Rostrum or an agent sent doesn't count. */
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

interface NewContact {
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

/** That a field of a contact was edited. */
export interface FieldEdit {
  contactId: string;
  field: string;
  at: number;
}

/** Who edited which fields of a contact, and through which source. */
export interface Provenance {
  seq: number;
  fields: readonly (ContactField | "lifecycle" | "account_id" | "tags")[];
  source: ProvenanceSource;
  actorId: string;
  now: number;
}

/** Thrown by a write that would give one address to two live contacts of a workspace. */
export class EmailTaken extends Error {}

export interface ContactName {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** A contact found by its name. */
export type NamedContact = Pick<Contact, "id" | "first_name" | "last_name" | "company">;

/** Archived contacts are invisible to all of these. */

export interface Contacts {
  find(id: string): Promise<ContactRecord | undefined>;
  findByEmail(email: string): Promise<ContactRecord | undefined>;
  /**
   * The newest live contact with this profile address, compared normalized. If several have it, one with its query and
   * fragment too comes first, since these name the person in some networks. The newest 50 are compared.
   */
  findByProfile(url: string): Promise<ContactRecord | undefined>;
  /**
   * The live contacts with this profile address: first those with its query and fragment too, which name the person in
   * some networks, then the others. Of each, those with open enrollments, open actions or approvals first, then the
   * newest, and at most 50, since more than a few are a mistake in the data.
   */
  allByProfile(url: string): Promise<string[]>;
  /** The live contacts who had this profile address until after a time in ms, in the same order and at most as many. */
  hadProfile(url: string, at: number): Promise<string[]>;
  /** The profile address that a contact had at a time in ms. Undefined where it had none. */
  profileAt(id: string, at: number): Promise<string | undefined>;
  /**
   * Other live contacts who are the same person as this one, who may be archived: they have a profile that this contact
   * has, or one that either of the two had at a time. Or they have an address that this contact had at any time.
   *
   * @param at the time, in ms: profiles that were replaced later count
   */
  samePerson(id: string, at: number): Promise<string[]>;
  json(id: string): Promise<JsonText<Contact> | undefined>;
  /** What to call these contacts, by id. Archived ones are missing. */
  names(ids: readonly string[]): Promise<Map<string, ContactName>>;
  /** The companies of these contacts, by id. Archived ones, and those without a company, are missing. */
  companies(ids: readonly string[]): Promise<Map<string, string>>;
  /** Newest first by creation. */
  list(page: Page): Promise<Rows<Contact>>;
  /** Those with words in their name, company or address that begin as each word of the text, newest first. See Finder. */
  search(text: string, limit: number): Promise<JsonText<Contact[]>>;
  /**
   * Contacts with this whole name. If there are none, contacts whose first name, last name, or both begin with it.
   * Ignores the case of ASCII letters. Newest first, but not always the newest where there are more than the limit.
   */
  byName(name: string, limit: number): Promise<NamedContact[]>;
  /** Contacts whose first or last name begins with it, newest first, but not always the newest. */
  byNameBeginning(name: string, limit: number): Promise<NamedContact[]>;
  query(query: ContactQuery): Promise<Rows<Contact>>;
  /** Newest first by creation. A page reads a bounded number of rows, so it may be short and still have a next one. */
  walk(filter: ContactFilter, page: { limit: number; before: Cursor | null }): Promise<Walked<Contact>>;
  /** Tags that live contacts have, in the order of their letters. */
  tags(limit: number): Promise<string[]>;
  count(): Promise<number>;
  /** @throws EmailTaken */
  insert(contact: NewContact): Promise<ContactRecord>;
  /**
   * Changes a live contact, as it was read in this transaction, and answers what it is now.
   *
   * @throws EmailTaken
   */
  update(record: Pick<ContactRecord, "seq" | "contact">, patch: ContactPatch): Promise<Contact>;
  /** False where no live contact has this id. */
  archive(id: string, now: number): Promise<boolean>;
  /** Moves the social status forward. False where it is there already, or further. */
  advanceSocialStatus(id: string, status: SocialStatus): Promise<boolean>;
  recordProvenance(provenance: Provenance): Promise<void>;
  /** The edits of fields of these contacts after a time, in no particular order. */
  editsSince(contactIds: readonly string[], since: number): Promise<FieldEdit[]>;
  confirmations(contactId: string): Promise<Confirmations>;
}

/** A company record. Times are milliseconds since the epoch. */
export interface AccountRow {
  id: string;
  name: string;
  /** In lower case. */
  domain: string | null;
  website: string | null;
  industry: string | null;
  createdAt: number;
  updatedAt: number;
}

type AccountFields = Pick<AccountRow, "name" | "domain" | "website" | "industry">;

export interface Accounts {
  exists(id: string): Promise<boolean>;
  find(id: string): Promise<AccountRow | undefined>;
  /** Accounts with this whole name, newest first. If there are none, accounts whose name begins with it, by name. */
  byName(name: string, limit: number): Promise<AccountRow[]>;
  /** The newest of this domain, which is in the form that rows keep. */
  findByDomain(domain: string): Promise<AccountRow | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<{ rows: AccountRow[]; total: number }>;
  /** Accounts whose name or domain begins with the text, ignoring case, by name. */
  search(text: string, limit: number): Promise<AccountRow[]>;
  insert(account: AccountRow): Promise<void>;
  /** Undefined where the workspace has no account of this id. */
  update(id: string, fields: AccountFields, now: number): Promise<AccountRow | undefined>;
}

export interface NewActivity {
  id: string;
  contactId: string;
  type: ActivityType;
  subject: string | null;
  body: string | null;
  metadata: Record<string, unknown>;
  /** Of a reply: the profile that it came from. Without it, the one that the contact has now. */
  profileUrl?: string | undefined;
  now: number;
}

/** A page of a timeline, and the position before which the next one continues; null at its beginning. */
interface TimelinePage {
  rows: Activity[];
  next: number | null;
}

/** The newest reply of a contact: the one that was recorded last, even if a clock was set back. */
export interface LastReply {
  id: string;
  /** When it was recorded, in ms. */
  at: number;
}

/** The timelines of contacts. Nothing rewrites them. */
export interface Activities {
  insert(activity: NewActivity): Promise<Activity>;
  /** Newest first. */
  page(contactId: string, page: { limit: number; before: number | null }): Promise<TimelinePage>;
  /** Texts of messages by the id of their send: those among the newest entries of these contacts, up to a number each. */
  messages(contactIds: readonly string[], newest: number): Promise<Map<string, string>>;
  /** When the entry with this `seq` was added. */
  addedAt(seq: number): Promise<number | undefined>;
  /** Whether anything of this type is in a contact's timeline. */
  has(contactId: string, type: ActivityType): Promise<boolean>;
  /** How many entries of each type were added from one moment to another, which does not count. */
  counts(from: number, to: number): Promise<Map<string, number>>;
  /**
   * The last reply of each of these contacts, by the contact's id. Contacts without a reply are left out. Replies of
   * others with the same profile count too, of others who were sent a message to the same address, and those that
   * countReply named.
   */
  lastReplies(contactIds: readonly string[]): Promise<Map<string, LastReply>>;
  /** Whether the contact has another reply that was recorded at the same time. */
  hasOtherReplyAt(contactId: string, at: number, id: string): Promise<boolean>;
  /** The same reply of one contact in full. */
  lastReply(contactId: string): Promise<Activity | undefined>;
  /** An entry of a contact's timeline. */
  find(contactId: string, id: string): Promise<Activity | undefined>;
  /** Counts a reply of another contact as a reply of this contact too. */
  countReply(id: string, contactId: string): Promise<void>;
  /** Notes that the team reached out to the contact. The time never goes back, and is no update of the record. */
  advanceLastContacted(contactId: string, at: number): Promise<void>;
}

export interface NewDeal {
  id: string;
  contactId: string;
  title: string;
  value: number;
  currency: string;
  stage: DealStage;
  probability: number | null;
  expectedCloseDate: string | null;
  /** The member who says that it is won; null where it is not, or only an agent says so. */
  wonConfirmedBy?: string | null;
  /** The member who owns it. */
  ownerId?: string | null;
  now: number;
}

type DealChange = Pick<NewDeal, "stage" | "probability" | "expectedCloseDate" | "now"> & {
  /** Who moves it. For a move to closed_won, this is who confirmed it. */
  by: string;
};

/** What a member edits of a deal. Moving it is a change. */
type DealEdit = Pick<NewDeal, "title" | "value" | "currency" | "probability" | "expectedCloseDate"> & {
  ownerId: string | null;
};

/** A deal with its contact and owner. */
interface ListedDeal {
  deal: Deal;
  ownerId: string | null;
  contact: { first_name: string | null; last_name: string | null; email: string | null; company: string | null };
}

/** What the deals of one stage and currency come to. */
export interface DealTotal {
  stage: DealStage;
  currency: string;
  deals: number;
  value: number;
}

/** Values are doubles, kept bit for bit. */
export interface Deals {
  insert(deal: NewDeal): Promise<Deal>;
  /** Those at a stage, newest first; of archived contacts too. */
  list(
    filter: { stage: DealStage; ownerId?: string | undefined },
    page: Page,
  ): Promise<{ rows: ListedDeal[]; total: number }>;
  /** How many there are at each stage that has any. */
  countByStage(): Promise<Map<DealStage, number>>;
  /** Totals by stage and currency. The filter limits them to a stage, an owner, or both. */
  totals(filter: { stage?: DealStage | undefined; ownerId?: string | undefined }): Promise<DealTotal[]>;
  find(id: string): Promise<Deal | undefined>;
  /** The id of the member who owns a deal. */
  ownerOf(id: string): Promise<string | null>;
  /** Clears the owner of a removed member's deals. */
  unassign(memberId: string): Promise<void>;
  /** When each deal last changed its stage, by its id. Deals that never did are left out. */
  movedAt(ids: readonly string[]): Promise<Map<string, number>>;
  /** Undefined where the workspace has no deal of this id. */
  change(id: string, change: DealChange): Promise<Deal | undefined>;
  /** Undefined where the workspace has no deal of this id. */
  edit(id: string, edit: DealEdit): Promise<Deal | undefined>;
  /** A member says that a deal at closed_won is won. False where it is not at that stage, or a member said so before. */
  confirmWon(id: string, by: string): Promise<boolean>;
}

/** A meeting with a contact, booked or held. `heldOn` is a date, YYYY-MM-DD. */
export interface Meeting {
  id: string;
  contactId: string;
  /** The activity that booked it; null where a member confirmed one that was never booked here. */
  activityId: string | null;
  heldOn: string | null;
  note: string | null;
  confirmedBy: string | null;
  confirmedAt: number | null;
  createdAt: number;
}

/** A member's record of a meeting that took place. */
interface MeetingConfirmation {
  heldOn: string;
  note: string | null;
  confirmedBy: string;
  now: number;
}

export interface Meetings {
  insert(meeting: Meeting): Promise<void>;
  /** Meetings booked since a moment that no member has confirmed, newest first. */
  booked(since: number, limit: number): Promise<Pick<Meeting, "id" | "contactId" | "createdAt">[]>;
  /** Confirms the contact's newest unconfirmed meeting; undefined where there is none. */
  confirmNewest(contactId: string, confirmation: MeetingConfirmation): Promise<Meeting | undefined>;
}

/** What is known about a contact's budget, authority, need and timeline. A member vouches for a confirmed one. */
export interface BantAssessment {
  id: string;
  contactId: string;
  answers: BantAnswers;
  confirmedBy: string | null;
  confirmedAt: number | null;
  createdAt: number;
}

/** Each assessment stays as it was made; a newer one is another row. */
export interface BantAssessments {
  insert(assessment: BantAssessment): Promise<void>;
}

/** How many rows each part answers at most. */
export const BOUNDS = { activities: 20, deals: 20, enrollments: 20, actions: 20, meetings: 10, contacts: 25 } as const;

/** Of an account with more contacts, only those updated last are read, because each part reads rows of each contact. */
export const LOOKED_AT = 500;

/** Every field whose origin is kept. */
export const TRACED_FIELDS = [...CONTACT_FIELDS, "lifecycle", "account_id", "tags"] as const;

/** Who wrote the value that a field has. */
export interface Origin {
  field: (typeof TRACED_FIELDS)[number];
  source: ProvenanceSource;
  actorId: string;
  at: number;
}

export interface EnrollmentWithSequence extends EnrollmentRow {
  sequenceName: string;
  sequenceStatus: SequenceStatus;
  delivery: MailDelivery;
  /** Of the step that comes next; null once there is none. */
  stepType: Step["type"] | null;
}

export type ActionOfContact = Pick<
  ActionRow,
  | "id"
  | "accountId"
  | "contactId"
  | "kind"
  | "origin"
  | "status"
  | "copy"
  | "outcome"
  | "plannedBy"
  | "createdAt"
  | "endedAt"
> & { accountLabel: string };

/** The live contacts of an account. */
interface AccountContacts {
  /** Exact, of however many there are. */
  byStage: Record<Lifecycle, number>;
  /** The contacts that were read, with their addresses in the form used for comparison. */
  ids: string[];
  emailKeys: string[];
  /** Most recently updated first. */
  recent: Contact[];
}

/**
 * Reads across tables for the Brain views, one statement or two each, bounded however much there is. Lists are newest
 * first; of deals, enrollments and actions the open ones come before those that ended. Ids of contacts are ids of live ones.
 */
export interface Brain {
  deals(contactIds: readonly string[], except?: string): Promise<Deal[]>;
  meetings(contactId: string): Promise<Meeting[]>;
  bant(contactId: string): Promise<{ confirmed: BantAssessment | null; unconfirmed: BantAssessment | null }>;
  enrollments(contactIds: readonly string[]): Promise<EnrollmentWithSequence[]>;
  actions(contactIds: readonly string[]): Promise<ActionOfContact[]>;
  suppression(email: string): Promise<SuppressionRow | undefined>;
  countSuppressed(emailKeys: readonly string[]): Promise<number>;
  activities(contactIds: readonly string[]): Promise<Activity[]>;
  /** The timelines of these contacts as one, newest first. The cursor is the `seq` of an entry. */
  timeline(contactIds: readonly string[], page: { limit: number; before: number | null }): Promise<TimelinePage>;
  /** The meetings that members confirmed within this time, newest first. */
  confirmedMeetings(contactIds: readonly string[], within: { from: number; until: number }): Promise<Meeting[]>;
  /** The latest edit of each field. */
  origins(contactSeq: number): Promise<Origin[]>;
  accountContacts(accountId: string): Promise<AccountContacts>;
}

export interface ImportRun {
  rowsDone: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** What the last call rejected, for a sender who lost its answer. */
  lastRejected: { row: number; reason: string }[];
  finishedAt: number | null;
}

/** How far the import of one file has come; its fingerprint covers content and mapping. */
export interface Imports {
  find(fingerprint: string): Promise<ImportRun | undefined>;
  save(fingerprint: string, run: ImportRun, now: number): Promise<void>;
}
