import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { audited, authorise, enroll, newContact, newSequence, STEPS, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const OPEN = { env: { ROSTRUM_OUTBOUND_GATE: "open" } };

const read = (server: TestServer, id: string) => server.operator("get_sequence", { sequence_id: id });

test("approving pins the audience and the steps, and activation is a separate step, once", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const sequence = await newSequence(server);
  const people = [await newContact(server), await newContact(server)];
  const contact_ids = people.map(({ id }) => id.toUpperCase());
  const approval = await server.operator("approve_sequence", {
    sequence_id: sequence.id,
    contact_ids,
    steps_hash: sequence.steps_hash,
  });
  const { id, approved_by, ...rest } = approval;
  assert.deepEqual(rest, {
    sequence_id: sequence.id,
    status: "approved",
    steps_hash: sequence.steps_hash,
    contact_count: 2,
    approved_at: "2026-11-20T09:00:00.000Z",
    applied_by: null,
    applied_at: null,
    voided_at: null,
  });
  clock.advance(1_000);
  const applied = await server.operator("apply_sequence_approval", { approval_id: id });
  const applied_at = "2026-11-20T09:00:01.000Z";
  assert.deepEqual(applied, { ...approval, status: "applied", applied_by: approved_by, applied_at });
  clock.advance(1_000);
  assert.deepEqual(await server.operator("apply_sequence_approval", { approval_id: id }), applied);
  const later = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [people[0].id] });
  assert.deepEqual((await read(server, sequence.id)).approvals, [later, applied], "newest first");
  const applies = await audited(server, "apply_sequence_approval");
  assert.deepEqual(
    applies.map((row) => [row.before, row.after]),
    [[approval, { ...applied, released_enrollments: 0, own_proposal: true }]],
  );
  assert.deepEqual((await audited(server, "approve_sequence")).at(-1).after, approval);
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const hashes = db.prepare("SELECT copy_hash FROM approval_contacts WHERE approval_id = ?").pluck().all(id);
  assert.equal(new Set(hashes).size, 2);
});

test("an approval needs live contacts of the workspace, each once, and the steps that were read", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const { id: sequence_id } = await newSequence(server);
  const { id } = await newContact(server);
  const { id: archived } = await newContact(server);
  await server.operator("archive_contact", { contact_id: archived });
  const foreign = await server.rest("POST", "/contacts", { key: other.key, body: { first_name: "Foreign" } });
  const cases: [object, string, RegExp][] = [
    [{ contact_ids: [] }, "validation_failed", /^contact_ids must have at least one entry/],
    [{ contact_ids: Array(5_001).fill(id) }, "validation_failed", /^contact_ids can have 5000/],
    [{ contact_ids: [id, "7"] }, "validation_failed", /^contact_ids\.1 must be a UUID/],
    [{ contact_ids: [id, id.toUpperCase()] }, "validation_failed", /^contact_ids\.1 is in the list twice/],
    [{ contact_ids: [id, UNKNOWN] }, "contact_not_found", /^contact_ids\.1 is not the id of a contact\./],
    [{ contact_ids: [archived] }, "contact_not_found", /^contact_ids\.0 /],
    [{ contact_ids: [id, foreign.body.data.id] }, "contact_not_found", /^contact_ids\.1 /],
    [{ contact_ids: [id], steps_hash: "0".repeat(64) }, "version_conflict", /^steps_hash /],
    [{ contact_ids: [id], sequence_id: UNKNOWN }, "sequence_not_found", /sequence/],
  ];
  for (const [input, code, message] of cases) {
    await assert.rejects(server.operator("approve_sequence", { sequence_id, ...input }), { code, message });
  }
  assert.deepEqual((await read(server, sequence_id)).approvals, []);
});

test("an audience of five thousand is pinned in full", async (t) => {
  const server = await startServer(t);
  const { id: sequence_id } = await newSequence(server);
  const contact_ids = await server.running.store.write(server.workspaceId, async ({ contacts }) => {
    const ids: string[] = [];
    for (let i = 0; i < 5_000; i += 1) {
      const id = `0190bbbb-0000-7000-8000-${i.toString(16).padStart(12, "0")}`;
      await contacts.insert({ id, fields: { first_name: `P${i}` }, source: "import", now: 1 });
      ids.push(id);
    }
    return ids;
  });
  const { contact_count } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  assert.equal(contact_count, 5_000);
  assert.equal((await read(server, sequence_id)).approvals[0].contact_count, 5_000);
});

