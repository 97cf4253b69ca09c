/**
 * Sends generated requests to one server process: `npm run fuzz -- --requests 1000000 --seed 7`. Prints each kind of harm
 * once, with the seed and the request, and exits with 1 if there was any. Harm is a 5xx, a status that is not documented,
 * an answer that never comes, a record of another workspace, a turn of the server's event loop that uses 250 ms of CPU,
 * and the end of the server. A stall in which the server got no CPU is the host's, and so is a 503 `overloaded` of a
 * server that waited for a core: both are counted apart.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import fc from "fast-check";
import { LOADER, programFile } from "../support/program.ts";
import { Receiver } from "../support/receiver.ts";
import { type Answer, Connection } from "./connection.ts";
import { TRANSPORT } from "./hostile.ts";
import { NEIGHBOR, type Sent } from "./message.ts";
import { requests } from "./requests.ts";
import type { Told } from "./server.ts";
import type { Documented } from "./surfaces.ts";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "20000" }, seed: { type: "string", default: `${Date.now() % 1e9}` } },
});
const TOTAL = Number(values.requests);
const SEED = Number(values.seed);
if (!Number.isInteger(TOTAL) || TOTAL < 1) throw new Error("--requests is a number from 1.");
if (!Number.isInteger(SEED)) throw new Error("--seed is a whole number.");

const CONNECTIONS = 16;
/** Each block of requests has its own seed, so that it can be sent again alone. */
const BLOCK = 200;
const MAX_TURN_MS = 250;
/**
 * A server that waits for a core longer than this share of a second is starved: so few connections can't overload it.
 */
const STARVED = 0.2;
const STARVED_FOR_MS = 3_000;
const SHOWN_BYTES = 1_500;

const closing: (() => unknown)[] = [];
const hook = await Receiver.start({ after: (close: () => unknown) => void closing.push(close) } as never);

const server = fork(programFile("test/fuzz/server.ts"), { execArgv: [...LOADER, "--enable-source-maps"] });
const ended = once(server, "exit");
const [{ world }] = (await Promise.race([
  once(server, "message"),
  ended.then(() => Promise.reject(new Error("The server did not start."))),
])) as [Extract<Told, { world: unknown }>];

const described = (await (await fetch(`http://127.0.0.1:${world.port}/api/v1/openapi.json`)).json()) as {
  paths: Record<string, Record<string, { responses: object }>>;
};
const documented: Documented = ({ http: { method, path } }) =>
  Object.keys(described.paths[path]?.[method.toLowerCase()]?.responses ?? {}).map(Number);
const arbitrary = requests(world, hook, documented);

interface Underway {
  sent: Sent;
  seed: number;
  ended: number;
}

const harms = new Set<string>();
const statuses = new Map<string, number>();
/** The requests that a turn of the event loop may have processed. */
let recent: Underway[] = [];
let hostStalls = 0;
let starvedAt = Number.NEGATIVE_INFINITY;
let refusedByHost = 0;
let longestTurnMs = 0;
const bar = new SingleBar({
  noTTYOutput: true,
  notTTYSchedule: 10_000,
  format: "{bar} {value}/{total}, {harms} kinds of harm, {eta_formatted} left",
});

function harm(kind: string, of: readonly Underway[], detail = ""): void {
  if (harms.has(kind)) return;
  harms.add(kind);
  const shown = of.map(({ sent, seed }) => {
    const text = JSON.stringify(sent.bytes.toString("latin1", 0, SHOWN_BYTES));
    return `  npm run fuzz -- --seed ${seed} --requests ${BLOCK}\n  ${sent.bytes.length} bytes: ${text}\n`;
  });
  process.stderr.write(`\nHARM ${kind}\n${detail === "" ? "" : `  ${detail}\n`}${shown.join("")}`);
}

