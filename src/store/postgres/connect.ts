import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import Cursor from "pg-cursor";
import { OperatorError } from "../../lib/operator-error.ts";
import { type Executor, type Query, TYPES } from "./db.ts";

/** How long opening a connection, and waiting for a free one, may take. */
const CONNECT_MS = 5_000;
/** The longest that one statement of a request may take. */
const STATEMENT_MS = 30_000;
/** How long a transaction may wait for this program to continue it. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** A database URL that can't be used. Its message is for the server admin. */
export class BadDatabaseUrl extends OperatorError {}

/** How libpq checks the server's certificate, by its names. */
const SSL_MODES: Readonly<Record<string, (ca: string | undefined) => ConnectionOptions | false>> = {
  disable: () => false,
  // As libpq does it: encrypted, and checked where there is an authority to check against.
  require: (ca) => ({ rejectUnauthorized: ca !== undefined, ...(ca && { ca }), checkServerIdentity: () => undefined }),
  "verify-ca": (ca) => ({ rejectUnauthorized: true, ...(ca && { ca }), checkServerIdentity: () => undefined }),
  "verify-full": (ca) => ({ rejectUnauthorized: true, ...(ca && { ca }) }),
};

/** @throws BadDatabaseUrl */
export function connectionConfig(url: string): pg.ClientConfig {
  const [address = "", query = ""] = url.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const mode = params.get("sslmode") ?? "disable";
  const authority = params.get("sslrootcert");
  for (const name of ["sslmode", "sslrootcert"]) params.delete(name);
  const tls = SSL_MODES[mode];
  if (tls === undefined) {
    throw new BadDatabaseUrl(`sslmode=${mode} is not supported. Use ${Object.keys(SSL_MODES).join(", ")}.`);
  }
  const rest = params.size > 0 ? `?${params}` : "";
  return {
    connectionString: address + rest,
    ssl: tls(authority === null ? undefined : readFileSync(authority, "utf8")),
    application_name: "rostrum",
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: TYPES,
  };
}

/** The URL without its password, for people. */
export function shownUrl(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/?]*):[^@/?]*@/, "$1:***@").replace(/([?&]password=)[^&]*/, "$1***");
}

/** Connections that are made when they are needed, and made again when they were lost. */
export function openPool(config: pg.ClientConfig, max: number): pg.Pool {
  const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: 60_000 });
  // A connection that is lost while nobody uses it is replaced when somebody does.
  pool.on("error", () => undefined);
  return pool;
}

/** How many rows of a long answer are fetched at a time. */
const BATCH = 200;

/** Statements on one connection, one after the other. */
export class ConnectionExecutor implements Executor {
  readonly #client: pg.ClientBase;
  /** Statements that were begun, and those that are under way. */
  begun = 0;
  pending = 0;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async query(query: Query): Promise<pg.QueryResult> {
    this.begun += 1;
    this.pending += 1;
    try {
      return await this.#client.query(query);
    } finally {
      this.pending -= 1;
    }
  }

  async iterate(query: Query, visit: (row: unknown) => boolean): Promise<void> {
    this.begun += 1;
    this.pending += 1;
    try {
      await iterate(this.#client, query, visit);
    } finally {
      this.pending -= 1;
    }
  }
}

/** Statements on whichever connection of a pool is free. Each sees what is committed. */
export class PoolExecutor implements Executor {
  readonly #pool: pg.Pool;
  pending = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async query(query: Query): Promise<pg.QueryResult> {
    this.pending += 1;
    try {
      return await this.#pool.query(query);
    } finally {
      this.pending -= 1;
    }
  }

  async iterate(query: Query, visit: (row: unknown) => boolean): Promise<void> {
    this.pending += 1;
    try {
      const client = await this.#pool.connect();
      try {
        await iterate(client, query, visit);
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    } finally {
      this.pending -= 1;
    }
  }
}

async function iterate(client: pg.ClientBase, query: Query, visit: (row: unknown) => boolean): Promise<void> {
  const { text, values = [], rowMode } = query;
  const cursor = client.query(new Cursor(text, values, { types: TYPES, ...(rowMode && { rowMode }) }));
  try {
    for (;;) {
      const rows = await cursor.read(BATCH);
      for (const row of rows) if (!visit(row)) return;
      if (rows.length < BATCH) return;
    }
  } finally {
    await cursor.close();
  }
}
