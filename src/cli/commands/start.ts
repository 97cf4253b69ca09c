import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Running, startApp } from "../../app.ts";
import { type Config, environment, readConfig, sourceOf, unknownVariables } from "../../config.ts";
import { ALL_SCOPES } from "../../domain/access/roles.ts";
import { isLocalOnly } from "../../http/server.ts";
import { commandOn } from "../../lib/command-line.ts";
import { isLoopback } from "../../lib/http-client/addresses.ts";
import { createLog, type Log } from "../../lib/log.ts";
import { OperatorError, UsageError } from "../../lib/operator-error.ts";
import { setupLink } from "../../services/access/links.ts";
import { fillDemo, isDemo } from "../demo/fill.ts";
import { dataAsOperator } from "../operator.ts";

export interface StartOptions {
  port?: string;
  host?: string;
  data?: string;
  demo?: boolean;
  ephemeral?: boolean;
  newDatabase?: boolean;
  json?: boolean;
}

/** How long a stop may take, once the server has drained, before the process exits anyway. */
const STOP_MS = 7_500;
/** npm passes on a signal that the terminal has sent to all: within this time, a second one is the same. */
const SAME_SIGNAL_MS = 500;
/** How long a failed start may take to print why. */
const FAILED_MS = 500;

interface Ready {
  url: string;
  base_url: string;
  mcp_url: string;
  console_url: string;
  workspace: string | null;
  api_key: string | null;
  setup_url: string | null;
}

/** `rostrum start`: runs everything until it receives a signal. */
export async function start(options: StartOptions): Promise<void> {
  process.umask(0o077);
  if (options.ephemeral && options.data !== undefined) {
    throw new UsageError("--ephemeral uses its own folder. Remove --data or --ephemeral.");
  }
  // A throwaway server is often tried in the folder of another program, whose `.env` is not meant for it.
  const env = environment({ file: !options.ephemeral });
  const settings = readConfig({ port: options.port, host: options.host, data: options.data }, env);
  const log = createLog(settings.logLevel);
  const folder = options.ephemeral ? mkdtempSync(join(tmpdir(), "rostrum-")) : undefined;
  const removeFolder = () => folder && rmSync(folder, { recursive: true, force: true });
  const config = folder === undefined ? settings : { ...settings, data: folder };
  const starting = startApp(config, log, {
    newDatabase: options.newDatabase === true,
    async fill(store) {
      const isTrial = Boolean(options.demo || options.ephemeral);
      if (isTrial && (await store.workspaces()).length === 0) await fillDemo(config, log);
    },
  });
  // No load balancer moves callers away from a server that is only tried out.
  const drainMs = options.ephemeral ? 0 : config.drainSeconds * 1_000;
  const isStopping = stopOnSignals(starting, drainMs, log, removeFolder);
  try {
    const running = await starting;
    if (isStopping()) return;
    const setup = setupOf(running, options, config, log);
    const ready = await prepare(running, setup, options);
    const unknown = unknownVariables(env);
    if (unknown.length > 0) log.warn({ unknown }, "unknown environment variables; start --help lists the known ones");
    if (!isLoopback(config.host))
      log.warn({ host: config.host }, "listening on the network without TLS; put a TLS proxy in front");
    if (config.publicUrl !== undefined && config.trustProxy === undefined) {
      log.warn(
        "ROSTRUM_PUBLIC_URL is set without ROSTRUM_TRUST_PROXY; behind a proxy, all clients have the same IP address",
      );
    }
    process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : welcome(ready, config, running));
    if (setup.failed) void printSetupLater(setup, config, log);
  } catch (error) {
    if (isStopping()) return;
    await starting.then(
      (running) => running.close(),
      () => undefined,
    );
    removeFolder();
    // Handles that the failed start left open must not keep half a server alive.
    setTimeout(() => process.exit(), FAILED_MS).unref();
    throw unusablePort(error, options, config) ?? error;
  }
}

/** A port that can't be listened on, with the setting that it comes from. Undefined for any other error. */
function unusablePort(error: unknown, { port: flag }: StartOptions, config: Config): OperatorError | undefined {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== "listen" || (code !== "EADDRINUSE" && code !== "EACCES")) return undefined;
  const name = (["port", "healthPort", "metricsPort"] as const).find((one) => config[one] === port) ?? "port";
  const source = sourceOf(name, { port: flag });
  return new OperatorError(
    code === "EADDRINUSE"
      ? `${address}:${port} is already in use. Stop the other program, or choose another port with ${source}.`
      : `This user can't listen on ${address}:${port}. Choose a port above 1023 with ${source}. To ` +
          "serve on a lower port, put a proxy in front.",
  );
}

/** Creates the link that creates the owner. It can't be stored while the disk is full. */
interface Setup {
  failed: boolean;
  create(): Promise<string | null>;
}

