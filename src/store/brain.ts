import type { Activity } from "../domain/activity.ts";
import { CONTACT_FIELDS, type Contact, type ProvenanceSource } from "../domain/contact.ts";
import type { Deal } from "../domain/deal.ts";
import type { Lifecycle } from "../domain/lifecycle.ts";
import type { SequenceStatus, Step } from "../domain/sequence.ts";
import type { BantAssessment } from "./bant.ts";
import type { EnrollmentRow } from "./enrollments.ts";
import type { Meeting } from "./meetings.ts";
import type { ActionRow } from "./socialnet-actions.ts";
import type { SuppressionRow } from "./suppressions.ts";

/** How many rows each part answers at most. */
export const BOUNDS = { activities: 20, deals: 20, enrollments: 20, actions: 20, meetings: 10, contacts: 25 } as const;

/** Of an account with more contacts, those updated last are looked at: each part reads something of each of them. */
export const LOOKED_AT = 1_000;

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
  /** Of the step that comes next; null once there is none. */
  stepType: Step["type"] | null;
}

export type ActionOfContact = Pick<
  ActionRow,
  "id" | "accountId" | "contactId" | "kind" | "origin" | "status" | "copy" | "outcome" | "createdAt" | "endedAt"
> & { accountLabel: string };

/** The live contacts of an account. */
export interface AccountContacts {
  /** Exact, of however many there are. */
  byStage: Record<Lifecycle, number>;
  /** Those looked at, with the addresses that they have in the form in which these are compared. */
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
  /** The latest edit of each field. */
  origins(contactSeq: number): Promise<Origin[]>;
  accountContacts(accountId: string): Promise<AccountContacts>;
}
