import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import Cursor from "pg-cursor";
import { OperatorError } from "../../lib/operator-error.ts";
import { type Executor, type Query, TYPES } from "./db.ts";

/** How long opening a connection, and waiting for a free one, may take. */
const CONNECT_MS = 5_000;
/** The longest that one statement of a request may take. */
export const STATEMENT_MS = 30_000;
/** How long a transaction may wait for this program to continue it. */
export const IDLE_IN_TRANSACTION_MS = 30_000;
/** Then a server that has gone silent is given up. */
const SILENT_MS = STATEMENT_MS + 5_000;

export interface DatabaseUrls {
  url: string;
  /** The server itself, where `url` leads to a pooler. */
  directUrl?: string | undefined;
  /** The most connections of this process. */
  connections?: number;
}

/**
 * Every statement has an index. A plan that was made while its table was empty would still read it whole when it has
 * grown, until PostgreSQL next counts its rows. Compiling statements costs more than those of a request take.
 */
const SESSION = "-c synchronous_commit=on -c enable_seqscan=off -c jit=off";

/** A database URL that can't be used. Its message is for the server admin. */
export class BadDatabaseUrl extends OperatorError {}

/** What a URL may say beside its address. */
const PARAMETERS = ["host", "port", "user", "password", "dbname", "statement_timeout"];

/** How libpq checks the server's certificate, by its names. */
const SSL_MODES: Readonly<Record<string, (ca: string | undefined) => ConnectionOptions | false>> = {
  disable: () => false,
  // As libpq does it: encrypted, and checked where there is an authority to check against.
  require: (ca) => ({ rejectUnauthorized: ca !== undefined, ...(ca && { ca }), checkServerIdentity: () => undefined }),
  "verify-ca": (ca) => ({ rejectUnauthorized: true, ...(ca && { ca }), checkServerIdentity: () => undefined }),
  "verify-full": (ca) => ({ rejectUnauthorized: true, ...(ca && { ca }) }),
};

/**
 * @param pooled whether a pooler shares the session, so that nothing may be set for it
 * @throws BadDatabaseUrl
 */
export function connectionConfig(url: string, pooled: boolean): pg.ClientConfig {
  const [address = "", query = ""] = url.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const mode = params.get("sslmode") ?? "disable";
  const authority = params.get("sslrootcert");
  const options = params.get("options");
  for (const name of ["sslmode", "sslrootcert", "options"]) params.delete(name);
  // They would take the place of what is set here.
  const unknown = [...params.keys()].filter((name) => !PARAMETERS.includes(name));
  if (unknown.length > 0) {
    throw new BadDatabaseUrl(
      `The database URL has parameters that can't be set: ${unknown.join(", ")}. Use only sslmode, sslrootcert, options, ${PARAMETERS.join(", ")}.`,
    );
  }
  const tls = SSL_MODES[mode];
  if (tls === undefined) {
    throw new BadDatabaseUrl(`sslmode=${mode} is not supported. Use ${Object.keys(SSL_MODES).join(", ")}.`);
  }
  const rest = params.size > 0 ? `?${params}` : "";
  return {
    connectionString: address + rest,
    ssl: tls(authority === null ? undefined : readAuthority(authority)),
    application_name: "rostrum",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENT_MS,
    ...(!pooled && {
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      options: options === null ? SESSION : `${options} ${SESSION}`,
    }),
    keepAlive: true,
    types: TYPES,
  };
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BadDatabaseUrl(`sslrootcert can't be read: ${(error as Error).message}.`);
  }
}

/** Rounds in which two connections show whether they share a session. */
const ROUNDS = 3;

/** Whether a pooler hands the statements of one connection to whichever session of the server is free. */
export async function isPooledByTransaction(url: string): Promise<boolean> {
  const clients = [0, 1].map(() => new pg.Client(connectionConfig(url, true)));
  try {
    const seen = new Map<pg.Client, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const client of clients) {
        if (round === 0) await client.connect();
        const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        const pid = rows[0]?.pid ?? 0;
        // The number that the server itself gave with the connection: a pooler gives its own.
        if ((client as unknown as { processID?: number }).processID === pid) return false;
        if ((seen.get(client) ?? pid) !== pid) return true;
        seen.set(client, pid);
      }
      if (new Set(seen.values()).size < clients.length) return true;
    }
    return false;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** Connections that are made when they are needed, and made again when they were lost. */
export function openPool(config: pg.ClientConfig, max: number): pg.Pool {
  const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: 60_000 });
  // A connection that is lost while it is idle is replaced at its next use.
  pool.on("error", () => undefined);
  // One that is lost between two statements of a transaction fails the next statement.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** How many rows of a long answer are fetched at a time. */
const BATCH = 200;

/** Statements on one connection, one after the other. */
export class ConnectionExecutor implements Executor {
  readonly #client: pg.ClientBase;
  readonly #pooled: boolean;
  /** Statements that were begun, and those that are under way. */
  begun = 0;
  pending = 0;
  /** Rows that were written. */
  changed = 0;
  /** The last statement: a connection takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.ClientBase, pooled: boolean) {
    this.#client = client;
    this.#pooled = pooled;
  }

  async query(query: Query): Promise<pg.QueryResult> {
    this.begun += 1;
    this.pending += 1;
    try {
      const run = () => this.#client.query(this.#pooled ? unnamed(query) : query);
      const running = this.pending === 1 ? run() : this.#last.then(run, run);
      this.#last = running;
      const result = await running;
      if (result.command !== "SELECT") this.changed += result.rowCount ?? 0;
      return result;
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
  readonly #pooled: boolean;
  pending = 0;

  constructor(pool: pg.Pool, pooled: boolean) {
    this.#pool = pool;
    this.#pooled = pooled;
  }

  async query(query: Query): Promise<pg.QueryResult> {
    this.pending += 1;
    try {
      return await this.#pool.query(this.#pooled ? unnamed(query) : query);
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

/** A session that is shared keeps no prepared statement. */
function unnamed({ name: _, ...query }: Query): Query {
  return query;
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
