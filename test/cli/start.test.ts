import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { welcome } from "../../src/cli/commands/start.ts";
import { SETTINGS } from "../../src/config.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { openBeside } from "../support/beside.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { prereleaseDatabase } from "../support/prerelease.ts";
import { programArgs } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { until } from "../support/until.ts";
import { call, document, type Finished, rostrumEach, serve, spawnRostrum } from "./process.ts";

/** Data folders of ephemeral servers. */
const foldersIn = (place: string) => readdirSync(place).filter((name) => name.startsWith("rostrum-"));

test("start --json prints one line with all seven fields, and nothing else on stdout", async (t) => {
  const place = temporaryFolder(t);
  const server = await serve(t, ["--ephemeral"], { env: { TMPDIR: place } });
  const { ready } = server;
  const fields = ["url", "base_url", "mcp_url", "console_url", "workspace", "api_key", "setup_url"];
  assert.deepEqual(Object.keys(ready), fields);
  assert.match(ready.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(ready.base_url, `${ready.url}/api/v1`);
  assert.equal(ready.mcp_url, `${ready.url}/api/v1/mcp`);
  assert.match(ready.workspace, /^[0-9a-f-]{36}$/);
  assert.equal(ready.console_url, `${ready.url}/console`);
  assert.match(ready.setup_url ?? "", new RegExp(`^${ready.url}/console/setup/[\\w-]{43}$`));
  assert.match(await (await fetch(ready.setup_url ?? "")).text(), /Open demo/);
  const listed = await call(server, "GET", "/contacts?limit=1");
  assert.equal(listed.status, 200);
  assert.ok(listed.body.meta.total > 0, "the demo workspace holds contacts");
  assert.equal((await call(server, "POST", "/contacts", { body: { first_name: "Grace" } })).status, 201);
  assert.equal(foldersIn(place).length, 1);
  const { status, ms } = await server.stop("SIGTERM");
  assert.equal(status, 0, server.output().stderr);
  assert.ok(ms < 10_000);
  assert.deepEqual(foldersIn(place), [], "gone after SIGTERM");
  assert.equal(server.output().stdout, `${JSON.stringify(ready)}\n`);
});

test("an ephemeral server leaves no folder behind after SIGINT and exits 0", async (t) => {
  const place = temporaryFolder(t);
  const server = await serve(t, ["--ephemeral"], { env: { TMPDIR: place } });
  assert.equal(foldersIn(place).length, 1);
  const { status } = await server.stop("SIGINT");
  assert.equal(status, 0, server.output().stderr);
  assert.deepEqual(foldersIn(place), []);
});

test("a start stopped before it is ready leaves no folder behind", async (t) => {
  const place = temporaryFolder(t);
  const preload =
    'data:text/javascript,process.on("newListener",(n)=>n==="SIGTERM"&&setImmediate(()=>process.kill(process.pid,"SIGTERM")))';
  const { status, stdout } = await spawnRostrum(["start", "--ephemeral", "--json", "--port", "0"], {
    env: { TMPDIR: place },
    preload,
  });
  assert.equal(status, 0);
  assert.equal(stdout, "");
  assert.deepEqual(foldersIn(place), []);
});

test("at SIGTERM a request in flight is answered, new connections are refused, and the exit is 0", async (t) => {
  const server = await serve(t, ["--ephemeral"], { env: { TMPDIR: temporaryFolder(t) } });
  const { hostname, port } = new URL(server.ready.url);
  const body = JSON.stringify({ first_name: "Last", last_name: "Orders" });
  const request = http.request(`${server.ready.base_url}/contacts`, {
    method: "POST",
    agent: new http.Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${server.ready.api_key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  });
  await new Promise<void>((resolve, reject) => request.write(body.slice(0, 10), (e) => (e ? reject(e) : resolve())));
  // A second, complete request on another connection: once it is answered, the first one's head has been read.
  assert.equal((await call(server, "GET", "/contacts?limit=1")).status, 200);
  const stopped = server.stop("SIGTERM");
  await until(() => refuses(hostname, Number(port)));
  request.end(body.slice(10));
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.resume();
  assert.equal(response.statusCode, 201);
  const { status, ms } = await stopped;
  assert.equal(status, 0);
  assert.ok(ms < 10_000, `the stop took ${ms} ms`);
});

function refuses(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(port, host);
    probe.once("connect", () => resolve(false)).once("error", () => resolve(true));
    probe.once("connect", () => probe.destroy());
  });
}

