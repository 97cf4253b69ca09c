import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Column, is, Param, Placeholder } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import type { Db, Statement } from "../sql/statement.ts";
import { SQLITE } from "./dialect.ts";

/** How long a connection waits for another process's lock while it opens and while the schema changes. */
const OPENING_BUSY_MS = 10_000;
/** The same once it serves: SQLite waits inside the call, so a longer wait would hold up every request. */
const SERVING_BUSY_MS = 2;
const READING_BUSY_MS = 1_000;

/** The -wal is cut back to this once all of it is in the database file: one long read may have let it grow. */
const WAL_LIMIT_BYTES = 64 * 1024 ** 2;

/**
 * The one connection that writes. WAL lets readers go on; FULL makes an acknowledged write survive a power cut.
 * The folder is made with mode 700 and the file with 600: it holds people's addresses.
 */
export function openWriter(file: string): Database.Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makePrivate(file);
  const db = new Database(file, { timeout: OPENING_BUSY_MS });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    db.pragma("wal_autocheckpoint = 4000");
    db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
    // 10 MB. At 1,000,000 contacts, the driver's 16 MB are no faster, and 4 MB slow an assert down by a twelfth.
    db.pragma("cache_size = -10000");
    db.pragma("temp_store = MEMORY");
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** From here on the writer's queue waits for locks, and the event loop continues. */
export function startServing(db: Database.Database): void {
  db.pragma(`busy_timeout = ${SERVING_BUSY_MS}`);
}

/**
 * Makes the file where there is none. One that exists is not opened: closing a second handle would drop the locks
 * that this process holds on it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    chmodSync(file, 0o600);
  }
}

/** A connection that only reads, and sees what is committed. */
export function openReader(file: string): Database.Database {
  const db = new Database(file, { readonly: true, timeout: READING_BUSY_MS });
  // 4 MB. At 1,000,000 contacts, 8 MB are no faster, and 2 MB are slower by a fiftieth.
  db.pragma("cache_size = -4000");
  db.pragma("temp_store = MEMORY");
  return db;
}

/**
 * The statements of a connection.
 *
 * @param before called before each use of one
 */
export function sqliteDb(client: Database.Database, before: () => void = () => {}): Db {
  const statement = (prepare: () => Prepared) => new SqliteStatement(prepare, before) as never;
  const prepare = (text: string) => client.prepare(plannedOnce(text));
  // drizzle calls `prepare` itself.
  const preparing = Object.create(client, { prepare: { value: prepare } }) as Database.Database;
  return {
    orm: drizzle(preparing, { casing: "snake_case" }),
    dialect: SQLITE,
    query: (query) => statement(() => withoutEncoders(query.prepare() as BuiltStatement)),
    sql: (text) => statement(() => prepare(text)),
    value: (text) => statement(() => prepare(text).pluck()),
  };
}

/**
 * Changes a statement so that SQLite plans it only once. SQLite plans for the value of a bound LIMIT or OFFSET: it parses
 * and plans the statement again at each call, which takes a third of the time of a page of 25. It ignores values in a sum.
 */
export function plannedOnce(text: string): string {
  return text.replace(/\b(LIMIT|OFFSET) (\?|@\w+)/gi, "$1 $2 + 0");
}

/**
 * One read transaction for all reads of one callback of the event loop, including the promises that settle in it. Alone,
 * each read takes and releases SQLite's locks, which costs it a fifth of its time. The transaction isn't kept for the
 * next callback. That one may serve a request that was sent after another process committed a change. The transaction
 * also ends before each batch of writes and before its commit. If it were kept, the -wal couldn't start over, and callers
 * wouldn't see what they just wrote.
 */
export class SharedSnapshot {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #end = () => this.end();
  /** Ticks run before the promises that are settled already, and again after all of them. */
  readonly #endAfterPromises = () => process.nextTick(this.#end);
  #isOpen = false;

  constructor(reader: Database.Database) {
    this.#db = reader;
    this.#begin = reader.prepare("BEGIN");
    this.#commit = reader.prepare("COMMIT");
  }

