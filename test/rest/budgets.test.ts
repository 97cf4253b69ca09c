import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/tools/index.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";

test("the operations that share the write budget match the contract", () => {
  const written = operations.filter(({ budget }) => budget === "write").map(({ name }) => name as string);
  assert.deepEqual(written, [
    "create_contact",
    "assert_contact",
    "query_contacts",
    "update_contact",
    "add_contact_tags",
    "log_activity",
    "create_deal",
    "enroll_contact",
    "add_suppression",
    "submit_checklist_output",
    "record_checklist_evidence",
    "list_socialnet_actions",
  ]);
});

test("a key can make sixty writes a minute across the budget's operations, and another key has its own budget", async (t) => {
  const server = await startServer(t, { budgets: true });
  const spend = [
    () => server.rest("POST", "/contacts", { body: {} }),
    () => server.rest("PUT", "/contacts/assert", { body: {} }),
    () => server.rest("POST", "/contacts/query", { body: { limit: 0 } }),
    () => server.rest("PATCH", `/contacts/${UNKNOWN}`, { body: { first_name: "x" } }),
    () => server.rest("POST", `/contacts/${UNKNOWN}/tags`, { body: { tag: "x" } }),
    () => server.rest("POST", `/contacts/${UNKNOWN}/activities`, { body: {} }),
    () => server.rest("POST", "/deals", { body: {} }),
    () => server.rest("POST", "/sequences/enroll", { body: {} }),
    () => server.rest("POST", "/suppression", { body: {} }),
    () => server.rest("GET", "/socialnet/actions"),
    () => server.rest("POST", "/social/checklist/items/OT-01/submissions", { body: {} }),
    () => server.rest("POST", "/social/checklist/items/OT-01/evidence", { body: {} }),
  ];
  for (let i = 0; i < 60; i += 1) assert.notEqual((await spend[i % spend.length]?.())?.status, 429);
  for (const call of spend) {
    const reply = await call();
    assert.deepEqual([reply.status, reply.body.code], [429, "rate_limited"]);
    assert.match(reply.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
  }
  for (let i = 0; i < 70; i += 1) assert.equal((await server.rest("GET", "/contacts")).status, 200);
  const other = await server.mint();
  assert.equal((await server.rest("POST", "/contacts", { key: other, body: { first_name: "x" } })).status, 201);
});

test("a key can send 120 commands a minute, of any kind, besides its writes, separate from members and other keys", async (t) => {
  const agent = await withAgent(t, { budgets: true });
  const kinds = [
    () => agent.command("setup"),
    () => agent.command("brief"),
    () => agent.command("claim", { actionId: UNKNOWN }),
    () => agent.command("nonsense"),
  ];
  // The first was the agent's initial heartbeat.
  for (let i = 1; i < 120; i += 1) assert.notEqual((await kinds[i % kinds.length]?.())?.status, 429);
  for (const call of kinds) {
    const reply = await call();
    assert.deepEqual([reply.status, reply.body.code, reply.body.data], [429, "rate_limited", null]);
    assert.match(reply.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
  }
  const list = () => agent.server.rest("GET", "/socialnet/actions", { key: agent.key });
  assert.equal((await list()).status, 200, "the list counts with the writes");
  assert.equal((await agent.command("setup", {}, agent.server.key)).status, 200);
  await agent.person("socialnet_command", { command: "setup" });
});

test("reads are not limited, unless the server admin sets a limit per key", async (t) => {
  const read = operations.filter(({ budget }) => budget === "read").map(({ name }) => name as string);
  assert.deepEqual(read, ["list_contacts", "get_contact", "list_sequences"]);
  const server = await startServer(t, { budgets: true, env: { ROSTRUM_READ_BUDGET: "3" } });
  const reads = ["/contacts", `/contacts/${UNKNOWN}`, "/sequences"];
  for (const path of reads) assert.notEqual((await server.rest("GET", path)).status, 429);
  for (const path of reads) {
    const reply = await server.rest("GET", path);
    assert.deepEqual([reply.status, reply.body.code], [429, "rate_limited"]);
    assert.match(reply.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
    assert.match(reply.body.error ?? "", /^More than 3 requests/);
  }
  assert.equal((await server.rest("POST", "/contacts/query", { body: {} })).status, 200, "it is not the write budget");
  assert.equal((await server.rest("GET", "/contacts", { key: await server.mint() })).status, 200);
});