function judge(underway: Underway, { status, headers, body }: Answer): void {
  const { sent } = underway;
  const name = `${sent.surface}: ${status}`;
  statuses.set(name, (statuses.get(name) ?? 0) + 1);
  const detail = body.toString("utf8", 0, 1_000);
  // Of all 503s, only overload has a Retry-After.
  if (status === 503 && /^retry-after:/im.test(headers)) {
    // The server reports its CPU share a second later.
    setTimeout(() => {
      if (performance.now() - starvedAt > STARVED_FOR_MS) harm(`${name}, and the host is not busy`, [underway], detail);
      else refusedByHost += 1;
    }, STARVED_FOR_MS / 2);
  } else if (status >= 500) harm(name, [underway], detail);
  else if (![...sent.statuses, ...(sent.isWhole ? [] : TRANSPORT)].includes(status))
    harm(`${name} is not documented`, [underway], detail);
  if (body.includes(NEIGHBOR)) harm(`${sent.surface}: shows another workspace`, [underway], detail);
  if (sent.isWhole && !sent.isHead && /^content-type: application\/json/im.test(headers)) {
    try {
      JSON.parse(body.toString());
    } catch {
      harm(`${sent.surface}: not JSON`, [underway], detail);
    }
  }
}

server.on("message", (told: Told) => {
  if ("waited" in told && told.waited > STARVED) starvedAt = performance.now();
  if (!("turn" in told)) return;
  const { ms, cpuMs } = told.turn;
  longestTurnMs = Math.max(longestTurnMs, cpuMs);
  if (cpuMs > MAX_TURN_MS) {
    const surfaces = [...new Set(recent.map(({ sent }) => sent.surface))].sort().join(", ");
    harm(`a turn of ${Math.round(cpuMs)} ms of CPU (${Math.round(ms)} ms) amid ${surfaces}`, recent);
  } else if (ms > MAX_TURN_MS) hostStalls += 1;
});
let isOver = false;
void ended.then(([status]) => {
  if (!isOver) harm(`the server ended with ${status}`, recent);
  isOver = true;
});

function* generate(): Generator<{ sent: Sent; seed: number }> {
  for (let made = 0; made < TOTAL; made += BLOCK) {
    const seed = SEED + made / BLOCK;
    for (const sent of fc.sample(arbitrary, { seed, numRuns: Math.min(BLOCK, TOTAL - made) })) yield { sent, seed };
  }
}

const all = generate();
async function lane(): Promise<void> {
  const connection = new Connection(world.port);
  for (const { sent, seed } of all) {
    if (isOver) break;
    const underway = { sent, seed, ended: Number.POSITIVE_INFINITY };
    recent.push(underway);
    try {
      for (const answer of await connection.send(sent)) judge(underway, answer);
    } catch (error) {
      if (!isOver) harm(`${sent.surface}: ${(error as Error).message}`, [underway]);
    }
    underway.ended = performance.now();
    recent = recent.filter((one) => one.ended > underway.ended - MAX_TURN_MS);
    bar.increment(1, { harms: harms.size });
  }
  connection.close();
}

process.stderr.write(`seed ${SEED}\n`);
const began = performance.now();
bar.start(TOTAL, 0, { harms: 0 });
// Not Promise.all over the generator: each connection takes the next request once it is free.
await Promise.all(Array.from({ length: CONNECTIONS }, lane));
const seconds = (performance.now() - began) / 1_000;
bar.stop();
await sleep(STARVED_FOR_MS / 2);
if (!isOver) {
  isOver = true;
  server.removeAllListeners("message");
  server.disconnect();
  const [status] = await ended;
  if (status !== 0) harms.add("the server did not stop");
}
for (const close of closing) await close();
const byStatus = Object.fromEntries([...statuses].sort(([a], [b]) => (a < b ? -1 : 1)));
const figures = {
  ...{ seed: SEED, requests: TOTAL, per_second: Math.round(TOTAL / seconds), harms: [...harms] },
  ...{
    longest_turn_cpu_ms: Math.round(longestTurnMs),
    stalls_of_the_host: hostStalls,
    refused_by_starved_server: refusedByHost,
    answers: byStatus,
  },
};
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
process.exit(harms.size === 0 ? 0 : 1);