  begin(): void {
    if (this.#isOpen) return;
    if (!this.#db.inTransaction) this.#begin.run();
    this.#isOpen = true;
    queueMicrotask(this.#endAfterPromises);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A fault of the disk has ended the transaction already, or ends it now: the next read reports it.
    try {
      if (this.#db.open && this.#db.inTransaction) this.#commit.run();
    } catch {}
  }
}

type BuiltStatement = Prepared & { getQuery(): { params: unknown[] } };

/**
 * For each value of each call, drizzle finds out whether it has an encoder, which is nearly all that filling in a value
 * costs. Columns that store values as they are have one that does nothing.
 */
function withoutEncoders(built: BuiltStatement): Prepared {
  const { params } = built.getQuery();
  for (const [i, param] of params.entries()) {
    if (!is(param, Param) || !is(param.value, Placeholder)) continue;
    if (param.encoder.mapToDriverValue === Column.prototype.mapToDriverValue) params[i] = param.value;
  }
  return built;
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
  readonly #before: () => void;
  #prepared: Prepared | undefined;

  constructor(prepare: () => Prepared, before: () => void) {
    this.#prepare = prepare;
    this.#before = before;
  }

  get(params: unknown): unknown {
    this.#before();
    this.#prepared ??= this.#prepare();
    return this.#prepared.get(params);
  }

  all(params: unknown): unknown[] {
    this.#before();
    this.#prepared ??= this.#prepare();
    return this.#prepared.all(params);
  }

  run(params: unknown): { changes: number } {
    this.#before();
    this.#prepared ??= this.#prepare();
    return this.#prepared.run(params);
  }

  iterate(params: unknown, visit: (row: unknown) => boolean): void {
    this.#before();
    this.#prepared ??= this.#prepare();
    const rows = this.#prepared.iterate?.(params) ?? this.#prepared.all(params);
    for (const row of rows) if (!visit(row)) return;
  }
}

/** The database on disk is no longer the one that was opened. */
class DatabaseGone extends Error {}

/**
 * Whether an error means that the database cannot be reached or is not provisioned: a file gone or damaged, a disk
 * full, a lock that does not end, a table missing, a connection closed.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseGone) return true;
  if (error instanceof TypeError) return error.message === "The database connection is not open";
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !code.startsWith("SQLITE_")) return false;
  if (code === "SQLITE_ERROR") return error.message.startsWith("no such table");
  return /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|CORRUPT|NOTADB|FULL|READONLY|PERM|AUTH|PROTOCOL|NOMEM)/.test(code);
}

/**
 * Moves all of the -wal into the database file and empties it. Most is moved while others write; writers then wait at
 * most `waitMs`. Returns whether the -wal is empty: a long read keeps what it may still need.
 */
export function emptyWal(db: Database.Database, waitMs: number): boolean {
  db.pragma("wal_checkpoint(PASSIVE)");
  const before = db.pragma("busy_timeout", { simple: true });
  db.pragma(`busy_timeout = ${waitMs}`);
  try {
    const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return result?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${before}`);
  }
}

/** How long a check of the file is good for reads. */
const CHECK_EVERY_MS = 250;

/** Each check throws DatabaseGone, or SQLite's own error, where the file on disk cannot be served any more. */
export interface FileGuard {
  /** Whether the file is still the same. Every batch of writes asks this. */
  checkIdentity(): void;
  /** Whether it can be read from the disk, too. */
  checkReadable(): void;
  /** The same, at most four times a second. Every call asks this. */
  checkNowAndThen(): void;
}

/**
 * Checks that the database on disk is still the one that is open. SQLite does not: when the file is moved, deleted,
 * restored over or damaged under a running server, it continues with its handles and its cache, and what it
 * acknowledges then is lost. The file is checked only by name, because opening it a second time would drop SQLite's locks.
 */
export function guardFile(file: string): FileGuard {
  const wal = `${file}-wal`;
  const opened = [identity(file), identity(wal)].join();
  let readStamp = stamp(file);
  let checkedAt = performance.now();

  function checkIdentity(): void {
    if ([identity(file), identity(wal)].join() !== opened) {
      throw new DatabaseGone(`${file} was replaced after this process opened it. Restart the server.`);
    }
  }

  function checkReadable(): void {
    checkIdentity();
    const now = stamp(file);
    if (now === readStamp) return;
    // A checkpoint, as a rule: the one thing that changes the file in WAL mode.
    readUncached(file);
    readStamp = now;
  }

  return {
    checkIdentity,
    checkReadable,
    checkNowAndThen() {
      const now = performance.now();
      if (now - checkedAt < CHECK_EVERY_MS) return;
      checkReadable();
      checkedAt = now;
    },
  };
}

/** Which file a path names. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

/** Changes whenever the file does. */
function stamp(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.size}:${stat.mtimeMs}`;
}

/** Reads what a call needs first with an empty cache, so that it comes from the disk. */
function readUncached(file: string): void {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.prepare("SELECT (SELECT 1 FROM workspaces LIMIT 1), (SELECT 1 FROM api_keys LIMIT 1)").get();
  } finally {
    db.close();
  }
}
