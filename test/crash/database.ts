import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import pg from "pg";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { TYPES } from "../../src/store/postgres/db.ts";

/** The database that the rounds look into. Statements have question marks for their parameters. */
export interface CrashedDatabase {
  /** The settings by which a server uses it. */
  env: Record<string, string>;
  rows(text: string, ...params: unknown[]): Promise<unknown[][]>;
  /** Ends its server without a checkpoint, and starts it again. Undefined where it is a file of the gateway. */
  kill: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

export function sqliteIn(folder: string): CrashedDatabase {
  let db: Database.Database | undefined;
  return {
    env: {},
    async rows(text, ...params) {
      db ??= new Database(databaseFile(folder), { readonly: true });
      return db.prepare(text).raw().all(params) as unknown[][];
    },
    kill: undefined,
    close: async () => void db?.close(),
  };
}

/** How long the database is away at most. */
const AWAY_MS = 1_000;

export async function postgres(): Promise<CrashedDatabase> {
  const cluster = await startCluster();
  const url = cluster.url("postgres");
  const pool = new pg.Pool({ connectionString: url, max: 2, types: TYPES });
  pool.on("error", () => undefined);
  return {
    env: { ROSTRUM_DATABASE_URL: url },
    async rows(text, ...values) {
      let at = 0;
      const numbered = text.replace(/\?/g, () => `$${++at}`);
      return (await pool.query<unknown[]>({ text: numbered, values, rowMode: "array" })).rows;
    },
    async kill() {
      await cluster.control("-m", "immediate", "stop");
      await sleep(Math.random() * AWAY_MS);
      await cluster.start();
    },
    async close() {
      await pool.end();
      await cluster.stop();
    },
  };
}
