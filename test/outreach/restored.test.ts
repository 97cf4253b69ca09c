import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { backUp, restore } from "../../src/store/sqlite/maintenance.ts";
import { driveEngine, onTheWay } from "../support/engine.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { audited } from "../support/sequences.ts";
import { temporaryFolder } from "../support/server.ts";

const MAIL = { type: "email", subject: "Hi", body: "Hello", delay_days: 0 };

const backups = { skip: isPostgres && "backups of PostgreSQL are pg_dump's" };

test(
  "a restored server repeats no message, and writes to no later opt-outs, until a person resumes outreach",
  backups,
  async (t) => {
    const { server, run, taken, clock } = await driveEngine(t);
    const { contact } = await onTheWay(server, [MAIL]);
    const place = temporaryFolder(t);
    const copy = join(place, "copy.db");
    await backUp(databaseFile(server.folder), copy);
    await run();
    assert.equal(taken.length, 1);
    await server.rest("POST", "/suppression", { body: { email: contact.email } });

    const folder = join(place, "data");
    const paused = await restore(copy, databaseFile(folder), "ops", clock.now());
    const after = await driveEngine(t, { folder, clock });
    await after.run();
    assert.equal(after.taken.length, 0, "nothing goes out");
    assert.deepEqual(paused, [server.workspaceId]);
    const { outreach } = await after.server.operator("get_workspace", {});
    assert.match(outreach.pause_reason, /^Restored from copy\.db\. Its last change was at 2026-11-20T09:00:00\.000Z\./);
    const [row] = await audited(after.server, "pause_outreach");
    assert.deepEqual([row.actor_kind, row.actor_id, row.after], ["local_operator", "ops", outreach]);

    await after.server.rest("POST", "/suppression", { body: { email: contact.email } });
    await after.server.operator("resume_outreach", {});
    await after.run();
    assert.equal(after.taken.length, 0, "what was missing was put in first");
  },
);

test(
  "a restore of a paused workspace says so in the pause reason, and keeps the earlier reason",
  backups,
  async (t) => {
    const { server, clock } = await driveEngine(t);
    const { paused_at } = await server.operator("pause_outreach", { reason: "holiday" });
    const place = temporaryFolder(t);
    await backUp(databaseFile(server.folder), join(place, "copy.db"));
    clock.advance(1_000);
    const folder = join(place, "data");
    const paused = await restore(join(place, "copy.db"), databaseFile(folder), "ops", clock.now());
    assert.deepEqual(paused, [server.workspaceId]);
    const after = await driveEngine(t, { folder, clock });
    const { outreach } = await after.server.operator("get_workspace", {});
    assert.equal(outreach.paused_at, paused_at);
    assert.match(outreach.pause_reason, /^Restored from copy\.db\..* Earlier reason: holiday$/);
    const [row] = await audited(after.server, "pause_outreach");
    assert.deepEqual([row.actor_id, row.before, row.after], ["ops", { paused_at, pause_reason: "holiday" }, outreach]);

    await backUp(databaseFile(folder), join(place, "second.db"));
    const again = join(place, "again");
    await restore(join(place, "second.db"), databaseFile(again), "ops", clock.now());
    const last = await driveEngine(t, { folder: again, clock });
    const { pause_reason } = (await last.server.operator("get_workspace", {})).outreach;
    assert.match(pause_reason, /^Restored from second\.db\..* Restored from copy\.db\..* Earlier reason: holiday$/);
  },
);
