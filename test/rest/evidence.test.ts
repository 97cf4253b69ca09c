import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf, newPost, record, SAW, startChecklist } from "../support/checklist.ts";
import { FakeClock } from "../support/server.ts";

test("evidence marks an observation item in the key's name, with 201 at first and 200 on a repeat", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const { id, key } = await server.operator("create_key", { name: "watcher", scopes: ["social_checklist.record"] });
  const first = await record(server, "ON-02", { ...SAW, done_on: "2026-11-18" }, { key });
  assert.equal(first.status, 201);
  assert.deepEqual(first.body.data, {
    item_id: "ON-02",
    status: "done",
    evidence: SAW.evidence,
    done_on: "2026-11-18",
    last_done_on: "2026-11-18",
    status_source: "agent",
    recorded_by: { key_id: id, name: "watcher" },
    status_updated_at: new Date(clock.now()).toISOString(),
  });
  assert.deepEqual((await entryOf(server, "ON-02")).recorded_by, { key_id: id, name: "watcher" });
  clock.advance(5_000);
  const again = await record(server, "ON-02", { status: "in_progress", evidence: "Half of it." });
  assert.equal(again.status, 200, "another key updates an agent's mark");
  const { done_on, last_done_on, status, recorded_by } = again.body.data;
  assert.deepEqual([done_on, last_done_on, status, recorded_by.name], [null, "2026-11-18", "in_progress", "all"]);
  const entry = await entryOf(server, "ON-02");
  assert.deepEqual(
    [entry.status, entry.evidence, entry.last_done_on, entry.status_source, entry.status_updated_at],
    ["in_progress", "Half of it.", "2026-11-18", "agent", new Date(clock.now()).toISOString()],
  );
});

test("evidence counts for today unless another day is given, and the latest day stays", async (t) => {
  const server = await startChecklist(t, { clock: new FakeClock() });
  const days = async (body: object) => {
    const { done_on, last_done_on } = (await record(server, "ON-02", body)).body.data;
    return [done_on, last_done_on];
  };
  assert.deepEqual(await days({ ...SAW, done_on: "2026-01-31" }), ["2026-01-31", "2026-01-31"]);
  assert.deepEqual(await days(SAW), ["2026-11-20", "2026-11-20"]);
  assert.deepEqual(await days({ ...SAW, done_on: "2026-11-01" }), ["2026-11-01", "2026-11-20"]);
});

const REFUSED: [string, object, string][] = [
  ["no status", { evidence: "x" }, "status"],
  ["a status that only people give", { ...SAW, status: "not_applicable" }, "status"],
  ["no evidence", { status: "done" }, "evidence"],
  ["blank evidence", { ...SAW, evidence: " " }, "evidence"],
  ["evidence too long", { ...SAW, evidence: "ä".repeat(2_001) }, "evidence"],
  ["a day in the future", { ...SAW, done_on: "2026-11-21" }, "done_on"],
  ["a day that is none", { ...SAW, done_on: "2026-02-30" }, "done_on"],
  ["a day for what is in progress", { ...SAW, status: "in_progress", done_on: "2026-11-19" }, "done_on"],
  ["a field that nobody knows", { ...SAW, status_source: "member" }, "status_source"],
];

for (const [label, body, field] of REFUSED) {
  test(`${label} is refused, naming ${field}, and nothing is written`, async (t) => {
    const server = await startChecklist(t, { clock: new FakeClock() });
    const reply = await record(server, "ON-02", body);
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], reply.text);
    assert.match(reply.body.error ?? "", new RegExp(`^(?:${field} |Unknown field "${field}")`));
    assert.equal((await entryOf(server, "ON-02")).status, "not_assessed");
  });
}

