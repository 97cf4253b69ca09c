import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "./child.ts";
import { load, type NextRequest } from "./load.ts";
import { figure, percentile } from "./numbers.ts";
import { markdown, type Verdict } from "./report.ts";
import { copyOf, type Seed } from "./seed.ts";
import type { Flood } from "./servers/serve.ts";

/** Connections that measure capacity: the server is never idle, and nothing is refused. */
const CONNECTIONS = 50;
/** A rate of 0 times capacity: each connection sends its next request as soon as it gets an answer. */
const FLOODS = {
  "5 × capacity": { connections: 3_000, times: 5 },
  "1,000 busy connections": { connections: 1_000, times: 0 },
} as const;
type FloodName = keyof typeof FLOODS;

const GOODPUT_AT_LEAST = 0.7;
const P99_BELOW_MS = 500;
const HEALTH_BELOW_MS = 100;
const RESIDENT_BELOW_MB = 300;
const PROBE_EVERY_MS = 20;
/** Pause between two floods, until every answer of the last one has been sent. */
const SETTLE_MS = 500;

interface Flooded extends Flood {
  /** Accepted requests a second, as a share of capacity. */
  goodput: number;
  /** Microseconds of CPU per accepted request. */
  cpuMicros: number;
  healthP99Ms: number;
  residentMb: number;
}

export interface OverloadFigures {
  capacity: { perSecond: number; p50Ms: number; p99Ms: number; cpuMicros: number };
  floods: Record<FloodName, Flooded>;
}

/** Measures a server's maximum rate, then how much of it remains under far more load. */
export async function measureOverload(
  data: Seed,
  next: NextRequest,
  ms: number,
  profiles: string | undefined,
): Promise<OverloadFigures> {
  const child = await Child.start("rostrum", [copyOf(data, "overload"), "health"], profiles);
  const [port = 0, healthPort = 0] = child.ports;
  try {
    await load({ ports: [port], next, connections: CONNECTIONS, ms: ms / 2 });
    const before = await child.ask("usage");
    const { requests, generator: _, ...reached } = await load({ ports: [port], next, connections: CONNECTIONS, ms });
    const capacity = { ...reached, cpuMicros: ((await child.ask("usage")).cpu - before.cpu) / requests };
    const floods: Partial<OverloadFigures["floods"]> = {};
    for (const name of Object.keys(FLOODS) as FloodName[]) {
      const { connections, times } = FLOODS[name];
      const rate = times * capacity.perSecond;
      const args = [port, Buffer.from(next()).toString("base64"), connections, rate, ms].map(String);
      floods[name] = await floodOnce(child, args, healthPort, capacity.perSecond);
      await sleep(SETTLE_MS);
    }
    return { capacity, floods: floods as OverloadFigures["floods"] };
  } finally {
    await child.stop();
  }
}

async function floodOnce(child: Child, args: string[], healthPort: number, capacity: number): Promise<Flooded> {
  const generator = await Child.start("flood", args);
  const prober = probe(healthPort);
  const before = await child.ask("usage");
  const flood = await generator.ask("flood");
  const { resident, cpu } = await child.ask("usage");
  const healthP99Ms = await prober.end();
  await generator.stop();
  return {
    ...flood,
    goodput: flood.accepted / flood.seconds / capacity,
    cpuMicros: (cpu - before.cpu) / flood.accepted,
    healthP99Ms,
    residentMb: resident / 1024 / 1024,
  };
}

/** Polls the health check, each time on a new connection, as an orchestrator does. */
function probe(port: number) {
  const times: number[] = [];
  let goesOn = true;
  const done = (async () => {
    while (goesOn) {
      const started = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      await response.text();
      if (response.status !== 200) throw new Error(`/readyz answered ${response.status}.`);
      times.push(performance.now() - started);
      await sleep(PROBE_EVERY_MS);
    }
  })();
  return {
    /** The 99th percentile, in milliseconds. */
    async end(): Promise<number> {
      goesOn = false;
      await done;
      return percentile(
        times.sort((a, b) => a - b),
        0.99,
      );
    },
  };
}

export function overloadTable({ capacity, floods }: OverloadFigures): string {
  const { perSecond, p50Ms, p99Ms, cpuMicros } = capacity;
  return markdown(
    [
      ...["Overload", "Offered/s", "Unsent/s", "Accepted/s", "Refused/s", "Dropped/s", "p50 ms", "p99 ms"],
      ...["CPU µs", "Health p99 ms", "Resident MB"],
    ],
    [
      [
        ...[`Capacity, ${CONNECTIONS} connections`, "", "", figure(perSecond), "", "", figure(p50Ms), figure(p99Ms)],
        ...[figure(cpuMicros), "", ""],
      ],
      ...Object.entries(floods).map(([name, of]) => [
        name,
        ...[of.offered, of.unsent, of.accepted, of.refused, of.dropped].map((count) => figure(count / of.seconds)),
        ...[of.p50Ms, of.p99Ms, of.cpuMicros, of.healthP99Ms, of.residentMb].map(figure),
      ]),
    ],
  );
}

export function overloadVerdicts({ floods }: OverloadFigures): Verdict[] {
  return Object.entries(floods).flatMap(([name, { goodput, p99Ms, unanswered, healthP99Ms, residentMb }]) => [
    {
      what: `Accepted requests, ${name}`,
      found: `${figure(goodput)} × capacity`,
      target: `at least ${figure(GOODPUT_AT_LEAST)}`,
      met: goodput >= GOODPUT_AT_LEAST,
    },
    below(`Accepted p99, ${name}`, p99Ms, P99_BELOW_MS, "ms"),
    below(`Unanswered, ${name}`, unanswered, 1, "requests"),
    below(`Health p99, ${name}`, healthP99Ms, HEALTH_BELOW_MS, "ms"),
    below(`Resident, ${name}`, residentMb, RESIDENT_BELOW_MB, "MB"),
  ]);
}

function below(what: string, found: number, target: number, unit: string): Verdict {
  return { what, found: `${figure(found)} ${unit}`, target: `below ${figure(target)} ${unit}`, met: found < target };
}
