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
  /** Adds an address, or writes reason and source anew where it is there; the row keeps its id and time then. */
  upsert(suppression: SuppressionRow): Promise<{ row: SuppressionRow; added: boolean }>;
  has(email: string): Promise<boolean>;
  /** By address. */
  list(page: Page): Promise<{ rows: SuppressionRow[]; total: number }>;
}