test("items that don't accept evidence refuse it, each with its reason", async (t) => {
  const server = await startChecklist(t);
  const cases: [string, string, RegExp][] = [
    ["OT-01", "approval_required", /Use submit_checklist_output instead/],
    ["OT-03", "approval_required", /only a teammate can mark/],
    ["OT-07", "approval_required", /replaced by OT-02/],
    ["OT-06", "detected_by_service", /the server detects its status itself/],
  ];
  for (const [id, code, says] of cases) {
    const reply = await record(server, id, SAW);
    assert.deepEqual([reply.status, reply.body.code], [409, code], id);
    assert.match(reply.body.error ?? "", says);
    assert.equal((await entryOf(server, id)).status, "not_assessed");
  }
  const unknown = await record(server, "ON-99", SAW);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "item_not_found"]);
  const malformed = await record(server, "on-02", SAW);
  assert.deepEqual([malformed.status, malformed.body.code], [400, "invalid_id"]);
});

test("a manual status stays, over new evidence and over an agent's earlier mark", async (t) => {
  const server = await startChecklist(t);
  await record(server, "ON-02", SAW);
  await server.operator("mark_checklist_item", { item_id: "ON-02", status: "blocked", evidence: "No access." });
  const refused = await record(server, "ON-02", SAW);
  assert.deepEqual([refused.status, refused.body.code], [409, "person_mark"]);
  const entry = await entryOf(server, "ON-02");
  assert.deepEqual([entry.status, entry.evidence, entry.status_source], ["blocked", "No access.", "member"]);
  await server.operator("mark_checklist_item", { item_id: "ON-02", status: "not_assessed" });
  assert.equal((await record(server, "ON-02", SAW)).status, 201, "a person who takes the mark back lets agents speak");
});

test("an item marked by the service's check accepts no evidence, until the check no longer sees it", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const post_id = await newPost(server, "ON-01");
  await server.operator("decide_post", { post_id, decision: "approve" });
  await server.operator("mark_post", { post_id, status: "published" });
  await server.operator("run_assessment", {});
  const refused = await record(server, "ON-03", SAW);
  assert.deepEqual([refused.status, refused.body.code], [409, "detected_mark"]);
  assert.equal((await entryOf(server, "ON-03")).status_source, "system");
  clock.advance(8 * 86_400_000);
  await server.operator("run_assessment", {});
  assert.equal((await record(server, "ON-03", SAW)).status, 201);
});

test("with a manual status and an agent's evidence at once, the manual status wins in either order", async (t) => {
  const server = await startChecklist(t);
  for (const id of ["ON-02", "ON-04", "OT-02"]) {
    const [, ...replies] = await Promise.all([
      server.operator("mark_checklist_item", { item_id: id, status: "blocked" }),
      ...Array.from({ length: 10 }, () => record(server, id, SAW)),
    ]);
    for (const { status } of replies) assert.ok([200, 201, 409].includes(status), `${status}`);
    assert.equal((await entryOf(server, id)).status_source, "member");
    assert.equal((await record(server, id, SAW)).body.code, "person_mark");
  }
});

test("of many simultaneous first reports of evidence one creates the mark and the others update it", async (t) => {
  const server = await startChecklist(t);
  const replies = await Promise.all(Array.from({ length: 20 }, () => record(server, "ON-02", SAW)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
});

test("evidence respects the idempotency key, its scope and billing", async (t) => {
  const server = await startChecklist(t);
  const headers = { "idempotency-key": "k" };
  const first = await record(server, "ON-02", SAW, { headers });
  const again = await record(server, "ON-02", { ...SAW, evidence: "other" }, { headers });
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal((await entryOf(server, "ON-02")).evidence, SAW.evidence);
  const key = await server.mint(["social_checklist.read", "social_checklist.submit"]);
  assert.equal((await record(server, "ON-02", SAW, { key })).body.code, "insufficient_scope");
  await server.operator("set_billing", { state: "delinquent" });
  assert.equal((await record(server, "ON-02", SAW)).body.code, "billing_read_only");
  const future = await record(server, "ON-02", { ...SAW, done_on: "2999-01-01" });
  assert.deepEqual([future.status, future.body.code], [400, "validation_failed"], "input is checked before the plan");
});
