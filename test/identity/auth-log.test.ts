import assert from "node:assert/strict";
import { test } from "node:test";
import { subnetOf } from "../../src/lib/http-client/addresses.ts";
import { AuthLog, ROWS_A_MINUTE, SINGLE_ROWS_OF_NETWORK } from "../../src/services/access/auth-log.ts";
import type { AuthEventRow } from "../../src/store/logs.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

type Row = AuthEventRow & { workspaceId: string | null };

const MINUTE_MS = 60_000;
const MINE = "workspace-of-the-flood";
const OTHER = "another-workspace";

/** A log that keeps its rows in an array instead of a database. */
function logged() {
  const clock = new FakeClock();
  const log = new AuthLog(clock);
  const rows: Row[] = [];
  const batches: number[] = [];
  const trims: [workspaceId: string | null, code: string][] = [];
  let failing = false;
  const store = {
    async recordUse(_used: unknown, events: readonly Row[]) {
      if (failing) throw new Error("the disk is full");
      batches.push(events.length);
      rows.push(...events.map((event) => ({ ...event })));
    },
    async trimAuthEvents(workspaceId: string | null, code: string) {
      trims.push([workspaceId, code]);
      return 0;
    },
  } as unknown as Store;
  return {
    clock,
    log,
    rows,
    batches,
    trims,
    flush: () => log.flush(store),
    close: () => log.close(store),
    fail(fails: boolean) {
      failing = fails;
    },
    /** A refusal without a key, or with an unknown one. */
    stranger(address: string | undefined, code: "missing_key" | "invalid_key" = "missing_key", route = "GET /x") {
      const keyPrefix = code === "invalid_key" ? "ros_live_abcde" : null;
      log.refused({ code, credential: { address: () => address, route }, keyPrefix, workspaceId: null });
    },
    /** A refusal of a key that a workspace has or had. */
    known(
      workspaceId: string,
      code: "revoked_key" | "expired_key" | "scope_denied" = "scope_denied",
      keyPrefix = "ros_live_known",
      address = "192.0.2.1",
    ) {
      log.refused({ code, credential: { address: () => address, route: "GET /contacts" }, keyPrefix, workspaceId });
    },
  };
}

const eventsIn = (rows: readonly Row[]) => rows.reduce((sum, { count }) => sum + count, 0);
const addressOf = (i: number) => `${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.7`;
const of = (rows: readonly Row[], workspaceId: string | null) => rows.filter((row) => row.workspaceId === workspaceId);

test("refusals without a known key have a row each up to twenty a minute per network, then one counted row per code", async () => {
  const { clock, stranger, rows, flush } = logged();
  for (let i = 0; i < 15; i += 1) stranger("203.0.113.5", "missing_key", `GET /${i}`);
  for (let i = 0; i < 15; i += 1) stranger("203.0.113.250", "invalid_key");
  for (let i = 0; i < 15; i += 1) stranger("203.0.113.5", "missing_key", `GET /${i}`);
  await flush();
  assert.equal(rows.length, SINGLE_ROWS_OF_NETWORK, "the others are written when the minute ends");
  assert.ok(rows.every(({ count, address }) => count === 1 && !address?.includes("/")));
  clock.advance(MINUTE_MS);
  await flush();
  const later = rows.slice(SINGLE_ROWS_OF_NETWORK);
  assert.deepEqual(
    later.map(({ code, count, address, keyPrefix, route }) => [code, count, address, keyPrefix, route]),
    [
      ["missing_key", 15, "203.0.113.0/24", null, "*"],
      ["invalid_key", 10, "203.0.113.0/24", null, "GET /x"],
    ],
  );
  stranger("203.0.113.5");
  await flush();
  assert.equal(rows.at(-1)?.count, 1, "a new minute has twenty again");
});

test("100,000 refusals from one network in a minute add 21 rows, and other workspaces lose nothing", async () => {
  const { clock, log, stranger, known, rows, flush } = logged();
  for (let i = 0; i < 100_000; i += 1) {
    stranger(`198.51.100.${i % 256}`, "missing_key", `GET /${i}`);
    if (i % 1_000 === 0) known(OTHER);
    if (i % 2_000 === 0) await flush();
    assert.ok(log.buffered < 50);
  }
  clock.advance(MINUTE_MS);
  await flush();
  assert.equal(of(rows, null).length, SINGLE_ROWS_OF_NETWORK + 1);
  assert.equal(eventsIn(of(rows, null)), 100_000);
  assert.equal(of(rows, OTHER).length, 100);
  assert.ok(of(rows, OTHER).every(({ count }) => count === 1));
  assert.deepEqual([log.dropped, log.merged], [0, 100_000 - SINGLE_ROWS_OF_NETWORK - 1]);
  assert.equal(log.buffered, 0);
});

