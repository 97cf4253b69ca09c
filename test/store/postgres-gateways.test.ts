import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { connectionConfig, openPool, PoolExecutor } from "../../src/store/postgres/connect.ts";
import { Session } from "../../src/store/postgres/session.ts";
import { lockNumber, PostgresWriter } from "../../src/store/postgres/writer.ts";
import { addEndpoints, addEvents, groundOf } from "../support/endpoints.ts";
import { makeDatabase } from "../support/engine-under-test.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { deliveriesOf, requestReconnect, rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import { type ServerOptions, startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

/** Two gateways on one database. */
async function two(t: TestContext, options: ServerOptions = {}): Promise<[TestServer, TestServer]> {
  const folder = temporaryFolder(t);
  const env = { ROSTRUM_DATABASE_CONNECTIONS: "16", ...options.env };
  const first = await startServer(t, { ...options, env, folder });
  return [first, await startServer(t, { ...options, env, folder })];
}

/** One after the other at each gateway, at the same time. */
async function inTurns<T>(
  gateways: readonly TestServer[],
  many: number,
  run: (at: TestServer, i: number) => Promise<T>,
) {
  const each = gateways.map(async (gateway, g) => {
    const answers: T[] = [];
    for (let i = 0; i < many; i += 1) answers.push(await run(gateway, g * many + i));
    return answers;
  });
  return (await Promise.all(each)).flat();
}

async function session(t: TestContext) {
  const folder = temporaryFolder(t);
  const config = connectionConfig(await makeDatabase(folder), false);
  const opened: Session[] = [];
  t.after(() => Promise.all(opened.map((one) => one.close())));
  return async (onWritten = () => {}) => {
    const one = new Session({ config, onWritten });
    opened.push(one);
    await one.open();
    return one;
  };
}

test("writes of one workspace come one after the other, whichever gateway they came to", async (t) => {
  const gateways = await two(t);
  const [{ key }] = gateways;
  const post = (at: TestServer, body: object) => at.rest("POST", "/contacts", { key, body });
  const made = await inTurns(gateways, 40, (at, i) => post(at, { first_name: `Contact ${i}` }));
  assert.ok(made.every(({ status }) => status === 201));
  for (const gateway of gateways) assert.equal((await gateway.rest("GET", "/contacts", { key })).body.meta.total, 80);
  const raced = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(gateways[i % 2] as TestServer, { email: "ada@b.example" })),
  );
  assert.deepEqual(raced.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)]);
  const headers = { "idempotency-key": "the-same-key" };
  const repeated = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      (gateways[i % 2] as TestServer).rest("POST", "/contacts", { key, headers, body: { first_name: "Once" } }),
    ),
  );
  assert.equal(new Set(repeated.filter(({ status }) => status === 201).map(({ body }) => body.data.id)).size, 1);
  assert.equal((await gateways[0].rest("GET", "/contacts", { key })).body.meta.total, 82);
});

test("writes that wait for another gateway share a transaction", async (t) => {
  const pool = openPool(connectionConfig(await makeDatabase(temporaryFolder(t)), false), 3);
  t.after(() => pool.end());
  const options = { pooled: false, onCommitFailed: assert.fail, onCommit() {} };
  const writer = new PostgresWriter(pool, new PoolExecutor(pool, false), options);
  const other = await pool.connect();
  await other.query(`SELECT pg_advisory_lock(${lockNumber("here")})`);
  const transactionOf = () =>
    writer.run(async (db) => db.value<object, string>("SELECT txid_current()").get({}), { workspaceId: "here" });
  const first = transactionOf();
  const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
  await until(async () => (await other.query(waits)).rowCount === 1);
  const later = [transactionOf(), transactionOf()];
  await other.query(`SELECT pg_advisory_unlock(${lockNumber("here")})`);
  other.release();
  assert.equal(new Set(await Promise.all([first, ...later])).size, 1);
  await writer.close();
});

test("a gateway knows at once that another one has written, and not that nothing was", async (t) => {
  const [first, second] = await two(t, { env: { ROSTRUM_WORKERS: "off" } });
  const { version } = second.running.store;
  await until(async () => {
    const before = version();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return version() === before;
  });
  const before = version();
  await first.rest("POST", "/contacts", { body: { first_name: "Ada" } });
  const started = performance.now();
  await until(() => version() !== before);
  assert.ok(performance.now() - started < 2_000);
});

test("a budget and the limit of sign-ins hold for all gateways together", async (t) => {
  const gateways = await two(t, { budgets: true });
  const [{ key }] = gateways;
  const answers = await inTurns(gateways, 40, (at) =>
    at.rest("POST", "/contacts", { key, body: { first_name: "Ada" } }),
  );
  const allowed = answers.filter(({ status }) => status === 201);
  assert.equal(allowed.length, 60);
  assert.ok(answers.every(({ status }) => status === 201 || status === 429));
});

