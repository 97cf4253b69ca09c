import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/tools/index.ts";
import { CLIENTS, connect, post } from "../support/mcp.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SENDER, withAgent } from "../support/socialnet.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";
const TOOLS = operations.filter(({ tool }) => tool);

async function call(server: TestServer, name: string, args: object, key?: string) {
  const given = { name, arguments: args };
  const { body } = await post(server, "2025-11-25", "tools/call", given, key === undefined ? {} : { key });
  return body.result as { isError?: boolean; structuredContent: { data: any; error: string; code: string } };
}

test("every tool refuses an argument that it does not have, and names the nearest one", async (t) => {
  const server = await startServer(t);
  for (const { name } of TOOLS) {
    const { isError, structuredContent } = await call(server, name, { nothing_like_it: 1 });
    assert.deepEqual([isError, structuredContent.code], [true, "validation_failed"], name);
    const said = /(?:^|\. )Unknown field "nothing_like_it"\. Remove it\. Allowed fields: \w+/;
    assert.match(structuredContent.error, said, name);
  }
  const slips: [string, object, string, string][] = [
    ["list_contacts", { limits: 1 }, "limits", "limit"],
    ["list_contacts", { Offset: 1 }, "Offset", "offset"],
    ["get_contact", { contactId: UNKNOWN }, "contactId", "id"],
    ["list_sequences", { ofset: 1 }, "ofset", "offset"],
    ["list_checklist_items", { frequencies: "daily" }, "frequencies", "frequency"],
    ["brain_contact", { profileUrl: "https://socialnet.example/in/ada" }, "profileUrl", "profile_url"],
    ["list_socialnet_actions", { state: "approved" }, "state", "status"],
    ["socialnet_command", { command: "setup", action_id: UNKNOWN }, "action_id", "actionId"],
    ["submit_checklist_output", { id: "OT-01", output_type: "document", body: "x" }, "output_type", "output_kind"],
  ];
  for (const [name, args, wrong, nearest] of slips) {
    const { structuredContent } = await call(server, name, args);
    const said = `Unknown field "${wrong}". Did you mean "${nearest}"?`;
    assert.equal(structuredContent.code, "validation_failed", name);
    assert.ok(structuredContent.error.includes(said), `${name} ${structuredContent.error}`);
  }
});

test("an unknown argument is named beside every other error, whatever its name", async (t) => {
  const server = await startServer(t);
  const { structuredContent } = await call(server, "list_checklist_items", { kind: "y", stranger: null, x: 1 });
  assert.match(structuredContent.error, /^kind must be .+ Unknown field "stranger"\. .+ Unknown field "x"\. /);
  for (const name of ["toString", "constructor", "hasOwnProperty", "x".repeat(1_000), ""]) {
    const refused = await call(server, "list_contacts", { [name]: 1 });
    assert.equal(refused.structuredContent.code, "validation_failed", name);
  }
});

test("over REST, ignored fields stay ignored, and refusals have the same text", async (t) => {
  const server = await startServer(t);
  assert.equal((await server.rest("GET", "/contacts?nothing=1")).status, 200);
  const refused = await server.rest("GET", "/social/checklist/due?nothing=1");
  assert.equal(refused.body.error, 'Unknown field "nothing". Remove it. Allowed fields: limit, offset.');
});

test("over MCP only, null for an optional argument means that it is omitted", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { email: "a@x.example" } })).body.data;
  const data = async (name: string, args: object) => {
    const { isError, structuredContent } = await call(server, name, args);
    assert.equal(isError, undefined, structuredContent.error);
    return structuredContent.data;
  };
  assert.deepEqual(await data("list_contacts", { limit: null, offset: null }), await data("list_contacts", {}));
  assert.equal((await data("brain_contact", { id, email: null, profile_url: null })).contact.id, id);
  await data("list_checklist_items", { kind: null, frequency: null, status: null, limit: 1 });
  await data("list_socialnet_actions", { status: null });
  for (const args of [{ id: null }, {}]) {
    const { structuredContent } = await call(server, "get_contact", args);
    assert.match(structuredContent.error, /^id (?:is required|must be a string)/);
  }
  const rest = await server.rest("POST", "/contacts/query", { body: { limit: null } });
  assert.equal(rest.status, 400);
});

