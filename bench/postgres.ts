import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Cluster, startCluster } from "../scripts/postgres-cluster.ts";
import { moveToPostgres } from "../src/cli/database-move.ts";
import { callAsOperator } from "../src/cli/operator.ts";
import { openCore } from "../src/composition/core.ts";
import { readConfig } from "../src/config.ts";
import { ALL_SCOPES } from "../src/domain/access/roles.ts";
import { databaseFile, dataKeyFile } from "../src/lib/data-folder.ts";
import { createLog } from "../src/lib/log.ts";
import { RESULTS } from "./build.ts";
import { type Case, casesFor, creating, type ServerName } from "./cases.ts";
import { Child, type Measurable } from "./child.ts";
import { compareDeliveries, type DeliveryPace, type DrainedBy } from "./deliveries.ts";
import { type Measured, measureCase, type Pace } from "./measure.ts";
import { figure } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import type { Seed } from "./seed.ts";
import type { Usage } from "./servers/serve.ts";

/** Of each gateway, and of the floor. */
const CONNECTIONS = "16";
const WORKSPACES = 10;
const SERVERS = ["rostrum", "floor", "two gateways"] as const;

/** How much of the floor, and of one gateway, a case has to reach. */
const TARGETS: Readonly<Record<string, { ofFloor: number; ofOne: number }>> = {
  get: { ofFloor: 0.7, ofOne: 0.9 },
  list: { ofFloor: 0.7, ofOne: 0.9 },
  call: { ofFloor: 0.25, ofOne: 0.9 },
  create: { ofFloor: 0.6, ofOne: 0.7 },
  "create in ten": { ofFloor: 0.6, ofOne: 0.9 },
};

/** Deliveries on PostgreSQL, of those on SQLite. */
const OF_SQLITE = 0.5;

interface PostgresCase {
  tested: Case;
  measured: Measured[];
}

export interface PostgresFigures {
  version: string;
  cases: PostgresCase[];
  deliveries: DrainedBy<"postgres" | "sqlite">;
}

/** Two servers that share the requests. */
class Pair implements Measurable {
  readonly #both: readonly Measurable[];

  constructor(...both: readonly Measurable[]) {
    this.#both = both;
  }

  get serves(): readonly number[] {
    return this.#both.flatMap(({ serves }) => serves);
  }

  async ask(question: "usage"): Promise<Usage> {
    const all = await Promise.all(this.#both.map((one) => one.ask(question)));
    const sum = (name: keyof Usage) => all.reduce((total, one) => total + one[name], 0);
    return { cpu: sum("cpu"), allocated: sum("allocated"), resident: sum("resident") };
  }
}

/** One gateway, two, and the floor, on one database of a temporary server, which shares the machine. */
export async function measurePostgres(
  seed: Seed,
  pace: Pace,
  deliveryPace: DeliveryPace,
  say: (text: string) => void,
): Promise<PostgresFigures> {
  const cluster = await startCluster({ shared_buffers: "512MB", max_wal_size: "4GB" });
  const children: Child[] = [];
  try {
    const url = cluster.url("postgres");
    await moveToPostgres(databaseFile(seed.folder), url, ({ table, done, rows }) => {
      if (done === 0 && rows > 0) say(`Copying ${table}, ${rows} rows …`);
    });
    const folder = join(RESULTS, "work", "postgres");
    mkdirSync(folder, { recursive: true });
    copyFileSync(dataKeyFile(seed.folder), dataKeyFile(folder));
    const keys = await addWorkspaces(folder, url);
    const start = async (script: string, args: string[]) => {
      const child = await Child.start(script, args);
      children.push(child);
      return child;
    };
    const one = await start("rostrum-postgres", [folder, url, CONNECTIONS]);
    const other = await start("rostrum-postgres", [folder, url, CONNECTIONS]);
    const floor = await start("floor-postgres", [url, CONNECTIONS]);
    const servers = new Map<ServerName, Measurable>([
      ["rostrum", one],
      ["floor", floor],
      ["two gateways", new Pair(one, other)],
    ]);
    const cases: PostgresCase[] = [];
    for (const tested of casesOn(seed, keys)) {
      say(`${tested.title}, on PostgreSQL …`);
      cases.push({ tested, measured: await measureCase(tested, servers, pace, () => cpuOf(cluster)) });
    }
    for (const child of children.splice(0)) await child.stop();
    say("Deliveries, on PostgreSQL …");
    const deliveries = await compareDeliveries(deliveryPace, () => newDatabase(cluster));
    return { version: versionOf(cluster), cases, deliveries };
  } finally {
    for (const child of children) await child.stop();
    await cluster.stop();
  }
}

let databases = 0;

async function newDatabase(cluster: Cluster): Promise<string> {
  const name = `deliveries${databases++}`;
  const client = new pg.Client(cluster.url("postgres"));
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return cluster.url(name);
}

/** Keys of ten new workspaces. */
async function addWorkspaces(data: string, url: string): Promise<string[]> {
  const core = await openCore(readConfig({ data }, { ROSTRUM_DATABASE_URL: url }), createLog("warn"));
  const operate = async (name: string, workspaceId: string, input: unknown) => {
    const { body, refusal } = await callAsOperator(core, name, workspaceId, input);
    if (refusal !== undefined) throw refusal;
    return (JSON.parse(body) as { data: { id: string; key: string } }).data;
  };
  const keys: string[] = [];
  for (let i = 0; i < WORKSPACES; i++) {
    const { id } = await operate("create_workspace", "", { name: `bench ${i}` });
    keys.push((await operate("create_key", id, { name: "bench", scopes: ALL_SCOPES })).key);
  }
  await core.close();
  return keys;
}

function casesOn(seed: Seed, keys: readonly string[]): Case[] {
  const cases = casesFor(seed);
  const named = (name: string) => cases.find((one) => one.name === name) as Case;
  const inTen = { name: "create in ten", title: "Create a contact, in ten workspaces", next: creating(keys) };
  return [named("get"), named("list"), named("call"), named("create"), { ...named("create"), ...inTen }].map((one) => ({
    ...one,
    servers: SERVERS,
    oneDatabase: true,
    targets: [],
  }));
}

/** Kernel ticks are a hundredth of a second. */
const TICK_MICROS = 10_000;

/** Microseconds of CPU of all processes of the server that live. */
export function cpuOf({ folder }: Cluster): number {
  const [pid] = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n");
  let micros = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // After the name, which may hold blanks: state, parent, …, user and system time as the 12th and 13th.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      if (fields[1] === pid || name === pid) micros += (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
    } catch {
      // It has ended.
    }
  }
  return micros;
}

