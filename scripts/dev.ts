/**
 * Runs the server from source and restarts it when a file changes: `npm run dev -- --port 4000`. Arguments go to `start`.
 * Data is in .dev/data unless `--data` or `--ephemeral` says otherwise.
 *
 * Most of a start is loading packages. So a standby process loads them ahead of time and waits for the next build.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { env as ownEnv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { context, type Plugin } from "esbuild";
import { nodeEnv, nodeFlags } from "../test/support/program.ts";

const WATCHED = ["bin", "src", "catalog", "docs"];
/** Editors write a file in several steps. */
const SETTLE_MS = 50;
/** A server that still answers an open request by then is killed. */
const STOP_MS = 1_000;
/** The next standby is prepared once the server has started. */
const PREPARE_MS = 1_500;

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const ownData = given.some((word) => /^--(data|ephemeral)\b/.test(word)) ? [] : ["--data", join(root, ".dev/data")];

/** Sources find what lies beside them by `import.meta.url`, so each keeps its own. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

const bundler = await context({
  entryPoints: [join(root, "bin/rostrum.ts")],
  outdir: join(root, ".dev/build"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  jsx: "automatic",
  jsxImportSource: "preact",
  packages: "external",
  metafile: true,
  logLevel: "warning",
  plugins: [ownAddresses],
});

/** Loads the given packages, then runs the build when told to. */
const STANDBY = `
  const [build, packages] = process.argv.splice(1, 2);
  process.argv.splice(1, 0, build);
  const told = new Promise((resolve) => process.once("message", resolve));
  await Promise.allSettled(JSON.parse(packages).map((name) => import(name)));
  await told;
  if (process.connected) process.disconnect();
  await import(build);
`;

let server: ChildProcess | undefined;
let standby: ChildProcess | undefined;
let working: Promise<void> = Promise.resolve();
let timer: NodeJS.Timeout | undefined;
let prepare: NodeJS.Timeout | undefined;

async function stop(): Promise<void> {
  const running = server;
  server = undefined;
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
  const killer = setTimeout(() => running.kill("SIGKILL"), STOP_MS);
  // SIGTERM would drain.
  running.kill("SIGINT");
  await once(running, "exit");
  clearTimeout(killer);
}

function spawnStandby(packages: readonly string[]): ChildProcess {
  const flags = ["--enable-source-maps", ...nodeFlags(), "--input-type=module", "--eval", STANDBY, "--"];
  const build = pathToFileURL(join(root, ".dev/build/rostrum.js")).href;
  const args = [...flags, build, JSON.stringify(packages), "start", ...ownData, ...given];
  const env = { ...ownEnv, ...nodeEnv() };
  return spawn(process.execPath, args, { cwd: root, env, stdio: ["inherit", "inherit", "inherit", "ipc"] });
}

/** Builds, then replaces the server. What doesn't build leaves the old one running. */
async function restart(): Promise<void> {
  const result = await bundler.rebuild().catch(() => undefined);
  if (result === undefined) return; // esbuild has printed what is wrong.
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports);
  const packages = [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))];
  clearTimeout(prepare);
  await stop();
  const child = standby?.connected ? standby : spawnStandby(packages);
  server = child;
  child.once("exit", (status) => {
    if (server === child)
      process.stderr.write(`The server ended with status ${status}. Save a file to start it again.\n`);
  });
  child.send("run");
  standby = undefined;
  prepare = setTimeout(() => {
    standby = spawnStandby(packages);
  }, PREPARE_MS);
}

function enqueue(): void {
  working = working.then(restart);
}

function changed(file: string | null): void {
  // Hidden files and backups of editors are no sources.
  if (file !== null && /^\.|~$/.test(basename(file))) return;
  clearTimeout(timer);
  timer = setTimeout(enqueue, SETTLE_MS);
}

for (const folder of WATCHED) watch(join(root, folder), { recursive: true }, (_event, file) => changed(file));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    clearTimeout(timer);
    await working;
    clearTimeout(prepare);
    standby?.kill("SIGKILL");
    await stop();
    await bundler.dispose();
    process.exit(0);
  });
}
enqueue();
