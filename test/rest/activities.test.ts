import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutbound, SYSTEM_ACTIVITIES, WRITABLE_ACTIVITIES } from "../../src/domain/contacts/activity.ts";
import { openBeside } from "../support/beside.ts";
import { callAs, member } from "../support/member.ts";
import { FakeClock, type Request, startServer, type TestServer } from "../support/server.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

async function newContact(server: TestServer): Promise<string> {
  return (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data.id;
}

const log = (server: TestServer, id: string, body: unknown, more: Request = {}) =>
  server.rest("POST", `/contacts/${id}/activities`, { body, ...more });

function peek(server: TestServer, t: { after(job: () => void): void }) {
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  return {
    all: (sql: string) => db.prepare(sql).all() as any[],
    value: (sql: string) => db.prepare(sql).pluck().get() as any,
  };
}

test("an activity is returned and stored with the contract's fields, in their order", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const body = { type: "call_made", subject: " Intro ", body: " kept as sent\n", metadata: { minutes: 0.1 + 0.2 } };
  const reply = await log(server, id, body);
  assert.equal(reply.status, 201, reply.text);
  const { data, error } = reply.body;
  assert.equal(error, null);
  assert.deepEqual(Object.keys(data), [
    ...["id", "contact_id", "workspace_id", "type", "subject", "body", "metadata", "created_at"],
  ]);
  assert.deepEqual(
    [data.contact_id, data.workspace_id, data.type, data.subject, data.body],
    [id, server.workspaceId, "call_made", "Intro", " kept as sent\n"],
  );
  const [key] = await server.operator("list_keys", {});
  assert.deepEqual(data.metadata, { minutes: 0.1 + 0.2, source: "public_api", api_key_id: key.id });
  assert.match(data.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [row] = peek(server, t).all("SELECT id, contact_id, subject, body, metadata FROM activities");
  assert.deepEqual(
    { ...row, metadata: JSON.parse(row.metadata) },
    {
      id: data.id,
      contact_id: id,
      subject: "Intro",
      body: " kept as sent\n",
      metadata: data.metadata,
    },
  );
});

test("the eight types of the contract can be logged; a note's default title is Note", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  assert.deepEqual(WRITABLE_ACTIVITIES, [
    ...["note_added", "call_made", "call_received", "voicemail_left", "meeting_booked", "meeting_completed"],
    ...["sms_sent", "socialnet_message"],
  ]);
  for (const type of WRITABLE_ACTIVITIES) {
    const reply = await log(server, id, { type, subject: "S", body: "B" });
    assert.deepEqual([reply.status, reply.body.data?.type], [201, type]);
  }
  for (const subject of [undefined, "", "  "]) {
    const note = await log(server, id, { type: "note_added", subject, body: "B", stranger: 1 });
    assert.deepEqual([note.status, note.body.data?.subject], [201, "Note"]);
  }
  const call = await log(server, id, { type: "call_made", subject: "S" });
  assert.deepEqual([call.body.data.body, Object.keys(call.body.data.metadata)], [null, ["source", "api_key_id"]]);
});

test("the server's own types can't be logged, and the refusal says so", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  for (const type of SYSTEM_ACTIVITIES) {
    const reply = await log(server, id, { type, subject: "S", body: "B" });
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"]);
    assert.match(
      reply.body.error ?? "",
      new RegExp(`^type can't be ${type} because the server logs it itself.*call_made`),
    );
  }
  assert.equal(peek(server, t).value("SELECT count(*) FROM activities"), 0);
});

