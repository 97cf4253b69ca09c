import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openBrowser } from "../../examples/browser-agent/browser.ts";
import type { FakeSite } from "../../examples/fake-network/site.ts";
import { signIn } from "./browser.ts";
import { CHROMIUM } from "./chromium.ts";
import { programArgs } from "./program.ts";
import { temporaryFolder } from "./server.ts";
import { until } from "./until.ts";

export interface AgentProcess {
  child: ChildProcess;
  /** What it has logged so far. */
  lines: Record<string, any>[];
  stderr(): string;
  stop(signal: NodeJS.Signals): Promise<{ status: number | null; signal: NodeJS.Signals | null }>;
  ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>;
}

export interface AgentPlace {
  site: Pick<FakeSite, "url">;
  /** Its data folder. */
  data: string;
  mcpUrl: string;
  key: string;
  args?: readonly string[];
}

const started = new Set<AgentProcess & { data: string }>();

/**
 * The data folder of an agent, deleted after the test. Agents in it are ended first, and so are their browsers, which
 * outlive a killed agent and write to their profile until their end.
 */
export function agentFolder(t: Pick<TestContext, "after">): string {
  let data = "";
  t.after(async () => {
    for (const agent of started) {
      if (agent.data !== data) continue;
      agent.child.kill("SIGKILL");
      await agent.ended;
      started.delete(agent);
    }
    await endBrowser(join(data, "profile"));
  });
  data = join(temporaryFolder(t), "agent");
  return data;
}

/** Ends the browser with this profile, found by its command line. Children that do not name it end soon after. */
async function endBrowser(profile: string): Promise<void> {
  await until(() => {
    const pids = processesNaming(profile);
    for (const pid of pids) endNow(pid);
    return pids.length === 0;
  }, 10_000);
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function processesNaming(path: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(path))
    .map(Number);
}

/** Empty for a process that has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Signs a person in to the profile of an agent's data folder, as its `sign-in` command does. */
export async function signInProfile(data: string, site: Pick<FakeSite, "url">, handle: string): Promise<void> {
  const browser = await openBrowser({ profile: join(data, "profile"), executable: CHROMIUM });
  await signIn(await browser.newPage(), site, handle);
  await browser.close();
}

/** Runs the agent as its README describes. It is killed after the test if it still runs. */
export function startAgent(
  t: Pick<TestContext, "after">,
  { site, data, mcpUrl, key, args = [] }: AgentPlace,
): AgentProcess {
  const env = {
    PATH: process.env.PATH,
    HOME: data,
    NETWORK_URL: site.url,
    AGENT_DATA: data,
    CHROMIUM,
    ROSTRUM_MCP_URL: mcpUrl,
    ROSTRUM_KEY: key,
  };
  const child = spawn(process.execPath, [...programArgs("examples/browser-agent/index.ts"), ...args], {
    env,
    stdio: "pipe",
  });
  const lines: Record<string, any>[] = [];
  let [rest, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const complete = (rest + text).split("\n");
    rest = complete.pop() ?? "";
    lines.push(...complete.map((line) => JSON.parse(line)));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (status, signal) => resolve({ status, signal }));
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const agent = {
    child,
    lines,
    ended,
    data,
    stderr: () => stderr,
    async stop(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
  started.add(agent);
  return agent;
}
