// Long because both directions of a move share one copy, one comparison and one way to resume.
import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import pg from "pg";
import Cursor from "pg-cursor";
import { isServed } from "../http/command-socket.ts";
import { movingFile } from "../lib/data-folder.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { connectionConfig } from "../store/postgres/connect.ts";
import { TYPES } from "../store/postgres/db.ts";
import { faultOf, isUnavailable } from "../store/postgres/faults.ts";
import { inspectDatabase, MOVE_TABLE, migrateDatabase } from "../store/postgres/migrate.ts";
import { lockNumber } from "../store/postgres/writer.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import { schemaState } from "../store/sqlite/migrate.ts";

/** A move that can't be done. Its message is for the person at the command line. */
class MoveRefused extends OperatorError {}

export interface MoveProgress {
  table: string;
  /** Rows that were copied, and that there are. */
  done: number;
  rows: number;
}

export interface Moved {
  tables: { table: string; rows: number; checksum: string }[];
  /** Tables that an earlier, interrupted run had copied and that have not changed since. */
  skipped: number;
  /** Whether something was written to the source during the move, or a server still runs on it. The move is not finished. */
  changedMeanwhile: boolean;
}

type Value = null | number | string | Buffer;
type Row = Value[];

/** One of the two databases of a move, read table by table. */
interface Source {
  tables(): Promise<string[]>;
  columns(table: string): Promise<string[]>;
  count(table: string): Promise<number>;
  rows(table: string, columns: readonly string[]): AsyncIterable<Row[]>;
  /** The highest number that each table has given to a row, where it also counts rows that are gone. */
  numbers(): Promise<Map<string, number>>;
  changed(): Promise<boolean>;
  close(): Promise<void>;
}

interface Target extends Source {
  /** What earlier runs have copied whole. */
  copied(): Promise<Map<string, string>>;
  /** Takes the place of a table's rows, all of them or none. */
  replace(
    table: string,
    columns: readonly string[],
    batches: AsyncIterable<Row[]>,
    checksum: () => string,
  ): Promise<void>;
  /** Checks and makes what was put off, and opens the database to servers. */
  finish(numbers: ReadonlyMap<string, number>): Promise<void>;
}

const BATCH = 1_000;
/** By then, a session of PostgreSQL has reported to the statistics what it has written. */
const REPORTED_MS = 11_000;
const quoted = (name: string) => `"${name}"`;

/** The same for the same rows, whatever their order and the engine. */
class Checksum {
  #sums = new BigUint64Array(2);
  rows = 0;

  add(row: Row): void {
    const text = JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? { hex: value.toString("hex") } : value)));
    const hash = createHash("sha256").update(text).digest();
    for (const i of [0, 1]) this.#sums[i] = (this.#sums[i] as bigint) + hash.readBigUInt64LE(i * 8);
    this.rows += 1;
  }

  toString(): string {
    return `${this.rows}:${[...this.#sums].map((sum) => sum.toString(16).padStart(16, "0")).join("")}`;
  }
}

async function checksumOf(source: Source, table: string, columns: readonly string[]): Promise<string> {
  const checksum = new Checksum();
  for await (const rows of source.rows(table, columns)) for (const row of rows) checksum.add(row);
  return checksum.toString();
}

/** SQLite, as it was when it was opened. */
class SqliteSource implements Source {
  readonly db: Database.Database;
  readonly #versionOf: Database.Database | undefined;
  readonly #version: number;

  constructor(file: string, isSnapshot: boolean) {
    this.db = new Database(file, { fileMustExist: true, readonly: isSnapshot });
    this.#versionOf = isSnapshot ? new Database(file, { readonly: true }) : undefined;
    this.#version = this.#readVersion();
    if (!isSnapshot) return;
    this.db.exec("BEGIN");
    this.db.prepare("SELECT 1 FROM sqlite_schema").get();
  }

