import { createRequire } from "node:module";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { databaseUrlOf, isPostgres } from "./engine-under-test.ts";

/** The little that tests use of better-sqlite3. */
interface BesideStatement {
  get(...params: unknown[]): any;
  all(...params: unknown[]): any[];
  run(...params: unknown[]): { changes: number };
  pluck(): BesideStatement;
  raw(): BesideStatement;
}

export interface Beside {
  prepare(sql: string): BesideStatement;
  exec(sql: string): void;
  /** From here on rows may refer to nothing. */
  ignoreReferences(): void;
  close(): void;
}

/** A second connection to the database of a server, to look at it or to change it behind its back. */
export function openBeside(folder: string, options: { readonly?: boolean } = {}): Beside {
  if (isPostgres) return new PostgresBeside(databaseUrlOf(folder));
  const db = new Database(databaseFile(folder), options);
  return Object.assign(db, { ignoreReferences: () => db.pragma("foreign_keys = OFF") }) as unknown as Beside;
}

/**
 * One thread holds the connections of this process, which waits for each answer with its own thread blocked, as
 * better-sqlite3 does. A connection is kept for a moment, since tests look again and again.
 */
const WORKER = `
const { workerData: { port, pgPath } } = require("node:worker_threads");
const pg = require(pgPath);
pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1700, Number);
pg.types.setTypeParser(16, (text) => (text === "t" ? 1 : 0));
const used = new Map();
const idle = new Map();
async function connect(url) {
  const kept = idle.get(url);
  if (kept !== undefined) {
    idle.delete(url);
    clearTimeout(kept.timer);
    return kept.client;
  }
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
async function answer({ id, url, query, keep }) {
  if (query !== null) {
    if (!used.has(id)) used.set(id, await connect(url));
    const { rows, rowCount } = await used.get(id).query(query);
    return { rows, rowCount };
  }
  const client = used.get(id);
  used.delete(id);
  if (client === undefined) return {};
  if (!keep || idle.has(url)) await client.end();
  else {
    const timer = setTimeout(() => {
      idle.delete(url);
      client.end().catch(() => undefined);
    }, 300);
    idle.set(url, { client, timer });
  }
  return {};
}
port.on("message", async (message) => {
  let told;
  try {
    told = await answer(message);
  } catch (error) {
    told = { error: { message: error.message, code: error.code } };
  }
  port.postMessage(told);
  const signal = new Int32Array(message.signal);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
`;

let port: MessageChannel["port1"] | undefined;

function connections(): MessageChannel["port1"] {
  if (port !== undefined) return port;
  const { port1, port2 } = new MessageChannel();
  const pgPath = createRequire(import.meta.url).resolve("pg");
  const worker = new Worker(WORKER, { eval: true, workerData: { port: port2, pgPath }, transferList: [port2] });
  worker.unref();
  port1.unref();
  port = port1;
  return port;
}

let opened = 0;

class PostgresBeside implements Beside {
  readonly #url: string;
  readonly #id = ++opened;
  /** Nothing was set for the session, so that the next one may have it. */
  #keep = true;

  constructor(url: string) {
    this.#url = url;
  }

  ask(query: unknown): { rows: any[]; rowCount: number } {
    const signal = new SharedArrayBuffer(4);
    connections().postMessage({ id: this.#id, url: this.#url, query, keep: this.#keep, signal });
    Atomics.wait(new Int32Array(signal), 0, 0, 20_000);
    const { message: answer } = receiveMessageOnPort(connections()) ?? { message: { error: { message: "no answer" } } };
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    for (const row of answer.rows ?? []) {
      for (const [name, value] of Object.entries(row)) if (value instanceof Uint8Array) row[name] = Buffer.from(value);
    }
    return answer;
  }

  prepare(sql: string): BesideStatement {
    return new PostgresStatement(this, sql, "objects");
  }

  exec(sql: string): void {
    this.#keep = false;
    this.ask({ text: sql });
  }

  ignoreReferences(): void {
    this.exec("SET session_replication_role = replica");
  }

  close(): void {
    this.ask(null);
  }
}

class PostgresStatement implements BesideStatement {
  readonly #beside: PostgresBeside;
  readonly #sql: string;
  readonly #shape: "objects" | "arrays" | "firsts";

  constructor(beside: PostgresBeside, sql: string, shape: "objects" | "arrays" | "firsts") {
    this.#beside = beside;
    this.#sql = sql;
    this.#shape = shape;
  }

  #ask(params: readonly unknown[]): { rows: any[]; rowCount: number } {
    const values: unknown[] = [];
    const [named] = params;
    const given = params.flat();
    const text = this.#sql
      .replace(/'(?:[^']|'')*'|\b[a-z]+[A-Z]\w*|@(\w+)|\?/g, (token, name: string | undefined) => {
        if (token.startsWith("'")) return token;
        if (name === undefined && token !== "?") return `"${token}"`;
        values.push(name === undefined ? given[values.length] : (named as Record<string, unknown>)[name]);
        return `$${values.length}`;
      })
      .replace(/\bgroup_concat\((\w+)\)/g, "string_agg($1, ',')")
      .replace(
        /\bFROM sqlite_schema\b/,
        "FROM (SELECT 'table' AS type, tablename AS name FROM pg_tables WHERE schemaname = 'public') AS t",
      );
    return this.#beside.ask({ text, values, ...(this.#shape === "objects" ? {} : { rowMode: "array" }) });
  }

  get(...params: unknown[]): any {
    return this.all(...params)[0];
  }

  all(...params: unknown[]): any[] {
    const { rows } = this.#ask(params);
    return this.#shape === "firsts" ? rows.map(([value]) => value) : rows;
  }

  run(...params: unknown[]): { changes: number } {
    return { changes: this.#ask(params).rowCount ?? 0 };
  }

  pluck(): BesideStatement {
    return new PostgresStatement(this.#beside, this.#sql, "firsts");
  }

  raw(): BesideStatement {
    return new PostgresStatement(this.#beside, this.#sql, "arrays");
  }
}
