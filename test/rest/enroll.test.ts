import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Beside, openBeside } from "../support/beside.ts";
import { armed, audited, authorise, enroll, newContact, newSequence, STEPS, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, type Reply, startServer, type TestServer, temporaryFolder } from "../support/server.ts";

const env = { ROSTRUM_OUTBOUND_GATE: "open" };

function openDatabase(t: TestContext, server: TestServer): Beside {
  const db = openBeside(server.folder);
  t.after(() => db.close());
  return db;
}

function assertRefused(reply: Reply, status: number, code: string, message = /./): void {
  assert.deepEqual([reply.status, reply.body.code], [status, code], reply.text);
  assert.match(reply.body.error ?? "", message);
}

const list = (server: TestServer, filter: object = {}) => server.operator("list_enrollments", filter);

test("an enrollment is returned with exactly the contract's fields, and is due as its first step says", async (t) => {
  const server = await startServer(t, { env, clock: new FakeClock() });
  const { contact, sequence, approval, ids } = await armed(server);
  const reply = await enroll(server, { ...ids, workspace_id: UNKNOWN, nonsense: 1 });
  assert.equal(reply.status, 201);
  const { id } = reply.body.data;
  const shown = {
    id,
    sequence_id: sequence.id,
    contact_id: contact.id,
    workspace_id: server.workspaceId,
    status: "active",
    current_step: 0,
    enrolled_at: "2026-11-20T09:00:00.000Z",
  };
  assert.equal(reply.text, JSON.stringify({ data: shown, error: null }));
  const due_at = "2026-11-22T09:00:00.000Z";
  const none = { held_reason: null, held_detail: null, hold_cause: null, ended_at: null, ended_reason: null };
  const waits = { reason: "sequence_not_active", until: null };
  const { first_name, last_name, email } = contact;
  const listed = { contact: { first_name, last_name, email }, approval_id: approval.id, ...none, due_at, waits };
  assert.deepEqual(await list(server), [{ ...shown, ...listed }]);
});

test("each gate refuses separately, in the contract's order, and nothing is enrolled", async (t) => {
  const server = await startServer(t, { env });
  const db = openDatabase(t, server);
  const { id: sequence_id } = await newSequence(server);
  const other = await newContact(server, { email: "other@x.example" });
  const { id: contact_id } = await newContact(server, { email: "Ada@x.example", company: null });
  const ids = { sequence_id, contact_id };
  // Every gate is closed at the start, and opened after it has refused.
  await server.operator("set_sequence_status", { sequence_id, status: "archived" });
  await server.operator("pause_outreach", { reason: "test" });
  await server.rest("POST", "/suppression", { body: { email: "ada@X.example" } });
  db.prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();

  assertRefused(await enroll(server, { sequence_id: "7", contact_id }), 400, "validation_failed", /^sequence_id /);
  assertRefused(await enroll(server, { sequence_id }), 400, "validation_failed", /^contact_id is required/);
  assertRefused(await enroll(server, ids), 402, "billing_read_only");
  db.prepare("UPDATE workspaces SET billing_state = 'active'").run();
  assertRefused(await enroll(server, { sequence_id: UNKNOWN, contact_id: UNKNOWN }), 404, "sequence_not_found");
  assertRefused(await enroll(server, { sequence_id, contact_id: UNKNOWN }), 404, "contact_not_found");
  assertRefused(await enroll(server, ids), 409, "sequence_not_authorized", /archived/);
  await server.operator("set_sequence_status", { sequence_id, status: "draft" });
  assertRefused(await enroll(server, ids), 409, "sequence_not_authorized", /current version/);
  const approve = (contact: string) =>
    server.operator("approve_sequence", { sequence_id, contact_ids: [contact] }).then(({ id }) => id);
  const apply = (approval_id: string) => server.operator("apply_sequence_approval", { approval_id });
  const forOther = await approve(other.id);
  const forAda = await approve(contact_id);
  assertRefused(await enroll(server, ids), 409, "sequence_not_authorized", /activate/);
  await apply(forOther);
  assertRefused(await enroll(server, ids), 409, "contact_not_authorized");
  await apply(forAda);
  assertRefused(await enroll(server, ids), 409, "company_confirmation_required");
  await server.rest("PATCH", `/contacts/${contact_id}`, { body: { company: "Engines" } });
  assertRefused(await enroll(server, ids), 409, "company_confirmation_required", /An agent added/);
  await server.operator("confirm_company", { contact_id, company: "Engines" });
  assertRefused(await enroll(server, ids), 423, "WORKSPACE_PAUSED");
  await server.operator("resume_outreach", {});
  assertRefused(await enroll(server, ids), 409, "contact_suppressed");
  db.prepare("DELETE FROM suppressions").run();
  assert.deepEqual(await list(server), []);
  assert.equal((await enroll(server, ids)).status, 201);
  assertRefused(await enroll(server, ids), 409, "already_enrolled");
  assert.equal((await list(server)).length, 1);
});

