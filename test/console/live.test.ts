import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { SESSION_IDLE_MS } from "../../src/domain/access/session-limits.ts";
import { newCard } from "../support/checklist.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { asMember, asOwner, Browser, OWNER, PASSWORD } from "../support/http-browser.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const GRACE = { email: "grace@b.example", name: "Grace", role: "rep" };

interface Stream {
  status: number;
  headers: Record<string, unknown>;
  /** The data of each state so far, newest last. */
  states(): { paused: boolean; reason: string | null; counts: Record<string, number> }[];
  text(): string;
  ended(): boolean;
  close(): void;
}

async function listen(t: TestContext, browser: Browser, workspaceId: string): Promise<Stream> {
  const { server } = browser;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  let text = "";
  let isOver = false;
  return new Promise((resolve, reject) => {
    const asked = request(`${server.listening}/console/w/${workspaceId}/live`, {
      headers: { cookie, accept: "text/event-stream", "accept-encoding": "gzip, br" },
      agent: false,
    });
    t.after(() => asked.destroy());
    asked.on("error", reject);
    asked.on("response", (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => undefined);
      response.on("close", () => {
        isOver = true;
      });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        states: () => [...text.matchAll(/^event: state\ndata: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data)),
        text: () => text,
        ended: () => isOver,
        close: () => asked.destroy(),
      });
    });
    asked.end();
  });
}

/** Waits until the number of statements run meanwhile is as expected. */
async function statementsUntil(enough: (sources: readonly string[]) => boolean): Promise<void> {
  const memory = new Database(":memory:");
  const prototype = Object.getPrototypeOf(memory.prepare("SELECT 1"));
  memory.close();
  const sources: string[] = [];
  const originals = ["get", "all", "run", "iterate"].map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (...args: unknown[]) {
      sources.push(this.source);
      return original.apply(this, args);
    };
  }
  try {
    await until(() => enough(sources));
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
}

test("an open page is told of a pause and of what needs review, and nothing in between is stored or changed", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const stream = await listen(t, owner, server.workspaceId);
  assert.equal(stream.status, 200);
  assert.match(String(stream.headers["content-type"]), /^text\/event-stream/);
  assert.equal(stream.headers["cache-control"], "no-store, no-transform");
  assert.equal(stream.headers["x-accel-buffering"], "no");
  assert.equal(stream.headers["content-encoding"], undefined);
  await until(() => stream.states().length === 1);
  assert.deepEqual(stream.states()[0], { paused: false, reason: null, counts: { "/inbox": 0, "/review": 0 } });
  await server.operator("pause_outreach", { reason: "holiday" });
  await until(() => stream.states().length === 2);
  assert.deepEqual(stream.states()[1], { paused: true, reason: "holiday", counts: { "/inbox": 0, "/review": 0 } });
  await server.operator("resume_outreach", {});
  await until(() => stream.states().length === 3);
  assert.equal(stream.states()[2]?.paused, false);
  await newCard(server, "ON-06");
  await until(() => stream.states().length === 4);
  assert.deepEqual(stream.states()[3]?.counts, { "/inbox": 0, "/review": 1 });
});

test("an open page is told once something changed, and its background requests do not extend the session", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock, env: { ROSTRUM_WORKERS: "off" } });
  const owner = await asOwner(server, clock.now());
  const stream = await listen(t, owner, server.workspaceId);
  await until(() => stream.states().length === 1);
  assert.doesNotMatch(stream.text(), /event: changed/);
  await server.operator("create_account", { name: "Acme" });
  await until(() => /^event: changed$/m.test(stream.text()));
  stream.close();
  const path = `/console/w/${server.workspaceId}/`;
  assert.match((await owner.get(path, { "rostrum-refresh": "1" })).text, /data-refresh="today"/);
  clock.advance(SESSION_IDLE_MS - 1_000);
  assert.equal((await owner.get(path, { "rostrum-refresh": "1" })).status, 200);
  clock.advance(1_000);
  assert.equal((await owner.get(path)).status, 303, "signed out");
});

test("live updates need a session and a member of the workspace", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const grace = await asMember(server, GRACE);
  assert.equal((await listen(t, new Browser(server), server.workspaceId)).status, 303);
  assert.equal((await listen(t, grace, other.workspaceId)).status, 404);
  const stream = await listen(t, grace, server.workspaceId);
  await until(() => stream.states().length === 1);
  await server.operator("pause_outreach", {}, other.workspaceId);
  await server.operator("pause_outreach", {});
  await until(() => stream.states().length === 2);
  assert.equal(stream.states().length, 2, "the pause of the other workspace is not told");
});

test("a stream ends with its session or the membership", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const grace = await asMember(server, GRACE);
  const [mine, hers] = [await listen(t, owner, server.workspaceId), await listen(t, grace, server.workspaceId)];
  await until(() => mine.states().length === 1 && hers.states().length === 1);
  const members: { id: string; email: string }[] = await server.operator("list_members", {});
  await server.operator("remove_member", { member_id: members.find(({ email }) => email === GRACE.email)?.id });
  await until(() => hers.ended());
  assert.match(hers.text(), /^event: end$/m);
  assert.ok(!mine.ended());
  await owner.post("/console/sign-out", {});
  await until(() => mine.ended());
});

test("a person has at most four streams, and closing one frees a slot", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const again = new Browser(server);
  await again.signIn(OWNER.email, PASSWORD);
  const streams = [];
  for (const browser of [owner, owner, again, again]) streams.push(await listen(t, browser, server.workspaceId));
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.equal((await listen(t, owner, server.workspaceId)).status, 429);
  assert.equal((await listen(t, await asMember(server, GRACE), server.workspaceId)).status, 200, "another person");
  streams[0]?.close();
  await until(async () => {
    const next = await listen(t, owner, server.workspaceId);
    return next.status === 200;
  });
});

const sqliteOnly = { skip: isPostgres && "counts how SQLite is asked for changes; PostgreSQL reports them" };

test("without writes the database is not queried, and a stop ends all listeners at once", sqliteOnly, async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_WORKERS: "off" } });
  const owner = await asOwner(server);
  const streams = [await listen(t, owner, server.workspaceId), await listen(t, owner, server.workspaceId)];
  await until(() => streams.every((stream) => stream.states().length === 1));
  const isLook = (source: string) => source === "PRAGMA data_version";
  // Three in a row, with nothing between them.
  await statementsUntil((seen) => seen.length >= 3 && seen.slice(-3).every(isLook));
  const started = performance.now();
  await server.running.close();
  await until(() => streams.every((stream) => stream.ended()));
  assert.ok(performance.now() - started < 4_000, "nobody is waited for");
});
