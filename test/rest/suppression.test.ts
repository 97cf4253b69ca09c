import assert from "node:assert/strict";
import { test } from "node:test";
import { type Beside, openBeside } from "../support/beside.ts";
import { armed, authorise, enroll, newContact, newSequence, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const env = { ROSTRUM_OUTBOUND_GATE: "open" };

function suppress(server: TestServer, body: object, more: { key?: string; headers?: Record<string, string> } = {}) {
  return server.rest("POST", "/suppression", { body, ...more });
}

function openDatabase(t: Parameters<typeof startServer>[0], server: TestServer): Beside {
  const db = openBeside(server.folder);
  t.after(() => db.close());
  return db;
}

test("an address is listed in lower case, with exactly the contract's fields", async (t) => {
  const server = await startServer(t, { clock: new FakeClock() });
  const reply = await suppress(server, { email: " Ada@X.example ", nonsense: 1, source: "engine" });
  assert.equal(reply.status, 201);
  const shown = {
    id: reply.body.data.id,
    workspace_id: server.workspaceId,
    email: "ada@x.example",
    reason: "manual",
    source: "public_api",
    created_at: "2026-11-20T09:00:00.000Z",
  };
  assert.equal(reply.text, JSON.stringify({ data: shown, error: null }));
  assert.deepEqual(await server.operator("list_suppressions", {}), [shown]);
});

test("a repeat keeps id and time, updates the reason if stated with its source, and answers 201 again", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const first = (await suppress(server, { email: "a@x.example", reason: "bounce" })).body.data;
  clock.advance(1_000);
  const again = await suppress(server, { email: "A@X.example", reason: " asked to " });
  assert.equal(again.status, 201);
  assert.deepEqual(again.body.data, { ...first, reason: "asked to" });
  const byHand = await server.operator("add_suppression", { email: "a@x.example", reason: "letter" });
  assert.deepEqual(byHand, { ...first, reason: "letter", source: "member" });
  const unstated = await suppress(server, { email: "a@x.example" });
  assert.deepEqual(unstated.body.data, byHand, "what is known of an opt-out is not wiped out");
  assert.equal((await server.operator("list_suppressions", {})).length, 1);
});

test("an opt-out accepts every address that a mail server accepts, and nothing else", async (t) => {
  const server = await startServer(t);
  const longest = `${"l".repeat(64)}@${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(63)}.${"g".repeat(60)}.fr`;
  const taken = [
    ...["a&b@x.example", "a#b@x.example", "müller@example.com", "a@exämple.com", '"john doe"@x.example', "a@localhost"],
    ...[
      '"a@b"@x.example',
      '"quo\\"te"@x.example',
      ".a..b.@x.example",
      "a@[192.0.2.1]",
      "用户@例子.广告",
      "a/b=c{d}@x.example",
    ],
    ...["o'brien+tag@x.example", "a@my_host.example", "MÜLLER@EXAMPLE.com", longest],
  ];
  for (const email of taken) {
    const reply = await suppress(server, { email });
    assert.deepEqual([reply.status, reply.body.data?.email], [201, email.toLowerCase()], `${email} ${reply.text}`);
  }
  const refused = [
    ...["Ada <ada@x.example>", "<ada@x.example>", "mailto:ada@x.example", "a@x.example, b@x.example", "a b@x.example"],
    ...[
      "a@b@x.example",
      "@x.example",
      "a@",
      "a@.",
      "a@x.example.",
      '"a\nb"@x.example',
      "a\u0000@x.example",
      `l${longest}`,
    ],
  ];
  for (const email of refused) {
    const reply = await suppress(server, { email });
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], email);
    assert.match(reply.body.error ?? "", /^email /);
  }
});

test("an opt-out of an internationalized address applies to its contact, in either letter case", async (t) => {
  const server = await startServer(t, { env });
  const { ids } = await armed(server, { contact: { email: "MÜLLER@Exämple.com" } });
  await suppress(server, { email: "müller@exämple.com" });
  const reply = await enroll(server, ids);
  assert.deepEqual([reply.status, reply.body.code], [409, "contact_suppressed"]);
});

/** Spellings of one address. The first is the contact's. */
const SPELLINGS = [
  ["a@exämple.com", "A@xn--exmple-cua.com"],
  ["A@XN--Exmple-CUA.com", "a@exämple\u3002com"],
  ["mu\u0308ller@exämple.com", "MÜLLER@exa\u0308mple.com"],
] as const;