test("in a command, null omits an optional field, is missing for a required one, and is a value inside others", async (t) => {
  const agent = await withAgent(t);
  const ask = (args: object) => call(agent.server, "socialnet_command", args, agent.key);
  const absent = { actionId: null, leaseToken: null, outcome: null, evidence: null, schedules: null };
  assert.equal((await ask({ command: "brief", ...absent })).isError, undefined);
  const rest = await agent.server.rest("POST", "/socialnet/actions", {
    body: { command: "brief", actionId: null },
    key: agent.key,
  });
  assert.equal(rest.status, 400);
  const claim = await ask({ command: "claim", actionId: null });
  assert.equal(claim.structuredContent.error, "actionId is required.");
  const observation = {
    ...{ observationId: UNKNOWN, profileUrl: SENDER, observedAt: "2026-11-20T08:00:00Z", evidence: "Seen." },
    ...{ windowStartedAt: "2026-11-01T00:00:00Z", windowEndedAt: "2026-11-08T00:00:00Z" },
    ...{ invitationsSent: 1, invitationsAccepted: 0, invitationsWithdrawn: null, warnings: null, accountAgeDays: null },
  };
  const observed = await ask({ command: "health_observation", observation, notes: null });
  assert.equal(observed.isError, undefined, observed.structuredContent.error);
  const { warnings: _, ...without } = observation;
  const missing = await ask({ command: "health_observation", observation: without });
  assert.equal(missing.structuredContent.error, "observation.warnings is required.");
  const nested = await ask({ command: "health_observation", observation: { ...observation, profileUrl: null } });
  assert.match(nested.structuredContent.error, /^observation\.profileUrl must be /);
});

test("a schema says that a tool has no other arguments, and clients of both eras accept it", async (t) => {
  const server = await startServer(t);
  for (const client of CLIENTS) {
    const agent = await connect(t, client, server);
    const { tools } = (await agent.listTools()) as { tools: { name: string; inputSchema?: any }[] };
    for (const { name, inputSchema } of tools) assert.equal(inputSchema.additionalProperties, false, name);
    const { structuredContent } = await agent.callTool({ name: "list_contacts", arguments: { limt: 1 } });
    assert.match(structuredContent?.error ?? "", /Did you mean "limit"\?$/);
  }
});

test("a list omits what an agent rarely needs, unless it asks for all", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  await agent.approved();
  const REST: Record<string, string> = {
    list_contacts: "/contacts",
    list_checklist_items: "/social/checklist/items",
    list_due_checklist_items: "/social/checklist/due",
    list_socialnet_actions: "/socialnet/actions",
  };
  /** The fields that the contract requires. */
  const KEPT: Record<string, string[]> = {
    list_contacts: ["id", "email", "first_name", "last_name", "company", "lifecycle", "tags"],
    list_checklist_items: ["id", "task", "status", "due", "agent", "approval_card"],
    list_due_checklist_items: ["id", "task", "status", "due_reason", "change_request", "agent"],
    list_socialnet_actions: ["id", "status", "account", "recipient", "copy", "context", "blockedBy"],
  };
  for (const [name, path] of Object.entries(REST)) {
    const { body: rest } = await server.rest("GET", path, { key: agent.key });
    const full = (await call(server, name, { detail: "full" }, agent.key)).structuredContent;
    assert.deepEqual(full, rest, name);
    const compact = (await call(server, name, {}, agent.key)).structuredContent;
    assert.deepEqual({ ...compact, data: [] }, { ...rest, data: [] }, name);
    assert.equal(compact.data.length, rest.data.length);
    for (const field of KEPT[name] as string[]) assert.ok(field in compact.data[0], `${name}.${field}`);
    for (const field of Object.keys(compact.data[0])) assert.ok(field in rest.data[0], `${name}.${field}`);
    assert.ok(JSON.stringify(compact.data).length < 0.9 * JSON.stringify(rest.data).length, name);
    const refused = (await call(server, name, { detail: "short" }, agent.key)).structuredContent;
    assert.deepEqual([refused.code, refused.error], ["validation_failed", "detail must be one of compact, full."]);
    if (name !== "list_contacts") assert.equal((await server.rest("GET", `${path}?detail=full`)).status, 400);
  }
});

test("25 due items are at most 10,000 characters, and can be limited to those that accept a draft", async (t) => {
  const server = await startServer(t);
  const due = await call(server, "list_due_checklist_items", { limit: 25 });
  const { data } = due.structuredContent;
  assert.ok(data.length === 25, String(data.length));
  assert.ok(JSON.stringify(due.structuredContent).length <= 10_000, `${JSON.stringify(due.structuredContent).length}`);
  const drafts = (await call(server, "list_due_checklist_items", { limit: 100, submittable: true })).structuredContent;
  const all = (await call(server, "list_due_checklist_items", { limit: 100 })).structuredContent;
  const takesDraft = (item: any) => item.agent.accepts_output_kinds.length > 0;
  assert.deepEqual(drafts.data, all.data.filter(takesDraft));
  assert.ok(drafts.data.length > 0 && drafts.data.length < all.data.length);
});

