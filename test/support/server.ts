import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Running, startApp } from "../../src/app.ts";
import { callAsOperator } from "../../src/cli/operator.ts";
import type { Overrides } from "../../src/composition/core.ts";
import { readConfig } from "../../src/config.ts";
import type { FindSeat } from "../../src/core/invoke.ts";
import { unlimited } from "../../src/core/policy.ts";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { createLog, type Log } from "../../src/lib/log.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { abandonDatabases, engineEnv, isPostgres, makeDatabase } from "./engine-under-test.ts";
import { removeFolder } from "./folder.ts";
import { type Answer, send } from "./http.ts";

/** A temporary folder that is deleted after the test. */
export function temporaryFolder(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(tmpdir(), "rostrum-test-"));
  t.after(async () => {
    await removeFolder(folder);
    abandonDatabases(folder);
  });
  return folder;
}

/** A clock that only moves when a test moves it. */
export class FakeClock {
  #now: number;

  constructor(start = Date.UTC(2026, 10, 20, 9)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

export interface Envelope {
  data: any;
  meta?: any;
  error: string | null;
  code?: string;
  correlationId?: string;
}

export interface Reply extends Answer {
  body: Envelope;
}

export interface Request {
  key?: string | undefined;
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
}

/** A real server on a real database in a temporary folder, and ways to call it. */
export class TestServer {
  readonly running: Running;
  readonly folder: string;
  readonly workspaceId: string;
  readonly key: string;

  constructor(running: Running, folder: string, workspaceId: string, key: string) {
    this.running = running;
    this.folder = folder;
    this.workspaceId = workspaceId;
    this.key = key;
  }

  /** The URL it listens on, whatever its public one. */
  get listening(): string {
    return `http://127.0.0.1:${this.running.port}`;
  }

  get base(): string {
    return `${this.listening}/api/v1`;
  }

  get mcpUrl(): URL {
    return new URL(`${this.base}/mcp`);
  }

  /** A request to the REST API, with the key of every scope, another key, or none for "". */
  async rest(method: string, path: string, { key = this.key, body, raw, headers = {} }: Request = {}): Promise<Reply> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const sent = {
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const answer = await send(this.base + path, method, sent, payload);
    const body_ = answer.text === "" ? { data: null, error: null } : (JSON.parse(answer.text) as Envelope);
    return Object.assign(answer, { body: body_ });
  }

  /** Calls an operation as the local operator; returns its data or throws its refusal. */
  async operator(name: string, input: unknown, workspaceId = this.workspaceId): Promise<any> {
    return operate(this.running, name, input, workspaceId);
  }

  async mint(scopes: readonly string[] = ALL_SCOPES, workspaceId = this.workspaceId): Promise<string> {
    return (await this.operator("create_key", { name: "test", scopes }, workspaceId)).key;
  }

  /** Another workspace of the same server, with a key of every scope. */
  async neighbour(): Promise<{ workspaceId: string; key: string }> {
    const { id } = await this.operator("create_workspace", { name: "neighbour" });
    return { workspaceId: id, key: await this.mint(ALL_SCOPES, id) };
  }
}

async function operate(running: Running, name: string, input: unknown, workspaceId: string) {
  const answer = await callAsOperator(running, name, workspaceId, input);
  if (answer.refusal !== undefined) throw answer.refusal;
  return (JSON.parse(answer.body) as Envelope).data;
}

export interface ServerOptions extends Overrides {
  /** Keeps the real rate budgets, which most tests lift. */
  budgets?: boolean;
  /** A data folder of another server, to start on its data. */
  folder?: string;
  env?: Record<string, string>;
  /** Without a mail server, emails go to files, as on a demo server. False: someone must say so, as on others. */
  files?: boolean;
  /** By default nothing is logged. */
  log?: Log;
}

/** Ids of members without an invitation. They have no row, so their claims are taken as given. */
const MADE_UP = /^(0190bbbb-|m$)/;
const findSeat: FindSeat = async ({ members }, member) => (MADE_UP.test(member.id) ? member : members.seat(member.id));

let template: Promise<Buffer> | undefined;

/** An empty database: copying it costs a tenth of creating the schema. */
async function emptyDatabase(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "rostrum-test-"));
  try {
    const store = await openSqliteStore(databaseFile(folder));
    await store.close();
    return readFileSync(databaseFile(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts a server with a workspace and a key; it is stopped and its folder deleted after the test. */
export async function startServer(t: Pick<TestContext, "after">, options: ServerOptions = {}): Promise<TestServer> {
  const {
    budgets = false,
    files = true,
    folder = temporaryFolder(t),
    env = {},
    log = createLog("silent"),
    ...seams
  } = options;
  if (!isPostgres && readdirSync(folder).length === 0) {
    template ??= emptyDatabase();
    writeFileSync(databaseFile(folder), await template, { mode: 0o600 });
  }
  if (isPostgres && env.ROSTRUM_DATABASE_URL === undefined) await makeDatabase(folder);
  const config = readConfig({ port: "0", data: folder }, { ...engineEnv(folder), ...env });
  const limits = seams.limits ?? (budgets ? undefined : unlimited);
  const running = await startApp(config, log, {
    findSeat,
    ...seams,
    ...(limits === undefined ? {} : { limits }),
  });
  t.after(() => running.close());
  const [existing] = await running.store.workspaces();
  const workspaceId = existing?.id ?? (await operate(running, "create_workspace", { name: "test" }, "")).id;
  if (files) await running.store.recordDefaultDelivery("files", 0);
  const { key } = await operate(running, "create_key", { name: "all", scopes: ALL_SCOPES }, workspaceId);
  return new TestServer(running, folder, workspaceId, key);
}
