/** Measures Rostrum and the floor of each case: see docs/performance.md. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, RESULTS, ROOT } from "./build.ts";
import { type Case, casesFor, SERVERS, type ServerName } from "./cases.ts";
import { Child } from "./child.ts";
import { buildCommit } from "./compare.ts";
import { type ConsoleFigures, consoleTable, consoleVerdicts, measureConsole } from "./console.ts";
import {
  type DeliveryFigures,
  type DeliveryPace,
  deliveriesTable,
  deliveryVerdicts,
  measureDeliveries,
} from "./deliveries.ts";
import { type EngineFigures, engineTable, engineVerdicts, measureEngine } from "./engine.ts";
import { chart } from "./growth/chart.ts";
import { CASES, growthTable, panelsOf, reasonsTable } from "./growth/report.ts";
import { measureGrowth } from "./growth/run.ts";
import { type LargeFigures, largeTable, largeVerdicts, measureLarge } from "./large.ts";
import { type Layered, layersTable, measureLayers } from "./layers.ts";
import type { NextRequest } from "./load.ts";
import { lockBench } from "./lock.ts";
import { type MailFigures, mailTable, mailVerdict, measureMail } from "./mail.ts";
import { measureCase, type Pace, serversOf } from "./measure.ts";
import { figure, median } from "./numbers.ts";
import { measureOverload, type OverloadFigures, overloadTable, overloadVerdicts } from "./overload.ts";
import { describe } from "./peers/descriptions.ts";
import { descriptionsTable, peersDoubts, peersTable, peersVerdicts } from "./peers/report.ts";
import { measurePeers, PEERS } from "./peers/run.ts";
import { measurePostgres, type PostgresFigures, postgresTable, postgresVerdicts } from "./postgres.ts";
import { type CaseResult, casesTable, doubts, type Verdict, verdictsOf, verdictsTable } from "./report.ts";
import { copyOf, type Seed, seed } from "./seed.ts";
import { timeStart } from "./startup.ts";
import { measureStops, type StopFigures, stopsTable, stopsVerdict } from "./stops.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    check: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
    compare: { type: "string" },
    profile: { type: "boolean", default: false },
    contacts: { type: "string" },
    rounds: { type: "string" },
    growth: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    "peers-dir": { type: "string", default: join(homedir(), ".cache/rostrum-bench") },
  },
});

const contacts = Number(options.contacts ?? (options.quick || options.peers ? 100_000 : 1_000_000));
const pace: Pace = options.quick
  ? { rounds: Number(options.rounds ?? 2), ms: 500, warmUpMs: 500, connections: 50 }
  : { rounds: Number(options.rounds ?? 5), ms: 2_000, warmUpMs: 2_000, connections: 50 };
const deliveryPace: DeliveryPace = options.quick
  ? { rounds: Number(options.rounds ?? 2), events: 3_000, idle: 30 }
  : { rounds: Number(options.rounds ?? 5), events: 10_000, idle: 100 };
/** Cases not measured in requests per second. */
const FURTHER = ["depth", "start", "overload", "stops", "console", "deliveries", "mail", "engine", "postgres", "large"];
/** Cases that need no contacts. */
const APART = ["deliveries", "mail", "engine"];
const MAX_TIMES_SLOWER = 6;
const READY_WITHIN_MS = 600;
const RESIDENT_BELOW_MB = 160;

/** They need PostgreSQL and take long, so they run only if they are named. */
const ON_POSTGRES = ["postgres", "large"];
const wanted = (name: string) =>
  options.only === undefined ? !ON_POSTGRES.includes(name) : options.only.split(",").includes(name);
const say = (text: string) => process.stderr.write(`${text}\n`);

mkdirSync(RESULTS, { recursive: true });
lockBench();
say("Building …");
await build();
if (options.peers || options.growth) {
  if (options.peers) await comparePeers();
  if (options.growth) await drawGrowth();
  process.exit();
}
const compared = options.compare === undefined ? undefined : buildCommit(options.compare);
const isApart = options.only?.split(",").every((name) => APART.includes(name)) ?? false;
const data = isApart ? undefined : await seed(contacts);
const every = data === undefined ? [] : casesFor(data, compared !== undefined);
const cases = every.filter(({ name }) => wanted(name));
if (cases.length === 0 && !FURTHER.some(wanted)) {
  throw new Error(`--only takes ${[...every.map(({ name }) => name), ...FURTHER].join(", ")}.`);
}

