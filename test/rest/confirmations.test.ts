import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { callAs, member } from "../support/member.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const YES = { confirmed: true };
const BANT = { budget: { confirmed: false, note: "none yet" }, authority: YES, need: YES, timeline: YES };
const REP = "0190bbbb-0000-7000-8000-000000000001";

async function newContact(server: TestServer, body: object = { first_name: "Ada" }): Promise<string> {
  return (await server.rest("POST", "/contacts", { body })).body.data.id;
}

const asRep = (server: TestServer, name: string, input: object) => callAs(server, member(server), name, input);

async function lastAudit(server: TestServer): Promise<any> {
  return (await server.operator("list_audit", { limit: 1 }))[0];
}

function open(server: TestServer, t: { after(job: () => void): void }) {
  const db = openBeside(server.folder);
  t.after(() => db.close());
  return db;
}

test("a member confirms the newest booked meeting, then older ones, then one that was never booked", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const id = await newContact(server);
  const booked: any[] = [];
  for (const subject of ["first", "second"]) {
    clock.advance(1_000);
    const body = { type: "meeting_booked", subject };
    booked.push((await server.rest("POST", `/contacts/${id}/activities`, { body })).body.data);
  }
  clock.advance(60_000);
  const confirm = async (note?: string) =>
    (await asRep(server, "confirm_meeting", { contact_id: id, held_on: "2026-11-19", note })).body.data;
  const newest = await confirm(" Liked it ");
  const word = { held_on: "2026-11-19", confirmed_by: REP, confirmed_at: new Date(clock.now()).toISOString() };
  assert.deepEqual(newest, {
    id: newest.id,
    contact_id: id,
    workspace_id: server.workspaceId,
    activity_id: booked[1].id,
    ...word,
    note: "Liked it",
    created_at: booked[1].created_at,
  });
  const audit = await lastAudit(server);
  assert.deepEqual([audit.action, audit.record_id, audit.actor_id], ["confirm_meeting", newest.id, REP]);
  assert.deepEqual(audit.after, newest);
  const open_ = { held_on: null, note: null, confirmed_by: null, confirmed_at: null };
  assert.deepEqual(audit.before, { ...newest, ...open_ });
  assert.equal((await confirm()).activity_id, booked[0].id);
  const unbooked = await confirm();
  assert.deepEqual([unbooked.activity_id, unbooked.note], [null, null]);
  assert.deepEqual((await lastAudit(server)).before, null);
  const rows = open(server, t).prepare("SELECT id, held_on, confirmed_by, confirmed_at FROM meetings").all();
  assert.equal(rows.length, 3);
  for (const row of rows as any[]) {
    assert.deepEqual(row, { id: row.id, held_on: "2026-11-19", confirmed_by: REP, confirmed_at: clock.now() });
  }
});

test("racing confirmations each take one booked meeting", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const body = { type: "meeting_booked", subject: "S" };
  for (let i = 0; i < 3; i += 1) await server.rest("POST", `/contacts/${id}/activities`, { body });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => asRep(server, "confirm_meeting", { contact_id: id, held_on: "2026-01-01" })),
  );
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 6);
  assert.equal(answers.filter(({ body }) => body.data.activity_id === null).length, 3);
});

test("a meeting can be confirmed once it could have happened: up to tomorrow in UTC, where some already are", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 11, 30, 23, 59));
  const server = await startServer(t, { clock });
  const contact_id = await newContact(server);
  for (const held_on of ["2026-12-31", "2026-12-30", "2024-02-29"]) {
    assert.equal((await asRep(server, "confirm_meeting", { contact_id, held_on })).status, 200, held_on);
  }
  for (const held_on of ["2027-01-01", "9999-12-31", "2026-02-29", "2026-1-1", "", "today", undefined]) {
    const { status, body } = await asRep(server, "confirm_meeting", { contact_id, held_on });
    assert.deepEqual([status, body.code], [400, "validation_failed"], `${held_on}`);
    assert.match(body.error ?? "", /^held_on /);
  }
  clock.advance(60_000);
  assert.equal((await asRep(server, "confirm_meeting", { contact_id, held_on: "2027-01-01" })).status, 200);
});

