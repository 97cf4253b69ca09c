import type { SequenceStatus, Step } from "../domain/sequence.ts";
import type { Page } from "./page.ts";

export interface SequenceSummary {
  id: string;
  name: string;
  description: string | null;
  status: SequenceStatus;
  createdAt: number;
  updatedAt: number;
}

export interface SequenceRow extends SequenceSummary {
  steps: Step[];
  /** Covers the steps as they read now. */
  stepsHash: string;
  /** Which account acts in its socialnet steps; null where the workspace has one alone. */
  socialnetAccountId: string | null;
}

export interface SequencePatch {
  socialnetAccountId?: string | null;
  name?: string;
  description?: string | null;
  status?: SequenceStatus;
  /** The steps and their hash change together. */
  copy?: Pick<SequenceRow, "steps" | "stepsHash">;
  now: number;
}

export interface Sequences {
  insert(sequence: SequenceRow): Promise<void>;
  find(id: string): Promise<SequenceRow | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<{ rows: SequenceSummary[]; total: number }>;
  /** Undefined where no sequence has this id. */
  update(id: string, patch: SequencePatch): Promise<SequenceRow | undefined>;
}
