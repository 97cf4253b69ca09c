/**
 * Runs the tests: `npm test` all of them, `npm test -- contacts cli/start` those whose path holds one of the words.
 *
 * Everything is compiled once. Files of a folder, and of small folders, share a process, since loading the server costs
 * more than most files take. Two processes more than there are cores run at a time, since tests often wait. Folders that
 * wait most come first, then those with most to do. `--each` gives every file a process of its own, `--slow` lists the
 * files and tests that took longest. `--specs` takes the files called `.spec.ts` instead.
 *
 * `ROSTRUM_TEST_ENGINE=postgres` runs them on PostgreSQL: one temporary server for the run, and a database for each test.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, freemem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILD, compile } from "./compile.ts";
import { type Cluster, startCluster } from "./postgres-cluster.ts";
import { inSources } from "./source-places.ts";
import { type Engine, notOnPostgres, runsOn } from "./test-engines.ts";
import type { Report, Skip, Timing } from "./test-reporter.ts";

/** Folders with more are shared out to several processes, so that no core is left waiting at the end. */
const MAX_BYTES = 200_000;
/** Folders with less share a process: loading the server would cost more than their tests. */
const MIN_BYTES = 70_000;
/** Specs take longer, for their size. */
const MAX_SPEC_BYTES = 25_000;

/** Folders that take longest, for their size, or wait most. They start first: at the end, they would leave cores idle. */
const WAITING = ["growth", "outreach", "store", "cli", "events", "socialnet"];

interface Batch {
  name: string;
  files: string[];
  bytes: number;
}

interface Outcome extends Report {
  batch: Batch;
  seconds: number;
  crashed: boolean;
}

/** The server of a run keeps nothing after a crash. Tests that kill a server start one of their own. */
const FOR_TESTS = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  jit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  checkpoint_timeout: "1h",
};

const NODE = Number.parseInt(process.versions.node, 10);

/**
 * A larger young generation: most of what a test makes is garbage when it ends, so it's never copied. And functions are
 * optimized later, since few run often enough to repay it. Later versions of Node have no such flag.
 */
const NODE_FLAGS = ["--max-semi-space-size=64", ...(NODE < 22 ? ["--interrupt-budget=1000000"] : [])];

const MEMORY = "/dev/shm";
const GIB = 1024 ** 3;
/** What must be free for the files of tests, and beside them for the data of PostgreSQL. */
const ROOM = 2 * GIB;
const CLUSTER_ROOM = 10 * GIB;

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const each = process.argv.includes("--each");
/** Specs need more than Node: a browser, a mail server, the registry. They run by the name of their folder. */
const specs = process.argv.includes("--specs");
const slow = process.argv.includes("--slow");

const engine = (process.env.ROSTRUM_TEST_ENGINE || "sqlite") as Engine;

function allTestFiles(): string[] {
  const all = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return all.filter((file) => file.endsWith(specs ? ".spec.ts" : ".test.ts")).sort();
}

function testFiles(): string[] {
  const files = allTestFiles().filter((file) => runsOn(engine, file));
  return words.length === 0 ? files : files.filter((file) => words.some((word) => file.includes(word)));
}

function toBatches(files: readonly string[]): Batch[] {
  const sizes = new Map(files.map((file) => [file, statSync(join(root, "test", file)).size]));
  const bytesOf = (some: readonly string[]) => some.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const folders = [...new Set(files.map((file) => dirname(file)))].map((folder) => ({
    name: folder,
    files: files.filter((file) => dirname(file) === folder),
  }));
  const isWaiting = (folder: { name: string }) => WAITING.includes(folder.name.split(/\W/)[0] as string);
  const isSmall = (folder: { name: string; files: string[] }) =>
    !each && !specs && !isWaiting(folder) && bytesOf(folder.files) < MIN_BYTES;
  const small = folders.filter(isSmall);
  const together = { name: small.map(({ name }) => name).join(" "), files: small.flatMap((folder) => folder.files) };
  const batches: Batch[] = [];
  for (const { name, files: own } of [...folders.filter((folder) => !isSmall(folder)), together]) {
    const parts = each ? own.length : Math.ceil(bytesOf(own) / (specs ? MAX_SPEC_BYTES : MAX_BYTES));
    for (let part = 0; part < parts; part++) {
      const some = own.filter((_, index) => index % parts === part);
      const partName = each ? (some[0] as string) : parts === 1 ? name : `${name} ${part + 1}/${parts}`;
      batches.push({ name: partName, files: some, bytes: bytesOf(some) });
    }
  }
  return batches.sort((a, b) => Number(isWaiting(b)) - Number(isWaiting(a)) || b.bytes - a.bytes);
}