const load = loadavg()[0] ?? 0;
const results: CaseResult[] = [];
const layers: { title: string; layers: Layered[] }[] = [];
const pagesOfConsole = data === undefined ? undefined : await part("console", () => drawConsole(data));
const further = data === undefined ? { verdicts: [], pages: undefined } : await runAll(cases, data);
const overload = data === undefined ? undefined : await part("overload", () => overloadServer(data));
const stops = data === undefined ? undefined : await part("stops", () => stopServers(data));
const postgres = data === undefined ? undefined : await part("postgres", () => onPostgres(data));
const large = data === undefined ? undefined : await part("large", () => onLarge(data));
const deliveries = await part("deliveries", deliver);
const mail = await part("mail", sendMail);
const engine = await part("engine", runEngine);
const verdicts = [
  ...results.flatMap(verdictsOf),
  ...further.verdicts,
  ...(pagesOfConsole === undefined ? [] : consoleVerdicts(pagesOfConsole)),
  ...(overload === undefined ? [] : overloadVerdicts(overload)),
  ...(stops === undefined ? [] : [stopsVerdict(stops)]),
  ...(postgres === undefined ? [] : postgresVerdicts(postgres)),
  ...(large === undefined ? [] : largeVerdicts(large)),
  ...(deliveries === undefined ? [] : deliveryVerdicts(deliveries)),
  ...(mail === undefined ? [] : [mailVerdict(mail)]),
  ...(engine === undefined ? [] : engineVerdicts(engine)),
];
const scale =
  data === undefined
    ? ""
    : `, ${figure(contacts)} contacts, ${pace.connections} connections, rounds of ${pace.ms / 1000} s`;
const environment = environmentWith(scale);
const tables = [
  ...(results.length === 0 ? [] : [casesTable(results), layersTable(layers)]),
  ...(pagesOfConsole === undefined ? [] : [consoleTable(pagesOfConsole)]),
  ...(overload === undefined ? [] : [overloadTable(overload)]),
  ...(stops === undefined ? [] : [stopsTable(stops)]),
  ...(postgres === undefined ? [] : [postgresTable(postgres)]),
  ...(large === undefined ? [] : [largeTable(large)]),
  ...(deliveries === undefined ? [] : [deliveriesTable(deliveries)]),
  ...(mail === undefined ? [] : [mailTable(mail)]),
  ...(engine === undefined ? [] : [engineTable(engine)]),
];
const report = [environment, ...tables, verdictsTable(verdicts)].join("\n\n");
process.stdout.write(`\n${report}\n`);
for (const doubt of doubts(results)) say(`Doubtful: ${doubt}.`);
if (options["write-docs"]) writeDocs("bench", report);

const measured = results.map(({ tested: { name, title }, measured }) => ({ name, title, measured }));
const saved = {
  environment,
  loadBefore: load,
  pace,
  contacts,
  cases: measured,
  layers,
  pages: further.pages,
  console: pagesOfConsole,
  overload,
  stops,
  postgres,
  large,
  deliveries,
  mail,
  engine,
  verdicts,
};
save("", saved);
if (options.check && verdicts.some(({ met }) => !met)) process.exitCode = 1;