test("an invalid activity is refused by field, and nothing is written", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const call = { type: "call_made", subject: "S" };
  const note = { type: "note_added", body: "B" };
  const cases: [unknown, RegExp][] = [
    [{}, /^type is required/],
    [{ ...call, type: "party" }, /^type must be one of note_added, /],
    [{ ...call, type: 7 }, /^type /],
    [{ type: "call_made" }, /^subject can't be blank. Only a note needs no subject/],
    [{ ...call, subject: " " }, /^subject can't be blank. Only a note needs no subject/],
    [{ ...call, subject: null }, /^subject must be a string/],
    [{ ...call, subject: "s".repeat(501) }, /^subject must be 500 characters or fewer/],
    [{ ...call, body: "b".repeat(20_001) }, /^body must be 20000 characters or fewer/],
    [{ ...call, body: "a\0b" }, /^body contains a NUL/],
    [{ type: "note_added" }, /^body can't be blank for a note/],
    [{ ...note, body: " \n" }, /^body can't be blank for a note/],
    [{ ...note, metadata: [] }, /^metadata /],
    [{ ...note, metadata: "x" }, /^metadata /],
    [{ ...note, metadata: { text: "é".repeat(8 * 1024) } }, /^metadata must be 16384 bytes/],
    [{ ...note, subject: "\ud800" }, /^subject contains half of a surrogate/],
  ];
  for (const [body, message] of cases) {
    const reply = await log(server, id, body);
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], reply.text);
    assert.match(reply.body.error ?? "", message);
  }
  const a = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  const nested = await callAs(server, member(server), "log_activity", { id, ...note, metadata: { a } });
  assert.match(nested.body.error ?? "", /^metadata\.a.*nested deeper/, "what no stringifier could measure");
  const malformed = await log(server, "ada", call);
  assert.deepEqual([malformed.status, malformed.body.code], [400, "invalid_id"]);
  assert.equal(peek(server, t).value("SELECT count(*) FROM activities"), 0);
  const most = { text: "x".repeat(16 * 1024 - '{"text":""}'.length) };
  const fits = { type: "note_added", subject: "s".repeat(500), body: "b".repeat(20_000), metadata: most };
  assert.equal((await log(server, id, fits)).status, 201);
});

test("the author can't be spoofed: the server's fields override the caller's metadata", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const metadata = { source: "member", api_key_id: UNKNOWN, member_id: UNKNOWN, more: { source: "mine" } };
  const input = { type: "note_added", body: "B", metadata };
  const [key] = await server.operator("list_keys", {});
  const byKey = (await log(server, id, input)).body.data.metadata;
  assert.deepEqual(byKey, { member_id: UNKNOWN, more: { source: "mine" }, source: "public_api", api_key_id: key.id });
  const rep = member(server);
  const byMember = await callAs(server, rep, "log_activity", { id, ...input });
  assert.deepEqual(byMember.body.data.metadata, { more: { source: "mine" }, source: "member", member_id: rep.id });
  const byOperator = await server.operator("log_activity", { id, ...input });
  assert.deepEqual([byOperator.metadata.source, byOperator.metadata.member_id === UNKNOWN], ["member", false]);
});

test("a key's own member_id is stored, but makes no member the author", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const rep = await server.operator("invite_member", { email: "grace@x.example", name: "Grace", role: "rep" });
  const sent = { member_id: rep.id, note: { member_id: [null, 1.5] } };
  const input = { type: "note_added", body: "B" };
  const { metadata } = (await log(server, id, { ...input, metadata: sent })).body.data;
  const { source, api_key_id, ...kept } = metadata;
  assert.deepEqual([source, typeof api_key_id, kept], ["public_api", "string", sent]);
  const names = async () => (await server.operator("get_contact_record", { id })).actor_names;
  assert.equal((await names())[rep.id], undefined);
  await callAs(server, member(server, { id: rep.id }), "log_activity", { id, ...input });
  assert.equal((await names())[rep.id], "Grace");
});

test("only outreach advances the last contact date, and it does not count as an update", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const id = await newContact(server);
  const before = (await server.rest("GET", `/contacts/${id}`)).text;
  const db = peek(server, t);
  let last: number | null = null;
  for (const type of WRITABLE_ACTIVITIES) {
    clock.advance(1_000);
    assert.equal((await log(server, id, { type, subject: "S", body: "B" })).status, 201);
    if (isOutbound(type)) last = clock.now();
    assert.equal(db.value("SELECT last_contacted_at FROM contacts"), last, type);
  }
  clock.advance(-60_000);
  await log(server, id, { type: "call_made", subject: "a clock that was set back" });
  assert.equal(db.value("SELECT last_contacted_at FROM contacts"), last);
  assert.equal((await server.rest("GET", `/contacts/${id}`)).text, before);
});

test("a booked meeting needs confirmation by a member, and a completed one reported by an agent does not count", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const { data } = (await log(server, id, { type: "meeting_booked", subject: "Demo" })).body;
  await log(server, id, { type: "meeting_completed", subject: "Demo" });
  const meetings = peek(server, t).all(
    "SELECT contact_id, activity_id, held_on, confirmed_by, confirmed_at FROM meetings",
  );
  assert.deepEqual(meetings, [
    { contact_id: id, activity_id: data.id, held_on: null, confirmed_by: null, confirmed_at: null },
  ]);
  const lead = await server.rest("PATCH", `/contacts/${id}`, { body: { lifecycle: "lead" } });
  assert.deepEqual([lead.status, lead.body.code], [422, "meeting_required"]);
});

