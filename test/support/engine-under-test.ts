import { randomBytes } from "node:crypto";
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

/** Connections to the first database. They are kept, and keep no process alive. */
const first = new pg.Pool({ connectionString: CLUSTER, idleTimeoutMillis: 0, allowExitOnIdle: true });

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
/** The names of those in use, by their data folders. */
const made = new Map<string, string>();
/** Names that were given away before the database was made. */
const promised = new Map<string, string>();

function newName(): string {
  return `t_${randomBytes(10).toString("hex")}`;
}

/** The name of the database that stands for the file in a data folder. */
function nameOf(folder: string): string {
  const known = made.get(resolve(folder)) ?? promised.get(resolve(folder));
  if (known !== undefined) return known;
  const name = newName();
  promised.set(resolve(folder), name);
  return name;
}

/** The URL of the database that stands for the file in a data folder. */
export function databaseUrlOf(folder: string): string {
  return urlOf(nameOf(folder));
}

/** Fewer than by default: each new connection has to learn every statement again. */
const CONNECTIONS = 5;

/** The settings by which a program uses it too. */
export function engineEnv(folder: string): Record<string, string> {
  if (!isPostgres) return {};
  return { ROSTRUM_DATABASE_URL: databaseUrlOf(folder), ROSTRUM_DATABASE_CONNECTIONS: String(CONNECTIONS) };
}

/** Whether a data folder has a database that is not a file in it. */
export function hasDatabase(folder: string): boolean {
  return made.has(resolve(folder));
}

/** A table with more than this in it is truncated: deleted rows would slow down the next tests. */
const MOST_BYTES = 200_000;

/** Leaves the schema, and no row. It costs a fraction of a new database. */
const EMPTY = `SET session_replication_role = replica;
  DO $$ DECLARE name text; bytes bigint; BEGIN
    FOR name, bytes IN SELECT oid::regclass, pg_relation_size(oid) FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'rostrum_migrations'
    LOOP
      IF bytes > ${MOST_BYTES} THEN EXECUTE 'TRUNCATE ' || name || ' CASCADE';
      ELSIF bytes > 0 THEN EXECUTE 'DELETE FROM ' || name;
      END IF;
    END LOOP;
    PERFORM setval(seqrelid, 1, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
  END $$`;

const EMPTYING = "rostrum tests, emptying";
/** The connections that empty databases are kept too: a new one has to learn every table. */
const emptying = new Map<string, pg.Pool>();

function emptyingOf(name: string): pg.Pool {
  let pool = emptying.get(name);
  if (pool === undefined) {
    const given = { connectionString: urlOf(name), application_name: EMPTYING, max: 1 };
    pool = new pg.Pool({ ...given, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // Tests that end the connections of a database end this one.
    pool.on("error", () => undefined);
    emptying.set(name, pool);
  }
  return pool;
}

async function stopEmptying(name: string): Promise<void> {
  await emptying.get(name)?.end();
  emptying.delete(name);
}

/** Takes an abandoned database that nobody is connected to. */
async function reuse(client: pg.ClientBase): Promise<string | undefined> {
  if (abandoned.size === 0) return undefined;
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname = ANY ($1)
       AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datid = oid AND application_name <> $2)`,
    [[...abandoned], EMPTYING],
  );
  return rows.map(({ name }) => name).find((name) => abandoned.delete(name));
}

/** Makes the database of a data folder, with the schema and without a row. */
export async function makeDatabase(given: string): Promise<string> {
  const folder = resolve(given);
  if (made.has(folder)) return databaseUrlOf(folder);
  template ??= makeTemplate();
  await template;
  const name = await inFirst(async (client) => {
    const used = promised.has(folder) ? undefined : await reuse(client);
    if (used !== undefined) {
      await emptyingOf(used).query(EMPTY);
      return used;
    }
    const fresh = promised.get(folder) ?? newName();
    await client.query(`CREATE DATABASE ${fresh} TEMPLATE ${TEMPLATE}`);
    return fresh;
  });
  promised.delete(folder);
  made.set(folder, name);
  return urlOf(name);
}

/** Copies the database of a data folder for another one, if it is not a file in it. Nobody may be connected to it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!isPostgres) return;
  await stopEmptying(nameOf(from));
  const name = nameOf(to);
  await inFirst((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${nameOf(from)}`));
  promised.delete(resolve(to));
  made.set(resolve(to), name);
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
