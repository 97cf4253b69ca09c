import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { MailDelivery } from "../../domain/outreach/sending.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { packageFile } from "../../lib/package.ts";
import { sealedBy } from "../sql/data-keys.ts";
import { CLOCK_JUMP, EMAILING, NEWEST_ROW, RETENTION_AT, SEALED_MAIL } from "../sql/server-settings.ts";
import type { ClockJump } from "../store.ts";
import { POSTGRES } from "./dialect.ts";
import { lockNumber } from "./writer.ts";

const FOLDER = packageFile("src/store/postgres/migrations");

/** The oldest server that is tested. */
const OLDEST = 15;

/** There while a move into the database is not finished. */
export const MOVE_TABLE = "rostrum_move";

interface Migration {
  name: string;
  statements: string[];
}

/** A database that this Rostrum can't use. Its message is for the server admin. */
class IncompatibleDatabase extends OperatorError {}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => ({
    name: file.slice(0, -".sql".length),
    statements: readFileSync(join(folder, file), "utf8").split("--> statement-breakpoint"),
  }));
}

/** The version of the schema that this program brings a database to: the name of the last migration. */
export function schemaVersion(): string {
  return readMigrations(FOLDER).at(-1)?.name ?? "";
}

/**
 * Brings the schema up to date: all pending migrations, or none. Gateways that start together wait for each other.
 *
 * @throws IncompatibleDatabase where the database belongs to another program, or a newer Rostrum has written it
 */
export async function migrateDatabase(client: pg.ClientBase, folder: string = FOLDER): Promise<void> {
  await requireSuitableServer(client);
  const known = readMigrations(folder);
  if ((await isOurs(client)) && (await pendingIn(client, known)).length === 0) return;
  await client.query(
    `BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${lockNumber("migrations")})`,
  );
  try {
    if (!(await isOurs(client))) {
      await client.query(
        "CREATE TABLE rostrum_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
      );
    }
    for (const { name, statements } of await pendingIn(client, known)) {
      for (const statement of statements) await client.query(statement);
      await client.query("INSERT INTO rostrum_migrations (name) VALUES ($1)", [name]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

export interface Inspection {
  version: string;
  pending: number;
  isReadOnly: boolean;
  /** When the newest row was written, in milliseconds since the epoch. */
  newest: number | null;
  /** By when retention counts, and the last jump of the clock. */
  retentionAt: number | null;
  clockJump: ClockJump | null;
  /** The ids of the data keys that sealed secrets in it. */
  sealedBy: string[];
  /** The mail settings that were made in the console, sealed. */
  mailSettings: string | null;
  /** Active sequences with emails, by where these go. */
  emailing: Partial<Record<MailDelivery, number>>;
}

/**
 * Looks at a database without changing it.
 *
 * @throws IncompatibleDatabase, or what the server says
 */
export async function inspectDatabase(client: pg.ClientBase, folder: string = FOLDER): Promise<Inspection> {
  await requireSuitableServer(client);
  const known = readMigrations(folder);
  const pending = (await isOurs(client)) ? await pendingIn(client, known) : known;
  const { rows } = await client.query<{ version: string; readOnly: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS "readOnly"`,
  );
  const about = { version: rows[0]?.version ?? "", pending: pending.length, isReadOnly: rows[0]?.readOnly === "on" };
  if (pending.length > 0) {
    const unread = { newest: null, retentionAt: null, clockJump: null, sealedBy: [], mailSettings: null, emailing: {} };
    return { ...about, ...unread };
  }
  const firsts = async <T>(text: string) =>
    (await client.query<[T]>({ text, rowMode: "array" })).rows.map(([value]) => value);
  const [[newest = null], [retentionAt = null], [clockJump = "null"]] = [
    await firsts<number>(NEWEST_ROW),
    await firsts<number>(RETENTION_AT),
    await firsts<string>(CLOCK_JUMP),
  ];
  const sealed = await firsts<string>(sealedBy(POSTGRES));
  const [mailSettings = null] = await firsts<string>(SEALED_MAIL);
  const emailing = await client.query<[MailDelivery, number]>({ text: EMAILING, rowMode: "array" });
  return {
    ...about,
    newest,
    retentionAt,
    clockJump: JSON.parse(clockJump) as ClockJump | null,
    sealedBy: sealed,
    mailSettings,
    emailing: Object.fromEntries(emailing.rows.map(([delivery, count]) => [delivery, Number(count)])),
  };
}

async function pendingIn(client: pg.ClientBase, known: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string }>("SELECT name FROM rostrum_migrations");
  const applied = rows.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length === 0) return known.filter(({ name }) => !applied.includes(name));
  throw new IncompatibleDatabase(
    "The database was written by a newer version of Rostrum. " +
      "Start that version, or restore a backup that was made before the upgrade.",
  );
}

/** @throws IncompatibleDatabase */
async function isOurs(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND c.relkind = 'r' ORDER BY c.relname`,
  );
  if (rows.some(({ name }) => name === MOVE_TABLE)) {
    throw new IncompatibleDatabase("A move into this database is not finished. Run the same rostrum move again.");
  }
  if (rows.some(({ name }) => name === "rostrum_migrations")) return true;
  const [foreign] = rows;
  if (foreign === undefined) return false;
  throw new IncompatibleDatabase(
    `The database belongs to another program: it has the table ${foreign.name}. Create an empty database for ` +
      "Rostrum, and set ROSTRUM_DATABASE_URL to it.",
  );
}

async function requireSuitableServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  const { version = "0", encoding } = rows[0] ?? {};
  if (Number(version) < OLDEST * 10_000) {
    throw new IncompatibleDatabase(
      `Rostrum needs PostgreSQL ${OLDEST} or newer. The database server runs version ${version}.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new IncompatibleDatabase(`The database has the encoding ${encoding}. Create it with ENCODING 'UTF8'.`);
  }
}
