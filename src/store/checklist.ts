import type { Assessment, Mark } from "../domain/checklist-status.ts";

export interface MarkRow extends Mark {
  itemId: string;
  updatedAt: number;
}

export interface AssessmentRow extends Assessment {
  itemId: string;
  assessedAt: number;
}

/** What is recorded of the items of a catalog, and what the latest assessment found. At most one of each an item. */
export interface Checklist {
  marks(): Promise<MarkRow[]>;
  mark(itemId: string): Promise<MarkRow | undefined>;
  /** A person's mark, in place of whatever there was. */
  setMark(mark: MarkRow): Promise<void>;
  /** Takes a mark away; with a source, only one of that source. */
  removeMark(itemId: string, source?: Mark["source"]): Promise<boolean>;
  /**
   * An assistant's mark: a new one, or in place of an assistant's. The later day on which it was done stays.
   * Undefined where a person or the service has marked the item.
   */
  recordEvidence(mark: Omit<MarkRow, "source">): Promise<{ mark: MarkRow; created: boolean } | undefined>;
  /** The service's mark, in place of any that is no person's. The later day on which it was done stays. */
  recordDetection(mark: Omit<MarkRow, "source">): Promise<void>;
  assessments(): Promise<AssessmentRow[]>;
  /** In place of what was found of the item before. */
  saveAssessment(row: AssessmentRow): Promise<void>;
  /** In place of all there were. */
  replaceAssessments(rows: readonly AssessmentRow[]): Promise<void>;
  /** Notes that an assessment begins; false where the last one began after `before`: another server was quicker. */
  claimAssessment(now: number, before: number): Promise<boolean>;
}
