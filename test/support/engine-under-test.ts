import { createHash } from "node:crypto";
import { basename } from "node:path";
import pg from "pg";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";

/**
 * Which engine the tests run on: `ROSTRUM_TEST_ENGINE=postgres npm test`. The script starts one server for the run, and
 * passes the URL of its first database.
 */
export const CLUSTER = process.env.ROSTRUM_TEST_CLUSTER;
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
let admin: Promise<pg.Client> | undefined;
/** Databases that nobody needs any more. They are dropped once their connections are closed. */
const abandoned = new Set<string>();
const made = new Set<string>();

async function connectAdmin(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: CLUSTER });
  await client.connect();
  // An open connection must not keep the tests' process.
  (client as unknown as { connection: { stream: { unref(): void } } }).connection.stream.unref();
  return client;
}

function nameOf(folder: string): string {
  return `t_${createHash("sha256").update(basename(folder)).digest("hex").slice(0, 20)}`;
}

/** The URL of the database that stands for the file in a data folder. */
export function databaseUrlOf(folder: string): string {
  return urlOf(nameOf(folder));
}

/** Makes the database of a data folder, with the schema and without a row. */
export async function makeDatabase(folder: string): Promise<string> {
  template ??= makeTemplate();
  await template;
  admin ??= connectAdmin();
  const client = await admin;
  for (const name of abandoned) {
    await client.query(`DROP DATABASE ${name}`).then(
      () => abandoned.delete(name),
      () => undefined,
    );
  }
  const name = nameOf(folder);
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  made.add(name);
  return urlOf(name);
}

/** To be called when its folder is gone. */
export function abandonDatabase(folder: string): void {
  if (made.delete(nameOf(folder))) abandoned.add(nameOf(folder));
}
