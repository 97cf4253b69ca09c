import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { addEndpoints, groundOf } from "../support/endpoints.ts";
import { databaseUrlOf, takeAway } from "../support/engine-under-test.ts";
import { startServer } from "../support/server.ts";
import { document, type Finished, rostrum } from "./process.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  fix: string | null;
}

test("doctor finds nothing wrong beside a server on PostgreSQL, and names each fault with its fix", async (t) => {
  const server = await startServer(t);
  await addEndpoints(await groundOf(server), ["http://127.0.0.1:9/"]);
  const look = async (env: Record<string, string> = {}): Promise<Finding[]> => {
    const finished: Finished = await rostrum(["doctor", "--data", server.folder, "--json"], { env });
    return document(finished).data.findings;
  };
  const faults = async (env?: Record<string, string>) =>
    (await look(env)).filter(({ ok }) => !ok).map(({ check, detail, fix }) => `${check}: ${detail} → ${fix}`);
  assert.deepEqual(
    (await look()).map(({ check, ok }) => [check, ok]),
    ["settings", "catalog", "disk", "files", "server", "database", "schema", "data key", "clock", "email"].map(
      (check) => [check, true],
    ),
  );

  const db = openBeside(server.folder);
  db.exec(`INSERT INTO operation_log (workspace_id, at, operation, surface, actor_kind, actor_id, request_id)
    VALUES ('w', ${Date.now() + 3_600_000}, 'o', 'rest', 'key', 'k', 'r')`);
  const [early] = await faults();
  assert.match(early ?? "", /^clock: .* is earlier than the newest stored data → timedatectl/);
  db.exec("DELETE FROM operation_log WHERE workspace_id = 'w'");

  const migration = db.prepare("SELECT name FROM rostrum_migrations ORDER BY name DESC LIMIT 1").get();
  db.prepare("DELETE FROM rostrum_migrations WHERE name = ?").run(migration.name);
  assert.match((await faults()).join(), /^schema: 1 pending migration → .* start/);
  db.prepare("INSERT INTO rostrum_migrations (name) VALUES (?), ('9999_newer')").run(migration.name);
  assert.match((await faults()).join(), /^database: .*written by a newer version of Rostrum/);
  db.prepare("DELETE FROM rostrum_migrations WHERE name = ?").run("9999_newer");
  db.close();

  const elsewhere = databaseUrlOf(server.folder).replace(/t_\w+/, "nowhere");
  assert.match((await faults({ ROSTRUM_DATABASE_URL: elsewhere })).join(), /^database: .*does not exist/);
  const giveBack = await takeAway(server.folder);
  const [notReady, away] = await faults();
  await giveBack();
  assert.match(notReady ?? "", /^server: running at .*, but not ready: the database accepts no connections/);
  assert.match(away ?? "", /^database: .*the database accepts no connections/);

  rmSync(join(server.folder, "data.key"));
  assert.match((await faults()).join(), /^data key: .*does not exist.* → restore the data\.key/);
});