test("a pause that can't be read counts as one, and no contact is enrolled", async (t) => {
  const server = await startServer(t, { env });
  const { ids } = await armed(server);
  const db = openDatabase(t, server);
  db.exec("ALTER TABLE workspaces RENAME COLUMN paused_at TO elsewhere");
  assertRefused(await enroll(server, ids), 423, "WORKSPACE_PAUSED", /can't be read/);
  db.exec("ALTER TABLE workspaces RENAME COLUMN elsewhere TO paused_at");
  assert.deepEqual(await list(server), []);
  assert.equal((await enroll(server, ids)).status, 201);
});

test("a closed server gate answers before a replay, the body and any lookup of sequences", async (t) => {
  const folder = temporaryFolder(t);
  const before = await startServer(t, { env, folder });
  const { ids } = await armed(before);
  const headers = { "idempotency-key": "k" };
  const first = await enroll(before, ids, headers);
  assert.equal(first.status, 201);
  assert.equal((await enroll(before, { nonsense: 1 }, headers)).text, first.text);
  await before.running.close();

  for (const shut of [{}, { ROSTRUM_OUTBOUND_GATE: "closed" }]) {
    const server = await startServer(t, { folder, env: shut });
    const db = openDatabase(t, server);
    for (const table of ["sequences", "enrollments", "answers"])
      db.exec(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
    for (const [body, sent] of [
      [ids, headers],
      [ids, {}],
      [{ nonsense: 1 }, {}],
    ] as const) {
      assertRefused(await enroll(server, body, sent), 423, "outbound_gate_closed", /ROSTRUM_OUTBOUND_GATE/);
    }
    for (const table of ["sequences", "enrollments", "answers"])
      db.exec(`ALTER TABLE ${table}_gone RENAME TO ${table}`);
    await server.running.close();
  }
  const after = await startServer(t, { env, folder });
  assert.equal((await enroll(after, { nonsense: 1 }, headers)).text, first.text);
});

test("of twenty racing enrollments of one contact one succeeds, and nineteen are refused", async (t) => {
  const server = await startServer(t, { env });
  const { ids } = await armed(server);
  const replies = await Promise.all(Array.from({ length: 20 }, () => enroll(server, ids)));
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 201)) assertRefused(reply, 409, "already_enrolled");
  assert.equal((await list(server)).length, 1);
});

test("draft, active and paused sequences accept enrollments, and a contact can be in several", async (t) => {
  const server = await startServer(t, { env });
  const { id: contact_id } = await newContact(server);
  for (const status of ["draft", "active", "paused"]) {
    const { id: sequence_id } = await newSequence(server);
    await authorise(server, sequence_id, [contact_id]);
    await server.operator("set_sequence_status", { sequence_id, status });
    assert.equal((await enroll(server, { sequence_id, contact_id })).status, 201, status);
  }
  assert.equal((await list(server, { contact_id })).length, 3);
});

test("a contact whose address or rendered fields changed since the approval is enrolled, but on hold", async (t) => {
  const server = await startServer(t, { env });
  const changes: [object, string | null][] = [
    [{ phone: "1", last_name: "Byron", email: "ADA@x.example" }, null],
    [{ email: "new@x.example" }, "contact_changed"],
    [{ socialnet_url: "https://socialnet.example/in/other" }, "contact_changed"],
    [{ first_name: "Augusta" }, "contact_changed"],
    [{ job_title: "Countess" }, null],
  ];
  for (const [change, held] of changes) {
    const email = "Ada@x.example";
    const { ids } = await armed(server, { contact: { email, socialnet_url: "https://socialnet.example/in/ada" } });
    await server.rest("PATCH", `/contacts/${ids.contact_id}`, { body: change });
    const reply = await enroll(server, ids);
    assert.equal(reply.status, 201);
    assert.equal(reply.body.data.status, "active");
    const [row] = await list(server, { contact_id: ids.contact_id });
    assert.equal(row.held_reason, held, JSON.stringify(change));
    assert.notEqual(row.due_at, null);
    await server.operator("archive_contact", { contact_id: ids.contact_id });
  }
});

test("a new approval after a change releases the contact, whatever an older one pins", async (t) => {
  const server = await startServer(t, { env });
  const { ids } = await armed(server);
  await server.rest("PATCH", `/contacts/${ids.contact_id}`, { body: { first_name: "Augusta" } });
  const anew = await authorise(server, ids.sequence_id, [ids.contact_id]);
  assert.equal((await enroll(server, ids)).status, 201);
  const [row] = await list(server);
  assert.deepEqual([row.held_reason, row.approval_id], [null, anew.id]);
});