test("100,000 refusals from 10,000 networks in a minute add a bounded number of rows, and other workspaces lose nothing", async () => {
  const { clock, log, stranger, known, rows, flush, batches } = logged();
  for (let i = 0; i < 100_000; i += 1) {
    stranger(addressOf(i % 10_000), i % 2 ? "missing_key" : "invalid_key");
    if (i % 1_000 === 0) known(OTHER, "revoked_key");
    if (i % 5_000 === 0) await flush();
    assert.ok(log.buffered <= 2 * (ROWS_A_MINUTE.all + 1) + 10);
  }
  clock.advance(MINUTE_MS);
  await flush();
  assert.equal(of(rows, null).length, 2 * (ROWS_A_MINUTE.all + 1));
  assert.equal(eventsIn(of(rows, null)), 100_000, "each is counted");
  const rest = of(rows, null).filter(({ address }) => address === null);
  assert.deepEqual(rest.map(({ code }) => code).sort(), ["invalid_key", "missing_key"]);
  assert.equal(of(rows, OTHER).length, 100);
  assert.ok(batches.every((batch) => batch <= 500));
  assert.equal(log.dropped, 0);
});

test("the buffer stays bounded while writes fail, and lost entries are counted", async () => {
  const { clock, log, stranger, known, flush, fail, rows } = logged();
  let sent = 0;
  for (let minute = 0; minute < 10; minute += 1) {
    for (let i = 0; i < 5_000; i += 1, sent += 2) {
      stranger(addressOf(i));
      known(MINE);
    }
    clock.advance(MINUTE_MS);
  }
  assert.ok(log.buffered <= 2 * (ROWS_A_MINUTE.all + 1) + 20, `${log.buffered}`);
  fail(true);
  await assert.rejects(flush(), /disk is full/);
  assert.equal(log.buffered, 0);
  assert.equal(log.dropped, sent);
  fail(false);
  known(MINE);
  await flush();
  assert.equal(rows.length, 1);
});

test("failures of a known key have a row each, and a flood of them shares rows only within its workspace and code", async () => {
  const { clock, log, known, rows, flush } = logged();
  for (let i = 0; i < 500; i += 1) known(MINE, "revoked_key");
  for (let i = 0; i < 50_000; i += 1) {
    known(MINE, "scope_denied", i % 2 ? "ros_live_one__" : "ros_live_two__");
    if (i % 500 === 0) {
      known(OTHER);
      known(MINE, "expired_key");
      await flush();
    }
  }
  clock.advance(MINUTE_MS);
  await flush();
  const count = (workspaceId: string, code: string) =>
    of(rows, workspaceId).filter((row) => row.code === code && row.count === 1).length;
  assert.deepEqual(
    [count(MINE, "revoked_key"), count(MINE, "expired_key"), count(OTHER, "scope_denied")],
    [500, 100, 100],
  );
  assert.equal(count(MINE, "scope_denied"), ROWS_A_MINUTE.single);
  const shared = of(rows, MINE).filter((row) => row.count > 1);
  assert.deepEqual(shared.map(({ keyPrefix }) => keyPrefix).sort(), ["ros_live_one__", "ros_live_two__"]);
  assert.ok(shared.every(({ address, route }) => address === "192.0.2.0/24" && route === "GET /contacts"));
  assert.equal(eventsIn(rows), 50_700);
  assert.equal(log.dropped, 0);
});

test("failed sign-ins without an account share the network's rows, and those with an account are their workspaces'", async () => {
  const { clock, log, rows, flush, stranger } = logged();
  const failed = (address: string, of: { workspaceId: string; memberId: string }[]) =>
    log.signInEvent({ code: "sign_in_failed", address, route: "POST /console/sign-in", of });
  for (let i = 0; i < 100; i += 1) {
    stranger("203.0.113.1");
    failed("203.0.113.1", []);
    failed("203.0.113.1", [
      { workspaceId: MINE, memberId: "ada" },
      { workspaceId: OTHER, memberId: "ada" },
    ]);
  }
  clock.advance(MINUTE_MS);
  await flush();
  for (const workspace of [MINE, OTHER]) {
    assert.equal(of(rows, workspace).length, 100);
    assert.ok(of(rows, workspace).every(({ count, memberId }) => count === 1 && memberId === "ada"));
  }
  assert.equal(of(rows, null).length, SINGLE_ROWS_OF_NETWORK + 2);
  assert.equal(eventsIn(of(rows, null)), 200);
});

