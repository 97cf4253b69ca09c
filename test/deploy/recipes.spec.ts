import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../cli/process.ts";
import { blocksOf, readPage, recipesOf } from "../docs/pages.ts";
import { freePort } from "../support/free-port.ts";
import { PASSWORD } from "../support/http-browser.ts";
import { temporaryFolder } from "../support/server.ts";
import { type Registry, startRegistry } from "./registry.ts";

/**
 * The commands of docs/install.md and docs/backup.md as printed, for a user without rights: each machine is a home
 * folder, and the package comes from a registry of this test.
 */

const run = promisify(execFile);
const PAGES = ["docs/install.md", "docs/backup.md", "docs/security-model.md"];
const RECIPES = new Map(PAGES.flatMap((page) => [...recipesOf(page)]));
const FIVE_MINUTES_MS = 300_000;

function recipe(name: string): string {
  const code = RECIPES.get(name);
  assert.ok(code !== undefined, `no page has a recipe "${name}"`);
  return code;
}

/** The variables that every terminal needs: the first line of the recipe. */
const [VARIABLES = ""] = recipe("key").split("\n");

interface Server {
  said(): string;
  stop(): Promise<void>;
}

class Machine {
  readonly home: string;
  readonly port: number;
  readonly #t: TestContext;
  readonly #env: NodeJS.ProcessEnv;

  constructor(t: TestContext, registry: Registry, port: number) {
    this.#t = t;
    this.home = temporaryFolder(t);
    this.port = port;
    mkdirSync(join(this.home, "bin"));
    const kept = Object.entries(process.env).filter(([name]) =>
      /^(npm_config_cafile|NODE_EXTRA_CA_CERTS|SSL_|LANG)/.test(name),
    );
    this.#env = {
      ...Object.fromEntries(kept),
      ...registry.env,
      PATH: `${join(this.home, "bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin`,
      HOME: this.home,
      ROSTRUM_PORT: String(port),
      ROSTRUM_DRAIN_SECONDS: "0",
    };
  }

  get api(): string {
    return `http://127.0.0.1:${this.port}/api/v1`;
  }

  /** A program of this machine that the test stands in for. */
  addProgram(name: string, script: string): void {
    const file = join(this.home, "bin", name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** Runs a script in a new terminal. @returns what it printed */
  async run(script: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
    const env = { ...this.#env, ...more };
    const { stdout } = await run("bash", ["-ec", script], { cwd: this.home, env, timeout: 120_000 });
    return stdout;
  }

  /** The same, in a terminal with the variables. */
  command(script: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
    return this.run(`${VARIABLES}\n${script}`, more);
  }

  /** Runs a script that ends with a server, until that is ready. @param within starts the script, such as `unshare -n` */
  async start(script: string, within: readonly string[] = []): Promise<Server> {
    const [program = "", ...args] = [...within, "bash", "-ec", script];
    const child = spawn(program, args, { cwd: this.home, env: this.#env, detached: true });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const kill = (signal: NodeJS.Signals) => {
      try {
        process.kill(-(child.pid as number), signal);
      } catch {
        // It has ended.
      }
    };
    this.#t.after(async () => {
      kill("SIGKILL");
      await ended;
    });
    const isReady = () => {
      assert.equal(child.exitCode, null, said);
      return said.includes("MCP client settings");
    };
    await until(isReady, 90_000).catch((error) => assert.fail(`${error}\n${said}`));
    return {
      said: () => said,
      async stop() {
        kill("SIGTERM");
        await ended;
      },
    };
  }

  /** Starts the installed server in a new terminal. */
  startServer(): Promise<Server> {
    return this.start(`${VARIABLES}\nrostrum start`);
  }

  /** @returns the first name of every contact */
  async contacts(key: string): Promise<string[]> {
    const response = await fetch(`${this.api}/contacts`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as { data: { first_name: string }[] };
    return data.map(({ first_name }) => first_name).toSorted();
  }

  async addContact(key: string, name: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ first_name: name });
    assert.equal((await fetch(`${this.api}/contacts`, { method: "POST", headers, body })).status, 201);
  }

  async pauseReason(): Promise<string | null> {
    return JSON.parse(await this.command("rostrum call get_workspace --workspace default --json")).data.outreach
      .pause_reason;
  }
}

