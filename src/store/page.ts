import type { JsonText } from "../json-text.ts";

export interface Page {
  limit: number;
  offset: number;
}

export interface Rows<T> {
  rows: JsonText<T[]>;
  /** How many rows this page holds. */
  count: number;
  /** Exact, over all pages. */
  total: number;
}
