import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Above every text that begins with what it is appended to. */
export const END = "\u{10FFFF}";

/** What engines write differently. Each function takes and answers SQL text. */
export interface Dialect {
  /** After a table's name: reads it by this index, where the store knows better than the planner. */
  indexedBy(index: string): string;
  /** A column that must not choose the index. */
  unindexed(column: string): string;
  /** Joins two tables and reads the left one first. */
  readonly joinInOrder: string;
  /** Compares text without the case of ASCII letters. */
  noCase(text: string): string;
  /** What is compared with such a column. */
  noCaseValue(text: string): string;
  greatest(a: string, b: string): string;
  /** The sum of floating-point numbers; infinite where it is beyond what one can be. */
  sum(numbers: string): string;
  /** RFC 3339 in UTC, as JavaScript's toISOString writes it, of milliseconds since the epoch. */
  isoTime(milliseconds: string): string;
  /** As profileTail, of a URL. Query builders read a question mark as a parameter, so it's written as a number. */
  profileTail(url: string): string;
  /** A column of enrollments that orders them as they were added. */
  readonly added: string;
  /** The address of a row in a table without a numeric key. */
  readonly rowId: string;
  /** The addresses of the oldest rows, of those before `@before`. Ids grow with time, so no index on it is needed. */
  oldestRows(table: string, id: string, time: string, limit: number): string;
  /** A table of the elements of a JSON array of text: its column is `value`. */
  elements(array: string, alias?: string): string;
  /** The same of numbers. */
  numbers(array: string): string;
  /** A table of the objects in a JSON array, `rows`, with their fields of these types. */
  objects(array: string, fields: Readonly<Record<string, "bigint" | "text">>): string;
  /** A table of the entries of a JSON object: its columns are `key` and `value`. */
  entries(object: string): string;
  /** A number in a JSON array, by its position. */
  numberAt(array: string, index: string): string;
  /** A text field of an object in a JSON array, by its position. */
  fieldAt(array: string, index: string, field: string): string;
  /** A JSON object of these fields. */
  jsonObject(fields: Readonly<Record<string, string>>): string;
  /** Stored JSON as a part of a JSON object, not as text. */
  json(text: string): string;
  /** Gathers JSON texts of many rows into one JSON array. */
  jsonArray(text: string): string;
  /** Text that is mostly sent as it is. The driver returns a Buffer of UTF-8 where that costs less than a string. */
  sendable(text: string): string;
  /** The id of the key in a sealed text, `v1.<key id>.<…>`. */
  keyIdOf(sealed: string): string;
  /** Contacts, `c`, whose words begin as `@words` says, the newest first where the engine reads them in order. */
  readonly contactsByWords: string;
  /** Words of a workspace, as `@words` says them: each must begin a word of the contact. */
  byWords(mark: string, words: readonly string[]): string;
  /** Whether contacts are added to the index of words by a job, and not by each write. */
  readonly indexesWordsLater: boolean;
  /** After a query that claims rows of a table: takes none that another process is claiming. */
  claiming(alias: string): string;
  /** After a query: holds its rows in its order until the end of the transaction. Empty where there is one writer. */
  readonly holding: string;
  /** Whether a write failed because another row has the same value in this column, `table.column`. */
  isDuplicate(error: unknown, column: string): boolean;
}

const HOLE = "?";

/** A fragment of the dialect around something that a query builder renders. */
export function around(fragment: (text: string) => string, inner: SQLWrapper): SQL {
  const [before = "", after = ""] = fragment(HOLE).split(HOLE);
  return sql`${sql.raw(before)}${inner}${sql.raw(after)}`;
}
