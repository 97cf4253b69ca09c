import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { isUnavailable, openWriter, startServing } from "../../src/store/sqlite/connection.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import { temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { holdWriteLock } from "./lock.ts";

/** A writer on a table of numbers, with counts of the transactions it tried to begin and to commit. */
function openNumbers(t: TestContext, options = {}) {
  const file = join(temporaryFolder(t), "numbers.db");
  const db = openWriter(file);
  t.after(() => db.close());
  startServing(db);
  db.exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED) STRICT");
  const tried = { "BEGIN IMMEDIATE": 0, COMMIT: 0 };
  const { prepare } = db;
  db.prepare = ((text: string) => {
    const statement = prepare.call(db, text) as Database.Statement<unknown[]>;
    if (!Object.hasOwn(tried, text)) return statement;
    const run = () => {
      tried[text as "COMMIT"] += 1;
      return statement.run();
    };
    return { run };
  }) as typeof prepare;
  const writer = new Writer(db, options);
  const insert = prepare.call(db, "INSERT INTO numbers VALUES (?)");
  const beside = new Database(file);
  t.after(() => beside.close());
  return {
    file,
    db,
    writer,
    begins: () => tried["BEGIN IMMEDIATE"],
    commits: () => tried.COMMIT,
    add: (n: number) => writer.run(async () => insert.run(n).changes),
    insert: (n: number) => insert.run(n),
    stored: () => beside.prepare("SELECT n FROM numbers ORDER BY n").pluck().all() as number[],
  };
}

test("jobs that arrive in one turn share one commit, and each is answered after it", async (t) => {
  const { writer, insert, commits, stored } = openNumbers(t);
  const seen: number[] = [];
  const jobs = Array.from({ length: 50 }, (_, n) =>
    writer.run(async () => insert(n)).then(() => seen.push(stored().length)),
  );
  assert.equal(writer.depth, 50);
  await Promise.all(jobs);
  assert.equal(commits(), 1);
  assert.deepEqual(new Set(seen), new Set([50]));
});

/** Adds a job in each of this many turns of the event loop, each before the writer checks for more. */
function trickle(turns: number, add: (n: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const step = (n: number) => {
      if (n + 1 === turns) resolve();
      else setImmediate(step, n + 1);
      add(n);
    };
    step(0);
  });
}

test("jobs that arrive turn after turn share one commit", async (t) => {
  const { add, commits, stored } = openNumbers(t, { gatherMs: 60_000 });
  const jobs: Promise<unknown>[] = [];
  await trickle(20, (n) => jobs.push(add(n)));
  assert.equal(commits(), 0);
  await Promise.all(jobs);
  assert.equal(commits(), 1);
  assert.equal(stored().length, 20);
});

test("a job isn't delayed for long, however many keep arriving", async (t) => {
  const { add, commits } = openNumbers(t);
  let added = 0;
  let answeredAfter = 0;
  const jobs: Promise<unknown>[] = [];
  await trickle(100, (n) => {
    const job = add(n);
    if (n === 0) job.then(() => (answeredAfter = added));
    jobs.push(job);
    added += 1;
    for (const until = performance.now() + 1; performance.now() < until; );
  });
  await Promise.all(jobs);
  assert.ok(answeredAfter > 1 && answeredAfter < 50, `answered after ${answeredAfter} jobs`);
  assert.ok(commits() > 1);
});

test("only a batch with nothing but forgettable jobs skips the disk sync of its commit", async (t) => {
  const { writer, db } = openNumbers(t);
  const FULL = 2;
  const NORMAL = 1;
  const levels = (jobs: readonly boolean[]) =>
    Promise.all(
      jobs.map((forgettable) => writer.run(async () => db.pragma("synchronous", { simple: true }), { forgettable })),
    );
  assert.deepEqual(await levels([true, true]), [NORMAL, NORMAL]);
  assert.deepEqual(await levels([true, false]), [FULL, FULL]);
  assert.deepEqual(await levels([true]), [NORMAL]);
  assert.deepEqual(await levels([false]), [FULL]);
});

test("every batch is checked before it begins, also one that may be forgotten", async (t) => {
  let checks = 0;
  const check = () => {
    checks += 1;
    if (checks > 2) throw new Error("gone");
  };
  const { writer, insert, stored } = openNumbers(t, { check });
  const add = (n: number, forgettable: boolean) => writer.run(async () => insert(n).changes, { forgettable });
  await add(1, true);
  await Promise.all([add(2, true), add(3, false)]);
  await assert.rejects(add(4, true), /gone/);
  assert.equal(checks, 3);
  assert.deepEqual(stored(), [1, 2, 3]);
});

test("jobs run in order of arrival, however many batches they need", async (t) => {
  const { writer, commits } = openNumbers(t);
  const order: number[] = [];
  await Promise.all(Array.from({ length: 600 }, (_, n) => writer.run(async () => order.push(n))));
  assert.deepEqual(
    order,
    Array.from({ length: 600 }, (_, n) => n),
  );
  assert.equal(commits(), 3);
});

