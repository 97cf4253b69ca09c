import type { BantAnswers } from "../domain/bant.ts";

/** What is known of a contact's budget, authority, need and timeline; its member stands for a confirmed one. */
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