test("a repeat with an Idempotency-Key replays the answer and opens no second meeting", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const headers = { "idempotency-key": "k" };
  const body = { type: "meeting_booked", subject: "Demo" };
  const replies = await Promise.all(Array.from({ length: 10 }, () => log(server, id, body, { headers })));
  const other = await log(server, id, { type: "call_made", subject: "another body" }, { headers });
  assert.deepEqual(new Set([...replies, other].map(({ status, text }) => `${status} ${text}`)).size, 1);
  const db = peek(server, t);
  assert.deepEqual([db.value("SELECT count(*) FROM activities"), db.value("SELECT count(*) FROM meetings")], [1, 1]);
});

test("another workspace's contact, an archived one and an unknown one get the same answer", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const id = await newContact(server);
  const archived = await newContact(server);
  await server.operator("archive_contact", { contact_id: archived });
  const body = { type: "meeting_booked", subject: "S" };
  const random = await log(server, UNKNOWN, body, { key: other.key });
  assert.deepEqual([random.status, random.body.code], [404, "contact_not_found"]);
  assert.equal((await log(server, id, body, { key: other.key })).text, random.text);
  assert.equal((await log(server, archived, body)).text, random.text);
  assert.equal(peek(server, t).value("SELECT count(*) FROM meetings"), 0);
});

test("logging needs its scope, the work permission, and a writable workspace", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const body = { type: "note_added", body: "B" };
  const key = await server.mint(["contacts.write", "deals.write"]);
  const denied = await log(server, id, body, { key });
  assert.deepEqual([denied.status, denied.body.code], [403, "insufficient_scope"]);
  assert.match(denied.body.error ?? "", /activities\.write/);
  const viewer = await callAs(server, member(server, { role: "viewer" }), "log_activity", { id, ...body });
  assert.deepEqual([viewer.status, viewer.body.code], [403, "insufficient_scope"]);
  const db = openBeside(server.folder);
  t.after(() => db.close());
  db.prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();
  const unpaid = await log(server, id, body);
  assert.deepEqual([unpaid.status, unpaid.body.code], [402, "billing_read_only"]);
  assert.equal(db.prepare("SELECT count(*) FROM activities").pluck().get(), 0);
});

test("metadata is free-form: any value that JSON.parse returns is stored", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  const kept = [
    '{"id":9007199254740993,"rate":123456789.123456789,"tiny":1e-400}',
    '{"a":1,"a":2,"deep":[{"b":1,"b":[0.10000000000000000001]}]}',
    '{"text":"\\u0000 and \\ud800","\\u0000":1}',
    '{"__proto__":{"polluted":true},"constructor":null}',
  ];
  for (const metadata of kept) {
    const raw = `{"type":"note_added","body":"x","metadata":${metadata}}`;
    const { status, body, text } = await server.rest("POST", `/contacts/${id}/activities`, { raw });
    assert.equal(status, 201, text);
    const { source, api_key_id: key, ...own } = body.data.metadata;
    assert.deepEqual([source, typeof key], ["public_api", "string"]);
    assert.deepEqual(Object.entries(own), Object.entries(JSON.parse(metadata)));
  }
  const brain = await server.operator("brain_contact", { id });
  assert.equal(brain.activities.length, kept.length, "and is read back");
  const refused = [
    '{"type":"note_added","body":"x","metadata":{"a":1E400}}',
    '{"type":"note_added","body":"x","metadata":{},"metadata":{}}',
    '{"type":"note_added","body":9007199254740993}',
  ];
  const ignored = '{"type":"note_added","body":"x","other":{"a":1,"a":2,"b":9007199254740993}}';
  assert.equal((await server.rest("POST", `/contacts/${id}/activities`, { raw: ignored })).status, 201);
  const deep = `{"type":"note_added","body":"x","metadata":{"a":${"[".repeat(400)}${"]".repeat(400)}}}`;
  assert.equal((await server.rest("POST", `/contacts/${id}/activities`, { raw: deep })).status, 201);
  for (const raw of refused) {
    const { status, text } = await server.rest("POST", `/contacts/${id}/activities`, { raw });
    assert.equal(status, 400, text);
  }
});