  #readVersion(): number {
    return (this.#versionOf?.pragma("data_version", { simple: true }) as number | undefined) ?? 0;
  }

  async tables(): Promise<string[]> {
    return this.db
      .prepare<[], string>(
        // Without the index of words, which the server builds from the contacts.
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT IN ('__drizzle_migrations', '${MOVE_TABLE}') ORDER BY name`,
      )
      .pluck()
      .all();
  }

  async columns(table: string): Promise<string[]> {
    const columns = this.db.pragma(`table_xinfo(${quoted(table)})`) as { name: string }[];
    return columns.map(({ name }) => name).sort();
  }

  async count(table: string): Promise<number> {
    return (
      this.db
        .prepare<[], number>(`SELECT count(*) FROM ${quoted(table)}`)
        .pluck()
        .get() ?? 0
    );
  }

  async *rows(table: string, columns: readonly string[]): AsyncIterable<Row[]> {
    const statement = this.db.prepare(`SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)}`).raw();
    let batch: Row[] = [];
    for (const row of statement.iterate()) {
      if (batch.push(row as Row) < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async numbers(): Promise<Map<string, number>> {
    return new Map(this.db.prepare<[], [string, number]>("SELECT name, seq FROM sqlite_sequence").raw().all());
  }

  async changed(): Promise<boolean> {
    // What a server that runs writes after this would be lost.
    return this.#readVersion() !== this.#version || (await isServed(dirname(this.db.name)));
  }

  async close(): Promise<void> {
    this.#versionOf?.close();
    this.db.close();
  }
}

class PostgresSource implements Source {
  readonly client: pg.Client;
  /** What the statistics of the server had counted as written when the move began. */
  #written = 0;
  /** The number of the next transaction of the whole server that writes, at that time. */
  #nextTransaction = "";

  constructor(url: string) {
    // Limits and plans are for requests: a move reads whole tables, however long that takes.
    const { connectionString, ssl, types, options } = connectionConfig(url, false);
    this.client = new pg.Client({
      ...{ connectionString, ssl, types, keepAlive: true },
      application_name: "rostrum move",
      options: `${options} -c enable_seqscan=on`,
    });
    this.client.on("error", () => undefined);
  }

  async connect(): Promise<void> {
    await this.client.connect().catch((error) => {
      throw isUnavailable(error) ? new MoveRefused(faultOf(error).message, { cause: error }) : error;
    });
  }

  /** Reads everything as it is now. */
  async openSnapshot(): Promise<void> {
    await this.connect();
    if ((await inspectDatabase(this.client)).pending > 0) {
      throw new MoveRefused(
        "The database has the schema of another version. Start this version of Rostrum on it once, then move it.",
      );
    }
    this.#written = await this.#countWritten();
    this.#nextTransaction = await this.#readNextTransaction();
    await this.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await this.client.query("SELECT 1");
  }

  async #countWritten(): Promise<number> {
    const { rows } = await this.client.query<{ written: number }>(
      "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) AS written FROM pg_stat_user_tables WHERE relname NOT LIKE 'rostrum%'",
    );
    return rows[0]?.written ?? 0;
  }

  async #readNextTransaction(): Promise<string> {
    const { rows } = await this.client.query<{ next: string }>(
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next",
    );
    return rows[0]?.next ?? "";
  }

  async tables(): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'rostrum%'",
    );
    return rows.map(({ name }) => name).sort();
  }

  async columns(table: string): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND column_name NOT LIKE 'rostrum%'",
      [table],
    );
    return rows.map(({ name }) => name).sort();
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.client.query<{ n: number }>(`SELECT count(*) AS n FROM ${quoted(table)}`);
    return rows[0]?.n ?? 0;
  }

  async *rows(table: string, columns: readonly string[]): AsyncIterable<Row[]> {
    const inOrder = await this.client.query(
      `SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
         AND column_name = 'rostrum_added'`,
      [table],
    );
    const order = inOrder.rows.length > 0 ? " ORDER BY rostrum_added" : "";
    const text = `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)}${order}`;
    const cursor = this.client.query(new Cursor<Row>(text, [], { rowMode: "array", types: TYPES }));
    try {
      for (;;) {
        const batch = await cursor.read(BATCH);
        if (batch.length > 0) yield batch;
        if (batch.length < BATCH) return;
      }
    } finally {
      await cursor.close();
    }
  }

  async numbers(): Promise<Map<string, number>> {
    const { rows } = await this.client.query<{ name: string; last: number }>(
      `SELECT c.table_name AS name, max(s.last_value) AS last
       FROM information_schema.columns c JOIN pg_sequences s
         ON s.schemaname = c.table_schema AND s.sequencename = c.table_name || '_' || c.column_name || '_seq'
       WHERE c.table_schema = current_schema() AND c.column_name NOT LIKE 'rostrum%' AND s.last_value IS NOT NULL
       GROUP BY c.table_name`,
    );
    return new Map(rows.map(({ name, last }) => [name, last]));
  }

  async changed(): Promise<boolean> {
    await this.client.query("COMMIT");
    if ((await this.#readNextTransaction()) === this.#nextTransaction) return false;
    const { rows } = await this.client.query<{ track_counts: string }>("SHOW track_counts");
    if (rows[0]?.track_counts !== "on") return true;
    // It may have been for another database. An idle session reports what it has written within ten seconds.
    await sleep(REPORTED_MS);
    return (await this.#countWritten()) !== this.#written;
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

class PostgresTarget extends PostgresSource implements Target {
  /** Makes the schema, and puts off what would be in the way: references and triggers. */
  async open(): Promise<void> {
    await this.connect();
    const { rows } = await this.client.query<{ mine: number }>(
      `SELECT pg_try_advisory_lock(${lockNumber("move")}) AS mine`,
    );
    if (rows[0]?.mine !== 1) throw new MoveRefused("Another move into this database is running. Wait until it ends.");
    const begun = await this.client.query("SELECT to_regclass($1) AS at", [MOVE_TABLE]);
    if (begun.rows[0]?.at == null) await this.#begin();
  }

  async #begin(): Promise<void> {
    await migrateDatabase(this.client);
    for (const table of await this.tables()) {
      if ((await this.client.query(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)).rowCount === 0) continue;
      throw new MoveRefused(
        `The database already has rows, in ${table}. Move into an empty database. If an earlier move ended without an error, it is complete.`,
      );
    }
    await this.client.query("BEGIN");
    await this.client.query(
      `CREATE TABLE ${MOVE_TABLE} (name text PRIMARY KEY, kind text NOT NULL, text text NOT NULL)`,
    );
    await this.client.query(
      `INSERT INTO ${MOVE_TABLE} SELECT conrelid::regclass || '.' || conname, 'reference',
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    );
    const { rows } = await this.client.query<{ text: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS text FROM pg_constraint
       WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    );
    for (const { text } of rows) await this.client.query(text);
    for (const table of await this.tables())
      await this.client.query(`ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER`);
    await this.client.query("COMMIT");
  }

  async copied(): Promise<Map<string, string>> {
    const { rows } = await this.client.query<{ name: string; text: string }>(
      `SELECT name, text FROM ${MOVE_TABLE} WHERE kind = 'copied'`,
    );
    return new Map(rows.map(({ name, text }) => [name, text]));
  }

  async replace(
    table: string,
    columns: readonly string[],
    batches: AsyncIterable<Row[]>,
    checksum: () => string,
  ): Promise<void> {
    const names = columns.map(quoted).join(", ");
    // The server reads a whole batch from one parameter.
    const insert = `INSERT INTO ${quoted(table)} (${names})
      SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, $1::json)`;
    await this.client.query("BEGIN");
    try {
      await this.client.query(`TRUNCATE ${quoted(table)}`);
      for await (const rows of batches)
        await this.client.query(insert, [JSON.stringify(rows.map((row) => recordOf(columns, row)))]);
      await this.client.query(
        `INSERT INTO ${MOVE_TABLE} VALUES ($1, 'copied', $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text`,
        [table, checksum()],
      );
      await this.client.query("COMMIT");
    } catch (error) {
      await this.client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  async finish(numbers: ReadonlyMap<string, number>): Promise<void> {
    await this.client.query("BEGIN");
    const { rows } = await this.client.query<{ text: string }>(
      `SELECT text FROM ${MOVE_TABLE} WHERE kind = 'reference'`,
    );
    for (const { text } of rows) await this.client.query(text);
    for (const table of await this.tables())
      await this.client.query(`ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER`);
    const identities = await this.client.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = current_schema() AND is_identity = 'YES'`,
    );
    for (const { table, column } of identities.rows) {
      await this.client.query(
        `SELECT setval(pg_get_serial_sequence($1, $2),
           greatest((SELECT max(${quoted(column)}) FROM ${quoted(table)}), $3::bigint) + 1, false)`,
        [quoted(table), column, numbers.get(table) ?? 0],
      );
    }
    await this.client.query(`DROP TABLE ${MOVE_TABLE}`);
    await this.client.query("COMMIT");
    await this.client.query("ANALYZE");
  }
}

function recordOf(columns: readonly string[], row: Row): Record<string, unknown> {
  return Object.fromEntries(
    columns.map((name, i) => {
      const value = row[i];
      return [name, Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value];
    }),
  );
}

class SqliteTarget extends SqliteSource implements Target {
  readonly #file: string;
  readonly #final: string;

  private constructor(file: string, final: string) {
    super(file, false);
    this.#file = file;
    this.#final = final;
  }

  static async open(final: string): Promise<SqliteTarget> {
    if (existsSync(final))
      throw new MoveRefused(`${final} already exists. Move it away first, or set another folder with --data.`);
    const file = movingFile(final);
    if (!existsSync(file)) await (await openSqliteStore(file, Date.now(), { isNew: true })).close();
    const target = new SqliteTarget(file, final);
    const { db } = target;
    db.pragma("foreign_keys = OFF");
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${MOVE_TABLE} (name TEXT PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL) STRICT`,
    );
    db.transaction(() => {
      const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
        name: string;
        sql: string;
      }[];
      for (const { name, sql } of triggers) {
        db.prepare(`INSERT OR REPLACE INTO ${MOVE_TABLE} VALUES (?, 'trigger', ?)`).run(name, sql);
        db.exec(`DROP TRIGGER ${quoted(name)}`);
      }
    })();
    return target;
  }

  async copied(): Promise<Map<string, string>> {
    const rows = this.db.prepare(`SELECT name, text FROM ${MOVE_TABLE} WHERE kind = 'copied'`).raw().all();
    return new Map(rows as [string, string][]);
  }

  async replace(
    table: string,
    columns: readonly string[],
    batches: AsyncIterable<Row[]>,
    checksum: () => string,
  ): Promise<void> {
    const insert = this.db.prepare(
      `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    this.db.exec("BEGIN");
    try {
      this.db.exec(`DELETE FROM ${quoted(table)}`);
      for await (const rows of batches) for (const row of rows) insert.run(...row);
      this.db.prepare(`INSERT OR REPLACE INTO ${MOVE_TABLE} VALUES (?, 'copied', ?)`).run(table, checksum());
      this.db.exec("COMMIT");
    } catch (error) {
      if (this.db.inTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  async finish(numbers: ReadonlyMap<string, number>): Promise<void> {
    this.db.transaction(() => {
      // Numbers of rows that are gone are not given again: others still refer to them.
      for (const [table, last] of numbers) {
        this.db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?").run(last, table);
        const missing = `INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_schema
          WHERE name = ? AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)`;
        this.db.prepare(missing).run(last, table);
      }
      const triggers = this.db
        .prepare<[], string>(`SELECT text FROM ${MOVE_TABLE} WHERE kind = 'trigger'`)
        .pluck()
        .all();
      for (const sql of triggers) this.db.exec(sql);
      const broken = this.db.pragma("foreign_key_check") as { table: string }[];
      if (broken[0] !== undefined) throw new MoveRefused(`Rows of ${broken[0].table} refer to rows that do not exist.`);
      this.db.exec(`DROP TABLE ${MOVE_TABLE}`);
    })();
    this.db.pragma("wal_checkpoint(TRUNCATE)");
    await this.close();
    for (const suffix of ["-wal", "-shm", "-reserve"]) rmSync(this.#file + suffix, { force: true });
    renameSync(this.#file, this.#final);
  }
}

/**
 * Copies every table, one after the other. One that an earlier run has copied, and that has not changed since, is left as
 * it is. Then counts and checksums of both databases are compared.
 *
 * @throws MoveRefused
 */
async function move(source: Source, target: Target, onProgress: (progress: MoveProgress) => void): Promise<Moved> {
  const tables = await source.tables();
  const [has, wants] = [(await target.tables()).join(), tables.join()];
  if (has !== wants)
    throw new MoveRefused("The two databases have different tables. Start a server on each once, to upgrade it.");
  const moved: Moved = { tables: [], skipped: 0, changedMeanwhile: false };
  const copied = await target.copied();
  for (const table of tables) {
    const columns = await source.columns(table);
    const rows = await source.count(table);
    onProgress({ table, done: 0, rows });
    const earlier = copied.get(table);
    if (earlier !== undefined && earlier === (await checksumOf(source, table, columns))) {
      moved.skipped += 1;
    } else {
      const checksum = new Checksum();
      const batches = async function* () {
        for await (const batch of source.rows(table, columns)) {
          for (const row of batch) checksum.add(row);
          yield batch;
          onProgress({ table, done: checksum.rows, rows });
        }
      };
      await target.replace(table, columns, batches(), () => checksum.toString());
      copied.set(table, checksum.toString());
    }
    const [expected, found] = [copied.get(table) as string, await checksumOf(target, table, columns)];
    if (found !== expected) {
      throw new MoveRefused(
        `${table} differs after the copy: checksum ${expected} in the source, ${found} in the target. Run the command again.`,
      );
    }
    moved.tables.push({ table, rows, checksum: expected });
    onProgress({ table, done: rows, rows });
  }
  const numbers = await source.numbers();
  moved.changedMeanwhile = await source.changed();
  if (!moved.changedMeanwhile) await target.finish(numbers);
  return moved;
}

/** Moves the database of a data folder to an empty database of PostgreSQL. */
export async function moveToPostgres(
  file: string,
  url: string,
  onProgress: (progress: MoveProgress) => void,
): Promise<Moved> {
  const source = new SqliteSource(file, true);
  const target = new PostgresTarget(url);
  try {
    const { pending, unknown, prerelease } = schemaState(source.db);
    if (pending.length + unknown > 0 || prerelease) {
      throw new MoveRefused(
        `${file} has the schema of another version. Start this version of Rostrum on it once, then move it.`,
      );
    }
    await target.open();
    return await move(source, target, onProgress);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** Moves a database of PostgreSQL to a new SQLite file. */
export async function moveToSqlite(
  url: string,
  file: string,
  onProgress: (progress: MoveProgress) => void,
): Promise<Moved> {
  const source = new PostgresSource(url);
  let target: SqliteTarget | undefined;
  try {
    await source.openSnapshot();
    target = await SqliteTarget.open(file);
    return await move(source, target, onProgress);
  } finally {
    await source.close();
    if (target?.db.open) await target.close();
  }
}
