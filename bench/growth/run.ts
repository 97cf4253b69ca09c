import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import { moveToPostgres } from "../../src/cli/database-move.ts";
import { databaseFile, dataKeyFile } from "../../src/lib/data-folder.ts";
import { RESULTS } from "../build.ts";
import { casesFor } from "../cases.ts";
import { Child } from "../child.ts";
import { load } from "../load.ts";
import { type Pace, takeTurns } from "../measure.ts";
import { figure, median } from "../numbers.ts";
import { cpuOf } from "../postgres.ts";
import { openProgress } from "../progress.ts";
import { copyOf, type Seed, seed } from "../seed.ts";
import { CASES, type Engine, type GrowthRow, keyOf, type Point, pointsOf, type Scale } from "./report.ts";

type Say = (text: string) => void;

/** Connections of Rostrum to PostgreSQL. */
const DATABASE_CONNECTIONS = "16";

/**
 * Measures every point on both engines, in turns. What is measured is kept, so that a run that was interrupted continues
 * where it stopped, as long as nothing has changed.
 */
export async function measureGrowth(scale: Scale, pace: Pace, say: Say): Promise<GrowthRow[]> {
  const kept = openProgress<GrowthRow[]>("growth", pace);
  const points = pointsOf(scale);
  const left = points.filter((point) => kept.find(keyOf(point)) === undefined);
  if (left.length < points.length)
    say(`${points.length - left.length} of ${points.length} points are already measured.`);
  for (const [{ contacts, workspaces }, loads] of statesOf(left)) {
    const data = await seed(contacts, workspaces);
    await withServers(data, say, async (servers, databaseCpu) => {
      await warmUp(data, servers, pace);
      for (const point of loads) {
        say(`${describe(point)} …`);
        const rows = await measurePoint(data, point, servers, pace, databaseCpu);
        kept.add(keyOf(point), rows);
        for (const { name, engine, perSecond } of rows) say(`  ${name}, ${engine}: ${figure(perSecond)} requests/s`);
        const done = points.filter((other) => kept.find(keyOf(other)) !== undefined).length;
        say(`${done} of ${points.length} points measured.`);
      }
    });
  }
  const rows = points.flatMap((point) => kept.find(keyOf(point)) ?? []);
  kept.clear();
  return rows;
}

const describe = ({ contacts, workspaces, connections }: Point) =>
  `${contacts.toLocaleString("en-US")} contacts, ${workspaces} workspaces, ${connections} connections`;

/** The points of each state of the database, which takes long to prepare. */
function statesOf(points: readonly Point[]): [Point, Point[]][] {
  const states = new Map<string, [Point, Point[]]>();
  for (const point of points) {
    const state = states.get(`${point.contacts} ${point.workspaces}`);
    if (state === undefined) states.set(`${point.contacts} ${point.workspaces}`, [point, [point]]);
    else state[1].push(point);
  }
  return [...states.values()];
}

type Servers = readonly { engine: Engine; child: Child }[];

/** Starts Rostrum on the same contacts in both engines. */
async function withServers(
  data: Seed,
  say: Say,
  use: (servers: Servers, databaseCpu: () => number) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster({ shared_buffers: "2GB", max_wal_size: "32GB", maintenance_work_mem: "1GB" });
  const servers: { engine: Engine; child: Child }[] = [];
  try {
    const url = cluster.url("postgres");
    await moveToPostgres(databaseFile(data.folder), url, ({ table, done, rows }) => {
      if (done === 0 && rows > 0) say(`Copying ${table}, ${rows} rows …`);
    });
    const client = new pg.Client(url);
    await client.connect();
    await client.query("VACUUM ANALYZE");
    await client.end();
    const folder = join(RESULTS, "work", "postgres");
    mkdirSync(folder, { recursive: true });
    copyFileSync(dataKeyFile(data.folder), dataKeyFile(folder));
    servers.push({ engine: "SQLite", child: await Child.start("rostrum", [copyOf(data, "sqlite")]) });
    const args = [folder, url, DATABASE_CONNECTIONS];
    servers.push({ engine: "PostgreSQL", child: await Child.start("rostrum-postgres", args) });
    await use(servers, () => cpuOf(cluster));
  } finally {
    for (const { child } of servers) await child.stop();
    await cluster.stop();
    rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  }
}

/** The first point must not pay for the compilation of the code. */
async function warmUp(data: Seed, servers: Servers, { warmUpMs, connections }: Pace): Promise<void> {
  for (const { name, next } of casesFor(data)) {
    if (CASES[name] === undefined) continue;
    for (const { child } of servers) await load({ ports: child.serves, next, connections, ms: warmUpMs });
  }
}

async function measurePoint(
  data: Seed,
  point: Point,
  servers: Servers,
  pace: Pace,
  databaseCpu: () => number,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const { name, next } of casesFor(data)) {
    if (CASES[name] === undefined) continue;
    const contenders = servers.map(({ engine, child }) => ({ name: engine, child, next }));
    const taken = await takeTurns(contenders, { ...pace, connections: point.connections }, databaseCpu);
    for (const [engine, rounds] of taken) {
      rows.push({
        ...point,
        name,
        engine,
        perSecond: median(rounds.map(({ perSecond }) => perSecond)),
        p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
        cpuMicros: median(rounds.map(({ cpuMicros, databaseMicros }) => cpuMicros + databaseMicros)),
      });
    }
  }
  return rows;
}
