/**
 * Connects real command-line clients to a server of this checkout, each with a key and by signing in, and lets each
 * list and call a tool. Nobody's model is asked: a model endpoint of our own records what it is sent.
 *
 *     npm run clients                   # all of them
 *     npm run clients -- codex gemini   # those whose name contains a word
 *     npm run clients -- --write-docs   # all, and writes the matrix into docs/connecting.md
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { approve } from "../test/support/application.ts";
import type { Browser } from "../test/support/http-browser.ts";
import { post } from "../test/support/mcp.ts";
import { asApprover } from "../test/support/oauth.ts";
import { startServer, type TestServer } from "../test/support/server.ts";
import { Home, until } from "./clients/home.ts";
import { type Conversation, type ModelEndpoint, type Offered, startModel } from "./clients/model.ts";
import { type Addresses, PROGRAMS, type Program } from "./clients/programs.ts";
import { type Seen, startWatcher, type Watcher } from "./clients/watcher.ts";
import { entryOf, versionOf } from "./on-demand.ts";

const PAGE = new URL("../docs/connecting.md", import.meta.url);
const PAUSE_MS = 1_000;
const EMAIL = "ada@lovelace.example";

/** What a client is let do, and how its answer is known. */
const WITH_KEY = { name: "list_contacts", arguments: { limit: 1 }, argument: "limit=1", answers: EMAIL };
const SIGNED_IN = {
  name: "socialnet_command",
  arguments: { command: "setup" },
  argument: "command=setup",
  answers: "socialnet.example/in/ada",
};

interface Tool {
  name: string;
  description: string;
}

interface Lab {
  at: Addresses;
  server: TestServer;
  watcher: Watcher;
  model: ModelEndpoint;
  browser: Browser;
  tools: readonly Tool[];
}

const REACHED = { nothing: "no", connected: "connects", listed: "lists", called: "works" };

interface Outcome {
  /** How far it came. */
  reached: keyof typeof REACHED;
  versions: string[];
  conversation: Conversation;
  output: string;
}

interface Row {
  program: Program;
  key: Outcome;
  signIn: Outcome | string;
}

const closing: (() => unknown)[] = [];
const given = process.argv.slice(2);
const words = given.filter((word) => !word.startsWith("--")).map((word) => word.toLowerCase());
const chosen = PROGRAMS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
);
try {
  const countTokens = await loadTokenizer();
  const lab = await startLab();
  const rows: Row[] = [];
  for (const program of chosen) {
    process.stderr.write(`${program.name} ${versionOf(program.package)}\n`);
    const key = await run(lab, program, WITH_KEY, lab.server.key);
    const signIn = "not" in program.signIn ? program.signIn.not : await run(lab, program, SIGNED_IN);
    rows.push({ program, key, signIn });
    for (const outcome of [key, signIn]) {
      if (typeof outcome === "string" || outcome.reached === "called") continue;
      process.exitCode = 1;
      process.stderr.write(`FAIL  ${outcome.reached}\n${outcome.output}\n`);
    }
  }
  const table = matrix(rows, lab.tools, countTokens);
  process.stdout.write(`${table}\n`);
  if (given.includes("--write-docs") && chosen.length === PROGRAMS.length) writeDocs(table);
} finally {
  for (const close of closing.reverse()) await close();
}

async function startLab(): Promise<Lab> {
  const watcher = await startWatcher();
  closing.push(() => watcher.close());
  const env = { ROSTRUM_PUBLIC_URL: watcher.url, ROSTRUM_OAUTH_CLIENT_DOCUMENTS: "off" };
  const server = await startServer({ after: (close) => void closing.push(close as () => unknown) }, { env });
  watcher.forward(server.listening);
  await server.rest("POST", "/contacts", { body: { email: EMAIL, first_name: "Ada" } });
  const { body } = await post(server, "2026-07-28", "tools/list");
  const tools: Tool[] = body.result.tools;
  const model = await startModel(tools.map(({ name }) => name));
  closing.push(() => model.close());
  const at = { mcp: watcher.url + server.mcpUrl.pathname, model: model.url };
  return { at, server, watcher, model, browser: await asApprover(server), tools };
}