const makeMachine = async (t: TestContext, registry: Registry) => new Machine(t, registry, await freePort());

/** Opens the setup link that a server printed, and creates the owner's account. */
async function setUp({ port }: Machine, server: Server): Promise<void> {
  const link = /http:\/\/\S+\/console\/\S+/.exec(server.said().split("Set up")[1] ?? "")?.[0] ?? "";
  const body = new URLSearchParams({ name: "Ada", email: "ada@acme.example", password: PASSWORD });
  const headers = { origin: `http://127.0.0.1:${port}` };
  const entered = await fetch(link, { method: "POST", body, headers, redirect: "manual" });
  assert.equal(entered.status, 303, server.said());
}

/** The agent's draft and its approval, as docs/checklist.md shows them. */
function firstDraft(): string {
  const blocks = blocksOf(readPage("docs/checklist.md")).filter(({ marker }) => marker === "run");
  const decided = blocks.findIndex(({ code }) => code.includes("decide_post"));
  assert.ok(decided > 0);
  return blocks
    .slice(0, decided + 1)
    .map(({ code }) => code)
    .join("\n");
}

/** How a program starts without a network; undefined where this user can't do that. */
function withoutNetwork(): string[] | undefined {
  const program = ["unshare", process.getuid?.() === 0 ? "-n" : "-rn"];
  const tried = spawnSync(program[0] as string, [...program.slice(1), "ip", "link", "set", "lo", "up"]);
  return tried.status === 0 ? program : undefined;
}