test("callers without a known address count as one network, and rows keep no long text", async () => {
  const { stranger, rows, close } = logged();
  for (let i = 0; i < 50; i += 1)
    stranger(i % 2 ? undefined : `${"x".repeat(10_000)}${i}`, "missing_key", "y".repeat(9_000));
  await close();
  assert.equal(rows.length, SINGLE_ROWS_OF_NETWORK + 1);
  assert.ok(rows.every(({ address, route }) => (address ?? "").length <= 64 && route.length === 200));
  assert.deepEqual([rows.at(-1)?.count, rows.at(-1)?.address], [30, null]);
});

test("rows are written in time order, and shared ones when the process stops at the latest", async () => {
  const { clock, stranger, known, rows, close } = logged();
  for (let i = 0; i < 30; i += 1) {
    clock.advance(100);
    stranger("203.0.113.1");
    known(OTHER);
  }
  await close();
  assert.deepEqual(
    rows.map(({ at }) => at),
    rows.map(({ at }) => at).sort((a, b) => a - b),
  );
  assert.equal(eventsIn(rows), 60);
});

test("old rows are deleted only from their own pool, at its first write and after each thousand", async () => {
  const { clock, known, trims, flush } = logged();
  known(OTHER);
  await flush();
  assert.deepEqual(trims, [[OTHER, "scope_denied"]]);
  for (let i = 0; i < 3_000; i += 1) {
    known(MINE);
    if (i % 500 === 499) {
      clock.advance(MINUTE_MS);
      await flush();
    }
  }
  known(OTHER);
  await flush();
  assert.deepEqual(trims.slice(1), Array(3).fill([MINE, "scope_denied"]));
});

test("logs count callers by /24 of IPv4, mapped or not, and by /64 of IPv6", () => {
  assert.equal(subnetOf("192.0.2.1"), "192.0.2.0/24");
  assert.equal(subnetOf("::ffff:192.0.2.254"), "192.0.2.0/24");
  assert.equal(subnetOf("192.0.3.1"), "192.0.3.0/24");
  assert.equal(subnetOf("2001:DB8:0:1:ffff::1"), "2001:db8:0:1::/64");
  assert.notEqual(subnetOf("2001:db8:0:2::1"), subnetOf("2001:db8:0:1::1"));
  assert.equal(subnetOf("unknown"), undefined);
});

test("a flood over HTTP without a key, from one network or many, leaves another workspace's events intact", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock, env: { ROSTRUM_TRUST_PROXY: "1" } });
  const other = await server.neighbour();
  const narrow = await server.operator("create_key", { name: "narrow", scopes: ["contacts.read"] }, other.workspaceId);
  const flood = async (address: string) => {
    const { status } = await server.rest("GET", "/contacts", { key: "", headers: { "x-forwarded-for": address } });
    assert.equal(status, 401);
  };
  for (let i = 0; i < 20; i += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => flood(`198.51.100.${n}`)));
    await Promise.all(Array.from({ length: 10 }, (_, n) => flood(addressOf(i * 10 + n))));
    assert.equal((await server.rest("POST", "/contacts", { key: narrow.key, body: {} })).status, 403);
  }
  clock.advance(MINUTE_MS);
  const listed = async (code: string, workspaceId: string) =>
    (await server.operator("list_auth_events", { code, limit: 100 }, workspaceId)) as {
      count: number;
      address: string;
      route: string;
    }[];
  await until(async () => (await listed("missing_key", server.workspaceId)).some(({ count }) => count > 1));
  const denied = await listed("scope_denied", other.workspaceId);
  assert.deepEqual([denied.length, denied.every(({ count }) => count === 1)], [20, true]);
  assert.deepEqual(await listed("scope_denied", server.workspaceId), []);
  const [newest] = await listed("missing_key", server.workspaceId);
  assert.deepEqual(
    [newest?.count, newest?.address, newest?.route],
    [400 - SINGLE_ROWS_OF_NETWORK, "198.51.100.0/24", "GET /contacts"],
  );
});
