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
export type StoppedStatus = Extract<EnrollmentStatus, `stopped_${string}` | "failed">;

export interface Enrollments {
  /** False where the contact is on its way through the sequence already. */
  insert(enrollment: EnrollmentRow): Promise<boolean>;
  find(id: string): Promise<EnrollmentRow | undefined>;
  /** Newest first; the conditions are combined with AND. */
  list(filter: EnrollmentFilter, page: Page): Promise<{ rows: EnrollmentRow[]; total: number }>;
  /** Undefined where no open enrollment has this id. */
  stop(id: string, status: StoppedStatus, now: number): Promise<EnrollmentRow | undefined>;
  /** Lifts the hold of those whose contact changed and is in the audience of this approval. */
  release(sequenceId: string, approvalId: string): Promise<number>;
  /** Takes one that waits for its action on to what comes next; false where it does not wait at this step. */
  advance(
    id: string,
    step: number,
    next: { status: "active" | "completed"; dueAt: number | null },
    now: number,
  ): Promise<boolean>;
  /** Stops every open enrollment of a contact; answers how many there were. */
  stopAll(contactId: string, status: StoppedStatus, now: number): Promise<number>;
}
