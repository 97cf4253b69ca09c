import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/app.ts";
import { startServer } from "../support/server.ts";

const PAST = 1;

test("a read-only workspace answers 402 to every write, says which reason, and still reads", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "A" } })).body.data;
  const db = new Database(databaseFile(server.folder));
  t.after(() => db.close());
  const reasons = [
    ["trial", /trial has expired/],
    ["financed", /term has elapsed/],
    ["delinquent", /delinquency/],
  ] as const;
  for (const [state, message] of reasons) {
    db.prepare("UPDATE workspaces SET billing_state = ?, billing_ends_at = ?").run(state, PAST);
    const writes = [
      server.rest("POST", "/contacts", { body: { first_name: "B" } }),
      server.rest("PUT", "/contacts/assert", { body: { email: "a@b.example" } }),
      server.rest("PATCH", `/contacts/${id}`, { body: { first_name: "B" } }),
      server.rest("POST", `/contacts/${id}/tags`, { body: { tag: "b" } }),
    ];
    for (const reply of await Promise.all(writes)) {
      assert.deepEqual([reply.status, reply.body.code], [402, "billing_read_only"]);
      assert.match(reply.body.error ?? "", message);
    }
    assert.equal((await server.rest("GET", `/contacts/${id}`)).status, 200);
    assert.equal((await server.rest("POST", "/contacts/query", { body: {} })).status, 200);
  }
  const invalid = await server.rest("POST", "/contacts", { body: {} });
  assert.equal(invalid.status, 400, "what is wrong in itself is said before the gate");
});

test("concurrent creates never pass the allowance, on either path, and the refusal carries the quota", async (t) => {
  const server = await startServer(t);
  const db = new Database(databaseFile(server.folder));
  t.after(() => db.close());
  db.prepare("UPDATE workspaces SET plan = 'small', contact_allowance = 7").run();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      i % 2
        ? server.rest("POST", "/contacts", { body: { first_name: `${i}` } })
        : server.rest("PUT", "/contacts/assert", { body: { email: `p${i}@b.example` } }),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 7);
  const refused = replies.filter(({ status }) => status !== 201);
  for (const reply of refused) {
    assert.deepEqual([reply.status, reply.body.code], [429, "quota_exceeded_contacts"]);
    assert.equal(reply.headers.get("retry-after"), null);
    assert.deepEqual(JSON.parse(reply.text).quota, { resource: "contacts", limit: 7, used: 7, plan: "small" });
  }
  const [first] = (await server.rest("GET", "/contacts?limit=1")).body.data;
  await server.operator("archive_contact", { contact_id: first.id });
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "room again" } })).status, 201);
});