test("a port in use prints one clear line and exits 1", async (t) => {
  const taken = net.createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as net.AddressInfo;
  const cwd = temporaryFolder(t);
  const plain = await spawnRostrum(["start", "--port", String(port)], { cwd });
  assert.equal(plain.status, 1);
  assert.match(plain.stderr, new RegExp(`^127\\.0\\.0\\.1:${port} is already in use\\. .* with --port\\.\\n$`));
  const env = { ROSTRUM_PORT: String(port) };
  const variable = await spawnRostrum(["start"], { cwd, env });
  assert.match(variable.stderr, / is already in use\. .* with ROSTRUM_PORT\.\n$/);
  const json = await spawnRostrum(["start", "--port", String(port), "--json"], { cwd });
  assert.equal(json.status, 1);
  assert.match(document(json).error, /is already in use/);
  assert.equal(json.stderr, "");
});

test("a metrics port in use stops the start too", async (t) => {
  const taken = net.createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as net.AddressInfo;
  const env = { ROSTRUM_METRICS_PORT: String(port) };
  const { status, stderr } = await spawnRostrum(["start", "--port", "0"], { cwd: temporaryFolder(t), env });
  assert.equal(status, 1);
  assert.match(stderr, /^\S+ is already in use\. .* with ROSTRUM_METRICS_PORT\.\n$/);
});

test("an address of another machine prints one clear line and exits 1", async (t) => {
  const cwd = temporaryFolder(t);
  const { status, stderr } = await spawnRostrum(["start", "--port", "0", "--host", "192.0.2.1"], { cwd });
  assert.equal(status, 1);
  assert.match(stderr, /^192\.0\.2\.1 is not an address of this machine.*\n$/);
});

test("a bad setting stops the start with its name and allowed values, and exits 2", async (t) => {
  const cwd = temporaryFolder(t);
  const [flag, secret, json] = await rostrumEach([
    { args: ["start", "--port", "none"], cwd },
    { args: ["start"], cwd, env: { ROSTRUM_METRICS_TOKEN: "short" } },
    { args: ["start", "--json"], cwd, env: { ROSTRUM_LOG_LEVEL: "loud" } },
  ]);
  const message = '--port must be a port from 0 to 65535, not "none".\n';
  assert.deepEqual(flag, { status: 2, stdout: "", stderr: message });
  const unsaid = "ROSTRUM_METRICS_TOKEN must be at least 16 characters.\n";
  assert.deepEqual(secret, { status: 2, stdout: "", stderr: unsaid });
  assert.deepEqual([json?.status, json?.stderr], [2, ""]);
  assert.deepEqual(document(json as Finished), {
    data: null,
    error: 'ROSTRUM_LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "loud".',
    code: "validation_failed",
  });
  assert.deepEqual(readdirSync(cwd), [], "nothing was made");
});

test("an invalid checklist catalog stops the start with setting, file, line and fix, and creates nothing", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "ours.yaml"), 'version: "1"\nitems: []\n');
  const env = { ROSTRUM_CHECKLIST_CATALOG: "ours.yaml" };
  const [plain, json, missing] = await rostrumEach([
    { args: ["start", "--port", "0"], cwd, env },
    { args: ["start", "--port", "0", "--json"], cwd, env },
    { args: ["start", "--port", "0"], cwd, env: { ROSTRUM_CHECKLIST_CATALOG: "none.yaml" } },
  ]);
  const names = "ROSTRUM_CHECKLIST_CATALOG must be a YAML file with a valid catalog. ";
  const message = `${names}The checklist catalog can't be used.\nours.yaml:2: items: must have at least one entry.`;
  assert.deepEqual(plain, { status: 2, stdout: "", stderr: `${message}\n` });
  assert.deepEqual([json?.status, json?.stderr], [2, ""]);
  assert.equal(document(json as Finished).error, message);
  assert.equal(missing?.status, 2);
  assert.ok(missing?.stderr.startsWith(`${names}The checklist catalog none.yaml can't be read: ENOENT: `));
  assert.deepEqual(readdirSync(cwd), ["ours.yaml"]);
});

