import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { enlist } from "../../src/store/sqlite/instance.ts";
import { LOADER, programFile } from "../support/program.ts";
import { temporaryFolder } from "../support/server.ts";

/** Another process that registers, and reports its id. */
async function enlisted(t: TestContext, database: string) {
  const script = `
    const { enlist } = await import(${JSON.stringify(programFile("src/store/sqlite/instance.ts"))});
    console.log(enlist(${JSON.stringify(database)}).id);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, [...LOADER, "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  t.after(kill);
  const [id] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { id, kill };
}

test("a process counts as dead only once the kernel has ended it, and is forgotten once its leases are released", async (t) => {
  const database = join(temporaryFolder(t), "rostrum.db");
  const other = await enlisted(t, database);
  const mine = enlist(database);
  t.after(() => mine.close());
  const dead: string[] = [];
  const forget = () =>
    mine.forgetDead(async (id) => {
      dead.push(id);
    });
  await forget();
  assert.deepEqual(dead, [], "neither itself nor one that lives");
  await other.kill();
  await assert.rejects(
    mine.forgetDead(async () => {
      throw new Error("the database is locked");
    }),
    /locked/,
  );
  await forget();
  assert.deepEqual(dead, [other.id], "tried again after a failure");
  await forget();
  assert.equal(dead.length, 1, "once");
  assert.deepEqual(readdirSync(join(database, "../instances")), [`${mine.id}.lock`]);
});

test("servers in one process are distinguished too", async (t) => {
  const database = join(temporaryFolder(t), "rostrum.db");
  const [one, two] = [enlist(database), enlist(database)];
  t.after(() => two.close());
  const dead: string[] = [];
  const forget = () => two.forgetDead(async (id) => void dead.push(id));
  await forget();
  assert.deepEqual(dead, []);
  one.close();
  await forget();
  assert.deepEqual(dead, [one.id]);
});
