import type { Recipient } from "../domain/sequence.ts";

export interface ApprovalRow {
  id: string;
  sequenceId: string;
  stepsHash: string;
  status: "approved" | "applied" | "voided";
  /** How many contacts the audience has. */
  contactCount: number;
  approvedBy: string;
  approvedAt: number;
  appliedBy: string | null;
  appliedAt: number | null;
  voidedAt: number | null;
}

export interface NewApproval {
  id: string;
  sequenceId: string;
  stepsHash: string;
  approvedBy: string;
  now: number;
  /** The copy hash of each contact, by the contact's id. */
  audience: ReadonlyMap<string, string>;
}

/** What an enrollment asks of the applied approvals of a sequence. */
export interface Authorised {
  sequenceId: string;
  stepsHash: string;
  contactId: string;
  copyHash: string;
}

/** Approvals of sequences, each with its audience. Only an applied one for the steps as they read now authorises. */
export interface Approvals {
  /** Those of these contacts that are live, in no particular order. */
  recipients(contactIds: readonly string[]): Promise<Recipient[]>;
  /** False where the steps of the sequence have another hash. */
  insert(approval: NewApproval): Promise<boolean>;
  find(id: string): Promise<ApprovalRow | undefined>;
  /** The newest of a sequence. */
  newest(sequenceId: string, limit: number): Promise<ApprovalRow[]>;
  /** False where it is not approved, or the steps of its sequence have another hash by now. */
  apply(id: string, by: string, now: number): Promise<boolean>;
  /** Voids one that is approved and not applied; false where it is neither. */
  withdraw(id: string, now: number): Promise<boolean>;
  /** Voids every approved and applied one of a sequence; answers their ids. */
  voidAll(sequenceId: string, now: number): Promise<string[]>;
  /** Of an audience, who can be enrolled: live, with a company, not suppressed, and never on the way through it yet. */
  unenrolled(id: string, limit: number): Promise<{ rows: (Recipient & { copyHash: string })[]; total: number }>;
  /** Whether any is applied for steps of this hash. */
  anyApplied(sequenceId: string, stepsHash: string): Promise<boolean>;
  /** The applied one that covers the contact: of several, one that pins this copy hash, else the latest. */
  covering(asked: Authorised): Promise<{ id: string; copyHash: string } | undefined>;
}
