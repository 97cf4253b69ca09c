import type { Page } from "./page.ts";

export interface SuppressionRow {
  id: string;
  /** In lower case. */
  email: string;
  reason: string;
  source: "public_api" | "member" | "unsubscribe_link" | "engine";
  createdAt: number;
}

/** The do-not-contact list: one row for each address. Addresses are compared without letter case. */
export interface Suppressions {
  /**
   * Adds an address. One that is there keeps its id and time, and gets the reason and source where a reason is stated:
   * a word given for want of a better one does not wipe out how somebody opted out. Nor does anything that weighs less: a
   * complaint outweighs an unsubscription, that what people wrote, and that a bounce.
   */
  upsert(suppression: SuppressionRow & { stated: boolean }): Promise<{ row: SuppressionRow; added: boolean }>;
  has(email: string): Promise<boolean>;
  find(email: string): Promise<SuppressionRow | undefined>;
  /** By address. */
  list(page: Page): Promise<{ rows: SuppressionRow[]; total: number }>;
}
