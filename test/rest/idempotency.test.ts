import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../src/tools/index.ts";
import { FakeClock, startServer, type TestServer, temporaryFolder } from "../support/server.ts";

const DAY_MS = 86_400_000;

function createWith(server: TestServer, idempotencyKey: string, body: unknown, path = "/contacts") {
  return server.rest("POST", path, { body, headers: { "idempotency-key": idempotencyKey } });
}

test("the operations that accept the key match the contract", () => {
  const honoured = operations.filter(({ idempotent }) => idempotent).map(({ name }) => name as string);
  assert.deepEqual(honoured, [
    ...["create_contact", "update_contact", "add_contact_tags", "log_activity", "create_deal"],
    ...["enroll_contact", "add_suppression", "submit_checklist_output", "record_checklist_evidence"],
  ]);
});

test("a repeat replays the first answer byte for byte, whatever its body, without a second write", async (t) => {
  const server = await startServer(t);
  const first = await createWith(server, "k1", { first_name: "Ada" });
  for (const body of [{ first_name: "Ada" }, { first_name: "Grace" }, { nonsense: true }, "broken"]) {
    const repeat = await createWith(server, "k1", body);
    assert.deepEqual([repeat.status, repeat.text], [201, first.text]);
  }
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
});

test("a refused request can be retried with its key", async (t) => {
  const server = await startServer(t);
  assert.equal((await createWith(server, "k", { email: "no" })).status, 400);
  assert.equal((await createWith(server, "k", { email: "a@b.example" })).status, 201);
  assert.equal((await createWith(server, "k2", { email: "a@b.example" })).status, 409);
  assert.equal((await createWith(server, "k2", { email: "c@d.example" })).status, 201);
});

test("the same key on two endpoints, two records or two workspaces does not collide", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const a = (await createWith(server, "k", { first_name: "A" })).body.data.id;
  const b = (await server.rest("POST", "/contacts", { body: { first_name: "B" } })).body.data.id;
  const headers = { "idempotency-key": "k" };
  for (const id of [a, b]) {
    const tagged = await createWith(server, "k", { tag: "x" }, `/contacts/${id}/tags`);
    assert.equal(tagged.body.data.id, id);
    const patched = await server.rest("PATCH", `/contacts/${id}`, { headers, body: { last_name: "x" } });
    assert.equal(patched.body.data.id, id);
  }
  const foreign = await server.rest("POST", "/contacts", { key: other.key, headers, body: { first_name: "C" } });
  assert.equal(foreign.body.data.first_name, "C");
});

test("the letter case of an id does not change the endpoint", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "A" } })).body.data;
  const first = await createWith(server, "k", { tag: "x" }, `/contacts/${id}/tags`);
  const second = await createWith(server, "k", { tag: "y" }, `/contacts/${id.toUpperCase()}/tags`);
  assert.equal(second.text, first.text);
});

test("racing repeats run once and all get the same answer", async (t) => {
  const server = await startServer(t);
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => createWith(server, "race", { first_name: `Racer ${i}` })),
  );
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.ok(replies.every(({ status }) => status === 201));
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
});

test("an answer survives a restart and is kept for thirty days", async (t) => {
  const clock = new FakeClock();
  const folder = temporaryFolder(t);
  const before = await startServer(t, { clock, folder });
  const first = await createWith(before, "k", { first_name: "Ada" });
  await before.running.close();
  clock.advance(30 * DAY_MS - 1);
  const after = await startServer(t, { clock, folder });
  assert.equal((await createWith(after, "k", { first_name: "Grace" })).text, first.text);
  assert.equal(
    await after.running.store.prune({
      answers: clock.now() - 30 * DAY_MS,
      authEvents: 0,
      operations: 0,
      agentReports: 0,
      mailReceived: 0,
    }),
    0,
  );
  clock.advance(2);
  assert.equal(
    await after.running.store.prune({
      answers: clock.now() - 30 * DAY_MS,
      authEvents: 0,
      operations: 0,
      agentReports: 0,
      mailReceived: 0,
    }),
    1,
  );
  assert.equal((await createWith(after, "k", { first_name: "Grace" })).body.data.first_name, "Grace");
});

test("a key is 1 to 255 characters, and is ignored where it is not supported", async (t) => {
  const server = await startServer(t);
  const long = await createWith(server, "k".repeat(256), { first_name: "A" });
  assert.deepEqual([long.status, long.body.code], [400, "validation_failed"]);
  assert.match(long.body.error ?? "", /^Idempotency-Key: /);
  const empty = await createWith(server, "", { first_name: "A" });
  assert.equal(empty.status, 400);
  const headers = { "idempotency-key": "k".repeat(256) };
  const body = { email: "a@b.example" };
  assert.equal((await server.rest("PUT", "/contacts/assert", { headers, body })).status, 201);
});