test("start prints at most ten lines: the links, the command to create a key, and the settings of an MCP client", () => {
  const url = "http://127.0.0.1:8787";
  const ready = {
    url,
    base_url: `${url}/api/v1`,
    mcp_url: `${url}/api/v1/mcp`,
    console_url: `${url}/console`,
    workspace: null,
    api_key: null,
    setup_url: `${url}/console/setup/x`,
  };
  const text = welcome(ready, { data: "./data" }, { metricsUrl: `${url}/metrics`, healthUrl: url });
  assert.ok(text.trimEnd().split("\n").length <= 10, text);
  for (const shown of [ready.console_url, ready.setup_url, "key create --name my-agent --scopes all"]) {
    assert.ok(text.includes(shown), text);
  }
  const settings = JSON.parse(text.slice(text.indexOf("{")));
  assert.equal(settings.mcpServers.rostrum.url, ready.mcp_url);
});

test("start --help prints every setting with its meaning", async () => {
  const [help] = await rostrumEach([{ args: ["start", "--help"] }]);
  assert.equal(help?.status, 0);
  const squeezed = help?.stdout.replaceAll(/\s+/g, " ") ?? "";
  for (const { env, description } of Object.values(SETTINGS)) {
    assert.ok(squeezed.includes(`${env} ${description}`), env);
  }
});

test("the data folder is private to its owner (mode 700, files 600), whatever the umask", async (t) => {
  const cwd = temporaryFolder(t);
  const server = await serve(t, ["--demo"], { cwd, preload: "data:text/javascript,process.umask(0)" });
  const mode = (path: string) => (statSync(join(cwd, path)).mode & 0o777).toString(8);
  assert.equal(mode("data"), "700");
  const entries = readdirSync(join(cwd, "data"), { recursive: true, encoding: "utf8" });
  assert.ok(isPostgres || entries.includes("rostrum.db"));
  for (const name of entries) {
    const isFolder = statSync(join(cwd, "data", name)).isDirectory();
    assert.equal(mode(`data/${name}`), isFolder ? "700" : "600", name);
  }
  await server.stop("SIGTERM");
  if (!isPostgres) assert.equal(mode("data/rostrum.db"), "600");
});

test("a second start on the same folder finds the existing data and creates no second workspace", async (t) => {
  const cwd = temporaryFolder(t);
  const first = await serve(t, ["--demo"], { cwd });
  await first.stop("SIGTERM");
  const second = await serve(t, ["--demo"], { cwd });
  assert.equal(second.ready.workspace, first.ready.workspace);
  assert.equal(second.ready.api_key, null);
});

test("an uncaught error ends the whole process with exit code 1", async (t) => {
  const place = temporaryFolder(t);
  const preload = 'data:text/javascript,process.on("SIGUSR2",()=>{Promise.reject(new Error("stray"))})';
  const server = await serve(t, ["--ephemeral"], { preload, env: { TMPDIR: place } });
  const { status } = await server.stop("SIGUSR2");
  assert.equal(status, 1);
  assert.match(server.output().stderr, /stray/);
  assert.deepEqual(foldersIn(place), []);
});