test("a member's BANT is confirmed whatever the four answers are, and needs all four", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const { body } = await asRep(server, "confirm_bant", { contact_id, ...BANT });
  const { id, confirmed_at, ...rest } = body.data;
  assert.deepEqual(rest, { contact_id, workspace_id: server.workspaceId, ...BANT, confirmed_by: REP });
  const audit = await lastAudit(server);
  assert.deepEqual([audit.action, audit.record_id, audit.before, audit.after], ["confirm_bant", id, null, body.data]);
  const row = open(server, t)
    .prepare("SELECT id, answers, confirmed_by, confirmed_at FROM bant_assessments")
    .get() as any;
  assert.deepEqual(
    { ...row, answers: JSON.parse(row.answers) },
    {
      id,
      answers: BANT,
      confirmed_by: REP,
      confirmed_at: Date.parse(confirmed_at),
    },
  );
  for (const question of ["budget", "authority", "need", "timeline"]) {
    const cases: [unknown, RegExp][] = [
      [undefined, / is required/],
      [true, / must be an object/],
      [{ note: "x" }, /\.confirmed is required/],
      [{ confirmed: "yes" }, /\.confirmed must be true or false/],
      [{ confirmed: true, note: "n".repeat(1_001) }, /\.note must be 1000 characters or fewer/],
      [{ confirmed: true, by: "me" }, /\.by"/],
    ];
    for (const [answer, message] of cases) {
      const wrong = await asRep(server, "confirm_bant", { contact_id, ...BANT, [question]: answer });
      assert.deepEqual([wrong.status, wrong.body.code], [400, "validation_failed"]);
      assert.match(wrong.body.error ?? "", new RegExp(`${question}${message.source}`));
    }
  }
});

test("a member's confirmation sets the company and its provenance, even if it was set before", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const contact_id = await newContact(server, { first_name: "Ada", company: "Engines" });
  const db = open(server, t);
  const provenance = db.prepare(
    "SELECT source, actor_id FROM contact_provenance WHERE field = 'company' ORDER BY id DESC",
  );
  clock.advance(1_000);
  for (const [company, before] of [
    ["Engines", "Engines"],
    [" Analytical Engines ", "Engines"],
  ] as const) {
    const { status, body } = await asRep(server, "confirm_company", { contact_id, company });
    assert.deepEqual([status, body.data.company], [200, company.trim()]);
    assert.deepEqual(provenance.get(), { source: "member", actor_id: REP });
    assert.equal(body.data.updated_at === body.data.created_at, company === before, "what is confirmed is no update");
    const audit = await lastAudit(server);
    assert.deepEqual(audit.before, { company: before, confirmed_by: null });
    assert.deepEqual(audit.after, { company: company.trim(), confirmed_by: REP });
  }
  assert.equal(provenance.all().length, 3);
  for (const company of ["", "  ", null, "c".repeat(501), undefined]) {
    const { status, body } = await asRep(server, "confirm_company", { contact_id, company });
    assert.deepEqual([status, body.code], [400, "validation_failed"]);
    assert.match(body.error ?? "", /^company /);
  }
});

const CONFIRMATIONS: [string, object][] = [
  ["confirm_meeting", { held_on: "2026-01-01" }],
  ["confirm_bant", BANT],
  ["confirm_company", { company: "Acme" }],
];

for (const [name, input] of CONFIRMATIONS) {
  test(`${name} needs a member with the work permission, a live contact of the workspace, and writable billing`, async (t) => {
    const server = await startServer(t);
    const other = await server.neighbour();
    const contact_id = await newContact(server);
    const viewer = await callAs(server, member(server, { role: "viewer" }), name, { contact_id, ...input });
    assert.deepEqual([viewer.status, viewer.body.code], [403, "insufficient_scope"]);
    const stranger = await asRep(server, name, { contact_id, ...input, stranger: 1 });
    assert.match(stranger.body.error ?? "", /^Unknown field "stranger"/);
    const foreigner = member(server, { workspaceId: other.workspaceId });
    const random = await callAs(server, foreigner, name, { contact_id: UNKNOWN, ...input });
    assert.deepEqual([random.status, random.body.code], [404, "contact_not_found"]);
    const foreign = await callAs(server, foreigner, name, { contact_id, ...input });
    assert.deepEqual([foreign.status, foreign.text], [random.status, random.text]);
    const db = open(server, t);
    db.prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();
    const unpaid = await asRep(server, name, { contact_id, ...input });
    assert.deepEqual([unpaid.status, unpaid.body.code], [402, "billing_read_only"]);
    db.prepare("UPDATE workspaces SET billing_state = 'active'").run();
    await server.operator("archive_contact", { contact_id });
    assert.equal((await asRep(server, name, { contact_id, ...input })).text, random.text);
    assert.equal(
      db.prepare("SELECT (SELECT count(*) FROM meetings) + (SELECT count(*) FROM bant_assessments)").pluck().get(),
      0,
    );
  });
}
