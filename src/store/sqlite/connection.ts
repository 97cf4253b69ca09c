import type Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import type { Dialect } from "../sql/dialect.ts";
import type { Db, Statement } from "../sql/statement.ts";

const SQLITE: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,
  unindexed: (column) => `+${column}`,
  joinInOrder: "CROSS JOIN",
  noCase: (text) => `${text} COLLATE NOCASE`,
  greatest: (a, b) => `max(${a}, ${b})`,
  isoTime: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  rowId: "rowid",
  elements: (array, alias) => `json_each(${array})${alias === undefined ? "" : ` AS ${alias}`}`,
  entries: (object) => `json_each(${object})`,
  // A bound number is a REAL, which no JSON path takes.
  numberAt: (array, index) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || ']')`,
  fieldAt: (array, index, field) => `json_extract(${array}, '$[' || CAST(${index} AS INTEGER) || '].${field}')`,
  jsonObject: (fields) =>
    `json_object(${Object.entries(fields)
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")})`,
  json: (text) => `json(${text})`,
  jsonArray: (text) => `'[' || coalesce(group_concat(${text}), '') || ']'`,
  isDuplicate: (error, column) => {
    const { code, message } = error as { code?: string; message?: string };
    return code === "SQLITE_CONSTRAINT_UNIQUE" && message?.includes(column) === true;
  },
};

/** The statements of a connection. */
export function sqliteDb(client: Database.Database): Db {
  return {
    orm: drizzle(client, { casing: "snake_case" }),
    dialect: SQLITE,
    query: (query) => new SqliteStatement(() => query.prepare() as Prepared) as never,
    sql: (text) => new SqliteStatement(() => client.prepare(text)) as never,
    value: (text) => new SqliteStatement(() => client.prepare(text).pluck()) as never,
  };
}

/** A statement of better-sqlite3, or drizzle's around one, which maps rows to the types of the schema. */
interface Prepared {
  get(params: unknown): unknown;
  all(params: unknown): unknown[];
  run(params: unknown): { changes: number };
  iterate?(params: unknown): Iterable<unknown>;
}

class SqliteStatement implements Statement<unknown, unknown> {
  readonly #prepare: () => Prepared;
  #prepared: Prepared | undefined;

  constructor(prepare: () => Prepared) {
    this.#prepare = prepare;
  }

  get(params: unknown): unknown {
    this.#prepared ??= this.#prepare();
    return this.#prepared.get(params);
  }

  all(params: unknown): unknown[] {
    this.#prepared ??= this.#prepare();
    return this.#prepared.all(params);
  }

  run(params: unknown): { changes: number } {
    this.#prepared ??= this.#prepare();
    return this.#prepared.run(params);
  }

  iterate(params: unknown, visit: (row: unknown) => boolean): void {
    this.#prepared ??= this.#prepare();
    const rows = this.#prepared.iterate?.(params) ?? this.#prepared.all(params);
    for (const row of rows) if (!visit(row)) return;
  }
}