async function runAll(cases: readonly Case[], data: Seed) {
  const names = [...new Set(["rostrum" as const, ...serversOf(cases)])];
  const folders = new Map(names.map((name) => [name, copyOf(data, name.replaceAll(/\W+/g, "-"))]));
  const children = new Map<ServerName, Child>();
  const verdicts: Verdict[] = [];
  let pages: Record<number, number> | undefined;
  try {
    for (const name of names) {
      const { script, args } = SERVERS[name];
      const profiles = options.profile ? join(RESULTS, "profiles", name.replaceAll(/\W+/g, "-")) : undefined;
      const from = name === "before" ? compared : undefined;
      children.set(name, await Child.start(script, [folders.get(name) as string, ...args], profiles, from));
    }
    for (const tested of cases) {
      say(`${tested.title} …`);
      const measured = await part(tested.name, () => measureCase(tested, children, pace));
      if (measured === undefined) continue;
      results.push({ tested, measured });
      const cpuOf = (server: ServerName) => measured.find((row) => row.server === server)?.cpuMicros ?? Number.NaN;
      const found = await part(tested.name, () => measureLayers(tested, children, pace, cpuOf));
      if (found !== undefined) layers.push({ title: tested.title, layers: found });
    }
    const rostrum = children.get("rostrum") as Child;
    if (wanted("depth")) {
      pages = await rostrum.ask("pages");
      verdicts.push(depthVerdict(pages));
    }
    if (wanted("start")) verdicts.push(residentVerdict((await rostrum.ask("usage")).resident));
  } finally {
    for (const child of children.values()) await child.stop();
  }
  if (wanted("start")) verdicts.push(await startVerdict(folders.get("rostrum") as string));
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return { verdicts, pages };
}

/** A failing part fails the run at its end, but does not stop the others. */
async function part<T>(name: string, measurePart: () => Promise<T>): Promise<T | undefined> {
  if (!wanted(name)) return undefined;
  try {
    return await measurePart();
  } catch (error) {
    say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
    process.exitCode = 1;
    return undefined;
  }
}

