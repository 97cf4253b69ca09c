import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { openSqliteStore } from "../../src/store/sqlite/index.ts";
import { temporaryFolder } from "../support/server.ts";
import { found, idOf, NOON, W1 } from "./conformance/fixtures.ts";

async function openStore(t: TestContext) {
  const file = join(temporaryFolder(t), "rostrum.db");
  const store = await openSqliteStore(file);
  t.after(() => store.close());
  await found(store);
  return { file, store, contacts: store.read(W1).contacts };
}

function openBeside(t: TestContext, file: string) {
  const other = new Database(file);
  t.after(() => other.close());
  return other;
}

const row = (number: number, job_title = "Countess") => ({
  id: idOf(number),
  fields: { email: `ada${number}@example.com`, job_title },
  source: "public_api",
  now: NOON,
});

test("a caller reads its own latest write, even in a turn whose snapshot is older", async (t) => {
  const { store, contacts } = await openStore(t);
  for (let i = 0; i < 20; i++) {
    const seen: number[] = [];
    const written = store.write(W1, async (bound) => {
      // Holds a snapshot open while the batch runs.
      seen.push(await contacts.count());
      await bound.contacts.insert(row(i));
      seen.push(await contacts.count());
    });
    await contacts.count();
    await written;
    assert.deepEqual(seen, [i, i], "nothing is seen before its commit");
    assert.equal(await contacts.count(), i + 1);
  }
});

test("reads of one callback see one state, and the next callback sees what another process has committed", async (t) => {
  const { file, store } = await openStore(t);
  const other = openBeside(t, file);
  const names = async () => (await store.workspaces()).map(({ name }) => name);
  await turn();
  assert.deepEqual(await names(), ["one", "two"]);
  other.prepare("UPDATE workspaces SET name = 'Renamed'").run();
  assert.deepEqual(await names(), ["one", "two"]);
  await turn();
  assert.deepEqual(await names(), ["Renamed", "Renamed"]);
});

const PHASES = { timer: (callback: () => void) => setTimeout(callback, 1), immediate: setImmediate };

for (const [phase, run] of Object.entries(PHASES)) {
  test(`a snapshot isn't kept for the next callback of the same phase (${phase})`, async (t) => {
    const { file, store } = await openStore(t);
    const other = openBeside(t, file);
    const names = async () => (await store.workspaces()).map(({ name }) => name);
    const seen = await new Promise((resolve) => {
      run(async () => {
        await names();
        other.prepare("UPDATE workspaces SET name = 'Renamed'").run();
      });
      run(() => resolve(names()));
    });
    assert.deepEqual(seen, ["Renamed", "Renamed"]);
  });
}

test("version() counts a commit of another process in the turn it happens", async (t) => {
  const { file, store } = await openStore(t);
  const other = openBeside(t, file);
  await store.workspaces();
  const before = store.version();
  await store.workspaces();
  other.prepare("UPDATE workspaces SET name = 'Renamed'").run();
  assert.notEqual(store.version(), before);
});

test("the -wal restarts although every turn reads and writes", async (t) => {
  const { file, store, contacts } = await openStore(t);
  const note = "x".repeat(3_000);
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      await contacts.count();
      await turn();
    }
  })();
  for (let i = 0; i < 150; i++) {
    const writes = Array.from({ length: 40 }, (_, n) =>
      store.write(W1, async (bound) => {
        await contacts.count();
        await bound.contacts.insert(row(i * 40 + n, note));
        await contacts.count();
      }),
    );
    await Promise.all(writes);
  }
  isOver = true;
  await reading;
  const megabytes = statSync(`${file}-wal`).size / 1024 ** 2;
  assert.ok(megabytes < 24, `the -wal has ${megabytes} MB`);
});
