import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { rostrum } from "../cli/process.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { type Block, blocksOf, DOC_PAGES, readPage } from "./pages.ts";

/**
 * Runs the examples of the docs. The comment above a fenced block says how:
 *
 * - `run`: a shell block. Those of a page run in order, in one shell, beside a real server. A refusal fails the test.
 * - `run: refused`: the same, and the block shows a refusal.
 * - `output`: JSON that the block before it prints. `…` in a string stands for any text.
 * - `output: new server`: the same, if the data folder was empty.
 * - `not run: why`: a shell block that cannot run here.
 *
 * `server: NAME=value …`, anywhere on the page, sets the server's settings.
 */

const run = promisify(execFile);
const OK = 200;
const SEPARATOR = "\u001e";
/** The URL that the docs use: the default one. */
const ADDRESS = "http://127.0.0.1:8787";

/** Actions of a page beyond the outputs it shows. */
const AFTER: Record<string, (server: TestServer) => Promise<void>> = {
  async "docs/getting-started.md"(server) {
    const { deals, enrollments, suppression, lifecycle } = await server.operator("brain_contact", {
      email: "grace@hopper.example",
    });
    assert.deepEqual([lifecycle.stage, deals[0].title], ["opportunity", "Ten seats"]);
    assert.equal(enrollments[0].status, "stopped_suppressed");
    assert.equal(suppression.reason, "asked by phone");
  },
};

/** Why the examples of a page do not run on the engine under test. */
const leftOut = (page: string) => isPostgres && page === "docs/backup.md" && "backups of PostgreSQL are pg_dump's";

const isRun = ({ marker }: Block) => marker === "run" || marker === "run: refused";

suite("examples", { concurrency: 2 }, () => {
  for (const page of DOC_PAGES) {
    const content = readPage(page);
    const blocks = blocksOf(content);
    const examples = blocks.filter(isRun);
    if (examples.length === 0) continue;
    test(`the examples of ${page} run as printed`, { skip: leftOut(page) }, async (t) => {
      const env = settingsOf(content);
      const server = await startServer(t, { env });
      checkPage(page, blocks, await runAll(t, server, env, examples), ["output", "output: new server"]);
      await AFTER[page]?.(server);
    });
  }

  test("the examples of all pages run one after another on one data folder", async (t) => {
    const first = ["README.md", "docs/getting-started.md"];
    const rest = DOC_PAGES.filter((page) => !first.includes(page) && leftOut(page) === false);
    const pages = [...first, ...rest].map((page) => {
      const content = readPage(page);
      const blocks = blocksOf(content);
      return { page, blocks, examples: blocks.filter(isRun), env: settingsOf(content) };
    });
    const env = Object.assign({}, ...pages.map((page) => page.env));
    const server = await startServer(t, { env });
    const printed = await runAll(
      t,
      server,
      env,
      pages.flatMap(({ examples }) => examples),
    );
    for (const { page, blocks, examples } of pages) {
      checkPage(page, blocks, printed.splice(0, examples.length), ["output"]);
    }
  });
});

/** The server's settings that a page names. */
function settingsOf(content: string): Record<string, string> {
  const [, settings = ""] = /<!-- server: (.*) -->/.exec(content) ?? [];
  return Object.fromEntries(settings.split(" ").flatMap((pair) => (pair === "" ? [] : [pair.split("=")])));
}

/**
 * @param printed what each example of the page printed
 * @param markers those of the outputs that must match
 */
function checkPage(page: string, blocks: readonly Block[], printed: readonly string[], markers: readonly string[]) {
  for (const [i, block] of blocks.filter(isRun).entries()) {
    const where = `${page}:${block.line} printed ${printed[i]}`;
    const refused = /"code": ?"[^"]+"/.test(printed[i] ?? "");
    assert.equal(refused, block.marker === "run: refused", where);
    const next = blocks[blocks.indexOf(block) + 1];
    if (next === undefined || !markers.includes(next.marker)) continue;
    assert.equal(findDifference(JSON.parse(next.code), JSON.parse(printed[i] ?? "")), undefined, where);
  }
}

test("every shell example that calls the server or the command is run, or says why not", () => {
  const unmarked = DOC_PAGES.flatMap((page) =>
    blocksOf(readPage(page))
      .filter(({ language, code }) => language === "sh" && /\b(curl|rostrum|npx) /.test(code))
      .filter((block) => !block.generated && !isRun(block) && !block.marker.startsWith("not run: "))
      .map(({ line }) => `${page}:${line}`),
  );
  assert.deepEqual(unmarked, []);
});

test("every JSON example is valid JSON", () => {
  for (const page of DOC_PAGES) {
    for (const { language, code, line } of blocksOf(readPage(page))) {
      if (language === "json") assert.doesNotThrow(() => JSON.parse(code), `${page}:${line}`);
    }
  }
});

/** What each block printed on stdout. */
async function runAll(t: TestContext, server: TestServer, env: Record<string, string>, blocks: readonly Block[]) {
  const cwd = temporaryFolder(t);
  const settings = { ROSTRUM_DATA: server.folder, ...env };
  const command = join(cwd, "bin/rostrum");
  mkdirSync(join(cwd, "bin"));
  writeFileSync(command, commandScript(await serveCommand(t, settings)));
  chmodSync(command, 0o755);
  const script = blocks.map(({ code }) => code.replaceAll(ADDRESS, server.listening));
  const { stdout } = await run("bash", ["-c", `set -e\n${script.join(`\nprintf '${SEPARATOR}'\n`)}`], {
    cwd,
    env: {
      ...process.env,
      PATH: `${join(cwd, "bin")}:${process.env.PATH}`,
      API: server.base,
      KEY: server.key,
      ...settings,
    },
    timeout: 120_000,
  });
  return stdout.split(SEPARATOR).map((part) => part.trim());
}

/** Runs the command per request. Loading the program for each call would take most of the time. */
async function serveCommand(t: TestContext, env: Record<string, string>): Promise<string> {
  const host = createServer(async (request, response) => {
    const given = new URLSearchParams(await text(request));
    const { status, stdout, stderr } = await rostrum(given.getAll("arg"), { cwd: given.get("cwd") ?? "", env });
    if (stderr !== "") t.diagnostic(stderr);
    response.writeHead(OK + (status ?? 1)).end(stdout);
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
  t.after(() => host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

/** A program that runs the command over HTTP. The HTTP status carries its exit status. */
function commandScript(address: string): string {
  return `#!/bin/bash
args=(); for arg; do args+=(--data-urlencode "arg=$arg"); done
answer=$(mktemp)
status=$(curl -s -o "$answer" -w '%{http_code}' --data-urlencode "cwd=$PWD" "\${args[@]}" ${address})
cat "$answer"; rm "$answer"; exit $((status - ${OK}))
`;
}

/** The path where a value differs from the printed one; undefined if it does not. */
function findDifference(expected: unknown, actual: unknown, path = "output"): string | undefined {
  if (typeof expected === "string" && typeof actual === "string") {
    const pattern = expected.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${pattern.join(".*")}$`, "s").test(actual) ? undefined : `${path}: ${expected}`;
  }
  if (typeof expected !== "object" || typeof actual !== "object" || expected === null || actual === null) {
    return expected === actual ? undefined : `${path}: ${JSON.stringify(expected)}`;
  }
  const [named, found] = [Object.keys(expected), Object.keys(actual)];
  if (named.join() !== found.join()) return `${path}: ${named.join()} is ${found.join()}`;
  for (const [name, value] of Object.entries(expected)) {
    const difference = findDifference(value, (actual as Record<string, unknown>)[name], `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