/** Connects a client in a home folder of its own. Without a key, it signs in. */
async function run(
  lab: Lab,
  program: Program,
  call: typeof WITH_KEY | typeof SIGNED_IN,
  key?: string,
): Promise<Outcome> {
  const seen = lab.watcher.watch();
  const conversation = lab.model.want({ name: call.name, arguments: call.arguments });
  const home = new Home();
  try {
    home.prepare(program, lab.at, key);
    const work = program.work(call, lab.at, key);
    if (key === undefined) await signIn(home, program, lab, seen, work);
    else await home.run([program.connect?.(lab.at.mcp, key), work].filter(Boolean).join(" && "));
  } catch (error) {
    home.output += String(error);
  } finally {
    await home.close();
  }
  const answer = program.direct ? home.output : (conversation.result ?? "");
  return {
    reached: reachedBy(seen, answer.includes(call.answers)),
    versions: [...seen.versions].sort(),
    conversation,
    output: `${home.output}\n${[...seen.refused].join("\n")}`,
  };
}

function reachedBy({ methods }: Seen, isAnswered: boolean): Outcome["reached"] {
  if (methods.has("tools/call") && isAnswered) return "called";
  if (methods.has("tools/list")) return "listed";
  return methods.has("initialize") || methods.has("server/discover") ? "connected" : "nothing";
}

async function signIn(home: Home, program: Program, lab: Lab, seen: Seen, work: string): Promise<void> {
  if ("not" in program.signIn) return;
  const { add, line, screen = false, types = [] } = program.signIn;
  if (add !== undefined) await home.run(add(lab.at.mcp));
  const started = home.start(line?.(lab.at.mcp) ?? work, true);
  for (const [after, text] of types) {
    await until(() => after.test(home.shown));
    await sleep(PAUSE_MS);
    started.child.stdin?.write(text);
  }
  await until(() => home.address !== undefined || started.isOver());
  // The rest of the address may still come.
  await sleep(PAUSE_MS);
  if (home.address === undefined) return;
  const asked = new URL(home.address);
  await fetch(`${asked.searchParams.get("redirect_uri")}?${await approve(lab.browser, asked)}`);
  if (screen) await until(() => seen.methods.has("tools/list"));
  if (screen) await sleep(PAUSE_MS);
  if (!screen) await until(started.isOver);
  started.end();
  if (line !== undefined) await home.run(work);
}

async function loadTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import(pathToFileURL(entryOf("gpt-tokenizer")).href);
  return countTokens;
}

function matrix(rows: readonly Row[], tools: readonly Tool[], countTokens: (text: string) => number): string {
  const head = ["Client", "Version", "MCP", "With a key", "By OAuth", "Tools", "Bytes", "Tokens", "Notes"];
  const lines = rows.map(({ program, key, signIn }) => {
    const offered = ours([...key.conversation.offered.values()], tools);
    const text = offered.map(({ definition }) => JSON.stringify(definition)).join("\n");
    const cut = offered.filter(
      ({ name, description }) => description.length < (toolOf(name, tools)?.description.length ?? 0),
    );
    const notes = [
      program.note,
      key.conversation.searched && "The model searches for tools first",
      cut.length > 0 && `Descriptions cut: ${cut.length}`,
    ].filter(Boolean);
    return [
      program.name,
      versionOf(program.package),
      key.versions.join(", "),
      REACHED[key.reached],
      typeof signIn === "string" ? signIn : REACHED[signIn.reached],
      ...(program.direct
        ? ["", "", ""]
        : [offered.length, Buffer.byteLength(text), countTokens(text)].map((n) => n.toLocaleString("en-US"))),
      notes.join(". "),
    ];
  });
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Clients put the server's name in front of a tool's. */
function toolOf(name: string, tools: readonly Tool[]): Tool | undefined {
  return tools.find((tool) => name === tool.name || new RegExp(`[._-]${tool.name}$`).test(name));
}

function ours(offered: readonly Offered[], tools: readonly Tool[]): readonly Offered[] {
  return offered.filter(({ name }) => toolOf(name, tools) !== undefined);
}

function writeDocs(table: string): void {
  const before = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    before.replace(
      /(<!-- measured: clients -->\n)[\s\S]*?(<!-- end -->)/,
      (_, open, close) => `${open}${table}\n${close}`,
    ),
  );
}
