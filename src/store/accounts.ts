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
}
