/**
 * Holds a server of this checkout to the official conformance suite of MCP, through a proxy that adds the key and leaves
 * all else as it came: Host and Origin are what dns-rebinding-protection is about. The suite needs Node 22 or newer. On
 * an older one it runs in a Node that is installed on demand.
 *
 * Its authorization command then signs a client in, with a person's part played here.
 *
 * Every scenario of the suite runs at every version that it has been written for, or stands in LEFT_OUT with a reason. A
 * scenario that a newer suite brings fails until it does one or the other.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { listen } from "../src/http/server.ts";
import { urlOf } from "../src/http/server-url-file.ts";
import { approve } from "../test/support/application.ts";
import { asApprover, registered } from "../test/support/oauth.ts";
import { startServer, type TestServer } from "../test/support/server.ts";
import { entryOf } from "./on-demand.ts";

const SUITE = entryOf("@modelcontextprotocol/conformance");
const SUITE_NODE = Number.parseInt(process.versions.node, 10) >= 22 ? process.execPath : entryOf("node");

/** Those that the endpoint speaks. */
const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

/** Scenarios that do not run, by the beginning of their names. A version after the name leaves out that one alone. */
const LEFT_OUT: Record<string, string> = {
  "tools-call-": "Calls tools that only the suite's reference server has.",
  "json-schema-2020-12": "Looks for a tool that only the suite's reference server has.",
  "http-custom-header-server-validation": "Needs a tool with x-mcp-header annotations. Rostrum has none.",
  "elicitation-": "Calls tools of the reference server that ask the client for input. Rostrum asks for none.",
  "input-required-result-": "Calls tools of the reference server that ask the client for input. Rostrum asks for none.",
  "resources-read-": "Reads resources that only the suite's reference server has.",
  "resources-templates-read": "Rostrum has no resource templates.",
  "resources-subscribe": "Rostrum declares no subscriptions to resources.",
  "resources-unsubscribe": "Rostrum declares no subscriptions to resources.",
  "prompts-get-": "Asks for prompts that only the suite's reference server has.",
  "completion-complete": "Rostrum declares no completions.",
  "logging-set-level": "Rostrum declares no logging.",
  "tasks-": "Rostrum does not declare the tasks extension.",
  "sep-2640-skills-": "Rostrum does not declare the skills extension.",
  "server-session-lifecycle": "The endpoint keeps no session, so there is nothing to check.",
  "server-sse-multiple-streams 2025-11-25": "At this version it needs a session, and the endpoint keeps none.",
  "server-sse-polling": "The endpoint keeps no session, so there is nothing to check.",
};

/** Runs although the beginning of its name is left out: it asks for what no server offers any more. */
const RUNS = ["input-required-result-unsupported-methods"];

/** Checks of scenarios that run, which call diagnostic tools of the reference server. */
const NOT_TESTABLE = [
  "server-stateless:sep-2575-server-rejects-undeclared-capability",
  "server-stateless:sep-2575-missing-capability-http-400",
  "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
  "server-stateless:sep-2575-server-no-log-without-loglevel",
];

const LOOPBACK = "127.0.0.1";