test("an archived contact, and a record of another workspace, get the same answer as an unknown one", async (t) => {
  const server = await startServer(t, { env });
  const other = await server.neighbour();
  const { ids } = await armed(server);
  const enrollAs = (body: object) => server.rest("POST", "/sequences/enroll", { key: other.key, body });
  const theirs = (await server.operator("create_sequence", { name: "t", steps: STEPS }, other.workspaceId)).id;
  for (const [foreign, random, code] of [
    [ids, { ...ids, sequence_id: UNKNOWN }, "sequence_not_found"],
    [{ ...ids, sequence_id: theirs }, { sequence_id: theirs, contact_id: UNKNOWN }, "contact_not_found"],
  ] as const) {
    const [a, b] = [await enrollAs(foreign), await enrollAs(random)];
    assertRefused(a, 404, code);
    assert.equal(a.text, b.text);
  }
  await server.operator("archive_contact", { contact_id: ids.contact_id });
  assertRefused(await enroll(server, ids), 404, "contact_not_found");
  const { ids: mine } = await armed(server);
  const { id: enrollment_id } = (await enroll(server, mine)).body.data;
  const stop = (id: string) => server.operator("stop_enrollment", { enrollment_id: id }, other.workspaceId);
  for (const id of [enrollment_id, UNKNOWN]) await assert.rejects(stop(id), { code: "enrollment_not_found" });
  assert.deepEqual(await server.operator("list_enrollments", {}, other.workspaceId), []);
  assert.equal((await list(server))[0].status, "active");
});

test("enrolling needs its scope and spends the write budget", async (t) => {
  const server = await startServer(t, { env, budgets: true });
  const key = await server.mint(["sequences.read", "contacts.write"]);
  assertRefused(await server.rest("POST", "/sequences/enroll", { key, body: {} }), 403, "insufficient_scope");
  for (let i = 0; i < 60; i += 1) assert.equal((await enroll(server, {})).status, 400);
  assertRefused(await enroll(server, {}), 429, "rate_limited");
});

test("an enrollment can be stopped once, and the contact can be enrolled again", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { env, clock });
  const { ids } = await armed(server);
  const { id: enrollment_id } = (await enroll(server, ids)).body.data;
  const [{ waits: _, contact: __, hold_cause: ___, ...before }] = await list(server);
  clock.advance(1_000);
  const stop = () => server.operator("stop_enrollment", { enrollment_id });
  const [first, second] = await Promise.all([stop(), stop()]);
  const ended = { status: "stopped_by_member", due_at: null, ended_at: "2026-11-20T09:00:01.000Z" };
  assert.deepEqual(first, { ...before, ...ended });
  clock.advance(1_000);
  for (const again of [second, await stop()]) assert.deepEqual(again, first, "what has ended stays as it is");
  const audit = await audited(server, "stop_enrollment");
  assert.deepEqual(
    audit.map((row) => [row.record_id, row.before, row.after]),
    [[enrollment_id, before, first]],
  );
  assert.equal((await enroll(server, ids)).status, 201);
  assert.equal((await list(server))[0].held_reason, "contact_changed", "the approval was for the first time");
  clock.advance(1_000);
  await authorise(server, ids.sequence_id, [ids.contact_id]);
  const [{ status, held_reason }] = await list(server);
  assert.deepEqual([status, held_reason], ["active", null]);
});

test("enrollments are listed newest first, by any filter and all of them combined", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { env, clock });
  const sequences = [await newSequence(server), await newSequence(server)];
  const people = [await newContact(server), await newContact(server)];
  const made: { id: string; sequence_id: string; contact_id: string; status: string }[] = [];
  for (const { id: sequence_id } of sequences) {
    await authorise(
      server,
      sequence_id,
      people.map(({ id }) => id),
    );
    for (const { id: contact_id } of people) {
      clock.advance(1);
      made.unshift((await enroll(server, { sequence_id, contact_id })).body.data);
    }
  }
  const [last] = made;
  await server.operator("stop_enrollment", { enrollment_id: last?.id });
  for (const row of made) if (row === last) row.status = "stopped_by_member";
  const filters = [
    {},
    { sequence_id: sequences[0].id },
    { contact_id: people[1].id },
    { status: "active" },
    { status: "failed" },
    { sequence_id: sequences[1].id, contact_id: people[1].id },
    { sequence_id: sequences[1].id, contact_id: people[1].id, status: "active" },
    { sequence_id: UNKNOWN },
  ];
  for (const filter of filters) {
    const wanted = made.filter((row) => Object.entries(filter).every(([name, value]) => (row as any)[name] === value));
    const ids = (await list(server, filter)).map(({ id }: any) => id);
    const expected = wanted.map(({ id }) => id);
    assert.deepEqual(ids, expected, JSON.stringify(filter));
    const paged = await list(server, { ...filter, limit: 1, offset: 1 });
    assert.deepEqual(
      paged.map(({ id }: any) => id),
      expected.slice(1, 2),
    );
  }
  await assert.rejects(list(server, { status: "gone" }), { code: "validation_failed", message: /^status / });
});
