import { createHash } from "node:crypto";
import { renameSync } from "node:fs";
import { resolve } from "node:path";
import pg from "pg";
import { databaseFile } from "../../src/lib/data-folder.ts";
import type { OpenedStore } from "../../src/store/engine.ts";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";

/**
 * Which engine the tests run on: `ROSTRUM_TEST_ENGINE=postgres npm test`. The script starts one server for the run, and
 * passes the URL of its first database.
 */
const CLUSTER = process.env.ROSTRUM_TEST_CLUSTER;
export const isPostgres = CLUSTER !== undefined;

const TEMPLATE = "rostrum_template";
/** Any number: it is locked while the template is made. */
const TEMPLATE_LOCK = 4_711;

/** The URL of another database of the server. */
function urlOf(database: string): string {
  return (CLUSTER ?? "").replace(/^(postgres:\/\/[^/]*\/)[^?]*/, `$1${database}`);
}

/** Connections that are kept, and keep no process alive. */
function openKept(connectionString: string | undefined, max = 10): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // One that a test ends is made again.
  return pool.on("error", () => undefined);
}

/** Connections to the first database. */
const first = openKept(CLUSTER);

async function inFirst<T>(run: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await first.connect();
  try {
    return await run(client);
  } finally {
    client.release();
  }
}

async function inside<T>(database: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** Made by whichever process comes first. Migrating costs twenty times as much as copying. */
async function makeTemplate(): Promise<void> {
  await inFirst(async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [TEMPLATE]);
    if (rowCount === 0) {
      const unfinished = `${TEMPLATE}_unfinished`;
      await client.query(`CREATE DATABASE ${unfinished}`);
      await inside(unfinished, (migrating) => migrateDatabase(migrating));
      await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`);
    }
    await client.query("SELECT pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  });
}

let template: Promise<void> | undefined;
/** Databases that nobody needs any more: the next tests use them again, once their connections are closed. */
const abandoned = new Set<string>();
/** The databases of data folders. */
const made = new Map<string, string>();
/** Data folders without a database, whose URL was asked for: they get one of this name. */
const promised = new Set<string>();

function ownName(folder: string): string {
  return `t_${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 20)}`;
}

function nameOf(folder: string): string {
  const name = made.get(resolve(folder));
  if (name === undefined) promised.add(resolve(folder));
  return name ?? ownName(folder);
}

/** The URL of the database that stands for the file in a data folder. */
export function databaseUrlOf(folder: string): string {
  return urlOf(nameOf(folder));
}

/** Fewer than by default: each new connection has to learn every statement again. */
const CONNECTIONS = 4;

/** The settings by which a program uses it too. */
export function engineEnv(folder: string): Record<string, string> {
  if (!isPostgres) return {};
  return { ROSTRUM_DATABASE_URL: databaseUrlOf(folder), ROSTRUM_DATABASE_CONNECTIONS: String(CONNECTIONS) };
}

/** Whether a data folder has a database that is not a file in it. */
export function hasDatabase(folder: string): boolean {
  return made.has(resolve(folder));
}

/** A database with more than this in it is dropped: deleted rows would slow down the next tests. */
const MOST_BYTES = 8_000_000;

/**
 * Leaves the schema, and no row. It costs a fraction of a new database. The rows are counted at once: a move compares the
 * counts to see whether a server still writes.
 */
const EMPTY = `SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname <> 'rostrum_migrations' AND pg_relation_size(oid) > 0
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    PERFORM setval(seqrelid, 1, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
  END $$;
  SELECT pg_stat_force_next_flush()`;
const STATE = `SELECT sum(pg_relation_size(oid))::float8 AS bytes,
    EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) AS "isUsed"
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

/** A connection to each database that was used before. It is kept, since a new one has to learn every table again. */
const cleaners = new Map<string, pg.Pool>();

function cleanerOf(name: string): pg.Pool {
  const cleaner = cleaners.get(name) ?? openKept(urlOf(name), 1);
  cleaners.set(name, cleaner);
  return cleaner;
}

async function closeCleaner(name: string): Promise<void> {
  const cleaner = cleaners.get(name);
  cleaners.delete(name);
  await cleaner?.end();
}

/** An abandoned database, without rows. */
async function reuse(): Promise<string | undefined> {
  for (const name of [...abandoned]) {
    if (!abandoned.delete(name)) continue;
    const cleaner = cleanerOf(name);
    const { rows } = await cleaner.query<{ bytes: number; isUsed: boolean }>(STATE);
    const { bytes = 0, isUsed } = rows[0] ?? {};
    if (isUsed) {
      abandoned.add(name);
    } else if (bytes <= MOST_BYTES) {
      await cleaner.query(EMPTY);
      return name;
    } else {
      await closeCleaner(name);
      await inFirst((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    }
  }
}

/** Makes the database of a data folder, with the schema and without a row. */
export async function makeDatabase(folder: string): Promise<string> {
  const path = resolve(folder);
  const known = made.get(path);
  if (known !== undefined) return urlOf(known);
  template ??= makeTemplate();
  await template;
  let name = promised.has(path) ? undefined : await reuse();
  if (name === undefined) {
    name = ownName(folder);
    const create = `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`;
    await inFirst((client) => client.query(create));
  }
  made.set(path, name);
  return urlOf(name);
}

/** Copies the database of a data folder for another one, if it is not a file in it. Nobody may be connected to it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!isPostgres) return;
  const [source, copy] = [nameOf(from), ownName(to)];
  await closeCleaner(source);
  await inFirst((client) => client.query(`CREATE DATABASE ${copy} TEMPLATE ${source}`));
  made.set(resolve(to), copy);
}

/** The store of a data folder, with its schema. */
export async function openStoreOf(folder: string, now: number = Date.now()): Promise<OpenedStore> {
  if (!isPostgres) return openSqliteStore(databaseFile(folder), now);
  return openPostgresStore({ url: await makeDatabase(folder), connections: CONNECTIONS });
}

/** Takes the database of a data folder away from whoever uses it, until the answer is called. */
export async function takeAway(folder: string): Promise<() => Promise<void>> {
  if (!isPostgres) {
    const file = databaseFile(folder);
    renameSync(file, `${file}.away`);
    return async () => renameSync(`${file}.away`, file);
  }
  const allow = (is: boolean) => (client: pg.ClientBase) =>
    client.query(`ALTER DATABASE ${nameOf(folder)} ALLOW_CONNECTIONS ${is}`);
  await inFirst(async (client) => {
    await allow(false)(client);
    await client.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [
      nameOf(folder),
    ]);
  });
  return async () => void (await inFirst(allow(true)));
}

/** To be called when a folder is gone: frees its database, and those of the folders in it. */
export function abandonDatabases(folder: string): void {
  for (const [of, name] of made) {
    if (of !== resolve(folder) && !of.startsWith(`${resolve(folder)}/`)) continue;
    made.delete(of);
    abandoned.add(name);
  }
}
