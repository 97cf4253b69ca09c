import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { engineEnv, hasDatabase, isPostgres, makeDatabase } from "../support/engine-under-test.ts";
import { programArgs } from "../support/program.ts";

/** No command takes this long: one that hangs is a failure, not a wait. */
const LONGEST_RUN_MS = 60_000;

export { until } from "../support/until.ts";

type Hooks = Pick<TestContext, "after">;

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Sent to stdin. */
  input?: string;
  /** Loaded before the program by node's --import. */
  preload?: string;
  /** Options of Node itself. */
  flags?: readonly string[];
  /** How long it may take, for a command with much to do. */
  longestMs?: number;
}

export interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The environment without settings that affect the command, including the tests' own. No stop waits for a drain. */
function cleanEnvironment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const ours = /^(ROSTRUM_|SMTP_URL|MAIL_FROM|IMAP_URL|NODE_OPTIONS|NODE_TEST_CONTEXT)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(kept), ROSTRUM_DRAIN_SECONDS: "0", ...env };
}

/** The folder that a command works on. */
function dataFolder(args: readonly string[], { cwd = "", env }: Pick<RunOptions, "cwd" | "env">): string {
  const at = args.indexOf("--data");
  return resolve(cwd, (at < 0 ? env?.ROSTRUM_DATA : args[at + 1]) ?? "data");
}

/** The settings of a command, with the database of the engine under test where its folder has one. */
function settingsOf(args: readonly string[], options: Pick<RunOptions, "cwd" | "env">): Record<string, string> {
  const folder = dataFolder(args, options);
  // Another program of this machine may use the default port.
  const port = args[0] === "doctor" ? { ROSTRUM_PORT: "0" } : {};
  return { ...port, ...(hasDatabase(folder) && engineEnv(folder)), ...options.env };
}

/** Starts the command, to read or stop it before its end. */
export function startRostrum(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const { cwd, preload, flags = [] } = options;
  const preloaded = preload === undefined ? [] : ["--import", preload];
  return spawn(process.execPath, [...flags, ...preloaded, ...programArgs("bin/rostrum.ts"), ...args], {
    cwd,
    env: cleanEnvironment(settingsOf(args, options)),
    stdio: "pipe",
  });
}

/** Runs the command to its end in its own process. */
export async function spawnRostrum(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = startRostrum(args, options);
  const hung = setTimeout(() => child.kill("SIGKILL"), options.longestMs ?? LONGEST_RUN_MS);
  child.stdin?.end(options.input ?? "");
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  clearTimeout(hung);
  return { status, stdout, stderr };
}

export interface Case {
  args: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
}

let host: CommandHost | undefined;

/**
 * Runs the command to its end. Commands share a process that has loaded the program and run one after another: loading
 * it costs ten times what most of them do.
 */
export function rostrum(args: readonly string[], options: Omit<Case, "args"> = {}): Promise<Finished> {
  host ??= new CommandHost();
  return host.run({ args, ...options, env: settingsOf(args, options) });
}

/** Runs several in order. */
export async function rostrumEach(cases: readonly Case[]): Promise<Finished[]> {
  const finished: Finished[] = [];
  for (const { args, ...options } of cases) finished.push(await rostrum(args, options));
  return finished;
}

/** The process that commands share. It keeps the tests' process alive only while a command runs. */
class CommandHost {
  readonly #child = spawn(process.execPath, programArgs("test/cli/commands.ts"), {
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  #last: Promise<unknown> = Promise.resolve();

  run(given: Case): Promise<Finished> {
    const done = this.#last.then(() => this.#next(given));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #next(given: Case): Promise<Finished> {
    const handles = [this.#child, this.#child.stdin as unknown as Socket, this.#child.stdout as unknown as Socket];
    for (const handle of handles) handle.ref();
    const hung = setTimeout(() => this.#child.kill("SIGKILL"), LONGEST_RUN_MS);
    this.#child.stdin.write(`${JSON.stringify(given)}\n`);
    const { value, done } = await this.#lines.next();
    clearTimeout(hung);
    for (const handle of handles) handle.unref();
    if (done) throw new Error(`The process ended during: ${given.args.join(" ")}`);
    return JSON.parse(value) as Finished;
  }
}

/** The only JSON document that the command printed; throws if stdout contains anything else. */
export function document({ stdout }: Finished): any {
  return JSON.parse(stdout);
}

interface Ready {
  url: string;
  base_url: string;
  mcp_url: string;
  console_url: string | null;
  workspace: string;
  api_key: string;
  setup_url: string | null;
}

export interface ServerProcess {
  child: ChildProcess;
  ready: Ready;
  /** All its output so far. */
  output(): { stdout: string; stderr: string };
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<{ status: number | null; signal: NodeJS.Signals | null; ms: number }>;
  ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `rostrum start --json --port 0` and waits for its line. Killed after the test if it still runs. */
export async function serve(t: Hooks, args: readonly string[], options: RunOptions = {}): Promise<ServerProcess> {
  if (isPostgres && !args.includes("--ephemeral")) await makeDatabase(dataFolder(args, options));
  return follow(t, startRostrum(["start", "--json", "--port", "0", ...args], options));
}

/** Waits for the line of a server started in any way. */
export async function follow(t: Hooks, child: ChildProcess): Promise<ServerProcess> {
  const written = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    written.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    written.stderr += chunk;
  });
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (status, signal) => resolve({ status, signal }));
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", resolve);
    child.once("error", reject);
    void ended.then(({ status }) => reject(new Error(`The server ended with ${status}: ${written.stderr}`)));
  });
  return {
    child,
    ready: JSON.parse(line) as Ready,
    output: () => written,
    ended,
    async stop(signal) {
      const started = performance.now();
      child.kill(signal);
      return { ...(await ended), ms: performance.now() - started };
    },
  };
}

/** A REST call to a server process. */
export async function call(
  { ready }: Pick<ServerProcess, "ready">,
  method: string,
  path: string,
  { key = ready.api_key, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
) {
  const response = await fetch(ready.base_url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as any };
}