test("an opt-out applies to every spelling of its address, when enrolling a contact or an audience", async (t) => {
  for (const [owned, listed] of SPELLINGS) {
    const server = await startServer(t, { env });
    const { ids, sequence, approval, contact } = await armed(server, { contact: { email: owned } });
    await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    assert.equal(contact.email, owned, "shown as it was given");
    const first = (await suppress(server, { email: listed })).body.data;
    assert.equal(first.email, listed.toLowerCase());
    const reply = await enroll(server, ids);
    assert.deepEqual([reply.status, reply.body.code], [409, "contact_suppressed"], owned);
    const enrolled = await server.operator("enroll_audience", { approval_id: approval.id });
    assert.equal(enrolled.enrolled, 0, JSON.stringify(enrolled));
    // Listed once in any spelling: the first one is shown.
    assert.deepEqual((await suppress(server, { contact_id: contact.id })).body.data, first);
    assert.deepEqual(await server.operator("list_suppressions", {}), [first]);
    const brain = await server.operator("brain_contact", { id: contact.id });
    assert.notEqual(brain.suppression, null);
  }
});

test("an opt-out stops what is open for the contact, however it is spelled", async (t) => {
  for (const [owned, listed] of SPELLINGS) {
    const server = await startServer(t, { env });
    const { ids } = await armed(server, { contact: { email: owned } });
    assert.equal((await enroll(server, ids)).status, 201);
    await suppress(server, { email: listed });
    const [enrollment] = await server.operator("list_enrollments", {});
    assert.equal(enrollment.status, "stopped_suppressed", owned);
  }
});

test("exactly one of address and contact is required, and each is named if invalid", async (t) => {
  const server = await startServer(t);
  const { id } = await newContact(server);
  const { id: nameless } = await newContact(server, { email: null });
  const cases: [object, number, string, RegExp][] = [
    [{}, 400, "validation_failed", /exactly one of these fields: email, contact_id/],
    [{ reason: "x" }, 400, "validation_failed", /exactly one of/],
    [{ email: "a@x.example", contact_id: id }, 400, "validation_failed", /exactly one of/],
    [{ email: "no address" }, 400, "validation_failed", /^email /],
    [{ email: "" }, 400, "validation_failed", /^email /],
    [{ contact_id: "7" }, 400, "validation_failed", /^contact_id /],
    [{ contact_id: nameless }, 400, "validation_failed", /^This contact has no email\. Send email/],
    [{ contact_id: UNKNOWN }, 404, "contact_not_found", /contact/],
    [{ email: "a@x.example", reason: " " }, 400, "validation_failed", /^reason can't be empty/],
    [
      { email: "a@x.example", reason: "r".repeat(201) },
      400,
      "validation_failed",
      /^reason must be 200 characters or fewer/,
    ],
    [{ email: "a@x.example", reason: null }, 400, "validation_failed", /^reason /],
  ];
  for (const [body, status, code, message] of cases) {
    const reply = await suppress(server, body);
    assert.deepEqual([reply.status, reply.body.code], [status, code], reply.text);
    assert.match(reply.body.error ?? "", message);
  }
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
});

test("suppressing an address stops every open enrollment of its contact, and no other", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { env, clock });
  const { contact, ids } = await armed(server, { contact: { email: "Ada@x.example" } });
  const second = await newSequence(server);
  const bystander = await newContact(server);
  await authorise(server, second.id, [contact.id, bystander.id]);
  const { id: ended } = (await enroll(server, ids)).body.data;
  await server.operator("stop_enrollment", { enrollment_id: ended });
  await enroll(server, ids);
  for (const contact_id of [contact.id, bystander.id]) await enroll(server, { sequence_id: second.id, contact_id });
  clock.advance(1_000);
  assert.equal((await suppress(server, { contact_id: contact.id })).body.data.email, "ada@x.example");
  const rows = await server.operator("list_enrollments", { contact_id: contact.id });
  const over = { due_at: null, ended_at: "2026-11-20T09:00:01.000Z" };
  for (const row of rows) {
    const status = row.id === ended ? "stopped_by_member" : "stopped_suppressed";
    assert.deepEqual([row.status, row.due_at], [status, null]);
    if (row.id !== ended) assert.deepEqual({ due_at: row.due_at, ended_at: row.ended_at }, over);
  }
  assert.equal(rows.length, 3);
  const [other] = await server.operator("list_enrollments", { contact_id: bystander.id });
  assert.equal(other.status, "active");
  const reply = await enroll(server, ids);
  assert.deepEqual([reply.status, reply.body.code], [409, "contact_suppressed"]);
});

test("a repeat still stops what was enrolled despite the list", async (t) => {
  const server = await startServer(t, { env });
  const { ids } = await armed(server, { contact: { email: "a@x.example" } });
  await enroll(server, ids);
  const db = openDatabase(t, server);
  const row = "INSERT INTO suppressions VALUES ('s', ?, 'a@x.example', 'a@x.example', 'bounce', 'engine', 1, NULL)";
  db.prepare(row).run(server.workspaceId);
  assert.equal((await suppress(server, { email: "a@x.example" })).body.data.id, "s");
  assert.equal((await server.operator("list_enrollments", {}))[0].status, "stopped_suppressed");
});