async function drawConsole(data: Seed): Promise<ConsoleFigures> {
  say("Screens of the console …");
  // Of 60 turns the slowest would be the 99th percentile: one collection of the whole heap, which any page can meet.
  const turns = options.quick ? 20 : 200;
  const figures = await measureConsole(data, turns, options.profile ? join(RESULTS, "profiles", "console") : undefined);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

async function overloadServer(data: Seed): Promise<OverloadFigures> {
  say("Overload …");
  const next = every.find(({ name }) => name === "list")?.next as NextRequest;
  const profiles = options.profile ? join(RESULTS, "profiles", "overload") : undefined;
  const figures = await measureOverload(data, next, options.quick ? 3_000 : 10_000, profiles);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

async function stopServers(data: Seed): Promise<StopFigures> {
  say("Stops …");
  const figures = await measureStops(data, options.quick ? 4 : 20);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

async function onPostgres(data: Seed): Promise<PostgresFigures> {
  const figures = await measurePostgres(data, pace, deliveryPace, say);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

async function onLarge(data: Seed): Promise<LargeFigures> {
  const figures = await measureLarge(data, say);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

async function deliver(): Promise<DeliveryFigures> {
  say("Deliveries …");
  const figures = await measureDeliveries(deliveryPace, options.profile ? join(RESULTS, "profiles") : undefined);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

function sendMail(): Promise<MailFigures> {
  say("Email …");
  return measureMail(pace.rounds, options.profile ? join(RESULTS, "profiles", "mail") : undefined);
}

async function runEngine(): Promise<EngineFigures> {
  say("Engine …");
  const figures = await measureEngine(pace.rounds, options.profile ? join(RESULTS, "profiles", "engine") : undefined);
  rmSync(join(RESULTS, "work"), { recursive: true, force: true });
  return figures;
}

function depthVerdict(pages: Record<number, number>): Verdict {
  const [first = Number.NaN, deep = Number.NaN] = [pages[0], pages[100_000]];
  return {
    what: "Page at offset 100,000, at the store",
    found: `${figure(deep / first)} × offset 0 (${figure(deep)} µs vs. ${figure(first)} µs)`,
    target: `at most ${MAX_TIMES_SLOWER}`,
    met: deep / first <= MAX_TIMES_SLOWER,
  };
}

function residentVerdict(bytes: number): Verdict {
  const resident = bytes / 1024 / 1024;
  return {
    what: "Resident memory after the run",
    found: `${figure(resident)} MB`,
    target: `below ${RESIDENT_BELOW_MB} MB`,
    met: resident < RESIDENT_BELOW_MB,
  };
}

async function startVerdict(folder: string): Promise<Verdict> {
  say("Starting the built program …");
  const times: number[] = [];
  for (let round = 0; round < pace.rounds; round++) times.push(await timeStart(folder));
  const ready = median(times);
  return {
    what: "Time from start to ready, on the existing database",
    found: `${figure(ready)} ms`,
    target: `below ${figure(READY_WITHIN_MS)} ms`,
    met: ready < READY_WITHIN_MS,
  };
}

function environmentWith(scale: string): string {
  return `Node ${process.version}, ${availableParallelism()} cores, ${pace.rounds} rounds${scale}.`;
}

/** Rostrum compared with other products: a run of its own, with its own part of the page. */
async function comparePeers(): Promise<void> {
  const names = options.only === undefined ? PEERS : PEERS.filter((name) => options.only?.split(",").includes(name));
  if (names.length === 0) throw new Error(`With --peers, --only takes ${PEERS.join(", ")}.`);
  // A slower server takes longer until its code is compiled.
  const patient = { ...pace, warmUpMs: pace.warmUpMs * 2.5 };
  const cases = await measurePeers(await seed(contacts), names, patient, options["peers-dir"], say);
  const verdicts = peersVerdicts(cases);
  const environment = environmentWith(
    `, ${figure(contacts)} contacts, ${pace.connections} connections, rounds of ${pace.ms / 1000} s`,
  );
  const report = [environment, peersTable(cases), verdictsTable(verdicts), descriptionsTable(describe(names))];
  process.stdout.write(`\n${report.join("\n\n")}\n`);
  for (const doubt of peersDoubts(cases)) say(`Doubtful: ${doubt}.`);
  if (options["write-docs"]) writeDocs("peers", report.join("\n\n"));
  save("peers-", { environment, pace, contacts, cases, verdicts });
  if (options.check && verdicts.some(({ met }) => !met)) process.exitCode = 1;
}

/** How the cost of a request grows: a run of its own, with its own part of the page and a chart of each case. */
async function drawGrowth(): Promise<void> {
  const base = { contacts: options.quick ? 10_000 : 100_000, workspaces: 1, connections: 50 };
  const values = options.quick
    ? { contacts: [10_000, 30_000], workspaces: [1, 10], connections: [1, 50, 200] }
    : {
        contacts: [10_000, 100_000, 1_000_000, 3_000_000],
        workspaces: [1, 10, 100],
        connections: [1, 2, 5, 10, 20, 50, 100, 200],
      };
  const scale = { base, values };
  const rounds = Number(options.rounds ?? (options.quick ? 2 : 3));
  const rows = await measureGrowth(scale, { ...pace, rounds }, say);
  const images = Object.entries(CASES).map(([name, { title }]) => {
    const file = `growth-${name}.svg`;
    const folder = options["write-docs"] ? join(ROOT, "docs/images") : RESULTS;
    const drawn = chart(title, "CPU µs per request, Rostrum and its database", panelsOf(rows, scale, name));
    writeFileSync(join(folder, file), drawn);
    return `![${title}: CPU per request on SQLite and PostgreSQL](images/${file})`;
  });
  const environment =
    `Node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds of ${pace.ms / 1000} s. Unless an axis ` +
    `says otherwise: ${base.contacts.toLocaleString("en-US")} contacts, 1 workspace, ${base.connections} connections.`;
  const report = [
    environment,
    ...images,
    reasonsTable(rows, scale),
    ...(["contacts", "workspaces", "connections"] as const).map((by) => growthTable(rows, scale, by, "cpuMicros")),
    growthTable(rows, scale, "connections", "perSecond"),
    growthTable(rows, scale, "connections", "p99Ms"),
  ].join("\n\n");
  process.stdout.write(`\n${report}\n`);
  if (options["write-docs"]) writeDocs("growth", report);
  save("growth-", { environment, pace, scale, rows });
}

/** Writes the figures of a run where none are overwritten. */
function save(prefix: string, figures: object): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  const file = join(RESULTS, `${prefix}${time}.json`);
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  say(`Written to ${file}`);
}

/** Replaces a part of the page, which two comments enclose. */
function writeDocs(part: "bench" | "growth" | "peers", report: string): void {
  const page = join(ROOT, "docs/performance.md");
  const enclosed = new RegExp(`(?<=<!-- ${part}:start -->)[\\s\\S]*(?=<!-- ${part}:end -->)`);
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(enclosed, () => `\n${report}\n`),
  );
}