test("one gateway leads; when it stops, another one does", async (t) => {
  const [first, second] = await two(t);
  const leads = () => [first, second].map(({ running }) => running.store.leads());
  await until(() => leads().filter(Boolean).length === 1);
  const [leader, other] = first.running.store.leads() ? [first, second] : [second, first];
  await leader.running.close();
  await until(() => other.running.store.leads());
});

test("of many events, each is delivered once, by whichever gateway", async (t) => {
  const folder = temporaryFolder(t);
  const first = await startLocal(t, { folder });
  const second = await startLocal(t, { folder });
  const receiver = await Receiver.start(t);
  await first.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
  const many = 20;
  for (let i = 0; i < many; i += 1) {
    const server = i % 2 === 0 ? first : second;
    await requestReconnect(server, await newAccount(server, `Account ${i}`));
  }
  await until(async () => {
    const all = await deliveriesOf(first, { limit: 100 });
    return all.length === many && all.every(({ status }) => status === "delivered");
  });
  const ids = receiver.deliveries.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([new Set(ids).size, ids.length], [many, many], "each came once");
});

test("gateways that settle deliveries of the same endpoints in different orders never wait for each other", async (t) => {
  const gateways = await two(t, { env: { ROSTRUM_WORKERS: "off" } });
  const ground = await groundOf(gateways[0]);
  const endpoints = await addEndpoints(
    ground,
    Array.from({ length: 20 }, (_, i) => `http://hook${i}.example/`),
  );
  await addEvents(ground, endpoints, 20);
  const hosts = endpoints.map(({ url }) => ({ host: new URL(url).host, most: 10 }));
  await Promise.all(
    gateways.map(async ({ running: { store } }, g) => {
      const lease = `gateway ${g}`;
      const at = Date.now();
      const claim = { lease, leaseMs: 30_000, now: at, hosts, except: [], admits: () => true };
      const { claimed } = await store.outbox.claim(claim);
      assert.ok(claimed.length > 100, `${claimed.length} claimed`);
      const settlements = claimed.map(({ seq }) => ({
        ...{ seq, lease, at, status: "delivered" as const, error: null, outcome: "2xx" as const, durationMs: 1 },
        ...{ nextAttemptAt: null, suspend: null },
      }));
      if (g === 1) settlements.reverse();
      // Each time one of every endpoint.
      for (let i = 0; i < 10; i += 1) await store.outbox.settle(settlements.filter((_, at) => at % 10 === i));
    }),
  );
  const delivered = rowsOf(gateways[0], "SELECT count(*) AS n FROM deliveries WHERE status = 'delivered'")[0].n;
  assert.equal(delivered, 400);
});

/** Sessions of the database that wait for a lock. */
const WAITING =
  "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

test("a write of all workspaces waits for one of a workspace that changes rows in another order", async (t) => {
  const [first, second] = await two(t, { env: { ROSTRUM_WORKERS: "off" } });
  const [{ id: earlier }, { id: later }] = [await newAccount(first, "Ada"), await newAccount(first, "Bob")];
  const now = Date.now();
  let all: Promise<void> | undefined;
  await first.running.store.write(first.workspaceId, async ({ socialnetAccounts }) => {
    await socialnetAccounts.touch(later, now);
    all = second.running.store.socialnetDue.countAll(now);
    await until(async () => {
      await socialnetAccounts.find(later);
      return rowsOf(first, WAITING)[0].n > 0;
    });
    await socialnetAccounts.touch(earlier, now);
  });
  await all;
});

test("what a process had leased is released once it is dead, and not while it lives", async (t) => {
  const open = await session(t);
  const [living, dying] = [await open(), await open()];
  const instances = [living.enlist(), dying.enlist()];
  for (const instance of instances) await instance.forgetDead(async (id) => assert.fail(id));
  const third = await open();
  const looks = third.enlist();
  const released: string[] = [];
  const look = () => looks.forgetDead(async (id) => void released.push(id));
  await look();
  await dying.close();
  await until(async () => {
    await look();
    return released.length > 0;
  });
  await look();
  assert.deepEqual(released, [instances[1]?.id]);
});

test("a process goes by the clock of the database, however wrong its own is", async (t) => {
  const open = await session(t);
  assert.ok(Math.abs((await open()).skewMs) < 100);
  const { now } = Date;
  t.mock.method(Date, "now", () => now() + 7_000);
  const { skewMs } = await open();
  assert.ok(skewMs > -7_100 && skewMs < -6_900, `${skewMs} ms`);
});
