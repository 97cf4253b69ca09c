import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { assessChecklists } from "../../src/workers/assessor.ts";
import { W1, W2 } from "../store/conformance/fixtures.ts";
import { openBeside } from "../support/beside.ts";
import { openStoreOf } from "../support/engine-under-test.ts";
import { keptLog } from "../support/log.ts";
import { FakeClock, temporaryFolder } from "../support/server.ts";

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

async function ready(t: TestContext) {
  const folder = temporaryFolder(t);
  const open = async () => {
    const store = await openStoreOf(folder);
    t.after(() => store.close());
    return store;
  };
  const store = await open();
  for (const id of [W1, W2]) await store.write(id, ({ workspace }) => workspace.create(id, 1));
  return { store, open, folder, clock: new FakeClock(), ...keptLog() };
}

test("every workspace is assessed once a week, each item with a reason, and not sooner", async (t) => {
  const { store, clock, log } = await ready(t);
  const { run } = assessChecklists(store, shippedCatalog, clock, log);
  const assessedAt = async () => [
    ...new Set((await store.read(W2).checklist.assessments()).map((row) => row.assessedAt)),
  ];
  await run();
  const first = clock.now();
  for (const id of [W1, W2]) {
    const rows = await store.read(id).checklist.assessments();
    assert.equal(rows.length, shippedCatalog().items.length);
    assert.ok(rows.every(({ reason }) => reason.length > 0));
    assert.ok(rows.some(({ state }) => state === "missing") && rows.some(({ state }) => state === "unknown"));
  }
  clock.advance(WEEK_MS - 1);
  await run();
  assert.deepEqual(await assessedAt(), [first]);
  clock.advance(1);
  await run();
  assert.deepEqual(await assessedAt(), [first + WEEK_MS]);
});

test("of several servers that check at once, one assesses a workspace", async (t) => {
  const { store, open, clock, log } = await ready(t);
  let assessed = 0;
  const counted = {
    version: "1",
    get items() {
      assessed += 1;
      return [];
    },
  };
  const servers = [store, await open(), await open()];
  await Promise.all(servers.map((server) => assessChecklists(server, () => counted, clock, log).run()));
  const one = assessed / 2;
  await assessChecklists(await open(), () => counted, clock, log).run();
  clock.advance(WEEK_MS);
  await store.write(W2, ({ checklist }) =>
    checklist.claimAssessment({ at: clock.now(), before: clock.now(), catalogVersion: "1" }),
  );
  await assessChecklists(store, () => counted, clock, log).run();
  assert.equal(assessed, 3 * one, "each of the two workspaces once, and one of them a second time");
});

test("a new catalog makes every workspace due at once, and then not for another day", async (t) => {
  const { store, clock, log } = await ready(t);
  await assessChecklists(store, shippedCatalog, clock, log).run();
  const assessed = async () => (await store.read(W2).checklist.assessments()).map(({ itemId }) => itemId);
  const [first, second] = shippedCatalog().items;
  assert.ok(first && second);
  await assessChecklists(store, () => ({ version: "next", items: [first] }), clock, log).run();
  assert.deepEqual(await assessed(), [first.id]);
  await assessChecklists(store, () => ({ version: "next", items: [second] }), clock, log).run();
  assert.deepEqual(await assessed(), [first.id]);
});

test("an unreadable catalog leaves nothing behind, and everything is done at the next run", async (t) => {
  const { store, clock, log } = await ready(t);
  const broken = assessChecklists(store, () => assert.fail("no catalog"), clock, log);
  await assert.rejects(broken.run(), /no catalog/);
  assert.deepEqual(await store.read(W1).checklist.assessments(), []);
  await assessChecklists(store, shippedCatalog, clock, log).run();
  for (const id of [W1, W2]) assert.ok((await store.read(id).checklist.assessments()).length > 0);
});

test("a workspace whose assessment fails delays no other, and is retried in an hour", async (t) => {
  const { store, folder, clock, log, text } = await ready(t);
  const db = openBeside(folder);
  t.after(() => db.close());
  const windows = db.prepare("UPDATE workspaces SET sending_windows = ? WHERE id = ?");
  windows.run("no JSON", W1);
  const { run } = assessChecklists(store, shippedCatalog, clock, log);
  const assessed = async () => {
    const rows = await Promise.all([W1, W2].map((id) => store.read(id).checklist.assessments()));
    return rows.map(({ length }) => length > 0);
  };
  await run();
  assert.deepEqual(await assessed(), [false, true]);
  assert.match(text(), new RegExp(`"workspaceId":"${W1}".*could not be assessed`));
  windows.run(null, W1);
  clock.advance(HOUR_MS - 1);
  await run();
  assert.deepEqual(await assessed(), [false, true], "not in every run: a broken one would fill the log");
  clock.advance(1);
  await run();
  assert.deepEqual(await assessed(), [true, true]);
});

test("a stop takes effect between two workspaces", async (t) => {
  const { store, clock, log } = await ready(t);
  const stop = new AbortController();
  stop.abort();
  await assessChecklists(store, shippedCatalog, clock, log).run(stop.signal);
  assert.deepEqual(await store.read(W1).checklist.assessments(), []);
});
