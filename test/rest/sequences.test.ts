import assert from "node:assert/strict";
import { test } from "node:test";
import { findOperation } from "../../src/cli/operator.ts";
import { inputSchema } from "../../src/core/json-schema.ts";
import { openBeside } from "../support/beside.ts";
import { CLIENTS, connect } from "../support/mcp.ts";
import { audited, authorise, newContact, newSequence, STEPS, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const read = (server: TestServer, id: string) => server.operator("get_sequence", { sequence_id: id });

test("the list shows the workspace's sequences newest first, with exactly the contract's fields and an exact total", async (t) => {
  const server = await startServer(t);
  for (let i = 0; i < 30; i += 1) await newSequence(server, { name: `Series ${i}` });
  const key = await server.mint(["sequences.read"]);
  const { status, body } = await server.rest("GET", "/sequences", { key });
  assert.equal(status, 200);
  assert.equal(body.data.length, 25);
  assert.deepEqual(body.meta, { total: 30, limit: 25, offset: 0, hasMore: true });
  assert.equal(body.data[0].name, "Series 29");
  const fields = ["id", "name", "description", "status", "created_at", "updated_at"];
  for (const row of body.data) assert.deepEqual(Object.keys(row), fields);
  const cases = [
    ["?limit=0&offset=-1&filter=x&name=y", 25, 0],
    ["?limit=200&offset=28", 100, 28],
  ] as const;
  for (const [query, limit, offset] of cases) {
    const page = (await server.rest("GET", `/sequences${query}`, { key })).body;
    assert.deepEqual(page.meta, { total: 30, limit, offset, hasMore: offset === 0 }, query);
  }
});

test("the list is a read tool, only for keys with its scope, and answers what REST does", async (t) => {
  const server = await startServer(t);
  await newSequence(server);
  const [client] = CLIENTS;
  const agent = await connect(t, client, server, await server.mint(["sequences.read"]));
  const { tools } = (await agent.listTools()) as {
    tools: { name: string; annotations?: { readOnlyHint?: boolean } }[];
  };
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
    [["list_sequences", true]],
  );
  const { structuredContent } = await agent.callTool({
    name: "list_sequences",
    arguments: { limit: 1, detail: "full" },
  });
  assert.deepEqual(structuredContent, (await server.rest("GET", "/sequences?limit=1")).body);
});

test("the list needs its scope, and has no budget", async (t) => {
  const server = await startServer(t, { budgets: true });
  const other = await server.mint(["sequences.write", "contacts.read"]);
  const refused = await server.rest("GET", "/sequences", { key: other });
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  assert.equal((await server.rest("GET", "/sequences", { key: "" })).status, 401);
  for (let i = 0; i < 130; i += 1) assert.equal((await server.rest("GET", "/sequences")).status, 200);
});

