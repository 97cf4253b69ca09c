import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { type Cluster, startCluster } from "../../scripts/postgres-cluster.ts";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { keptLog } from "../support/log.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster.stop());

let made = 0;

async function admin<T>(use: (client: pg.Client) => Promise<T>, database = "postgres"): Promise<T> {
  const client = new pg.Client({ connectionString: cluster.url(database) });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A server on a database of its own, whose URL may have more parameters. */
async function ready(t: Parameters<typeof startServer>[0], params = "", create = "") {
  const database = `faults_${made++}`;
  await admin((client) => client.query(`CREATE DATABASE ${database} ${create}`));
  const env = { ROSTRUM_DATABASE_URL: `${cluster.url(database)}${params}` };
  const { log, text } = keptLog();
  return { server: await startServer(t, { env, log }), database, text };
}

async function readyz({ listening }: TestServer): Promise<[number, string]> {
  const response = await fetch(`${listening}/readyz`);
  return [response.status, (await response.text()).trim()];
}

const add = (server: TestServer, name: string) => server.rest("POST", "/contacts", { body: { first_name: name } });
const list = (server: TestServer) => server.rest("GET", "/contacts");

/** Adds contacts without a pause, and says which were acknowledged. */
function load(server: TestServer) {
  const acknowledged: string[] = [];
  const refused = new Set<string>();
  let isRunning = true;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; isRunning; i += 1) {
      const { status, body } = await add(server, `${writer}-${i}`);
      if (status === 201) acknowledged.push(body.data.id);
      else refused.add(`${status} ${body.code}`);
    }
  });
  return {
    acknowledged,
    refused,
    async stop() {
      isRunning = false;
      await Promise.all(writers);
    },
  };
}

/** Every acknowledged contact is there, and whatever is there is whole. */
async function assertWhole(database: string, acknowledged: readonly string[]): Promise<void> {
  await admin(async (client) => {
    const { rows } = await client.query<{ id: string; logged: string }>(
      `SELECT id, (SELECT count(*) FROM operation_log WHERE record_id = contacts.id) AS logged FROM contacts`,
    );
    const there = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      acknowledged.filter((id) => !there.has(id)),
      [],
      "an acknowledged write is lost",
    );
    assert.deepEqual(
      rows.filter(({ logged }) => Number(logged) !== 1),
      [],
      "a write is there in part",
    );
    const counted = await client.query("SELECT sum(live)::int AS live FROM contact_sources");
    assert.equal(counted.rows[0].live, rows.length);
  }, database);
}

test("connections that are lost under load are made again, and nothing is lost or there in part", async (t) => {
  const { server, database, text } = await ready(t);
  const running = load(server);
  for (let round = 0; round < 5; round += 1) {
    const enough = running.acknowledged.length + 10;
    await until(() => running.acknowledged.length >= enough);
    await admin((client) =>
      client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [database]),
    );
  }
  const enough = running.acknowledged.length + 10;
  await until(() => running.acknowledged.length >= enough);
  await running.stop();
  const unexpected = text()
    .match(/.*an unexpected error.*/g)
    ?.slice(0, 3)
    .join("\n");
  assert.deepEqual(
    [...running.refused].filter((refusal) => refusal !== "503 db_unavailable"),
    [],
    unexpected,
  );
  await until(async () => (await readyz(server))[0] === 200);
  await assertWhole(database, running.acknowledged);
});

test("while the database is down every call is 503; after a crash of it, all that was acknowledged is there", async (t) => {
  const { server, database } = await ready(t);
  const running = load(server);
  await until(() => running.acknowledged.length >= 20);
  await cluster.control("-m", "immediate", "stop");
  const { status, body } = await list(server);
  assert.deepEqual([status, body.code, body.data], [503, "db_unavailable", null]);
  assert.doesNotMatch(String(body.error), /postgres|select|ECONN/i);
  assert.deepEqual(await readyz(server), [503, "the database can't be reached"]);
  await running.stop();
  await cluster.start();
  await until(async () => (await list(server)).status === 200);
  await until(async () => (await readyz(server))[0] === 200);
  assert.equal((await add(server, "After")).status, 201);
  assert.deepEqual(
    [...running.refused].filter((refusal) => refusal !== "503 db_unavailable"),
    [],
  );
  await assertWhole(database, running.acknowledged);
});

test("of a database that became read-only, reads are answered and writes are 503 until it can be written", async (t) => {
  const { server, database } = await ready(t);
  const set = async (value: "on" | "off") => {
    await admin(async (client) => {
      await client.query(`ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`);
      await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [database]);
    });
  };
  await set("on");
  await until(async () => (await list(server)).status === 200);
  const refused = await add(server, "Ada");
  assert.deepEqual([refused.status, refused.body.code], [503, "db_unavailable"]);
  assert.deepEqual(await readyz(server), [503, "the database is read-only"]);
  await set("off");
  await until(async () => (await readyz(server))[0] === 200);
  assert.equal((await add(server, "Ada")).status, 201);
});

