import type { Page } from "./page.ts";

/** A company record. Times are milliseconds since the epoch. */
export interface AccountRow {
  id: string;
  name: string;
  /** In lower case. */
  domain: string | null;
  website: string | null;
  industry: string | null;
  createdAt: number;
  updatedAt: number;
}

export type AccountFields = Pick<AccountRow, "name" | "domain" | "website" | "industry">;

export interface Accounts {
  exists(id: string): Promise<boolean>;
  find(id: string): Promise<AccountRow | undefined>;
  /** The newest of this name, compared without letter case. */
  findByName(name: string): Promise<AccountRow | undefined>;
  /** The newest of this domain, which is in the form that rows keep. */
  findByDomain(domain: string): Promise<AccountRow | undefined>;
  /** Newest first by creation. */
  list(page: Page): Promise<{ rows: AccountRow[]; total: number }>;
  /** Those whose name or domain begins so, without letter case, by name. */
  search(text: string, limit: number): Promise<AccountRow[]>;
  insert(account: AccountRow): Promise<void>;
  /** Undefined where the workspace has no account of this id. */
  update(id: string, fields: AccountFields, now: number): Promise<AccountRow | undefined>;
}