test("an edit of the steps permanently voids approved and activated approvals", async (t) => {
  const server = await startServer(t, OPEN);
  const sequence = await newSequence(server);
  const { id } = await newContact(server);
  const given = { sequence_id: sequence.id, contact_ids: [id] };
  const applied = await authorise(server, sequence.id, [id]);
  const approved = await server.operator("approve_sequence", given);
  const edit = (steps: unknown[]) => server.operator("update_sequence", { sequence_id: sequence.id, steps });
  await server.operator("update_sequence", { sequence_id: sequence.id, name: "Another name" });
  const statuses = async () => (await read(server, sequence.id)).approvals.map(({ status }: any) => status);
  assert.deepEqual(await statuses(), ["approved", "applied"], "a name is not what people approve");
  await edit([STEPS[0]]);
  const { approvals } = await read(server, sequence.id);
  assert.deepEqual(await statuses(), ["voided", "voided"]);
  assert.ok(approvals.every(({ voided_at }: any) => voided_at !== null));
  const [row] = await audited(server, "update_sequence");
  assert.deepEqual([...row.after.voided_approvals].sort(), [applied.id, approved.id].sort());
  assert.equal((await edit(STEPS)).steps_hash, sequence.steps_hash);
  assert.deepEqual(await statuses(), ["voided", "voided"], "the old text does not bring it back");
  for (const { id: approval_id } of [applied, approved]) {
    await assert.rejects(server.operator("apply_sequence_approval", { approval_id }), { code: "version_conflict" });
  }
  const reply = await enroll(server, { sequence_id: sequence.id, contact_id: id });
  assert.deepEqual([reply.status, reply.body.code], [409, "sequence_not_authorized"]);
  await assert.rejects(server.operator("apply_sequence_approval", { approval_id: UNKNOWN }), {
    code: "approval_not_found",
  });
});

test("an edit that races with activation leaves nothing active for the old steps, whichever comes first", async (t) => {
  const server = await startServer(t, OPEN);
  const { id: contact_id } = await newContact(server);
  for (const applyFirst of [true, false]) {
    const { id: sequence_id } = await newSequence(server);
    const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids: [contact_id] });
    const apply = () => server.operator("apply_sequence_approval", { approval_id });
    const edit = () => server.operator("update_sequence", { sequence_id, steps: [STEPS[0]] });
    const racers = applyFirst ? [apply(), edit()] : [edit(), apply()];
    const results = await Promise.allSettled(racers);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    assert.deepEqual(refused, applyFirst ? [] : ["version_conflict"]);
    assert.equal((await read(server, sequence_id)).approvals[0].status, "voided");
    const reply = await enroll(server, { sequence_id, contact_id });
    assert.deepEqual([reply.status, reply.body.code], [409, "sequence_not_authorized"]);
  }
});

test("activating a voided approval says why it is void: withdrawn, or the steps changed", async (t) => {
  const server = await startServer(t);
  const { id: contact_id } = await newContact(server);
  const approved = async () => {
    const { id: sequence_id } = await newSequence(server);
    const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids: [contact_id] });
    return { sequence_id, approval_id };
  };
  const apply = (approval_id: string) => server.operator("apply_sequence_approval", { approval_id });
  const edit = (sequence_id: string, steps: unknown[]) => server.operator("update_sequence", { sequence_id, steps });
  const withdrawn = await approved();
  await server.operator("withdraw_sequence_approval", { approval_id: withdrawn.approval_id });
  const told = {
    code: "version_conflict",
    message: "approval_id can't be activated because it was withdrawn. Approve the audience again.",
  };
  await assert.rejects(apply(withdrawn.approval_id), told);
  await edit(withdrawn.sequence_id, [STEPS[0]]);
  await assert.rejects(apply(withdrawn.approval_id), told, "an edit that comes later voids nothing more");
  const edited = await approved();
  await edit(edited.sequence_id, [STEPS[0]]);
  await edit(edited.sequence_id, STEPS);
  await assert.rejects(apply(edited.approval_id), {
    code: "version_conflict",
    message:
      "approval_id can't be activated because the steps or their sender changed after the approval. Approve the audience again.",
  });
});

test("an approval is activated only for the contacts that were read, and one member's are one approval", async (t) => {
  const server = await startServer(t);
  const { id: sequence_id } = await newSequence(server);
  const people = [
    await newContact(server),
    await newContact(server),
    await newContact(server),
    await newContact(server),
  ];
  const [ada, bob, eve, other] = people.map(({ id }) => id) as [string, string, string, string];
  const contact_ids = [ada, bob, eve];
  const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  const { contacts } = await server.operator("preview_audience", { sequence_id, contact_ids: [...contact_ids, other] });
  const hashes = new Map<string, string>(contacts.map((one: any) => [one.contact_id, one.copy_hash]));
  const apply = (...ids: string[]) => {
    const copy_hashes = Object.fromEntries(ids.map((id) => [id, hashes.get(id) ?? ""]));
    return server.operator("apply_sequence_approval", { approval_id, copy_hashes });
  };
  const first = await apply(ada);
  assert.notEqual(first.id, approval_id);
  assert.deepEqual([first.status, first.contact_count], ["applied", 1]);
  const [row] = await audited(server, "apply_sequence_approval");
  assert.deepEqual([row.record_id, row.before.contact_count, row.after.remaining_contacts], [approval_id, 3, 2]);
  for (const id of [ada, other]) {
    const extra = { changed_contact_ids: [id] };
    await assert.rejects(apply(id), { code: "version_conflict", extra }, "no longer in it, or never");
  }
  await server.rest("PATCH", `/contacts/${bob}`, { body: { first_name: "Robert" } });
  await assert.rejects(apply(bob, eve), { code: "version_conflict", extra: { changed_contact_ids: [bob] } });
  await assert.rejects(apply(), { code: "validation_failed" });
  const again = await server.operator("preview_audience", { sequence_id, contact_ids: [bob] });
  hashes.set(bob, again.contacts[0].copy_hash);
  const second = await apply(bob);
  assert.deepEqual([second.id, second.contact_count], [first.id, 2]);
  const last = await apply(eve);
  assert.deepEqual([last.id, last.status, last.contact_count], [approval_id, "applied", 1]);
});
