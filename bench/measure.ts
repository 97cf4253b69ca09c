import { cpus } from "node:os";
import { type Case, SERVERS, type ServerName } from "./cases.ts";
import { answersAlike, checkSameAnswer } from "./check.ts";
import type { Measurable } from "./child.ts";
import { load, type NextRequest } from "./load.ts";
import { median } from "./numbers.ts";

export interface Pace {
  rounds: number;
  ms: number;
  warmUpMs: number;
  connections: number;
}

export interface Measured {
  server: ServerName;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number;
  /** Microseconds of CPU of the database server for a request; 0 where there is none. */
  databaseMicros: number;
  /** Bytes allocated on the JavaScript heap for a request; NaN from a commit whose bench did not measure it. */
  allocated: number;
  generator: number;
  /** Share of the machine's cores that neither the server nor the generator used. */
  foreign: number;
  /** Ratio of Rostrum's requests per second to this server's, per round; their medians. */
  ratio: number;
  /** The same ratio for CPU: this server's to Rostrum's. */
  cpuRatio: number;
  /** The older commit answers differently, so its work is not comparable. */
  changed: boolean;
}

/** Above this share of the machine, other programs disturbed the measurement. */
export const NOISY = 0.1;
const TRIES = 4;

export type Round = Omit<Measured, "server" | "ratio" | "cpuRatio" | "changed">;

/** Runs a case on its servers in turns, starting each round with another one, and returns the medians. */
export async function measureCase(
  tested: Case,
  children: ReadonlyMap<ServerName, Measurable>,
  pace: Pace,
  databaseCpu: () => number = () => 0,
): Promise<Measured[]> {
  const { servers, next } = tested;
  const childOf = (server: ServerName) => children.get(server) as Measurable;
  const portOf = (server: ServerName) => childOf(server).serves[0] as number;
  await checkSameAnswer(tested, servers.filter((server) => server !== "before").map(portOf));
  const changed = servers.includes("before") && !(await answersAlike(next, [portOf("rostrum"), portOf("before")]));
  const contenders = servers.map((name) => ({ name, child: childOf(name), next }));
  const taken = await takeTurns(contenders, pace, databaseCpu);

  const [own] = servers.map((server) => taken.get(server) as Round[]);
  return servers.map((server) => {
    const runs = taken.get(server) as Round[];
    const of = (name: keyof Round) => median(runs.map((run) => run[name]));
    const against = (name: keyof Round, upside: boolean) =>
      median(runs.map((run, i) => (own?.[i]?.[name] ?? 0) / run[name]).map((ratio) => (upside ? ratio : 1 / ratio)));
    return {
      server,
      perSecond: of("perSecond"),
      p50Ms: of("p50Ms"),
      p99Ms: of("p99Ms"),
      cpuMicros: of("cpuMicros"),
      databaseMicros: of("databaseMicros"),
      allocated: of("allocated"),
      generator: of("generator"),
      foreign: of("foreign"),
      ratio: against("perSecond", true),
      cpuRatio: against("cpuMicros", false),
      changed: server === "before" && changed,
    };
  });
}

export interface Contender<Name extends string = string> {
  name: Name;
  child: Measurable;
  next: NextRequest;
}

/** Warms every server up, then measures them in turns. Each round starts with another one. */
export async function takeTurns<Name extends string>(
  contenders: readonly Contender<Name>[],
  { rounds, ms, warmUpMs, connections }: Pace,
  databaseCpu: () => number = () => 0,
): Promise<Map<Name, Round[]>> {
  for (const { child, next } of contenders) await load({ ports: child.serves, next, connections, ms: warmUpMs });
  const taken = new Map<Name, Round[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const { name, child, next } of order) {
      taken.get(name)?.push(await measureQuietly(() => measure(child, next, connections, ms, databaseCpu)));
    }
  }
  return taken;
}

/** Repeats the measurement while other programs disturb it, and keeps the quietest. */
async function measureQuietly(measureOnce: () => Promise<Round>): Promise<Round> {
  let quietest = await measureOnce();
  for (let tries = 1; tries < TRIES && quietest.foreign > NOISY; tries++) {
    const again = await measureOnce();
    if (again.foreign < quietest.foreign) quietest = again;
  }
  return quietest;
}

async function measure(
  child: Measurable,
  next: NextRequest,
  connections: number,
  ms: number,
  databaseCpu: () => number,
): Promise<Round> {
  const machine = busyMicros();
  const own = process.cpuUsage();
  const before = await child.ask("usage");
  const databaseBefore = databaseCpu();
  const started = performance.now();
  const { requests, ...found } = await load({ ports: child.serves, next, connections, ms });
  const elapsed = (performance.now() - started) * 1000;
  const after = await child.ask("usage");
  const used = after.cpu - before.cpu;
  const database = databaseCpu() - databaseBefore;
  const { user, system } = process.cpuUsage(own);
  const foreign = Math.max(0, busyMicros() - machine - used - database - user - system) / elapsed / cpus().length;
  const allocated = (after.allocated - before.allocated) / requests;
  return { ...found, cpuMicros: used / requests, databaseMicros: database / requests, allocated, foreign };
}

/** Microseconds of work of all cores together. */
function busyMicros(): number {
  return cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) * 1000, 0);
}

/** Every server that the cases name. */
export function serversOf(cases: readonly Case[]): (keyof typeof SERVERS)[] {
  return (Object.keys(SERVERS) as (keyof typeof SERVERS)[]).filter((name) =>
    cases.some(({ servers }) => servers.includes(name)),
  );
}