test("a statement that waits too long for a lock is 503, and other workspaces and calls go on", async (t) => {
  const { server, database } = await ready(t, "&statement_timeout=300");
  const client = new pg.Client({ connectionString: cluster.url(database) });
  await client.connect();
  t.after(() => client.end());
  await client.query("BEGIN; LOCK TABLE deals IN ACCESS EXCLUSIVE MODE");
  const id = (await add(server, "Ada")).body.data.id;
  const { status, body } = await server.rest("POST", "/deals", { body: { contact_id: id, title: "Late" } });
  assert.deepEqual([status, body.code], [503, "db_unavailable"]);
  assert.equal((await list(server)).status, 200);
  await client.query("ROLLBACK");
  assert.equal((await server.rest("POST", "/deals", { body: { contact_id: id, title: "In time" } })).status, 201);
  await until(async () => (await readyz(server))[0] === 200);
});

/** A small disk of its own, where this user may mount one. */
function smallDisk(t: { after(job: () => void): void }): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "rostrum-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", folder], { stdio: "ignore" });
    // The server sets the rights of its own folders alone.
    execFileSync("chown", ["postgres", folder]);
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test("a full disk of the database is 503 for what needs room, and all is well once there is some", async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip("mounting needs the rights of root");
  const space = `space_${made}`;
  await admin((client) => client.query(`CREATE TABLESPACE ${space} LOCATION '${disk}'`));
  const { server, database } = await ready(t, "", `TABLESPACE ${space}`);
  const running = await admin(async (client) => {
    await client.query("CREATE TABLE filler (text text)");
    const fill = () =>
      client.query("INSERT INTO filler SELECT repeat(md5(random()::text), 200) FROM generate_series(1, 40)");
    for (;;) {
      const failed = await fill().then(
        () => false,
        () => true,
      );
      if (failed) break;
    }
    const running = load(server);
    await until(() => running.refused.size > 0);
    await running.stop();
    assert.deepEqual([...running.refused], ["503 db_unavailable"]);
    assert.equal((await list(server)).status, 200);
    assert.deepEqual(await readyz(server), [503, "the database's disk is full"]);
    // On this connection: a full disk may have no room for the files that a new one writes.
    await client.query("DROP TABLE filler");
    return running;
  }, database);
  await until(async () => (await readyz(server))[0] === 200);
  assert.equal((await add(server, "Ada")).status, 201);
  await assertWhole(database, running.acknowledged);
});

/** PgBouncer in front of the cluster, where it is installed. */
async function startPooler(
  t: { after(job: () => void): void },
  mode: string,
): Promise<((db: string) => string) | undefined> {
  const folder = temporaryFolder(t as never);
  chmodSync(folder, 0o777);
  const users = join(folder, "users");
  const settings = join(folder, "pgbouncer.ini");
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    settings,
    `[databases]\n* = host=127.0.0.1 port=${cluster.port} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = any\nauth_file = ${users}\npool_mode = ${mode}\n` +
      "max_client_conn = 200\ndefault_pool_size = 20\n",
  );
  const child = spawn("su", ["postgres", "-s", "/bin/sh", "-c", `exec /usr/sbin/pgbouncer -q ${settings}`], {
    stdio: "ignore",
    detached: true,
  });
  const ended = once(child, "exit").then(() => "ended" as const);
  t.after(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid);
  });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const answers = async () => {
    const client = new pg.Client({ connectionString: url("postgres") });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const up = until(answers).then(() => "up" as const);
  return (await Promise.race([ended, up])) === "up" ? url : undefined;
}

test("a pooler that shares connections by transaction is refused, unless the server itself is named too", async (t) => {
  const pooler = await startPooler(t, "transaction");
  if (pooler === undefined) return t.skip("PgBouncer is not installed");
  const database = `faults_${made++}`;
  await admin((client) => client.query(`CREATE DATABASE ${database}`));
  await assert.rejects(
    openPostgresStore({ url: pooler(database) }),
    /pool_mode = transaction.*ROSTRUM_DATABASE_DIRECT_URL/s,
  );
  const env = { ROSTRUM_DATABASE_URL: pooler(database), ROSTRUM_DATABASE_DIRECT_URL: cluster.url(database) };
  const server = await startServer(t, { env });
  const running = load(server);
  await until(() => running.acknowledged.length >= 50);
  await running.stop();
  assert.deepEqual([...running.refused], []);
  assert.equal((await list(server)).body.meta.total, running.acknowledged.length);
  await assertWhole(database, running.acknowledged);
});