function versionOf({ folder }: Cluster): string {
  return readFileSync(join(folder, "data/PG_VERSION"), "utf8").trim();
}

export function postgresTable({ version, cases, deliveries: { postgres, sqlite } }: PostgresFigures): string {
  const table = markdown(
    [
      `On PostgreSQL ${version}`,
      ...["Server", "Requests/s", "p50 ms", "p99 ms", "CPU µs", "CPU µs of the database", "Throughput ratio"],
    ],
    cases.flatMap(({ tested, measured }) =>
      measured.map((row, i) => [
        i === 0 ? tested.title : "",
        row.server,
        figure(row.perSecond),
        figure(row.p50Ms),
        figure(row.p99Ms),
        figure(row.cpuMicros),
        figure(row.databaseMicros),
        i === 0 ? "" : figure(row.ratio),
      ]),
    ),
  );
  const drained = markdown(
    ["Deliveries", "Per second", "CPU µs"],
    Object.entries({ PostgreSQL: postgres, SQLite: sqlite }).map(([engine, { perSecond, cpuMicros }]) => [
      `On ${engine}`,
      figure(perSecond),
      figure(cpuMicros),
    ]),
  );
  return `${table}\n\n${drained}`;
}

export function postgresVerdicts({ cases, deliveries }: PostgresFigures): Verdict[] {
  const ofSqlite = deliveries.sqlite.ratio;
  const delivered: Verdict = {
    what: "Deliveries per second, PostgreSQL",
    found: `${figure(ofSqlite)} × SQLite`,
    target: `at least ${figure(OF_SQLITE)}`,
    met: ofSqlite >= OF_SQLITE,
  };
  const answered = cases.flatMap(({ tested: { name, title }, measured }) => {
    const { ofFloor, ofOne } = TARGETS[name] as { ofFloor: number; ofOne: number };
    const ratio = (server: ServerName) => measured.find((row) => row.server === server)?.ratio ?? Number.NaN;
    const verdict = (what: string, found: number, of: string, target: number): Verdict => ({
      what,
      found: `${figure(found)} × ${of}`,
      target: `at least ${figure(target)}`,
      met: found >= target,
    });
    return [
      verdict(`${title}, PostgreSQL`, ratio("floor"), "bare pg", ofFloor),
      verdict(`${title}, two gateways`, 1 / ratio("two gateways"), "one gateway", ofOne),
    ];
  });
  return [...answered, delivered];
}