function setupOf(running: Running, { demo, ephemeral }: StartOptions, config: Config, log: Log): Setup {
  const setup: Setup = {
    failed: false,
    async create() {
      const parts = { people: running.store.people, url: running.url, now: Date.now() };
      // A demo's link signs in without a password, so it is created only for a demo, and only this machine can use it.
      const withoutPassword = Boolean(demo || ephemeral) && isLocalOnly(config) && (await isDemo(running.store));
      try {
        const link = await setupLink(parts, withoutPassword);
        setup.failed = false;
        return link;
      } catch (error) {
        if (!running.store.isUnavailable(error)) throw error;
        if (!setup.failed)
          log.warn({ err: error }, "no setup link yet; it is printed once the database accepts writes");
        setup.failed = true;
        return null;
      }
    },
  };
  return setup;
}

const RETRY_SETUP_MS = 5_000;

/** Prints the link once it can be stored, unless the server has an owner by then. */
async function printSetupLater(setup: Setup, { data }: Config, log: Log): Promise<void> {
  let link: string | null = null;
  try {
    while (setup.failed) {
      await sleep(RETRY_SETUP_MS, undefined, { ref: false });
      link = await setup.create();
    }
  } catch (error) {
    log.error({ err: error, data }, "no setup link was created; start again");
  }
  if (link !== null) process.stderr.write(`Set up       ${link}   (works once)\n`);
}

/** Creates the first workspace where there is none, and the key of an ephemeral server. */
async function prepare(running: Running, setup: Setup, { demo, ephemeral }: StartOptions): Promise<Ready> {
  let [workspace] = await running.store.workspaces();
  if (workspace !== undefined && demo && !(await isDemo(running.store))) {
    throw new OperatorError(
      "--demo needs an empty data folder. This one has a workspace already and was not changed. Start without --demo, " +
        "or choose another folder with --data.",
    );
  }
  if (workspace === undefined) {
    await createFirstWorkspace(running);
    [workspace] = await running.store.workspaces();
  }
  const base = `${running.url}/api/v1`;
  return {
    url: running.url,
    base_url: base,
    mcp_url: `${base}/mcp`,
    console_url: `${running.url}/console`,
    workspace: workspace?.id ?? null,
    api_key: ephemeral && workspace ? await createEphemeralKey(running, workspace.id) : null,
    setup_url: await setup.create(),
  };
}

async function createFirstWorkspace(running: Running): Promise<void> {
  const answer = await dataAsOperator(running, "create_workspace", "", { name: "default" });
  if (answer.refusal !== undefined) throw answer.refusal;
}

async function createEphemeralKey(running: Running, workspaceId: string): Promise<string> {
  const answer = await dataAsOperator(running, "create_key", workspaceId, { name: "ephemeral", scopes: ALL_SCOPES });
  if (answer.refusal !== undefined) throw answer.refusal;
  return (answer.data as { key: string }).key;
}

/** At most ten lines, so that the setup link stays in view. */
export function welcome(
  ready: Ready,
  config: Pick<Config, "data">,
  { metricsUrl, healthUrl }: Pick<Running, "metricsUrl" | "healthUrl">,
): string {
  const client = {
    mcpServers: {
      rostrum: {
        type: "http",
        url: ready.mcp_url,
        headers: { Authorization: `Bearer ${ready.api_key ?? "ros_live_…"}` },
      },
    },
  };
  const keyLine = ready.api_key
    ? `API key      ${ready.api_key}   (all scopes, until the server stops)`
    : `Create key   ${commandOn(config.data, "key create --name my-agent --scopes all")}`;
  return [
    `Rostrum is ready at ${ready.url}`,
    `  Console      ${ready.console_url}`,
    ...(ready.setup_url === null ? [] : [`  Set up       ${ready.setup_url}   (works once)`]),
    `  API docs     ${ready.url}/docs`,
    ...(metricsUrl === undefined ? [] : [`  Metrics      ${metricsUrl}`]),
    ...(healthUrl === undefined ? [] : [`  Health       ${healthUrl}/readyz`]),
    `  ${keyLine}`,
    "  MCP client settings:",
    `  ${JSON.stringify(client)}`,
    "",
  ].join("\n");
}

/**
 * Shuts down in order on a signal, and with status 1 on an uncaught error, because a half-working server is worse than
 * none. SIGTERM, which orchestrators send, drains first. A second signal ends the process at once. Returns a function
 * that reports whether a stop is in progress.
 */
function stopOnSignals(starting: Promise<Running>, drainMs: number, log: Log, removeFolder: () => void): () => boolean {
  let stoppingSince: number | undefined;
  const end = (status: number) => {
    removeFolder();
    process.exit(status);
  };
  const stop = async (status: number, drainMs = 0) => {
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    process.exitCode = status;
    setTimeout(() => end(status || 1), drainMs + STOP_MS).unref();
    try {
      await (await starting).close(drainMs);
    } catch (error) {
      log.error({ err: error }, "the server did not stop cleanly");
    }
    end(status);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (stoppingSince === undefined) void stop(0, signal === "SIGTERM" ? drainMs : 0);
      else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) end(128 + constants.signals[signal]);
    });
  }
  const crash = (error: unknown) => {
    log.fatal({ err: error }, "uncaught error; stopping");
    void stop(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  return () => stoppingSince !== undefined;
}