async function run(batch: Batch, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const entry = join(BUILD, "run", `${batch.name.replace(/\W+/g, "-")}.js`);
  const imports = batch.files.map((file) => `import "../test/${file.replace(/\.ts$/, ".js")}";`);
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, `${imports.join("\n")}\n`);
  const started = performance.now();
  const reporter = join(BUILD, "scripts/test-reporter.js");
  const args = [...NODE_FLAGS, "--test-reporter", reporter, "--test-reporter-destination", "stdout", entry];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  let printed = "";
  let counted = "";
  child.stdout?.on("data", (chunk) => (printed += chunk));
  child.stderr?.on("data", (chunk) => (printed += chunk));
  child.stdio[3]?.on("data", (chunk) => (counted += chunk));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const counts: Report =
    counted === "" ? { passed: 0, failed: 0, skipped: 0, skips: [], timings: [] } : JSON.parse(counted);
  const crashed = counted === "" || (status !== 0 && counts.failed === 0);
  const seconds = (performance.now() - started) / 1000;
  const mark = crashed || counts.failed > 0 ? "✖" : "✔";
  console.log(`${mark} ${batch.name}: ${counts.passed} passed, ${counts.failed} failed (${seconds.toFixed(1)} s)`);
  if (crashed) console.log(`  ended with status ${status} before its tests did`);
  if (crashed || counts.failed > 0) console.log(inSources(printed.trim()));
  return { ...counts, batch, seconds, crashed };
}

function printSlowest(timings: readonly Timing[]): void {
  const short = (file: string) => file.replace(/^.*\/test\//, "").replace(/\.js$/, ".ts");
  for (const by of ["ms", "cpuMs"] as const) {
    const unit = by === "ms" ? "s" : "s of CPU";
    const print = (title: string, rows: [string, number][]) => {
      console.log(`\n${title}`);
      rows.sort((a, b) => b[1] - a[1]);
      for (const [name, ms] of rows.slice(0, 30)) console.log(`${(ms / 1000).toFixed(1).padStart(7)} ${unit}  ${name}`);
    };
    const files = new Map<string, number>();
    for (const { file, [by]: ms } of timings) files.set(file, (files.get(file) ?? 0) + ms);
    print(
      "Slowest files",
      [...files].map(([file, ms]) => [short(file), ms]),
    );
    print(
      "Slowest tests",
      timings.map(({ file, name, [by]: ms }) => [`${short(file)}: ${name}`, ms]),
    );
  }
}

function printSkipped(skips: readonly Skip[]): void {
  if (skips.length > 0) console.log("Skipped:");
  for (const { name, reason } of skips) console.log(`- ${name}: ${reason}`);
  if (words.length > 0 || specs || engine !== "postgres") return;
  console.log("Not run on PostgreSQL:");
  for (const [reason, files] of notOnPostgres(allTestFiles())) console.log(`- ${reason}: ${files.join(", ")}`);
}

/** Transactions of two servers that waited for each other: an engine's fault, even where a retry hides it. */
function deadlocksIn({ folder }: Cluster): string[] {
  const log = readFileSync(join(folder, "log"), "utf8");
  return log.split(/^(?=.* ERROR: )/m).filter((entry) => entry.includes("deadlock detected"));
}

/** What the server and its sessions that have ended used. */
function cpuSecondsOf({ folder }: Cluster): number {
  const [pid] = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n");
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 15) ?? [];
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/**
 * A folder for the files of tests, in memory where there is room: on a disk, SQLite waits for it at each commit, and
 * removing the data of PostgreSQL takes half a minute.
 */
function folderInMemory(room: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) < room) return undefined;
    const folder = mkdtempSync(join(MEMORY, "rostrum-tests-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
    // The servers of some tests run as another user.
    chmodSync(folder, 0o755);
    return folder;
  } catch {
    return undefined;
  }
}

async function main(): Promise<void> {
  const started = performance.now();
  const batches = toBatches(testFiles());
  if (batches.length === 0) {
    console.error(`No test file holds ${words.map((word) => `"${word}"`).join(" or ")} in its path.`);
    process.exitCode = 2;
    return;
  }
  await compile();
  console.log(`compiled in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const cluster = engine === "postgres" ? await startCluster(FOR_TESTS, folderInMemory(CLUSTER_ROOM)) : undefined;
  // Specs install packages and start browsers, which takes more room.
  const folder = specs ? undefined : folderInMemory(ROOM);
  const env = {
    ...process.env,
    ...(cluster && { ROSTRUM_TEST_CLUSTER: cluster.url("postgres") }),
    ...(folder && { TMPDIR: folder }),
  };
  const outcomes: Outcome[] = [];
  const waiting = [...batches];
  const worker = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift())
      outcomes.push(await run(batch, env));
  };
  let deadlocks: string[] = [];
  try {
    await Promise.all(Array.from({ length: availableParallelism() + 2 }, worker));
    if (cluster !== undefined) deadlocks = deadlocksIn(cluster);
    if (cluster !== undefined && slow) console.log(`PostgreSQL used ${cpuSecondsOf(cluster).toFixed(0)} s of CPU`);
  } finally {
    await cluster?.stop();
  }
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const failed = outcomes.filter(({ failed, crashed }) => failed > 0 || crashed);
  console.log(
    `\n${sum(({ passed }) => passed)} passed, ${sum((o) => o.failed)} failed, ${sum(({ skipped }) => skipped)} skipped ` +
      `in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  printSkipped(outcomes.flatMap(({ skips }) => skips));
  if (slow) printSlowest(outcomes.flatMap(({ timings }) => timings));
  if (deadlocks.length > 0) {
    console.log(`Failed: PostgreSQL ended ${deadlocks.length} deadlocks.\n${deadlocks.join("\n")}`);
    process.exitCode = 1;
  }
  if (failed.length > 0) {
    console.log(`Failed: ${failed.map(({ batch }) => batch.name).join(", ")}`);
    process.exitCode = 1;
  }
}

await main();