test("an unusable folder, a file that is no database, and a newer or older database print one clear line and exit 1", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "file"), "not a folder");
  const folder = await spawnRostrum(["start", "--port", "0", "--data", "file"], { cwd });
  assert.equal(folder.status, 1);
  assert.match(
    folder.stderr,
    /^file\/rostrum\.db: a part of this path is a file, not a folder\. Choose another path\.\n$/,
  );
  writeFileSync(join(cwd, "rostrum.db"), "garbage ".repeat(1000));
  const garbage = await spawnRostrum(["start", "--port", "0", "--data", "."], { cwd });
  assert.equal(garbage.status, 1);
  assert.match(garbage.stderr, /^The database can't be opened: file is not a database\. .*\n$/);
  const newer = join(cwd, "newer/rostrum.db");
  await (await openSqliteStore(newer)).close();
  const db = new Database(newer);
  db.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)");
  db.close();
  const refused = await spawnRostrum(["start", "--port", "0", "--data", "newer"], { cwd });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^The database newer\/rostrum\.db was written by a newer version of Rostrum\. .*\n$/);
  prereleaseDatabase(join(cwd, "older/rostrum.db"));
  const older = await spawnRostrum(["start", "--port", "0", "--data", "older"], { cwd });
  assert.equal(older.status, 1);
  assert.match(older.stderr, /^older\/rostrum\.db was created by a pre-release version of Rostrum\. .*\n$/);
});

test("--demo signs in without a password only on this machine and in its own workspace; elsewhere a link creates the owner", async (t) => {
  const linked = (folder: string) => {
    const db = openBeside(join(folder, "data"), { readonly: true });
    const kind = db
      .prepare("SELECT kind FROM one_time_tokens WHERE kind IN ('setup', 'demo') ORDER BY id DESC")
      .pluck();
    const found = kind.get();
    db.close();
    return found;
  };
  const [demo, real] = [temporaryFolder(t), temporaryFolder(t)];
  // Jobs of a server that sends must not take what the story itself sends.
  const sends = { ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_SOCIALNET_EXECUTION: "on" };
  const first = await serve(t, ["--demo"], { cwd: demo, env: sends });
  assert.equal(linked(demo), "demo");
  await first.stop("SIGTERM");
  const named = await serve(t, ["--demo"], { cwd: demo, env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  assert.equal(linked(demo), "setup", "a server with a public name");
  await named.stop("SIGTERM");
  const again = await serve(t, ["--demo"], { cwd: demo });
  assert.equal(linked(demo), "demo", "a later start");
  await again.stop("SIGTERM");
  await (await serve(t, [], { cwd: real })).stop("SIGTERM");
  const refused = await spawnRostrum(["start", "--demo", "--port", "0"], { cwd: real });
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^--demo needs an empty data folder\. .* Start without --demo/m);
  const filled = await serve(t, [], { cwd: real });
  assert.equal(linked(real), "setup");
  const page = await (await fetch(filled.ready.setup_url ?? "")).text();
  assert.match(page, /Create the owner account/);
  assert.doesNotMatch(page, /Open demo/);
});

test("a second server on a folder says so, and leaves the address of the first when it stops", async (t) => {
  if (isPostgres) return;
  const cwd = temporaryFolder(t);
  const first = await serve(t, [], { cwd });
  const second = await serve(t, [], { cwd });
  await until(() => second.output().stderr.includes("another server runs on this data folder"));
  assert.doesNotMatch(first.output().stderr, /another server/);
  const url = () => readFileSync(join(cwd, "data/server.url"), "utf8").trim();
  assert.equal(url(), second.ready.url);
  await second.stop("SIGTERM");
  assert.equal(url(), first.ready.url);
  await first.stop("SIGTERM");
  assert.ok(!existsSync(join(cwd, "data/server.url")));
});

test("the demo's key list includes an MCP client that a teammate connected", async (t) => {
  const { ready } = await serve(t, ["--demo"], { cwd: temporaryFolder(t) });
  const origin = new URL(ready.setup_url ?? "").origin;
  const entered = await fetch(ready.setup_url ?? "", {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ as: "demo" }),
    headers: { origin },
  });
  assert.equal(entered.status, 303);
  const headers = {
    cookie: entered.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; "),
  };
  const home = await fetch(origin + (entered.headers.get("location") ?? ""), { headers });
  const page = await (await fetch(`${home.url.replace(/\/$/, "")}/settings/keys`, { headers })).text();
  assert.match(page, /Desk assistant<\/td>.*Maya Lindqvist.*Connected/s);
  assert.doesNotMatch(page, /No connected clients yet/);
});