test("the contact's timeline says once that the address was suppressed, and who did it", async (t) => {
  const server = await startServer(t);
  const { id } = await newContact(server, { email: "Ada@x.example" });
  await suppress(server, { email: "nobody@x.example" });
  await suppress(server, { email: "ada@X.example", reason: "asked" });
  await suppress(server, { contact_id: id });
  const db = openDatabase(t, server);
  const rows = db.prepare("SELECT contact_id, type, metadata FROM activities").all() as { metadata: string }[];
  const keyId = (await server.operator("list_keys", {}))[0].id;
  assert.deepEqual(
    rows.map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) })),
    [{ contact_id: id, type: "suppressed", metadata: { reason: "asked", source: "public_api", api_key_id: keyId } }],
  );
});

test("an opt-out works regardless of billing and with the outbound gate closed", async (t) => {
  const server = await startServer(t);
  openDatabase(t, server).prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();
  assert.equal((await suppress(server, { email: "a@x.example" })).status, 201);
});

test("a repeat with an idempotency key replays the first answer, without a second write", async (t) => {
  const server = await startServer(t);
  const headers = { "idempotency-key": "k" };
  const first = await suppress(server, { email: "a@x.example" }, { headers });
  for (const body of [{ email: "a@x.example", reason: "new" }, { email: "b@x.example" }, {}]) {
    const repeat = await suppress(server, body, { headers });
    assert.deepEqual([repeat.status, repeat.text], [201, first.text]);
  }
  const rows = await server.operator("list_suppressions", {});
  assert.deepEqual(
    rows.map(({ email, reason }: any) => [email, reason]),
    [["a@x.example", "manual"]],
  );
});

test("racing writes of one address leave one row and one timeline entry, and all answer 201", async (t) => {
  const server = await startServer(t);
  await newContact(server, { email: "ada@x.example" });
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      suppress(server, { email: i % 2 ? "ada@x.example" : "ADA@x.example", reason: `r${i}` }),
    ),
  );
  assert.ok(replies.every(({ status }) => status === 201));
  assert.equal(new Set(replies.map(({ body }) => body.data.id)).size, 1);
  const rows = await server.operator("list_suppressions", {});
  assert.equal(rows.length, 1);
  assert.match(rows[0].reason, /^r\d+$/);
  assert.equal(openDatabase(t, server).prepare("SELECT count(*) FROM activities").pluck().get(), 1);
});

test("an enrollment that races a suppression is never left open", async (t) => {
  const server = await startServer(t, { env });
  for (const suppressFirst of [true, false]) {
    const { contact, ids } = await armed(server);
    const calls = [() => suppress(server, { email: contact.email }), () => enroll(server, ids)];
    if (!suppressFirst) calls.reverse();
    await Promise.all(calls.map((call) => call()));
    const rows = await server.operator("list_enrollments", { contact_id: contact.id });
    assert.ok(rows.every(({ status }: any) => status === "stopped_suppressed"));
  }
});

test("workspaces do not share the list or contacts", async (t) => {
  const server = await startServer(t, { env });
  const other = await server.neighbour();
  const { contact, ids } = await armed(server, { contact: { email: "shared@x.example" } });
  await enroll(server, ids);
  const foreign = await suppress(server, { contact_id: contact.id }, { key: other.key });
  const random = await suppress(server, { contact_id: UNKNOWN }, { key: other.key });
  assert.deepEqual([foreign.status, foreign.text], [404, random.text]);
  assert.equal((await suppress(server, { email: contact.email }, { key: other.key })).status, 201);
  assert.equal((await server.operator("list_enrollments", {}))[0].status, "active");
  assert.deepEqual(await server.operator("list_suppressions", {}), []);
  const mine = (await suppress(server, { email: contact.email })).body.data;
  const [theirs] = await server.operator("list_suppressions", {}, other.workspaceId);
  assert.notEqual(mine.id, theirs.id);
});

test("the list for members is alphabetical, in pages", async (t) => {
  const server = await startServer(t);
  for (const name of ["c", "a", "d", "b"]) await suppress(server, { email: `${name}@x.example` });
  const emails = async (page: object) =>
    (await server.operator("list_suppressions", page)).map(({ email }: any) => email[0]).join("");
  assert.equal(await emails({}), "abcd");
  assert.equal(await emails({ limit: 2, offset: 1 }), "bc");
});

test("suppressing needs its scope and uses the write budget", async (t) => {
  const server = await startServer(t, { budgets: true });
  const key = await server.mint(["contacts.write", "sequences.write"]);
  const refused = await suppress(server, { email: "a@x.example" }, { key });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  for (let i = 0; i < 60; i += 1) assert.equal((await suppress(server, {})).status, 400);
  assert.equal((await suppress(server, {})).status, 429);
});
