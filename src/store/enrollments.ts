import type { HoldReason, Postponement } from "../domain/sending.ts";
import type { EnrollmentStatus } from "../domain/sequence.ts";
import type { Page } from "./page.ts";

export interface EnrollmentRow {
  id: string;
  sequenceId: string;
  contactId: string;
  approvalId: string;
  status: EnrollmentStatus;
  /** Why the engine waits for a person, where it does. */
  heldReason: HoldReason | null;
  /** What a person has to know about the hold. */
  heldDetail: string | null;
  /** Why the current step was put off to the time when it is due. */
  postponedReason: Postponement | null;
  /** Index of the step that comes next, from 0. */
  currentStep: number;
  /** When the current step is to be looked at; null once the enrollment has ended. */
  dueAt: number | null;
  enrolledAt: number;
  endedAt: number | null;
  /** What ended it before its last step, where its status does not say all. */
  endedReason: string | null;
}

export interface EnrollmentWait {
  status?: "active" | "waiting_on_action";
  /** Null: nothing is due until its step ends. */
  dueAt: number | null;
  heldReason?: HoldReason | null;
  heldDetail?: string | null;
  postponedReason?: Postponement | null;
}

export interface EnrollmentFilter {
  sequenceId?: string | undefined;
  contactId?: string | undefined;
  status?: EnrollmentStatus | undefined;
  /** Those that wait for a person. */
  held?: true | undefined;
}

/** How an enrollment can be ended before its last step. */
export type StoppedStatus = Extract<EnrollmentStatus, `stopped_${string}` | "failed">;

export interface Enrollments {
  /** False where the contact is on its way through the sequence already. */
  insert(enrollment: EnrollmentRow): Promise<boolean>;
  find(id: string): Promise<EnrollmentRow | undefined>;
  /** Newest first; the conditions are combined with AND. */
  list(filter: EnrollmentFilter, page: Page): Promise<{ rows: EnrollmentRow[]; total: number }>;
  /** The furthest step that anybody on their way through a sequence is at; null where nobody is. */
  reached(sequenceId: string): Promise<number | null>;
  /** Undefined where no open enrollment has this id. */
  stop(id: string, status: StoppedStatus, now: number, reason?: string | null): Promise<EnrollmentRow | undefined>;
  /** Lifts the hold of those whose contact changed and is in the audience of this approval. */
  release(sequenceId: string, approvalId: string): Promise<number>;
  /** Takes it on from a step to what comes next; false where it is not open at this step. */
  advance(
    id: string,
    step: number,
    next: { status: "active" | "completed"; dueAt: number | null },
    now: number,
  ): Promise<boolean>;
  /** Keeps it from the engine at a step, for a person, for a later time, or while its step is under way. */
  wait(id: string, step: number, wait: EnrollmentWait): Promise<boolean>;
  /**
   * Puts off what is due at these steps of a sequence, without what was tried since a moment where one is given; so many
   * at the most. Answers how many.
   */
  postpone(
    sequenceId: string,
    steps: readonly number[],
    to: { dueAt: number; reason: Postponement; notTriedSince: number | null },
    now: number,
    most: number,
  ): Promise<number>;
  /** Lifts a hold: the step is due on its day, or now where there is none. Undefined where it was not held. */
  unhold(id: string, now: number): Promise<EnrollmentRow | undefined>;
  /** Has what was put off for a window or a cap looked at now; answers how many. */
  hasten(now: number): Promise<number>;
  /** Stops every open enrollment of a contact, of those that began by a time; answers how many there were. */
  stopAll(contactId: string, status: StoppedStatus, now: number, begunBy: number): Promise<number>;
}
