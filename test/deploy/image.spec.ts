import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { packageFolder } from "../../scripts/on-demand.ts";
import { until } from "../cli/process.ts";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

/**
 * No container engine runs here. The instructions of the Dockerfile run one after another in a bare folder, as a user
 * without rights: its paths are folders of that folder, and its base image is this machine.
 */

const run = promisify(execFile);
const DOCKERFILE = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8");
const require = createRequire(join(packageFolder("dockerfile-utils"), "package.json"));
const { validate } = require("dockerfile-utils") as { validate(text: string): { message: string }[] };
const { DockerfileParser } = require("dockerfile-ast") as {
  DockerfileParser: { parse(text: string): { getInstructions(): Instruction[] } };
};

interface Instruction {
  getKeyword(): string;
  getArgumentsContent(): string | null;
}

/** What the base image does, or what this checkout's `npm ci` did. */
const ELSEWHERE = [/^apt-get /, /^rm -rf \/var\/lib\/apt/, /^npm ci\b/];
const GRACE_MS = 10_000;
/** The user nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const USER = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

function instructions() {
  return DockerfileParser.parse(DOCKERFILE)
    .getInstructions()
    .map((one) => ({ keyword: one.getKeyword(), text: (one.getArgumentsContent() ?? "").replaceAll(/\\\n\s*/g, "") }));
}

test("the Dockerfile has no fault, and a copy with one does", () => {
  assert.deepEqual(validate(DOCKERFILE), []);
  assert.notDeepEqual(validate(DOCKERFILE.replace("WORKDIR /app", "WORKDR /app")), []);
});

/** The build context, as .dockerignore leaves it. */
function copyContext(to: string): void {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
  assert.equal(lines.shift(), "*", "what is not named is left out");
  for (const line of lines) {
    assert.match(line, /^![\w.-]+$/);
    const name = line.slice(1);
    cpSync(join(ROOT, name), join(to, name), { recursive: true });
  }
}

/** Runs the build, and returns the folder that stands for `/`, and the last stage's settings. */
async function build(t: TestContext) {
  const [root, home] = [temporaryFolder(t), temporaryFolder(t)];
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  chmodSync(root, 0o755);
  if (isRoot) chownSync(root, NOBODY, NOBODY);
  const at = (path: string) => join(root, path);
  const put = (text: string) => text.replaceAll(/(?<![\w.])\/(build|app|data)\b/g, (path) => at(path));
  const env: Record<string, string> = {};
  const exec: Record<string, string[]> = {};
  let folder = root;
  const ran: string[] = [];
  for (const { keyword, text } of instructions()) {
    if (keyword === "FROM") for (const name of Object.keys(env)) delete env[name];
    else if (keyword === "WORKDIR") {
      folder = at(text);
      mkdirSync(folder, { recursive: true });
      if (isRoot) chownSync(folder, NOBODY, NOBODY);
    } else if (keyword === "COPY") await copy(text);
    else if (keyword === "RUN") for (const command of text.split(" && ")) await runOne(command);
    else if (keyword === "ENV") {
      for (const pair of text.split(" ")) env[pair.split("=")[0] ?? ""] = put(pair.split("=")[1] ?? "");
    } else if (keyword === "ENTRYPOINT" || keyword === "CMD") exec[keyword] = JSON.parse(text) as string[];
    else if (keyword === "HEALTHCHECK") exec[keyword] = JSON.parse(text.slice(text.indexOf("CMD ") + 4)) as string[];
    else assert.match(keyword, /^(LABEL|USER|VOLUME|EXPOSE|STOPSIGNAL)$/);
  }
  return { root, folder, env, exec, ran };

  async function copy(text: string): Promise<void> {
    const words = text.split(" ");
    // The parser leaves out `--from=build`. Sources in the context are relative.
    const isStaged = text.startsWith("/");
    const to = words.at(-1) as string;
    for (const from of words.slice(0, -1)) {
      if (!isStaged && from === ".") copyContext(folder);
      else {
        const source = isStaged ? at(from) : join(ROOT, from);
        const isFolder = statSync(source).isDirectory();
        cpSync(source, join(folder, isFolder ? to : join(to, source.split("/").at(-1) as string)), { recursive: true });
      }
    }
    if (isRoot && !isStaged) await run("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
  }

  async function runOne(command: string): Promise<void> {
    if (ELSEWHERE.some((known) => known.test(command))) {
      if (command.startsWith("npm ci")) await linkModules();
      return;
    }
    // Only root gives files away; the folder is made by its later owner.
    if (command.startsWith("chown ")) return;
    ran.push(command);
    await run("sh", ["-c", put(command)], { cwd: folder, env: { PATH: process.env.PATH, HOME: home }, ...USER });
  }

  /** A copy: what prunes it must not touch the checkout. */
  async function linkModules(): Promise<void> {
    // A worktree may link the folder of another checkout.
    const from = realpathSync(join(ROOT, "node_modules"));
    const to = join(folder, "node_modules");
    mkdirSync(to);
    // Without the cache, into which other tests may be installing packages.
    await run("sh", ["-c", 'tar -C "$0" --exclude=./.cache -cf - . | tar -C "$1" -xpf -', from, to]);
    if (isRoot) await run("chown", ["-R", `${NOBODY}:${NOBODY}`, join(folder, "node_modules")]);
  }
}

function filesIn(folder: string): Map<string, number> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(names.map((name) => [name, statSync(join(folder, name)).mtimeMs]));
}

test("what the Dockerfile builds starts as a user without rights, is healthy, writes to its volume alone, and stops", async (t) => {
  const { root, folder, env, exec, ran } = await build(t);
  assert.ok(
    ran.some((command) => command === "npm run build") && ran.some((command) => /^npm prune/.test(command)),
    String(ran),
  );
  const installed = readdirSync(join(folder, "node_modules"));
  for (const development of ["typescript", "tsx", "playwright-core"])
    assert.ok(!installed.includes(development), development);
  if (isRoot) {
    chownSync(root, 0, 0);
    await run("chown", ["-R", "0:0", folder]);
  }
  const before = filesIn(folder);
  const [port, health] = [await freePort(), await freePort()];
  const settings = {
    ...env,
    ROSTRUM_PORT: String(port),
    ROSTRUM_HEALTH_PORT: String(health),
    ROSTRUM_HOST: "127.0.0.1",
  };
  const [program = "", ...args] = [...(exec.ENTRYPOINT ?? []), ...(exec.CMD ?? [])];
  const server = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH, ...settings }, ...USER });
  t.after(() => server.kill("SIGKILL"));
  const said = outputOf(server);
  const check = () => {
    const [command = "", ...rest] = (exec.HEALTHCHECK ?? []).map((word) => word.replaceAll("8788", String(health)));
    return run(command, rest, { cwd: folder, env: { PATH: process.env.PATH } }).then(
      () => true,
      () => false,
    );
  };
  await until(check, 30_000).catch(() => assert.fail(said()));
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  const started = performance.now();
  server.kill("SIGTERM");
  const [status] = (await once(server, "exit")) as [number | null];
  assert.equal(status, 0, said());
  assert.ok(performance.now() - started < GRACE_MS, "within the grace period of the compose files");
  assert.equal(await check(), false, "a stopped server is not healthy");
  assert.deepEqual(filesIn(folder), before, "the program's folder is never written to");
  assert.ok(readdirSync(env.ROSTRUM_DATA as string).includes("rostrum.db"));
  assert.deepEqual(readdirSync(root).toSorted(), ["app", "build", "data"]);
});

function outputOf(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  return () => text;
}
