import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { JOBS } from "../../src/core/server-probe.ts";
import { inspectDatabase } from "../../src/store/sqlite/maintenance.ts";
import { rostrumEach } from "../cli/process.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { audited } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const ON_SQLITE = { skip: isPostgres && "backups of PostgreSQL are pg_dump's" };

const person = (role: string) => ({ email: `${role}@b.example`, name: role, role });
const statusOf = (server: TestServer) => server.operator("get_server", {});

/** The page's form, sent. */
async function backUp(server: TestServer) {
  const admin = await asMember(server, person("super_admin"));
  const path = `/console/w/${server.workspaceId}/settings/server`;
  const page = await admin.get(path);
  const form = formOf(page, "back_up_server");
  assert.ok(form, page.text);
  return { admin, path, answer: await admin.post(path, form) };
}

const ended = (server: TestServer) =>
  until(async () => (await statusOf(server)).process.backup.started_at === null, 10_000);

test("the server page is for server admins only", async (t) => {
  const server = await startServer(t);
  const path = `/console/w/${server.workspaceId}/settings/server`;
  const admin = await asMember(server, person("super_admin"));
  const { status, text } = await admin.get(path);
  assert.equal(status, 200);
  for (const shown of [/Version/, isPostgres ? /PostgreSQL/ : /SQLite 3\./, /Background jobs/, /deliver_events/]) {
    assert.match(text, shown);
  }
  const other = await asMember(server, person("admin"));
  assert.equal((await other.get(path)).status, 403);
  assert.doesNotMatch((await other.get(`/console/w/${server.workspaceId}/settings`)).text, /settings\/server/);
  for (const operation of ["get_server", "back_up_server"]) {
    assert.equal((await callAs(server, member(server, { role: "owner" }), operation, {})).status, 403);
  }
});

test("a backup by the button is whole, recorded, audited, and one of the newest 7", ON_SQLITE, async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_METRICS_PORT: "0" } });
  const { folder } = server;
  const backups = join(folder, "backups");
  mkdirSync(backups, { recursive: true });
  const old = Array.from({ length: 8 }, (_, day) => `rostrum-2026-01-0${day + 1}T00-00-00.000Z.db`);
  for (const name of [...old, "before-upgrade.db"]) writeFileSync(join(backups, name), "");
  const metric = async () =>
    /^rostrum_last_backup_timestamp_seconds (.+)$/m.exec(
      await (await fetch(server.running.metricsUrl as string)).text(),
    )?.[1];
  assert.equal(await metric(), "Nan");
  const { admin, path, answer } = await backUp(server);
  assert.equal(answer.status, 303);
  await ended(server);
  const { last_backup: last } = await statusOf(server);
  const kept = readdirSync(backups).toSorted();
  assert.deepEqual(kept.slice(0, -1), ["before-upgrade.db", ...old.slice(2)]);
  assert.equal(last.file, join(backups, kept.at(-1) as string));
  assert.deepEqual(inspectDatabase(last.file, "full").faults, []);
  assert.equal(await metric(), String(Date.parse(last.at) / 1_000));
  assert.ok((await admin.get(path)).text.includes(last.file));
  const [row] = await audited(server, "back_up_server");
  assert.equal(row.actor_kind, "member");
});

test("why a backup failed is on the page, and the next one works", ON_SQLITE, async (t) => {
  const server = await startServer(t);
  const backups = join(server.folder, "backups");
  writeFileSync(backups, "in the way");
  const { admin, path } = await backUp(server);
  await ended(server);
  const failed = /<p class="fault" role="alert">The latest backup failed\. [^<]*backups/;
  assert.match((await admin.get(path)).text, failed);
  assert.equal((await statusOf(server)).last_backup, null);
  const [made] = await rostrumEach([
    { args: ["backup", join(server.folder, "copy.db"), "--data", server.folder, "--json"] },
  ]);
  assert.equal(made?.status, 0, made?.stdout);
  assert.doesNotMatch((await admin.get(path)).text, /The latest backup failed/, "there is a newer backup");
  rmSync(backups);
  await server.operator("back_up_server", {});
  await ended(server);
  const { last_backup: last, process } = await statusOf(server);
  assert.deepEqual([last === null, process.backup.failed], [false, null]);
});

test(
  "the page says when a backup would be refused for lack of disk space, and before it would be",
  ON_SQLITE,
  async (t) => {
    const server = await startServer(t);
    const admin = await asMember(server, person("super_admin"));
    const path = `/console/w/${server.workspaceId}/settings/server`;
    const MEBIBYTE = 1024 ** 2;
    let free = 0;
    const mocked = [
      t.mock.method(promises, "statfs", async () => ({ bavail: free * MEBIBYTE, bsize: 1 })),
      t.mock.method(promises, "stat", async (file: string) => ({
        size: (file.endsWith("-wal") ? 10 : 500) * MEBIBYTE,
      })),
    ];
    syncBuiltinESMExports();
    t.after(() => {
      for (const { mock } of mocked) mock.restore();
      syncBuiltinESMExports();
    });
    for (const [left, warning] of [
      [573, ", too little for a backup"],
      [575, ", low"],
      [999, ", low"],
      [1_000, undefined],
    ] as const) {
      free = left;
      assert.equal((await statusOf(server)).storage.free_bytes, left * MEBIBYTE);
      const shown = /, (?:too little for a backup|low)(?=<)/.exec((await admin.get(path)).text)?.[0];
      assert.equal(shown, warning, `${left} MiB`);
    }
  },
);

test("a server that stops during a backup leaves no half of one", ON_SQLITE, async (t) => {
  const server = await startServer(t);
  await server.operator("back_up_server", {});
  const again = await server.operator("back_up_server", {});
  assert.notEqual(again.started_at, null, "one is in progress");
  await server.running.close();
  const left = readdirSync(join(server.folder, "backups"));
  assert.ok(left.length <= 1 && left.every((name) => name.endsWith("Z.db")), String(left));
});

test("on PostgreSQL, a backup is refused with the command to use", {
  skip: isPostgres ? false : "only for PostgreSQL",
}, async (t) => {
  const server = await startServer(t);
  await assert.rejects(server.operator("back_up_server", {}), { code: "backup_unavailable", message: /pg_dump/ });
  assert.equal((await statusOf(server)).last_backup, null);
});

test("the server page shows what waits and what fails", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_ALLOW_PRIVATE_CALLBACKS: "1" } });
  const failing = await statusOf(server);
  assert.deepEqual([failing.queues.undelivered, failing.process.mail.smtp], [0, "not_configured"]);
  assert.equal(failing.servers, 1);
  await until(async () => {
    const { jobs } = (await statusOf(server)).process;
    return jobs.find(({ name }: any) => name === "deliver_events").status === "ok";
  }, 10_000);
  const { jobs } = (await statusOf(server)).process;
  assert.ok(jobs.every(({ status }: any) => status === "ok" || status === "starting"));
  const missing = Object.keys(JOBS).filter((name) => !jobs.some((job: any) => job.name === name));
  assert.deepEqual(missing, [], "each job whose purpose is told runs");
  const admin = await asMember(server, person("super_admin"));
  const page = await admin.get(`/console/w/${server.workspaceId}/settings/server`);
  for (const { name } of jobs) assert.ok(page.text.includes(JOBS[name] as string), `${name} has a purpose`);
});