test("one failed job leaves nothing behind and does not affect the others of its batch", async (t) => {
  const { writer, insert, commits, stored } = openNumbers(t);
  const good = [writer.run(async () => insert(1)), writer.run(async () => insert(3))];
  const bad = [
    writer.run(async () => {
      insert(2);
      throw new Error("mine");
    }),
    writer.run(() => {
      insert(4);
      throw new Error("not even a promise");
    }),
    writer.run(async () => insert(1)),
  ];
  const results = await Promise.allSettled([...good, ...bad]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "rejected", "rejected"],
  );
  assert.deepEqual(stored(), [1, 3]);
  assert.equal(commits(), 1);
});

const waits: [string, () => Promise<unknown>][] = [
  ["a timer", () => pause(0)],
  ["the next turn", () => turn()],
  ["a file", () => readFile(import.meta.filename)],
  ["what never comes", () => new Promise(() => undefined)],
];
for (const [what, wait] of waits) {
  test(`a job that waits for ${what} is refused, and the jobs around it complete`, async (t) => {
    const { writer, insert, add, stored } = openNumbers(t);
    const before = add(1);
    const waiting = writer.run(async () => {
      insert(2);
      await wait();
    });
    const after = add(3);
    await assert.rejects(waiting, /waited for I\/O/);
    await Promise.all([before, after]);
    assert.deepEqual(stored(), [1, 3]);
  });
}

test("a job can wait for any number of promises that need nothing from outside", async (t) => {
  const { writer, insert, stored } = openNumbers(t);
  await writer.run(async () => {
    for (let n = 0; n < 2_000; n += 1) await (n % 2 ? Promise.resolve() : new Promise<void>(process.nextTick));
    insert(1);
  });
  assert.deepEqual(stored(), [1]);
});

test("a batch whose commit fails fails together, and the writer continues", async (t) => {
  const failed: [string, number][] = [];
  const onCommitFailed = (error: { code: string }, jobs: number) => failed.push([error.code, jobs]);
  const { db, writer, add, insert, stored } = openNumbers(t, { onCommitFailed });
  db.exec("CREATE TABLE refs (n INTEGER REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED) STRICT");
  const batch = [
    add(1),
    // The foreign key is checked only at the commit.
    writer.run(async () => db.exec("INSERT INTO refs VALUES (99)")),
    writer.run(async () => insert(2)),
  ];
  const results = await Promise.allSettled(batch);
  assert.deepEqual(
    results.map((result) => result.status === "rejected" && result.reason.code),
    Array(3).fill("SQLITE_CONSTRAINT_FOREIGNKEY"),
  );
  assert.deepEqual(stored(), []);
  assert.equal(db.inTransaction, false);
  await add(3);
  assert.deepEqual(stored(), [3]);
  assert.deepEqual(failed, [["SQLITE_CONSTRAINT_FOREIGNKEY", 3]]);
});

test("a full disk is an unavailable database for the affected jobs, until there is space", async (t) => {
  const { db, writer, add, stored } = openNumbers(t);
  db.exec("CREATE TABLE big (text TEXT) STRICT");
  db.pragma("max_page_count = 20");
  const fill = writer.run(async () => db.prepare("INSERT INTO big VALUES (?)").run("x".repeat(1_000_000)));
  await assert.rejects(fill, isUnavailable);
  db.pragma("max_page_count = 100000");
  await add(1);
  assert.deepEqual(stored(), [1]);
});

test("a write lock of another process delays a job, but not the event loop", async (t) => {
  const { file, add, begins, stored } = openNumbers(t);
  const release = await holdWriteLock(t, file);
  const before = performance.eventLoopUtilization();
  let settled = false;
  const job = add(1).then(() => {
    settled = true;
  });
  await until(() => begins() > 20);
  const { utilization } = performance.eventLoopUtilization(before);
  assert.equal(settled, false);
  assert.ok(utilization < 0.5, `the loop was busy for ${Math.round(utilization * 100)} % of the wait`);
  await release();
  await job;
  assert.deepEqual(stored(), [1]);
});

test("after the time limit a job that waits for the lock fails with an unavailable database", async (t) => {
  const { file, add, writer, stored } = openNumbers(t, { lockWaitMs: 200 });
  const release = await holdWriteLock(t, file);
  const started = performance.now();
  const results = await Promise.allSettled([add(1), turn().then(() => add(2))]);
  const ms = performance.now() - started;
  for (const result of results) {
    assert.ok(result.status === "rejected" && isUnavailable(result.reason), JSON.stringify(result));
  }
  assert.ok(ms >= 200 && ms < 2_000, `${ms} ms`);
  assert.equal(writer.depth, 0);
  await release();
  await add(3);
  assert.deepEqual(stored(), [3]);
});
