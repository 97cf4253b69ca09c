/**
 * Holds a server of this checkout to the official conformance suite of MCP, through a proxy that adds the key and leaves
 * all else as it came: Host and Origin are what dns-rebinding-protection is about. The suite needs Node 22 or newer. On
 * an older one it runs in a Node that is installed on demand.
 *
 * Its authorization command then signs a client in, with a person's part played here.
 *
 * The suite's other scenarios do not apply:
 * - tools-call-*, json-schema-2020-12, http-custom-header-server-validation, elicitation-* and the other
 *   input-required-result-*: they call tools that only the suite's own reference server has.
 * - resources-*, sep-2164-resource-not-found, prompts-*, completion-complete, logging-set-level, tasks-*, sep-2640-*:
 *   Rostrum offers none of this, and says so in its capabilities.
 * - server-session-lifecycle, server-sse-polling: the endpoint keeps no session and no stream, so they check nothing.
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

const SCENARIOS = {
  "2026-07-28": [
    "server-stateless",
    "http-header-validation",
    "tools-list",
    "dns-rebinding-protection",
    "caching",
    "server-sse-multiple-streams",
    "input-required-result-unsupported-methods",
  ],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  "2025-06-18": ["server-initialize", "ping", "tools-list"],
};

/** Checks that call the reference server's diagnostic tools, or lists that Rostrum does not offer. */
const NOT_TESTABLE = [
  "server-stateless:sep-2575-server-rejects-undeclared-capability",
  "server-stateless:sep-2575-missing-capability-http-400",
  "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
  "server-stateless:sep-2575-server-no-log-without-loglevel",
  "caching:sep-2549-prompts-list-caching-hints",
  "caching:sep-2549-resources-list-caching-hints",
  "caching:sep-2549-resources-templates-list-caching-hints",
];

const LOOPBACK = "127.0.0.1";

const closing: (() => unknown)[] = [];
try {
  const server = await startServer({ after: (close) => void closing.push(close as () => unknown) });
  const url = `${await startProxy(server)}${server.mcpUrl.pathname}`;
  const expected = join(server.folder, "expected-failures.yml");
  writeFileSync(expected, JSON.stringify({ server: NOT_TESTABLE }));
  for (const [version, scenarios] of Object.entries(SCENARIOS)) {
    for (const scenario of scenarios) {
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
  process.stdout.write(`\nNot testable, for they ask for what only the suite's reference server has:\n`);
  for (const check of NOT_TESTABLE) process.stdout.write(`  ${check}\n`);
} finally {
  for (const close of closing.reverse()) await close();
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
