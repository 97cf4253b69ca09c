import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { callAsOperator } from "../../src/cli/operator.ts";
import { openBeside } from "../support/beside.ts";
import { DOCUMENT, newCard, startChecklist } from "../support/checklist.ts";
import { asMember, asOwner } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/server.ts";

const work = async (server: TestServer, input: object = {}) =>
  JSON.parse((await callAsOperator(server.running, "list_agent_work", server.workspaceId, input)).body);

test("writes by keys are listed by key, newest first, with the record; writes by people are not", async (t) => {
  const server = await startServer(t);
  const other = await server.mint(["contacts.write"]);
  const first = await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const second = await server.rest("POST", "/contacts", { key: other, body: { email: "b@x.example" } });
  await server.operator("create_account", { name: "Acme" });
  const { data, meta } = await work(server);
  assert.deepEqual(
    data.map(({ operation, surface, record }: any) => [operation, surface, record]),
    [
      ["create_contact", "rest", { kind: "contact", id: second.body.data.id, title: "b@x.example" }],
      ["create_contact", "rest", { kind: "contact", id: first.body.data.id, title: "Ada" }],
    ],
  );
  assert.equal(meta.next, null);
  const one = await work(server, { key_id: data[1].key.id });
  assert.deepEqual(
    one.data.map(({ record }: any) => record.title),
    ["Ada"],
  );
  const [page] = [await work(server, { limit: 1 })];
  const rest = await work(server, { limit: 1, before: page.meta.next });
  assert.equal(rest.data[0].record.title, "Ada");
  assert.equal(rest.meta.next, null);
});

test("another workspace sees none of them", async (t) => {
  const server = await startServer(t);
  await server.rest("POST", "/contacts", { body: { email: "a@x.example" } });
  const { id } = await server.operator("create_workspace", { name: "Other" });
  const { body } = await callAsOperator(server.running, "list_agent_work", id, {});
  assert.deepEqual(JSON.parse(body).data, []);
});

test("a page searches a limited number of the server's writes, and says where to continue", async (t) => {
  const server = await startServer(t);
  await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const db = openBeside(server.folder);
  t.after(() => db.close());
  // As many other writes as one page searches.
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO operation_log (workspace_id, at, operation, surface, actor_kind, actor_id, request_id)
    SELECT 'w', 0, 'x', 'rest', 'key', 'k', 'r' FROM n`);
  // The reads of one turn of the event loop share what they see.
  await setImmediate();
  const near = await work(server);
  assert.deepEqual(near.data, []);
  const far = await work(server, { before: near.meta.next });
  assert.equal(far.data[0].record.title, "Ada");
  assert.equal(far.meta.next, null);
});

test("every viewer sees what agents did, and to which contact", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const viewer = await asMember(server, { name: "Vic", email: "vic@b.example", role: "viewer" });
  const page = await viewer.get(`/console/w/${server.workspaceId}/agents/work`);
  assert.equal(page.status, 200);
  assert.match(page.text, new RegExp(`href="[^"]*/contacts/${body.data.id}">Ada<`));
});

test("what a key did is one click away from where the key is listed", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/agents`);
  const [, to = ""] = /href="([^"]*\/agents\/work\?key=[^"]*)"/.exec(text) ?? [];
  const page = await owner.get(to);
  assert.equal(page.status, 200);
  const [{ name }] = await server.operator("list_keys", {});
  assert.ok(page.text.includes(`Showing ${name} only.`), "an agent without activity is named too");
  assert.match(text, /href="[^"]*\/agents\/work">View agent activity</);
});

test("the titles of submissions are quoted among the words around them", async (t) => {
  const server = await startChecklist(t);
  await newCard(server, "ON-06");
  const { text } = await (await asOwner(server)).get(`/console/w/${server.workspaceId}/agents/work`);
  assert.match(text, new RegExp(`Submitted <a href="[^"]*/review/card/[^"]*">“${DOCUMENT.title}”</a>`));
});
