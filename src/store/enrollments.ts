import type { EnrollmentStatus } from "../domain/sequence.ts";
import type { Page } from "./page.ts";

export interface EnrollmentRow {
  id: string;
  sequenceId: string;
  contactId: string;
  approvalId: string;
  status: EnrollmentStatus;
  /** Why the engine waits for a person, where it does. */
  heldReason: string | null;
  /** Index of the step that comes next, from 0. */
  currentStep: number;
  /** When the current step is to be looked at; null once the enrollment has ended. */
  dueAt: number | null;
  enrolledAt: number;
  endedAt: number | null;
}

export interface EnrollmentFilter {
  sequenceId?: string | undefined;
  contactId?: string | undefined;
  status?: EnrollmentStatus | undefined;
}

/** How an enrollment can be ended before its last step. */
export type StoppedStatus = Extract<EnrollmentStatus, `stopped_${string}`>;

export interface Enrollments {
  /** False where the contact is on its way through the sequence already. */
  insert(enrollment: EnrollmentRow): Promise<boolean>;
  find(id: string): Promise<EnrollmentRow | undefined>;
  /** Newest first; the conditions are combined with AND. */
  list(filter: EnrollmentFilter, page: Page): Promise<{ rows: EnrollmentRow[]; total: number }>;
  /** Undefined where no open enrollment has this id. */
  stop(id: string, status: StoppedStatus, now: number): Promise<EnrollmentRow | undefined>;
  /** Stops every open enrollment of a contact; answers how many there were. */
  /** Lifts the hold of those whose contact changed and is in the audience of this approval. */
  release(sequenceId: string, approvalId: string): Promise<number>;
  stopAll(contactId: string, status: StoppedStatus, now: number): Promise<number>;
}