const closing: (() => unknown)[] = [];
try {
  const server = await startServer({ after: (close) => void closing.push(close as () => unknown) });
  const url = `${await startProxy(server)}${server.mcpUrl.pathname}`;
  const expected = join(server.folder, "expected-failures.yml");
  writeFileSync(expected, JSON.stringify({ server: NOT_TESTABLE }));
  const scenarios = await listScenarios();
  for (const version of VERSIONS) {
    for (const { name: scenario, versions } of scenarios) {
      if (reasonAgainst(scenario, version) !== undefined || !versions.includes(version)) continue;
      const given = ["--url", url, "--scenario", scenario, "--spec-version", version, "--expected-failures", expected];
      const { ok, output } = await run(given);
      const [, good = "0", bad = "0"] = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(output) ?? [];
      // A scenario that does not run at this version ends well too, without a check.
      const passed = ok && good !== "0";
      const checks = `${good} passed, ${bad} ${passed ? "not testable" : "failed"}`;
      process.stdout.write(`${passed ? "pass" : "FAIL"}  ${version}  ${scenario.padEnd(42)} ${checks}\n`);
      if (passed) continue;
      process.stdout.write(`${output}\n`);
      process.exitCode = 1;
    }
  }
  const { ok, good, output } = await authorize(server);
  process.stdout.write(`${ok ? "pass" : "FAIL"}  authorization  ${good} passed\n`);
  if (!ok) {
    process.stdout.write(`${output}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`\nNot testable, since they call tools of the suite's reference server:\n`);
  for (const check of NOT_TESTABLE) process.stdout.write(`  ${check}\n`);
  process.stdout.write("\nLeft out:\n");
  for (const [beginning, reason] of Object.entries(LEFT_OUT)) {
    const names = scenarios.filter(({ name, versions }) =>
      versions.some((version) => `${name} ${version}`.startsWith(beginning) && !RUNS.includes(name)),
    );
    process.stdout.write(`  ${beginning.replace(/-$/, "-*")} (${names.length}): ${reason}\n`);
    // A reason that no scenario needs is stale.
    if (names.length === 0) process.exitCode = 1;
  }
} finally {
  for (const close of closing.reverse()) await close();
}

function reasonAgainst(scenario: string, version: string): string | undefined {
  if (RUNS.includes(scenario)) return undefined;
  return Object.entries(LEFT_OUT).find(([beginning]) => `${scenario} ${version}`.startsWith(beginning))?.[1];
}

/** All scenarios for servers, with the versions of the protocol that each is for. */
async function listScenarios(): Promise<{ name: string; versions: string[] }[]> {
  const { stdout } = await promisify(execFile)(SUITE_NODE, [SUITE, "list", "--server"]);
  const found = [...stdout.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].map(([, name = "", versions = ""]) => ({
    name,
    versions: versions.split(","),
  }));
  if (found.length === 0) throw new Error(`The suite lists no scenarios: ${stdout}`);
  return found;
}

/** A run ends well when it fails the expected checks and no other. */
async function run(given: string[]): Promise<{ ok: boolean; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(SUITE_NODE, [SUITE, "server", ...given]);
    return { ok: true, output: stripVTControlCharacters(stdout) };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: stripVTControlCharacters(stdout + stderr) };
  }
}

/** Registers the suite as a client, and lets it in at the address that it prints. */
async function authorize(server: TestServer): Promise<{ ok: boolean; good: number; output: string }> {
  const port = await freePort();
  const clientId = await registered(server, `http://127.0.0.1:${port}/callback`);
  const browser = await asApprover(server);
  const given = ["--url", server.listening, "--client-id", clientId, "--resource", server.mcpUrl.href, "-p", `${port}`];
  const suite = spawn(SUITE_NODE, [SUITE, "authorization", ...given], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  let letIn: Promise<unknown> | undefined;
  suite.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const address = /^\s*(http\S+\/console\/authorize\?\S+)\s/m.exec(output)?.[1];
    if (address === undefined || letIn !== undefined) return;
    const asked = new URL(address);
    const callback = asked.searchParams.get("redirect_uri");
    letIn = approve(browser, asked).then((answer) => fetch(`${callback}?${answer}`));
  });
  const [status] = await once(suite, "close");
  await letIn;
  const passed = [...output.matchAll(/^. authorization\S+: (\d+) passed, 0 failed/gm)].map(([, count]) =>
    Number(count),
  );
  // A scenario without a check has not run.
  const ok = status === 0 && passed.length === 2 && passed.every((count) => count > 0);
  return { ok, good: passed.reduce((sum, count) => sum + count, 0), output: stripVTControlCharacters(output) };
}

async function freePort(): Promise<number> {
  const probe = http.createServer();
  const port = await listen(probe, 0, LOOPBACK);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startProxy({ listening, key }: TestServer): Promise<string> {
  const proxy = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const onward = http.request(listening, { method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const port = await listen(proxy, 0, LOOPBACK);
  closing.push(() => proxy.close());
  return urlOf(LOOPBACK, port);
}