test("the commands of the docs work as printed", { timeout: 300_000 }, async (t) => {
  const registry = await startRegistry(t);
  const machine = await makeMachine(t, registry);
  const began = performance.now();
  let server = await machine.start(recipe("install"));
  const key = ((await machine.run(recipe("key"))).split("\n")[0] as string).trim();

  await t.test("from nothing to the first approved action", async (t) => {
    await setUp(machine, server);
    const printed = await machine.command(firstDraft(), { API: machine.api, KEY: key });
    assert.match(printed, /"status": "approved"/);
    const ms = performance.now() - began;
    t.diagnostic(`${Math.round(ms / 1_000)} s`);
    assert.ok(ms < FIVE_MINUTES_MS);
  });

  await t.test("no key is readable in the database", async () => {
    // Debian's sqlite3 may not be installed.
    const query = 'new (require("better-sqlite3"))(process.argv[1]).prepare(process.argv[2]).all()';
    machine.addProgram("sqlite3", `NODE_PATH="$HOME/rostrum/node_modules" exec node -p '${query}' "$@"`);
    const printed = await machine.command(recipe("look"));
    assert.match(printed, /my-agent/);
    assert.ok(!printed.includes(key));
  });

  await t.test("several workspaces", async () => {
    const first = JSON.parse(await machine.command("rostrum call get_workspace --json")).data;
    await machine.command(recipe("workspaces"));
    const members = async (workspace: string) =>
      JSON.parse(await machine.command(`rostrum call list_members --json --workspace "${workspace}"`)).data.map(
        ({ email }: { email: string }) => email,
      );
    assert.deepEqual(await members("Second team"), ["grace@example.com"]);
    assert.deepEqual(await members(first.id), ["ada@acme.example"]);
  });

  await t.test("a unit of the user", async () => {
    await server.stop();
    for (const name of ["systemctl", "loginctl", "journalctl"]) machine.addProgram(name, `echo "${name} $*"`);
    assert.match(await machine.run(recipe("user unit")), /^systemctl --user enable --now rostrum$/m);
    const unit = join(machine.home, ".config/systemd/user/rostrum.service");
    if (existsSync("/usr/bin/systemd-analyze")) {
      await machine.run(`systemd-analyze --user verify ${unit}`, { XDG_RUNTIME_DIR: machine.home });
    }
    const text = readFileSync(unit, "utf8");
    const [, command = ""] = /^ExecStart=(.*)$/m.exec(text) ?? [];
    const [, folder = ""] = /^WorkingDirectory=(.*)$/m.exec(text) ?? [];
    server = await machine.start(`cd ${folder}\nexec ${command}`);
    assert.deepEqual(await machine.contacts(key), [], "it has the data of the server before");
  });

  await t.test("a scheduled backup, a restore, and a lost data folder", async (t) => {
    await machine.addContact(key, "Ada");
    await machine.run("cp ~/rostrum-data/data.key ~/data.key");
    const [path = "", line = ""] = recipe("crontab").split("\n");
    const [, command = ""] = /^(?:\S+ ){5}(.*)$/.exec(line) ?? [];
    // As cron starts it. Its PATH must have the folder of node.
    const HOME = `HOME='${machine.home}'`;
    await machine.run(`env -i ${HOME} ${path}:${dirname(process.execPath)} sh -c '${command}'`);
    assert.equal(readdirSync(join(machine.home, "backups")).length, 1);
    await machine.addContact(key, "Grace");
    await assert.rejects(machine.command('rostrum restore "$(ls ~/backups/*)"'), "not while a server runs");

    await server.stop();
    await machine.command(recipe("restore"));
    server = await machine.startServer();
    assert.deepEqual(await machine.contacts(key), ["Ada"]);
    assert.match(String(await machine.pauseReason()), /^Restored from rostrum-/);
    await server.stop();

    const lost = performance.now();
    rmSync(join(machine.home, "rostrum-data"), { recursive: true });
    await machine.command(recipe("restore all"));
    server = await machine.startServer();
    assert.deepEqual(await machine.contacts(key), ["Ada"]);
    const ms = performance.now() - lost;
    t.diagnostic(`the folder was back after ${Math.round(ms / 1_000)} s`);
    assert.ok(ms < FIVE_MINUTES_MS);
  });

  await t.test("an upgrade, and back", async () => {
    registry.publishNext();
    await machine.run(recipe("upgrade"));
    await server.stop();
    server = await machine.startServer();
    assert.match(await machine.command("rostrum --version"), new RegExp(registry.next));
    await machine.addContact(key, "Grace");
    await server.stop();

    const old = recipe("roll back").replace("X.Y.Z", registry.version);
    const [install = "", ...restore] = old.split("\n");
    await machine.run(install);
    await assert.rejects(machine.startServer(), /written by a newer version/);
    await machine.command(restore.join("\n"));
    server = await machine.startServer();
    assert.match(await machine.command("rostrum --version"), new RegExp(registry.version));
    assert.deepEqual(await machine.contacts(key), ["Ada"]);
    assert.match(String(await machine.pauseReason()), /^Restored from before-/);
    await server.stop();
  });

  await t.test("another machine", async () => {
    const other = await makeMachine(t, registry);
    await other.run(`npm install --prefix ~/rostrum rostrum@${registry.version}`);
    machine.addProgram("ssh", `[ "$1" = NEW ] && shift && cd '${other.home}' && HOME='${other.home}' exec sh -c "$*"`);
    await machine.command(recipe("move"));
    server = await other.startServer();
    assert.deepEqual(await other.contacts(key), ["Ada"]);
    const keys = [machine, other].map(({ home }) => readFileSync(join(home, "rostrum-data/data.key"), "utf8"));
    assert.equal(keys[0], keys[1]);
    await server.stop();
  });

  const isolated = withoutNetwork();
  const skip = isolated === undefined ? "this user can't start a program without a network" : false;
  await t.test("a machine without internet access", { skip }, async () => {
    const online = await makeMachine(t, registry);
    await online.run(recipe("pack"));
    const offline = await makeMachine(t, registry);
    copyFileSync(join(online.home, "rostrum.tar.gz"), join(offline.home, "rostrum.tar.gz"));
    const url = `http://127.0.0.1:${offline.port}`;
    const probe = [
      `until curl -sf ${url}/readyz; do sleep 0.1; done`,
      `curl -s -o page -w 'console: %{http_code}\\n' ${url}/console/sign-in`,
      `curl -s ${registry.env.npm_config_registry} || echo "registry: unreachable"`,
    ].join("; ");
    server = await offline.start(`ip link set lo up\n(${probe}) &\n${recipe("unpack")}`, isolated);
    await until(() => server.said().includes("registry: unreachable"), 20_000).catch(() => assert.fail(server.said()));
    assert.match(server.said(), /console: 200/);
    await server.stop();
  });
});
