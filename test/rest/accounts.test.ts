import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";
const ACME = {
  name: " Acme ",
  domain: "https://www.ACME.example:8080/about",
  website: "https://acme.example/",
  industry: "Mills",
};

const create = (server: TestServer, input: object = ACME) => server.operator("create_account", input);
const list = (server: TestServer, input: object = {}) => server.operator("list_accounts", input);

test("an account is stored as given, its domain normalized, and is audited", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const account = await create(server);
  const at = new Date(clock.now()).toISOString();
  const { id, ...rest } = account;
  assert.deepEqual(Object.entries(rest), [
    ...Object.entries({ name: "Acme", domain: "acme.example", website: "https://acme.example/", industry: "Mills" }),
    ...Object.entries({ created_at: at, updated_at: at }),
  ]);
  assert.deepEqual(await list(server), [account]);
  const [row] = await server.operator("list_audit", {});
  assert.deepEqual([row.action, row.record_id, row.before, row.after], ["create_account", id, null, account]);
});

test("null, the empty string and an omitted field are no value", async (t) => {
  const server = await startServer(t);
  for (const none of [
    {},
    { domain: null, website: null, industry: null },
    { domain: " ", website: "", industry: "" },
  ]) {
    const { domain, website, industry } = await create(server, { name: "Acme", ...none });
    assert.deepEqual([domain, website, industry], [null, null, null]);
  }
});

test("an invalid field of an account is refused by its name", async (t) => {
  const server = await startServer(t);
  const cases: [object, RegExp][] = [
    [{}, /^name is required/],
    [{ name: "  " }, /^name can't be empty/],
    [{ name: null }, /^name /],
    [{ name: "x".repeat(501) }, /^name must be 500 characters or fewer/],
    [{ name: "Acme", domain: "no host" }, /^domain must be a host name such as acme\.example/],
    [{ name: "Acme", domain: "localhost" }, /^domain /],
    [{ name: "Acme", domain: "10.0.0.1" }, /^domain /],
    [{ name: "Acme", domain: "ada@acme.example" }, /^domain /],
    [{ name: "Acme", website: "acme.example" }, /^website must be an absolute URL\. Start it with https:/],
    [{ name: "Acme", website: "javascript:alert(1)" }, /^website /],
    [{ name: "Acme", industry: "x".repeat(501) }, /^industry /],
    [{ name: "Acme", industry: 7 }, /^industry /],
    [{ name: "Acme", owner: "me" }, /^Unknown field "owner"/],
  ];
  for (const [input, message] of cases) {
    await assert.rejects(create(server, input), { code: "validation_failed", message }, JSON.stringify(input));
  }
  const { id } = await create(server);
  for (const [input, message] of cases.slice(1)) {
    const update = server.operator("update_account", { account_id: id, ...input });
    await assert.rejects(update, { code: "validation_failed", message }, JSON.stringify(input));
  }
  await assert.rejects(server.operator("update_account", { account_id: id }), {
    code: "validation_failed",
    message: "Send at least one of these fields: name, domain, website, industry.",
  });
  assert.equal((await list(server)).length, 1);
});

test("an update changes the given fields, clears with null and the empty string, and is audited", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const before = await create(server);
  clock.advance(5);
  const changes = { account_id: before.id.toUpperCase(), name: "Acme Inc", domain: "", website: null };
  const after = await server.operator("update_account", changes);
  const updated_at = new Date(clock.now()).toISOString();
  assert.deepEqual(after, { ...before, name: "Acme Inc", domain: null, website: null, updated_at });
  assert.deepEqual(await list(server), [after]);
  const [row] = await server.operator("list_audit", {});
  assert.deepEqual([row.action, row.before, row.after], ["update_account", before, after]);
});

test("an update that changes nothing alters neither the time nor the audit", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const account = await create(server);
  const audited = (await server.operator("list_audit", {})).length;
  clock.advance(5);
  const same = { account_id: account.id, name: "Acme", domain: "WWW.acme.example", industry: "Mills " };
  assert.deepEqual(await server.operator("update_account", same), account);
  assert.equal((await server.operator("list_audit", {})).length, audited);
});

test("accounts are listed newest first, in pages, only for their workspace", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const other = await server.neighbour();
  const names = [];
  for (let i = 0; i < 30; i += 1) {
    names.unshift((await create(server, { name: `Account ${i}` })).name);
    clock.advance(1);
  }
  const named = (accounts: { name: string }[]) => accounts.map(({ name }) => name);
  assert.deepEqual(named(await list(server, { limit: 100 })), names);
  assert.deepEqual(named(await list(server)), names.slice(0, 25));
  assert.deepEqual(named(await list(server, { limit: 2, offset: 27 })), names.slice(27, 29));
  assert.deepEqual(await server.operator("list_accounts", {}, other.workspaceId), []);
});

test("an account of another workspace gets the same answer as an unknown one", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const account = await create(server);
  const update = (account_id: string) =>
    server.operator("update_account", { account_id, name: "Mine" }, other.workspaceId).catch((refusal) => refusal);
  const [foreign, random] = [await update(account.id), await update(UNKNOWN)];
  assert.deepEqual([foreign.code, foreign.message], ["account_not_found", random.message]);
  assert.deepEqual(await list(server), [account]);
});

test("accounts can't be written while the workspace is read-only, and keys can't write or list them", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  await server.operator("set_billing", { state: "delinquent" });
  await assert.rejects(create(server), { code: "billing_read_only" });
  await assert.rejects(server.operator("update_account", { account_id: id, name: "x" }), { code: "billing_read_only" });
  assert.equal((await list(server)).length, 1);
  assert.equal((await server.rest("GET", "/accounts")).body.code, "route_not_found");
});

test("a contact can be linked only to an account of its workspace; null and the empty string unlink it", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const mine = await create(server);
  const theirs = await server.operator("create_account", ACME, other.workspaceId);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const link = (account_id: unknown) => server.rest("PATCH", `/contacts/${id}`, { body: { account_id } });
  const linked = async () => (await server.operator("brain_contact", { id })).account;
  for (const none of [null, ""]) {
    assert.equal((await link(mine.id.toUpperCase())).status, 200);
    assert.deepEqual(await linked(), mine);
    const [foreign, random] = [await link(theirs.id), await link(UNKNOWN)];
    assert.deepEqual([foreign.status, foreign.body.code], [404, "account_not_found"]);
    assert.equal(foreign.text, random.text);
    assert.equal((await link("nonsense")).body.code, "validation_failed");
    assert.deepEqual(await linked(), mine, "what is refused changes nothing");
    assert.equal((await link(none)).status, 200);
    assert.equal(await linked(), null);
  }
});
