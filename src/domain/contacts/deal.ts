export const DEAL_STAGES = [
  "prospecting",
  "qualification",
  "proposal",
  "negotiation",
  "closed_won",
  "closed_lost",
] as const;

/** The stages of a deal that is over. */
export const CLOSED_STAGES = ["closed_won", "closed_lost"] as const;

export type DealStage = (typeof DEAL_STAGES)[number];

/** A deal as the API shows it. Times are RFC 3339 in UTC, dates YYYY-MM-DD. */
export interface Deal {
  id: string;
  contact_id: string;
  workspace_id: string;
  title: string;
  value: number;
  currency: string;
  stage: DealStage;
  /** In percent. */
  probability: number | null;
  expected_close_date: string | null;
  created_at: string;
}
