import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { shippedCatalog } from "../../src/checklist/catalog-file.ts";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { assessChecklists } from "../../src/workers/assessor.ts";
import { W1, W2 } from "../store/conformance/fixtures.ts";
import { FakeClock, temporaryFolder } from "../support/server.ts";

const WEEK_MS = 7 * 86_400_000;

async function ready(t: TestContext) {
  const file = join(temporaryFolder(t), "rostrum.db");
  const open = async () => {
    const store = await openSqliteStore(file);
    t.after(() => store.close());
    return store;
  };
  const store = await open();
  for (const id of [W1, W2]) await store.write(id, ({ workspace }) => workspace.create(id, 1));
  return { store, open, clock: new FakeClock() };
}

test("every workspace is assessed once a week, each item with a reason, and not before the week is over", async (t) => {
  const { store, clock } = await ready(t);
  const { run } = assessChecklists(store, shippedCatalog, clock);
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

test("of several servers that look at once, one assesses a workspace", async (t) => {
  const { store, open, clock } = await ready(t);
  let assessed = 0;
  const counted = () => {
    assessed += 1;
    return shippedCatalog();
  };
  const servers = [store, await open(), await open()];
  await Promise.all(servers.map((server) => assessChecklists(server, counted, clock).run()));
  assert.equal(assessed, 2, "each of the two workspaces once");
});

test("an assessment that fails leaves nothing behind, and is done at the next run", async (t) => {
  const { store, clock } = await ready(t);
  const broken = assessChecklists(store, () => assert.fail("no catalog"), clock);
  await assert.rejects(broken.run(), /no catalog/);
  assert.deepEqual(await store.read(W1).checklist.assessments(), []);
  await assessChecklists(store, shippedCatalog, clock).run();
  for (const id of [W1, W2]) assert.ok((await store.read(id).checklist.assessments()).length > 0);
});

test("a stop is let through between two workspaces", async (t) => {
  const { store, clock } = await ready(t);
  const stop = new AbortController();
  stop.abort();
  await assessChecklists(store, shippedCatalog, clock).run(stop.signal);
  assert.deepEqual(await store.read(W1).checklist.assessments(), []);
});