test("a view omits what an agent rarely needs, in each of its records, unless it asks for all", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const { contact } = await agent.approved();
  const account = await server.operator("create_account", { name: "Acme" });
  await server.operator("update_contact", { id: contact.id, account_id: account.id });
  const views = {
    brain_contact: [{ id: contact.id }, ["provenance"], ["contact", "account", "actions", "activities"]],
    brain_account: [{ id: account.id }, [], ["account", "contacts", "actions", "activities"]],
    get_checklist_item_context: [{ id: "OT-01" }, [], ["item", "status", "brand_voice", "recent_posts"]],
  } as const;
  for (const [name, [args, gone, kept]] of Object.entries(views)) {
    const ask = async (more: object) => (await call(server, name, { ...args, ...more }, agent.key)).structuredContent;
    const [compact, full] = [(await ask({})).data, (await ask({ detail: "full" })).data];
    assert.deepEqual(full, await server.operator(name, args), name);
    for (const field of gone) assert.ok(!(field in compact) && field in full, `${name}.${field}`);
    for (const field of kept) assert.ok(field in compact, `${name}.${field}`);
    assert.ok(JSON.stringify(compact).length < 0.9 * JSON.stringify(full).length, name);
  }
  const { item } = (await call(server, "get_checklist_item_context", { id: "OT-01" })).structuredContent.data;
  for (const field of ["task", "done_when", "why", "sources"]) assert.ok(item[field]?.length > 0, `item.${field}`);
  const { contacts, actions } = (await call(server, "brain_account", { id: account.id }, agent.key)).structuredContent
    .data;
  assert.deepEqual([contacts.recent[0].id, contacts.recent[0].email], [contact.id, contact.email]);
  assert.ok(!("source" in contacts.recent[0]) && !("origin" in actions[0]) && "account_id" in actions[0]);
});

test("an idempotency key works as an argument, by the rules of the header", async (t) => {
  const server = await startServer(t);
  const draft = { id: "OT-01", output_kind: "document", title: "T", body: "B" };
  const given = { name: "submit_checklist_output", arguments: { ...draft, idempotency_key: "k1" } };
  const submit = async (args: object, headers = {}) =>
    (await post(server, "2025-11-25", "tools/call", { ...given, arguments: args }, { headers })).body.result
      .structuredContent;
  const kinds = await call(server, "list_due_checklist_items", { limit: 100, submittable: true });
  const item = kinds.structuredContent.data.find((entry: any) => entry.agent.accepts_output_kinds.includes("document"));
  const args = { ...draft, id: item.id, idempotency_key: "k1" };
  const first = await submit(args);
  assert.equal(first.error, null);
  assert.deepEqual(await submit(args), first, "a repeat answers the first result");
  assert.deepEqual(await submit({ ...draft, id: item.id }, { "idempotency-key": "k1" }), first, "as the header does");
  assert.deepEqual(await submit(args, { "idempotency-key": "k1" }), first, "both may be given");
  const differ = await submit(args, { "idempotency-key": "k2" });
  assert.deepEqual([differ.code, differ.error.slice(0, 16)], ["validation_failed", "idempotency_key "]);
  const empty = await submit({ ...args, idempotency_key: "" });
  assert.deepEqual([empty.code, empty.error], ["validation_failed", "idempotency_key can't be empty."]);
  const again = await submit({ ...args, idempotency_key: "k3" });
  assert.equal(again.code, "card_waiting");
  const readOnly = await server.mint(["social_checklist.read"]);
  const denied = await call(server, "submit_checklist_output", { ...args, idempotency_key: "" }, readOnly);
  assert.equal(denied.structuredContent.code, "insufficient_scope");
});

test("setup and brief omit instructions that the caller already has", async (t) => {
  const agent = await withAgent(t);
  for (const command of ["setup", "brief"]) {
    const ask = async (args: object) =>
      (await call(agent.server, "socialnet_command", { command, ...args }, agent.key)).structuredContent.data
        .instructions;
    const { version, text } = await ask({});
    assert.ok(text.length > 500);
    assert.deepEqual(await ask({ instructionsVersion: version }), { version, text: null });
    assert.deepEqual(await ask({ instructionsVersion: "older" }), { version, text });
    assert.deepEqual(await ask({ instructionsVersion: null }), { version, text });
  }
});

test("a claim and a start omit the fields of their action that an agent rarely needs", async (t) => {
  const agent = await withAgent(t);
  const { id: actionId } = await agent.approved();
  const tool = async (args: object) =>
    (await call(agent.server, "socialnet_command", args, agent.key)).structuredContent.data;
  const claim = await tool({ command: "claim", actionId });
  const { leaseToken } = claim;
  const start = await tool({ command: "start", actionId, leaseToken, detail: "full" });
  const left = ["origin", "outcome", "createdAt", "updatedAt"];
  const { blockedBy, ...rest } = start.action;
  assert.equal(blockedBy, null);
  assert.deepEqual(
    Object.keys(start.action)
      .filter((name) => !(name in claim.action))
      .sort(),
    left.sort(),
  );
  assert.deepEqual({ ...rest, ...claim.action, status: "started" }, start.action);
});
