import type { JsonText } from "../lib/json-text.ts";

export interface Page {
  limit: number;
  offset: number;
}

/** Where a newest-first list continues: before this moment, and before this id within it. */
export interface Cursor {
  at: number;
  id: string;
}

/** A page of such a list, and where the next one begins; null at the end. */
export interface Walked<T> {
  rows: T[];
  next: Cursor | null;
}

export interface Rows<T> {
  rows: JsonText<T[]>;
  /** How many rows this page holds. */
  count: number;
  /** Exact, over all pages. */
  total: number;
}
