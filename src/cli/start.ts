import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Running, startApp } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import { fillDemo } from "../demo/fill.ts";
import { ALL_SCOPES } from "../domain/scopes.ts";
import { isLoopback } from "../http/guard.ts";
import { createLog, type Log } from "../log.ts";
import { COMMAND, callAsOperator } from "./terminal.ts";

export interface StartOptions {
  port?: string;
  host?: string;
  data?: string;
  demo?: boolean;
  ephemeral?: boolean;
  json?: boolean;
}

/** How long a stop may take before the process ends all the same. */
const STOP_MS = 9_500;

interface Ready {
  url: string;
  base_url: string;
  mcp_url: string;
  console_url: string | null;
  workspace: string | null;
  api_key: string | null;
  setup_url: string | null;
}

/** `rostrum start`: runs everything until it is told to stop. */
export async function start(options: StartOptions): Promise<void> {
  process.umask(0o077);
  const folder = options.ephemeral ? mkdtempSync(join(tmpdir(), "rostrum-")) : undefined;
  const forget = () => folder && rmSync(folder, { recursive: true, force: true });
  try {
    const config = readConfig({ port: options.port, host: options.host, data: folder ?? options.data });
    const log = createLog(config.logLevel);
    const running = await startApp(config, log);
    stopOnSignals(running, log, forget);
    const ready = await prepare(running, options);
    if (!isLoopback(config.host))
      log.warn({ host: config.host }, "listening beyond this machine: put TLS in front of it");
    process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : welcome(ready, config, running.metricsUrl));
  } catch (error) {
    forget();
    throw error;
  }
}

/** Makes the first workspace where there is none, fills it for a demo, and mints the key of an ephemeral one. */
async function prepare(running: Running, { demo, ephemeral }: StartOptions): Promise<Ready> {
  let [workspace] = await running.store.workspaces();
  if (workspace === undefined) {
    const name = demo || ephemeral ? "demo" : "default";
    const answer = await callAsOperator(running, "create_workspace", "", { name });
    if (answer.refusal !== undefined) throw answer.refusal;
    [workspace] = await running.store.workspaces();
    if (workspace !== undefined && (demo || ephemeral)) await fillDemo(running, workspace.id);
  }
  const base = `${running.url}/api/v1`;
  return {
    url: running.url,
    base_url: base,
    mcp_url: `${base}/mcp`,
    console_url: null,
    workspace: workspace?.id ?? null,
    api_key: ephemeral && workspace ? await mint(running, workspace.id) : null,
    setup_url: null,
  };
}

async function mint(running: Running, workspaceId: string): Promise<string> {
  const answer = await callAsOperator(running, "create_key", workspaceId, { name: "ephemeral", scopes: ALL_SCOPES });
  if (answer.refusal !== undefined) throw answer.refusal;
  return (JSON.parse(answer.body) as { data: { key: string } }).data.key;
}

function welcome(ready: Ready, config: Config, metricsUrl: string | undefined): string {
  const client = {
    mcpServers: {
      rostrum: {
        type: "http",
        url: ready.mcp_url,
        headers: { Authorization: `Bearer ${ready.api_key ?? "ros_live_…"}` },
      },
    },
  };
  const data = config.data === "./data" ? "" : ` --data ${config.data}`;
  const mint = ready.api_key
    ? `API key        ${ready.api_key}   (every scope; gone when this stops)`
    : `Make a key     ${COMMAND} key create --name my-agent --scopes all${data}`;
  return [
    `Rostrum is ready at ${ready.url}`,
    "",
    `  MCP            ${ready.mcp_url}`,
    `  REST           ${ready.base_url}   (reference: ${ready.url}/docs)`,
    ...(metricsUrl === undefined ? [] : [`  Metrics        ${metricsUrl}`]),
    `  ${mint}`,
    "",
    "For an MCP client's configuration:",
    JSON.stringify(client, null, 2),
    "",
    "",
  ].join("\n");
}

/** A signal ends the server in order. So does what nobody caught, with status 1: half a server is worse than none. */
function stopOnSignals(running: Running, log: Log, forget: () => void): void {
  let stopping = false;
  const stop = async (status: number) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(status || 1), STOP_MS).unref();
    try {
      await running.close();
    } catch (error) {
      log.error({ err: error }, "the stop did not end cleanly");
    }
    forget();
    process.exit(status);
  };
  process.on("SIGTERM", () => void stop(0));
  process.on("SIGINT", () => void stop(0));
  const crash = (error: unknown) => {
    log.fatal({ err: error }, "an error that nobody caught; stopping");
    void stop(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}
