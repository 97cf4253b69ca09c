import type { Assessment, Mark } from "../domain/checklist-status.ts";

export interface MarkRow extends Mark {
  itemId: string;
  updatedAt: number;
}

export interface AssessmentRow extends Assessment {
  itemId: string;
  assessedAt: number;
}

/** A mark, and the day on which the item was done where it tells of one. */
export type NewMark = Omit<MarkRow, "source"> & { doneOn: string | null };

export interface DayRow {
  itemId: string;
  lastDoneOn: string;
}

export interface AssessmentClaim {
  /** From when on the next assessment is reckoned. */
  at: number;
  before: number;
  catalogVersion: string;
}

/** What is recorded of the items of a catalog, and what the latest assessment found. At most one of each an item. */
export interface Checklist {
  /** A person's mark comes before the service's, and that before an assistant's. */
  marks(): Promise<MarkRow[]>;
  mark(itemId: string): Promise<MarkRow | undefined>;
  /** The latest day on which each item is known to have been done; kept when its mark changes or goes. */
  days(): Promise<DayRow[]>;
  lastDoneOn(itemId: string): Promise<string | null>;
  /** A person's mark, in place of whatever there was. A day that it tells of counts, though a later one was known. */
  setMark(mark: NewMark): Promise<void>;
  /** Takes away all that is recorded of the item, its day too; false where nothing was. */
  removeMark(itemId: string): Promise<boolean>;
  /**
   * An assistant's mark: a new one, or in place of an assistant's. The later day on which it was done stays.
   * Undefined where a person or the service has marked the item.
   */
  recordEvidence(mark: NewMark): Promise<{ created: boolean } | undefined>;
  /** The service's mark, beside an assistant's; none where a person has marked. The later day stays. */
  recordDetection(mark: NewMark): Promise<void>;
  /** Takes away the service's marks of all items but these. */
  keepDetections(itemIds: readonly string[]): Promise<void>;
  assessments(): Promise<AssessmentRow[]>;
  /** When the whole checklist was last assessed, and by which catalog. */
  lastAssessment(): Promise<Omit<AssessmentClaim, "before"> | undefined>;
  /** In place of what was found of the item before. */
  saveAssessment(row: AssessmentRow): Promise<void>;
  /** In place of all there were. */
  replaceAssessments(rows: readonly AssessmentRow[]): Promise<void>;
  /**
   * Notes that an assessment begins; false where the last one began after `before` with the same catalog: another
   * server was quicker.
   */
  claimAssessment(claim: AssessmentClaim): Promise<boolean>;
  /** The same of an assessment that somebody asked for, whenever the last one began. */
  noteAssessment(claim: Omit<AssessmentClaim, "before">): Promise<void>;
}
