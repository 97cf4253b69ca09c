import { drizzle } from "drizzle-orm/node-postgres";
import type { CustomTypesConfig, QueryArrayResult, QueryResult } from "pg";
import pg from "pg";
import type { Db, Statement } from "../sql/statement.ts";
import { POSTGRES } from "./dialect.ts";
import { StatementText, statementName } from "./statement-text.ts";

/** A statement on its way to the server. */
export interface Query {
  text: string;
  name?: string;
  values?: unknown[];
  rowMode?: "array";
}

/** What runs statements: one connection inside a transaction, or whichever of the pool is free. */
export interface Executor {
  query(query: Query): Promise<QueryResult | QueryArrayResult>;
  /** Visits the rows of a statement in batches, until `visit` answers false. */
  iterate(query: Query, visit: (row: unknown) => boolean): Promise<void>;
}

const { builtins, getTypeParser } = pg.types;

/** As SQLite answers: whole numbers are numbers, sums too, and what is true or false is 1 or 0. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === "t" ? 1 : 0),
};

/** How the columns of answers are read, of every connection. */
export const TYPES = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && PARSERS[oid]) || getTypeParser(oid, format as "text"),
} as CustomTypesConfig;

/** The statements of an executor. */
export function postgresDb(executor: Executor): Db {
  return {
    orm: drizzle(new DrizzleClient(executor) as never, { casing: "snake_case" }) as never,
    dialect: POSTGRES,
    query: (query) => new BuiltStatement(query as unknown as Buildable) as never,
    sql: (text) => new TextStatement(executor, text, false) as never,
    value: (text) => new TextStatement(executor, text, true) as never,
  };
}

/** Stands where drizzle expects a connection of `pg`. */
class DrizzleClient {
  readonly #executor: Executor;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  query({ text, rowMode }: Query, values: unknown[]): Promise<unknown> {
    const query: Query = { text, name: statementName(text), values };
    return this.#executor.query(rowMode === undefined ? query : { ...query, rowMode });
  }
}

interface Buildable {
  prepare(name?: string): { execute(params: unknown): Promise<unknown[] & { rowCount?: number | null }> };
}

/** A statement of drizzle's, which maps rows to the types of the schema. */
class BuiltStatement implements Statement<unknown, unknown> {
  readonly #query: Buildable;
  #prepared: ReturnType<Buildable["prepare"]> | undefined;

  constructor(query: Buildable) {
    this.#query = query;
  }

  async #execute(params: unknown) {
    this.#prepared ??= this.#query.prepare();
    try {
      return await this.#prepared.execute(params);
    } catch (error) {
      // drizzle's own error names the parameters, which are people's data.
      throw (error as Error).cause ?? error;
    }
  }

  async get(params: unknown): Promise<unknown> {
    return (await this.#execute(params))[0];
  }

  all(params: unknown): Promise<unknown[]> {
    return this.#execute(params);
  }

  async run(params: unknown): Promise<{ changes: number }> {
    const answer = await this.#execute(params);
    return { changes: answer.rowCount ?? answer.length };
  }

  async iterate(params: unknown, visit: (row: unknown) => boolean): Promise<void> {
    for (const row of await this.#execute(params)) if (!visit(row)) return;
  }
}

class TextStatement implements Statement<Readonly<Record<string, unknown>>, unknown> {
  readonly #executor: Executor;
  readonly #text: string;
  readonly #firstColumn: boolean;
  #split: StatementText | undefined;

  constructor(executor: Executor, text: string, firstColumn: boolean) {
    this.#executor = executor;
    this.#text = text;
    this.#firstColumn = firstColumn;
  }

  #query(params: Readonly<Record<string, unknown>>): Query {
    this.#split ??= new StatementText(this.#text);
    const query: Query = this.#split.with(params);
    if (this.#firstColumn) query.rowMode = "array";
    return query;
  }

  async get(params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const [row] = (await this.#executor.query(this.#query(params))).rows;
    return this.#firstColumn ? (row as unknown[] | undefined)?.[0] : row;
  }

  async all(params: Readonly<Record<string, unknown>>): Promise<unknown[]> {
    const { rows } = await this.#executor.query(this.#query(params));
    return this.#firstColumn ? (rows as unknown[][]).map(([value]) => value) : rows;
  }

  async run(params: Readonly<Record<string, unknown>>): Promise<{ changes: number }> {
    return { changes: (await this.#executor.query(this.#query(params))).rowCount ?? 0 };
  }

  async iterate(params: Readonly<Record<string, unknown>>, visit: (row: unknown) => boolean): Promise<void> {
    const of = this.#firstColumn ? (row: unknown) => visit((row as unknown[])[0]) : visit;
    await this.#executor.iterate(this.#query(params), of);
  }
}
