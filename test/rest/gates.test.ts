import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { callAsOperator } from "../../src/cli/operator.ts";
import { type Envelope, type Reply, startServer } from "../support/server.ts";

const PAST = "2020-01-01T00:00:00Z";

test("a read-only workspace answers 402 to every write with the reason, and still reads", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "A" } })).body.data;
  const reasons = [
    [{ state: "trial", ends_at: PAST }, /trial has expired/],
    [{ state: "financed", ends_at: PAST }, /term has ended/],
    [{ state: "delinquent" }, /payment is overdue/],
  ] as const;
  for (const [billing, message] of reasons) {
    await server.operator("set_billing", billing);
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
  await server.operator("set_billing", { state: "active" });
  assert.equal((await server.rest("PATCH", `/contacts/${id}`, { body: { first_name: "B" } })).status, 200);
});

const ways = ["create", "assert", "import"] as const;

test("fifty simultaneous creates, in any form, fill the allowance exactly, and every refusal has the quota", async (t) => {
  const server = await startServer(t);
  const mix = fc.array(fc.constantFrom(...ways), { minLength: 50, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(mix, fc.integer({ min: 0, max: 55 }), async (calls, limit) => {
      const { workspaceId, key } = await server.neighbour();
      await server.operator("set_plan", { name: "small", contact_allowance: limit }, workspaceId);
      /** Whether a contact was created; any refusal must be the expected one. */
      const settled = ({ status, text, headers }: Reply) => {
        if (status === 201) return true;
        const { code, quota } = JSON.parse(text);
        assert.deepEqual([status, code, headers.get("retry-after")], [429, "quota_exceeded_contacts", null], text);
        assert.deepEqual(quota, { resource: "contacts", limit, used: limit, plan: "small" });
        return false;
      };
      const create = {
        async create(email: string) {
          return settled(await server.rest("POST", "/contacts", { key, body: { email } }));
        },
        async assert(email: string) {
          return settled(await server.rest("PUT", "/contacts/assert", { key, body: { email } }));
        },
        async import(email: string) {
          const fingerprint = createHash("sha256").update(email).digest("hex");
          const input = { fingerprint, from_row: 0, rows: [{ email }], last: true };
          const answer = await callAsOperator(server.running, "import_contacts", workspaceId, input);
          const { data } = JSON.parse(answer.body) as Envelope;
          if (data.created === 1) return true;
          assert.match(data.results[0].reason, /^quota_exceeded_contacts: /);
          return false;
        },
      };
      const made = await Promise.all(calls.map((way, i) => create[way](`p${i}@b.example`)));
      assert.equal(made.filter(Boolean).length, Math.min(limit, calls.length));
      const { usage } = await server.operator("get_workspace", {}, workspaceId);
      assert.equal(usage.contacts, Math.min(limit, calls.length));
    }),
    { numRuns: 8, examples: [[Array(50).fill("create"), 0]] },
  );
});

test("archiving frees quota, and so does a larger plan; a smaller plan removes nothing", async (t) => {
  const server = await startServer(t);
  const create = async () => (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).status;
  await server.operator("set_plan", { contact_allowance: 2 });
  assert.deepEqual([await create(), await create(), await create()], [201, 201, 429]);
  const [first] = (await server.rest("GET", "/contacts?limit=1")).body.data;
  await server.operator("archive_contact", { contact_id: first.id });
  assert.deepEqual([await create(), await create()], [201, 429]);
  await server.operator("set_plan", { contact_allowance: 3 });
  assert.deepEqual([await create(), await create()], [201, 429]);
  await server.operator("set_plan", { contact_allowance: 1 });
  const refused = await server.rest("PUT", "/contacts/assert", { body: { email: "a@b.example" } });
  assert.deepEqual(JSON.parse(refused.text).quota, { resource: "contacts", limit: 1, used: 3, plan: "self_hosted" });
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 3);
  await server.operator("set_plan", { contact_allowance: null });
  assert.equal(await create(), 201);
});
