import type { WordSearch } from "../domain/text/words.ts";

/** Records other than contacts that are found by their words. */
export type RecordKind = "account" | "deal" | "sequence" | "post";

export interface FoundContact {
  seq: number;
  id: string;
  first_name: string | null;
  last_name: string | null;
  company: string | null;
  email: string | null;
}

export interface FoundRecord {
  id: string;
  title: string | null;
  /** Of a company its domain, of a deal its contact's name, of a post its item. */
  detail: string | null;
  /** The stage of a deal, the status of a sequence or a post. */
  status: string | null;
  /** Of a deal its contact, of a post its item. */
  parent_id: string | null;
}

/** Records by the beginnings of their words, in any order. */
export interface Finder {
  /**
   * Live contacts by the words of their name, company and address. Newest first, but not always the newest where there
   * are more than the limit. A contact that more than 1,000 others followed within a second may not be found yet.
   */
  contacts(search: WordSearch, limit: number): Promise<FoundContact[]>;
  /** Sorted by the words that match. Deals of archived contacts are left out. */
  records(kind: RecordKind, search: WordSearch, limit: number): Promise<FoundRecord[]>;
}

/** The index of words over all workspaces. */
export interface WordIndex {
  /** Indexes at most this many records whose words are due. Returns how many. */
  indexWords(limit: number): Promise<number>;
}