test("a public address without proxy settings logs a warning", async (t) => {
  const env = { ROSTRUM_PUBLIC_URL: "https://rostrum.example" };
  const alone = await serve(t, [], { cwd: temporaryFolder(t), env });
  await until(() => /ROSTRUM_PUBLIC_URL is set without ROSTRUM_TRUST_PROXY/.test(alone.output().stderr));
  const both = await serve(t, [], { cwd: temporaryFolder(t), env: { ...env, ROSTRUM_TRUST_PROXY: "1" } });
  await both.stop("SIGTERM");
  assert.doesNotMatch(both.output().stderr, /ROSTRUM_TRUST_PROXY/);
});

test("a missing database stops the start, and is created again only if requested", async (t) => {
  const data = temporaryFolder(t);
  writeFileSync(join(data, "data.key"), `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const refused = await spawnRostrum(["start", "--port", "0", "--data", data]);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^\S+rostrum\.db is missing, but data\.key beside it .* --new-database --data \S+\.\n$/);
  assert.deepEqual(readdirSync(data), ["data.key"]);
  const server = await serve(t, ["--data", data, "--new-database"]);
  assert.equal((await server.stop("SIGTERM")).status, 0);
  const again = await serve(t, ["--data", data]);
  assert.equal(again.ready.workspace, server.ready.workspace);
});

test("a process without file handles says so in one line, and how to raise the limit", async (t) => {
  const data = temporaryFolder(t);
  const [made] = await rostrumEach([{ args: ["workspace", "create", "one", "--data", data] }]);
  assert.equal(made?.status, 0);
  // How many handles Node needs differs by version: with too few it can't start, with enough the command works.
  const limited = (handles: number) =>
    spawnSync("sh", [
      "-c",
      'ulimit -n "$1"; shift; exec "$@"',
      "sh",
      String(handles),
      process.execPath,
      ...programArgs("bin/rostrum.ts"),
      ...["key", "list", "--data", data],
    ]).stderr.toString();
  const said = [24, 28, 32, 40].map(limited);
  assert.ok(
    said.some((text) => /^\/\S+: the process has no file handles left\. Raise the limit \(ulimit -n, .*\n$/.test(text)),
    said.join("\n"),
  );
});

test("a server that starts on a full disk prints the setup link once there is space", async (t) => {
  const disk = isPostgres ? undefined : smallDisk(t);
  if (disk === undefined) return t.skip("needs SQLite, and a user who can mount a small disk");
  const data = join(disk, "data");
  await (await serve(t, ["--data", data], { cwd: disk })).stop("SIGTERM");
  // Room to open the database, and for no write.
  truncateSync(join(data, "rostrum.db-reserve"), 36 * 1024);
  const free = fill(disk);
  const server = await serve(t, ["--data", data], { cwd: disk });
  assert.equal(server.ready.setup_url, null);
  free();
  await until(() => /^Set up +\S+\/console\/setup\/\S+/m.test(server.output().stderr), 20_000);
  await server.stop("SIGTERM");
});

test("a port that only root can use prints the next step", async (t) => {
  const folder = temporaryFolder(t);
  const preload = `data:text/javascript,${encodeURIComponent(
    'import net from "node:net"; const listen = net.Server.prototype.listen; net.Server.prototype.listen = function (at, ...more) { if (at?.port === 80) { setImmediate(() => this.emit("error", Object.assign(new Error("x"), { code: "EACCES", syscall: "listen", address: "127.0.0.1", port: 80 }))); return this; } return listen.call(this, at, ...more); };',
  )}`;
  const { status, stderr } = await spawnRostrum(["start", "--port", "80"], { cwd: folder, preload });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^This user can't listen on 127\.0\.0\.1:80\. Choose a port above 1023 with --port\. To serve on a lower port, put a proxy in front\./,
  );
});
