import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import { until } from "../cli/process.ts";
import { recipesOf } from "../docs/pages.ts";
import { freePort } from "../support/free-port.ts";
import { programArgs } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

/** The steps of docs/growth.md as printed, with other ports, and with proxies that need no rights. */
const STEPS = recipesOf("docs/growth.md");
const PASSWORD = "p%40ss%2Fword";
const READY_MS = 30_000;

const run = promisify(execFile);

interface Place {
  folder: string;
  env: NodeJS.ProcessEnv;
  ports: readonly [one: string, two: string, proxy: string];
}

async function makePlace(t: TestContext): Promise<Place> {
  const cluster = await startCluster();
  t.after(() => cluster.stop());
  const admin = new pg.Client(cluster.url("postgres"));
  await admin.connect();
  await admin.query(`CREATE ROLE rostrum LOGIN PASSWORD '${decodeURIComponent(PASSWORD)}'`);
  for (const name of ["rostrum", "other"]) {
    await admin.query(`CREATE DATABASE ${name} OWNER rostrum ENCODING 'UTF8' TEMPLATE template0`);
  }
  await admin.end();
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "bin"));
  const command = join(folder, "bin/rostrum");
  const args = programArgs("bin/rostrum.ts").map((arg) => `'${arg}'`);
  writeFileSync(command, `#!/bin/bash\nexec '${process.execPath}' ${args.join(" ")} "$@"\n`);
  chmodSync(command, 0o755);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("ROSTRUM_"));
  const at = `postgres://rostrum:${PASSWORD}@127.0.0.1:${cluster.port}`;
  return {
    folder,
    env: {
      ...Object.fromEntries(own),
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      ROSTRUM_DATABASE_URL: `${at}/rostrum`,
      NEW_DATABASE_URL: `${at}/other`,
    },
    ports: [String(await freePort()), String(await freePort()), String(await freePort())],
  };
}

function step(name: string, { env, ports: [one, two, proxy] }: Place): string {
  const text = STEPS.get(name);
  assert.ok(text !== undefined, `docs/growth.md has no step "${name}"`);
  return text
    .replaceAll("8787", one)
    .replaceAll("8788", two)
    .replaceAll("8080", proxy)
    .replaceAll("postgres://rostrum:PASSWORD@127.0.0.1/rostrum", String(env.ROSTRUM_DATABASE_URL));
}

/** Runs a script to its end. */
async function runScript(script: string, { folder, env }: Place): Promise<string> {
  const { stdout } = await run("bash", ["-ec", script], { cwd: folder, env, timeout: 60_000 });
  return stdout;
}

/** Starts a script that goes on. */
function startScript(t: TestContext, script: string, { folder, env }: Place): ChildProcess {
  const child = spawn("bash", ["-ec", script], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  child.stderr?.on("data", (text) => console.error(`${text}`.trim()));
  t.after(() => stop(child));
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-(child.pid as number), signal);
  await ended;
}

const isReady = async (port: string) => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
};
const ready = (port: string) => until(() => isReady(port), READY_MS);

/** How each proxy is run with the configuration of the page. */
const PROXIES: Readonly<Record<string, (place: Place) => string>> = {
  nginx({ folder }) {
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/t;`);
    const own = `pid ${folder}/pid; error_log ${folder}/errors;\nevents {}\nhttp {\naccess_log off; ${paths.join(" ")}\n`;
    return `${own}%\n}\n`;
  },
  caddy: () => "{\n  admin off\n}\n%\n",
};
const COMMANDS: Readonly<Record<string, string>> = {
  nginx: "exec nginx -g 'daemon off;' -c",
  caddy: "exec caddy run --adapter caddyfile --config",
};

test("the demo is moved to PostgreSQL, and two servers on it run behind each proxy, as the page says", async (t) => {
  const place = await makePlace(t);
  const { ROSTRUM_DATABASE_URL: _, ...onSqlite } = place.env;
  const [one, two, proxy] = place.ports;
  const demo = startScript(t, `exec rostrum start --demo --data ./data --port ${one}`, { ...place, env: onSqlite });
  await ready(one);
  await stop(demo);
  assert.match(await runScript(step("move", place), place), /Counts and checksums match/);

  const mistaken = run("bash", ["-c", "rostrum key list --data ./data"], { cwd: place.folder, env: onSqlite });
  await assert.rejects(mistaken, { stderr: /was moved to postgres:\/\/rostrum:\*\*\*@.*Set ROSTRUM_DATABASE_URL/ });

  const servers = [startScript(t, step("first server", place), place)];
  const startSecond = () => startScript(t, step("second server", place), place);
  servers.push(startSecond());
  await Promise.all([ready(one), ready(two)]);
  const made = await runScript("rostrum key create --data ./data --name proxied --scopes all", place);
  const key = made.split("\n")[0] as string;

  for (const [name, wrap] of Object.entries(PROXIES)) {
    await t.test(name, async (t) => {
      const installed = await run("which", [name], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).catch(
        () => null,
      );
      if (installed === null) return t.skip(`${name} is not installed`);
      const file = join(place.folder, `${name}.conf`);
      writeFileSync(
        file,
        wrap(place).replace("%", () => step(name, place)),
      );
      const running = startScript(t, `PATH=$PATH:/usr/sbin; ${COMMANDS[name]} ${file}`, place);
      await ready(proxy);
      assert.match(await runScript(step("check", place), place), /ready\nok {4}settings/);
      const api = `http://127.0.0.1:${proxy}/api/v1`;
      const authorized = { Authorization: `Bearer ${key}` };
      const read = async () => (await fetch(`${api}/contacts?limit=1`, { headers: authorized })).status;
      /** As a client does it: what got no answer of ours is repeated with its key. */
      const add = async (email: string) => {
        const headers = { ...authorized, "Content-Type": "application/json", "Idempotency-Key": email };
        const post = async () =>
          (await fetch(`${api}/contacts`, { method: "POST", headers, body: JSON.stringify({ email }) })).status;
        let status = 0;
        await until(async () => {
          status = await post();
          return status !== 502;
        });
        return status;
      };
      assert.equal(await add(`${name}@example.com`), 201);
      const page = await fetch(`http://127.0.0.1:${proxy}/console/sign-in`);
      assert.equal(page.status, 200);

      // One of them is killed: the other one answers every request, and writes go on.
      await stop(servers[1] as ChildProcess, "SIGKILL");
      for (let i = 0; i < 20; i += 1) {
        assert.equal(await read(), 200);
        assert.equal(await add(`${name}-${i}@example.com`), 201);
      }
      servers[1] = startSecond();
      await ready(two);
      await stop(running);
    });
  }

  await runScript(step("pause", place).replace("rostrum call", "rostrum call --data ./data"), place);
  await runScript(`${step("backup", place)}\n${step("restore", place)}`, place);
  const restored = { ...place, env: { ...place.env, ROSTRUM_DATABASE_URL: String(place.env.NEW_DATABASE_URL) } };
  const counted = await runScript("rostrum call list_contacts --data ./data --json --input '{\"limit\": 1}'", restored);
  assert.ok(JSON.parse(counted).meta.total > 40);
  assert.ok(existsSync(join(place.folder, "data/rostrum.db")), "the SQLite file stays as it was");
});
