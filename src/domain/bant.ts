/** What is asked before an opportunity is believed in: budget, authority, need, timeline. */
export const BANT = ["budget", "authority", "need", "timeline"] as const;

interface BantAnswer {
  confirmed: boolean;
  note?: string | undefined;
}

export type BantAnswers = Record<(typeof BANT)[number], BantAnswer>;
