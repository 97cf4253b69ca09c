import { getTableColumns, sql } from "drizzle-orm";
import { type BaseSQLiteDatabase, customType, type SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Dialect } from "./dialect.ts";

/** SQLite answers synchronously, another engine may not: shared code awaits every answer. */
type Awaitable<T> = T | Promise<T>;

/** Values by the names of a statement's parameters. */
export type Params = Readonly<Record<string, unknown>>;

/** One statement of a connection, prepared at first use and kept. */
export interface Statement<P, Row> {
  get(params: P): Awaitable<Row | undefined>;
  all(params: P): Awaitable<Row[]>;
  run(params: P): Awaitable<{ changes: number }>;
  /**
   * Visits one row after the other until `visit` answers false. It takes a function and yields no iterator, because a
   * SQLite statement cannot start again while an iterator of it is open.
   */
  iterate(params: P, visit: (row: Row) => boolean): Awaitable<void>;
}

/** What a query builder has made, ready to become a statement. */
interface BuiltQuery {
  readonly _: unknown;
  prepare(): unknown;
  toSQL(): { sql: string };
}

type RowOf<Q> = Q extends { _: { result: (infer Row)[] } }
  ? Row
  : Q extends { _: { returning: infer Row } }
    ? Row
    : never;

type Builders = Pick<BaseSQLiteDatabase<"sync", unknown>, "select" | "selectDistinct" | "insert" | "update" | "delete">;

/** A connection to an engine, as the statements of all engines are written against it. */
export interface Db {
  /** Query builders over the shared schema. */
  readonly orm: Builders;
  readonly dialect: Dialect;
  /** The statement of a query builder; its parameters are the builder's placeholders. */
  query<Q extends BuiltQuery>(query: Q): Statement<Params, RowOf<Q>>;
  /** A statement as text. Parameters are named, `@name`, so that each engine can translate them. */
  sql<P = Params, Row = unknown>(text: string): Statement<P, Row>;
  /** The same for only the first column. */
  value<P = Params, Value = unknown>(text: string): Statement<P, Value>;
}

/** Columns with the placeholders of the same names. The builders' types do not accept a placeholder. */
export function placeholders(...names: readonly string[]): never {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as never;
}

/** The same for all columns of a table but those that a new row is given by the engine. */
export function newRow<T extends SQLiteTable>(table: T, ...without: (keyof T["_"]["columns"])[]): never {
  return placeholders(...Object.keys(getTableColumns(table)).filter((name) => !without.includes(name)));
}

/** A column that keeps JSON as text. Null stays NULL, also where a placeholder brings it. */
export function json<T>() {
  return customType<{ data: T; driverData: string | null }>({
    dataType: () => "text",
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (text) => JSON.parse(text as string) as T,
  })();
}

/** Builds one value for each key and keeps it: an unprepared query costs eight times a prepared one. */
export function memoized<T>(build: (key: string) => T): (key: string) => T {
  const built = new Map<string, T>();
  return (key) => {
    let value = built.get(key);
    if (value === undefined) {
      value = build(key);
      built.set(key, value);
    }
    return value;
  };
}

/** The names in a key that joins them by commas. */
export function namesIn(key: string): string[] {
  return key === "" ? [] : key.split(",");
}

/**
 * The methods of an area that write. A forgettable write may be lost when the machine stops, and costs no disk sync.
 * One that is alone reads what a write of any workspace could change at the same time.
 */
export interface Writes<Area> {
  durable: readonly (keyof Area)[];
  forgettable?: readonly (keyof Area)[];
  alone?: readonly (keyof Area)[];
}

/** Of a write job. SQLite has one writer, so there every job is alone. */
export interface RunOptions {
  forgettable?: boolean;
  /** The workspace whose writes wait for each other. */
  workspaceId?: string;
  alone?: boolean;
}

/** What reads, and how a job gets its turn on a connection that writes. */
export interface Connections {
  reader: Db;
  run<T>(job: (writer: Db) => Promise<T>, options?: RunOptions): Promise<T>;
}

/** Builds one value for each connection and keeps it. */
export function ofEach<T>(build: (db: Db) => T): (db: Db) => T {
  const built = new WeakMap<Db, T>();
  return (db) => {
    let value = built.get(db);
    if (value === undefined) {
      value = build(db);
      built.set(db, value);
    }
    return value;
  };
}

/** An area over all workspaces: it reads on one connection, and each method that writes is one job of the writer. */
export function acrossWorkspaces<Area extends object>(
  { durable, forgettable = [], alone = [] }: Writes<Area>,
  area: (db: Db) => Area,
): (connections: Connections) => Area {
  return ({ reader, run }) => {
    const split = { ...area(reader) };
    const writing = ofEach(area) as (writer: Db) => Record<keyof Area, (...args: unknown[]) => Promise<unknown>>;
    for (const name of [...durable, ...forgettable, ...alone]) {
      const options = { forgettable: forgettable.includes(name), alone: alone.includes(name) };
      const write = (...args: unknown[]) => run((writer) => writing(writer)[name](...args), options);
      split[name] = write as Area[keyof Area];
    }
    return split;
  };
}