test("a new sequence is a draft, reads back the same, and is audited", async (t) => {
  const server = await startServer(t);
  const created = await newSequence(server, { description: " For new people ", steps: [STEPS[0], STEPS[1]] });
  assert.equal(created.status, "draft");
  assert.equal(created.description, "For new people");
  assert.deepEqual(created.steps, [STEPS[0], STEPS[1]]);
  assert.match(created.steps_hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(await read(server, created.id), { ...created, approvals: [] });
  const [row] = await audited(server, "create_sequence");
  assert.deepEqual([row.record_id, row.before, row.after], [created.id, null, created]);
  const bare = await newSequence(server, { description: "", steps: [{ type: "socialnet_connect", note: "" }] });
  assert.equal(bare.description, null);
  assert.deepEqual(bare.steps, [{ type: "socialnet_connect", note: "", delay_days: 0 }]);
});

test("invalid steps are refused, with the path of the field and the fix", async (t) => {
  const server = await startServer(t);
  const email = { type: "email", subject: "s", body: "b" };
  const cases: [unknown, RegExp][] = [
    [[], /^steps must have at least one entry/],
    [Array(51).fill(email), /^steps can have 50 entries at most/],
    [[7], /^steps\.0 must be an object/],
    [
      [{ type: "fax", body: "b" }],
      /^steps\.0\.type must be one of email, socialnet_connect, socialnet_message, wait\.$/,
    ],
    [[{ body: "b" }], /^steps\.0\.type /],
    [[{ ...email, subject: "" }], /^steps\.0\.subject can't be empty/],
    [[{ ...email, subject: " " }], /^steps\.0\.subject can't be empty/],
    [[{ ...email, subject: "s".repeat(501) }], /^steps\.0\.subject must be 500 characters or fewer/],
    [[{ ...email, subject: "a\nBcc: b" }], /^steps\.0\.subject can't have a line break/],
    [[email, { ...email, body: "" }], /^steps\.1\.body can't be empty/],
    [[{ ...email, body: "b".repeat(20_001) }], /^steps\.0\.body must be 20000 characters or fewer/],
    [[{ ...email, delay_days: 366 }], /^steps\.0\.delay_days must be 365 or less/],
    [[{ ...email, delay_days: -1 }], /^steps\.0\.delay_days must be 0 or more/],
    [[{ ...email, delay_days: 1.5 }], /^steps\.0\.delay_days must be a whole number/],
    [[{ ...email, note: "n" }], /^Unknown field "steps\.0\.note"/],
    [[{ type: "socialnet_connect", note: "n".repeat(301) }], /^steps\.0\.note must be 300 characters or fewer/],
    [[{ type: "socialnet_connect" }], /^steps\.0\.note is required/],
    [[{ type: "socialnet_message", body: "b".repeat(8_001) }], /^steps\.0\.body must be 8000 characters or fewer/],
    [[{ type: "wait", days: 0 }], /^steps\.0\.days must be 1 or more/],
    [[{ type: "wait", days: 366 }], /^steps\.0\.days must be 365 or less/],
    [[{ type: "wait", days: 1, delay_days: 1 }], /^Unknown field "steps\.0\.delay_days"/],
    [
      [{ ...email, subject: "{{foo}}" }],
      /^steps\.0\.subject has an unknown placeholder \{\{foo\}\}\. Use one of \{\{first_name\}\}, /,
    ],
    [[email, { type: "socialnet_connect", note: "{{ fo }}" }], /^steps\.1\.note has an unknown placeholder \{\{fo\}\}/],
    [[{ ...email, body: "Hi {{first_name" }], /^steps\.0\.body has a \{\{ without a matching/],
  ];
  const { id } = await newSequence(server);
  for (const [steps, message] of cases) {
    for (const [operation, target] of [
      ["create_sequence", { name: "x" }],
      ["update_sequence", { sequence_id: id }],
    ] as const) {
      await assert.rejects(server.operator(operation, { ...target, steps }), { code: "validation_failed", message });
    }
  }
  for (const input of [{ name: "", steps: STEPS }, { steps: STEPS }, { name: "x", steps: STEPS, status: "active" }]) {
    await assert.rejects(server.operator("create_sequence", input), { code: "validation_failed" });
  }
  assert.equal((await server.rest("GET", "/sequences")).body.meta.total, 1);
});

test("an update changes the given fields, and one that changes nothing writes nothing", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const { approvals: _, ...first } = await read(server, (await newSequence(server, { description: "d" })).id);
  const none = { voided_approvals: [] };
  clock.advance(5);
  const update = (fields: object) => server.operator("update_sequence", { sequence_id: first.id, ...fields });
  const reversed = STEPS.map((step) => Object.fromEntries(Object.entries(step).reverse()));
  assert.deepEqual(await update({ name: "Welcome", description: "d", steps: reversed }), { ...first, ...none });
  assert.equal((await audited(server, "update_sequence")).length, 0);
  const renamed = await update({ name: "Renamed", description: null });
  const changed = { ...first, name: "Renamed", description: null, updated_at: "2026-11-20T09:00:00.005Z" };
  assert.deepEqual(renamed, { ...changed, ...none });
  const rewritten = await update({ steps: [STEPS[2]] });
  assert.deepEqual(rewritten.steps, [STEPS[2]]);
  assert.notEqual(rewritten.steps_hash, first.steps_hash);
  const [last, before] = await audited(server, "update_sequence");
  assert.deepEqual([before.before, before.after], [first, renamed]);
  assert.deepEqual([last.before, last.after], [changed, rewritten]);
  await assert.rejects(update({}), { code: "validation_failed", message: /^Send at least one of these fields: name/ });
});

test("the status can change to any of the four, and the audit has before and after", async (t) => {
  const server = await startServer(t);
  const { id } = await newSequence(server);
  const set = (status: string) => server.operator("set_sequence_status", { sequence_id: id, status });
  for (const status of ["active", "paused", "archived", "draft"]) assert.equal((await set(status)).status, status);
  const [last] = await audited(server, "set_sequence_status");
  assert.deepEqual([last.before, last.after], [{ status: "archived" }, { status: "draft" }]);
  await set("draft");
  assert.equal((await audited(server, "set_sequence_status")).length, 4, "what changes nothing is no change");
  await assert.rejects(set("running"), { code: "validation_failed", message: /^status must be one of draft, / });
});

test("outreach is paused since the first pause, with the latest reason, until resumed", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const first = { paused_at: "2026-11-20T09:00:00.000Z", pause_reason: "complaint" };
  assert.deepEqual(await server.operator("pause_outreach", { reason: " complaint " }), first);
  clock.advance(1_000);
  const second = { ...first, pause_reason: "lawyers" };
  assert.deepEqual(await server.operator("pause_outreach", { reason: "lawyers" }), second);
  assert.deepEqual(await server.operator("pause_outreach", {}), second, "no reason leaves the one there is");
  const none = { paused_at: null, pause_reason: null };
  for (let i = 0; i < 2; i += 1)
    assert.deepEqual(await server.operator("resume_outreach", { reason: "settled" }), none);
  const pauses = (await audited(server, "pause_outreach")).map(({ record_id, before, after }) => [
    record_id,
    before,
    after,
  ]);
  assert.deepEqual(pauses, [
    [server.workspaceId, first, second],
    [server.workspaceId, none, first],
  ]);
  const resumes = await audited(server, "resume_outreach");
  assert.deepEqual(
    resumes.map(({ before, after }) => [before, after]),
    [[second, { ...none, resume_reason: "settled" }]],
  );
  for (const reason of ["", "r".repeat(501), 7]) {
    await assert.rejects(server.operator("pause_outreach", { reason }), {
      code: "validation_failed",
      message: /^reason /,
    });
  }
});

/** The input of each operation that names a record, given that record's id. */
const named = (id: string, contact: string): [string, object][] => [
  ["update_sequence", { sequence_id: id, name: "x" }],
  ["set_sequence_status", { sequence_id: id, status: "active" }],
  ["get_sequence", { sequence_id: id }],
  ["approve_sequence", { sequence_id: id, contact_ids: [contact] }],
  ["apply_sequence_approval", { approval_id: id }],
  ["stop_enrollment", { enrollment_id: id }],
];

test("a record of another workspace gets the same answer as an unknown one, and stays unchanged", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const sequence = await newSequence(server);
  const mine = await newContact(server);
  const approval = await authorise(server, sequence.id, [mine.id]);
  const theirs = (await server.rest("POST", "/contacts", { key: other.key, body: { first_name: "T" } })).body.data.id;
  const refusal = (name: string, input: object) =>
    server.operator(name, input, other.workspaceId).then(
      () => assert.fail(`${name} was answered`),
      ({ code, message }) => ({ code, message }),
    );
  for (const [index, [name, random]] of named(UNKNOWN, theirs).entries()) {
    const id = name === "apply_sequence_approval" ? approval.id : sequence.id;
    const [, foreign] = named(id, theirs)[index] as [string, object];
    const answer = await refusal(name, random);
    assert.match(answer.code, /^(sequence|approval|enrollment)_not_found$/);
    assert.deepEqual(await refusal(name, foreign), answer, name);
  }
  const lists = await server.rest("GET", "/sequences", { key: other.key });
  assert.deepEqual([lists.body.data, lists.body.meta.total], [[], 0]);
  assert.deepEqual(await server.operator("list_enrollments", { sequence_id: sequence.id }, other.workspaceId), []);
  assert.deepEqual((await read(server, sequence.id)).approvals, [approval]);
});

test("a read-only workspace can't write or approve sequences, but can still stop and pause them", async (t) => {
  const server = await startServer(t);
  const { id } = await newSequence(server);
  const contact = await newContact(server);
  const db = openBeside(server.folder);
  t.after(() => db.close());
  db.prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();
  const refused: [string, object][] = [
    ["create_sequence", { name: "x", steps: STEPS }],
    ...named(id, contact.id).filter(([name]) => !["get_sequence", "stop_enrollment"].includes(name)),
  ];
  for (const [name, input] of refused) {
    await assert.rejects(server.operator(name, input), { code: "billing_read_only", status: 402 }, name);
  }
  await assert.rejects(server.operator("stop_enrollment", { enrollment_id: UNKNOWN }), {
    code: "enrollment_not_found",
  });
  await server.operator("pause_outreach", { reason: "x" });
  await server.operator("resume_outreach", {});
  assert.equal((await read(server, id)).status, "draft");
});

test("the schema of the steps names all four types", () => {
  const { steps } = inputSchema(findOperation("create_sequence")).properties ?? {};
  for (const type of ["email", "socialnet_connect", "socialnet_message", "wait"]) {
    assert.ok(JSON.stringify(steps).includes(`"const":"${type}"`), type);
  }
});
