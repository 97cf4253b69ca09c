import { createHash } from "node:crypto";
import { basename } from "node:path";
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

async function inFirst<T>(run: (client: pg.Client) => Promise<T>, database?: string): Promise<T> {
  const client = new pg.Client({ connectionString: database === undefined ? CLUSTER : urlOf(database) });
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
    if (rowCount === 1) return;
    const unfinished = `${TEMPLATE}_unfinished`;
    await client.query(`CREATE DATABASE ${unfinished}`);
    await inFirst((inside) => migrateDatabase(inside), unfinished);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`);
  });
}

let template: Promise<void> | undefined;
/** Databases that nobody needs any more: the next tests use them again, once their connections are closed. */
const abandoned = new Set<string>();
const made = new Set<string>();

function nameOf(folder: string): string {
  return `t_${createHash("sha256").update(basename(folder)).digest("hex").slice(0, 20)}`;
}

/** The URL of the database that stands for the file in a data folder. */
export function databaseUrlOf(folder: string): string {
  return urlOf(nameOf(folder));
}

/** The setting by which a program uses it too. */
export function engineEnv(folder: string): Record<string, string> {
  return isPostgres ? { ROSTRUM_DATABASE_URL: databaseUrlOf(folder) } : {};
}

/** Leaves the schema, and no row. It costs a fraction of a new database. */
const EMPTY = `SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'rostrum_migrations' LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
      EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
  END $$`;

/** Makes the database of a data folder, with the schema and without a row. */
export async function makeDatabase(folder: string): Promise<string> {
  if (made.has(nameOf(folder))) return databaseUrlOf(folder);
  template ??= makeTemplate();
  await template;
  const name = nameOf(folder);
  await inFirst(async (client) => {
    for (const one of [...abandoned]) {
      abandoned.delete(one);
      try {
        // Refused while it has a connection.
        await client.query(`ALTER DATABASE ${one} RENAME TO ${name}`);
      } catch {
        abandoned.add(one);
        continue;
      }
      return inFirst((inside) => inside.query(EMPTY), name);
    }
    return client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  });
  made.add(name);
  return urlOf(name);
}

/** Copies the database of a data folder for another one, if it is not a file in it. Nobody may be connected to it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!isPostgres) return;
  await inFirst((client) => client.query(`CREATE DATABASE ${nameOf(to)} TEMPLATE ${nameOf(from)}`));
  made.add(nameOf(to));
}

/** The store of a data folder, with its schema. */
export async function openStoreOf(folder: string): Promise<OpenedStore> {
  if (!isPostgres) return openSqliteStore(databaseFile(folder));
  return openPostgresStore({ url: await makeDatabase(folder) });
}

/** To be called when its folder is gone. */
export function abandonDatabase(folder: string): void {
  if (made.delete(nameOf(folder))) abandoned.add(nameOf(folder));
}
