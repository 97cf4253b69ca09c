import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import { openBeside } from "../support/beside.ts";
import { isPostgres, makeDatabase } from "../support/engine-under-test.ts";
import { startServer, temporaryFolder } from "../support/server.ts";
import { document, type Finished, rostrum, rostrumEach, spawnRostrum } from "./process.ts";

const data = (finished: Finished | undefined) => document(finished as Finished).data;

test("a key created beside a running server works at once, and a revoked one is refused at the next call", async (t) => {
  const server = await startServer(t);
  const beside = ["--data", server.folder, "--json"];
  const create = ["key", "create", "--name", "agent", "--scopes", "contacts.read, nothing.real", ...beside];
  const made = await rostrum(create);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stderr, /^Ignored unknown scopes: nothing\.real\./);
  assert.doesNotMatch(made.stderr, /--socialnet-account/);
  const { id, key, prefix, scopes, creator, expires_at } = data(made);
  assert.match(key, /^ros_live_[\w-]{43}$/);
  assert.deepEqual([prefix, scopes, expires_at], [key.slice(0, 14), ["contacts.read"], null]);
  assert.ok(creator.length > 0, "the account of the operating system");
  assert.equal((await server.rest("GET", "/contacts", { key })).status, 200);
  assert.equal((await server.rest("POST", "/contacts", { key, body: { first_name: "x" } })).status, 403);

  const revoked = await rostrum(["key", "revoke", id, ...beside]);
  assert.equal(revoked.status, 0);
  assert.notEqual(data(revoked).revoked_at, null);
  const refused = await server.rest("GET", "/contacts", { key });
  assert.deepEqual([refused.status, refused.body.code], [401, "revoked_key"]);

  const [listed, plain, audit] = await rostrumEach([
    { args: ["key", "list", ...beside] },
    { args: ["key", "list", "--data", server.folder] },
    { args: ["call", "list_audit", ...beside] },
  ]);
  const row = data(listed).find((one: { id: string }) => one.id === id);
  assert.deepEqual([row.name, row.revoked_at], ["agent", data(revoked).revoked_at]);
  for (const output of [listed, plain, audit]) assert.ok(!output?.stdout.includes(key), "the key is shown once");
  assert.match(plain?.stdout ?? "", new RegExp(`^${id} .*revoked`, "m"));
  const actions = data(audit).map(({ action }: { action: string }) => action);
  assert.ok(actions.includes("create_key") && actions.includes("revoke_key"));
});

test("keys and workspaces are printed as readable text, and refusals say why", async (t) => {
  const folder = temporaryFolder(t);
  const on = (...args: string[]) => ({ args: [...args, "--data", `${folder}/data`] });
  const results = await rostrumEach([
    on("workspace", "create", "one"),
    on("key", "list"),
    on("key", "create", "--name", "n", "--scopes", "all", "--expires-in-days", "1"),
    on("key", "create", "--name", "n", "--scopes", "nothing.real"),
    on("key", "create", "--name", "n", "--scopes", "all", "--expires-in-days", "0"),
    on("key", "revoke", "no-id"),
    on("key", "revoke", "01890000-0000-7000-8000-000000000000"),
    on("workspace", "create", " "),
    on("workspace", "create", "two"),
    on("key", "list"),
    on("key", "list", "--workspace", "two"),
  ]);
  const [made, none, key, scopes, days, malformed, unknown, blank, second, which, byName] = results;
  assert.match(made?.stdout ?? "", /^Created the database in .*data\. Workspace one: [0-9a-f-]{36}\n$/);
  assert.match(none?.stdout ?? "", /^No API keys yet/);
  assert.match(
    key?.stdout ?? "",
    new RegExp(`^ros_live_[\\w-]{43}\\n\\nCopy your key now.*${ALL_SCOPES.join(", ")}\\.\\n$`),
  );
  assert.match(
    key?.stderr ?? "",
    /^Without --socialnet-account, this key can't use socialnet\.read and socialnet\.execute to /,
  );
  assert.deepEqual(
    [days, malformed, unknown, blank].map((one) => [one?.status, one?.stdout]),
    Array(4).fill([1, ""]),
  );
  assert.deepEqual([scopes?.status, scopes?.stdout], [2, ""]);
  assert.match(scopes?.stderr ?? "", /^Unknown scope: nothing\.real\. No key was created\. Available scopes: .*\n$/);
  assert.match(days?.stderr ?? "", /^--expires-in-days must be 1 or more\. \(validation_failed\)\n$/);
  assert.match(
    malformed?.stderr ?? "",
    /^No API key matches "no-id"\. List keys with .* key list --data .*\/data\. \(key_not_found\)\n$/,
  );
  assert.match(unknown?.stderr ?? "", /\(key_not_found\)\n$/);
  assert.match(blank?.stderr ?? "", /^The name /);
  assert.match(second?.stdout ?? "", /^Workspace two: /);
  assert.equal(which?.status, 2);
  assert.match(
    which?.stderr ?? "",
    /^This server has several workspaces\. Choose one with --workspace\. Available workspaces: one \(.*\), two \(/,
  );
  assert.match(byName?.stdout ?? "", /^No API keys yet/);
});

test("commands that start together on an empty folder all succeed with one schema", async (t) => {
  const folder = temporaryFolder(t);
  if (isPostgres) await makeDatabase(folder);
  const names = ["a", "b", "c", "d"];
  const made = await Promise.all(
    names.map((name) => spawnRostrum(["workspace", "create", name, "--data", folder, "--json"])),
  );
  for (const one of made) assert.equal(one.status, 0, one.stdout + one.stderr);
  assert.equal(new Set(made.map((one) => data(one).id)).size, 4);
  const [doctor] = await rostrumEach([{ args: ["doctor", "--data", folder, "--json"] }]);
  const schema = data(doctor).findings.find(({ check }: { check: string }) => check === "schema");
  assert.equal(schema.ok, true, schema.detail);
});

test("a key is revoked by its id, its prefix or its full text, in any workspace", async (t) => {
  const server = await startServer(t);
  const there = await server.neighbour();
  const scopes = ["contacts.read"];
  const create = (name: string) => server.operator("create_key", { name, scopes }, there.workspaceId);
  const [byId, byPrefix, byKey] = [await create("id"), await create("prefix"), await create("key")];
  const beside = ["--data", server.folder, "--json"];
  const named: [string, string][] = [
    [byId.id.toUpperCase(), byId.id],
    [byPrefix.prefix, byPrefix.id],
    [byKey.key, byKey.id],
  ];
  for (const [name, id] of named) {
    const revoked = await rostrum(["key", "revoke", name, ...beside]);
    assert.equal(revoked.status, 0, revoked.stdout + revoked.stderr);
    assert.deepEqual([data(revoked).id, data(revoked).revoked_at !== null], [id, true]);
    assert.ok(!revoked.stdout.includes(byKey.key));
  }
  const audit = await server.operator("list_audit", {}, there.workspaceId);
  assert.equal(audit.filter(({ action }: { action: string }) => action === "revoke_key").length, 3);
  const kept = await create("kept");
  const elsewhere = await rostrum(["key", "revoke", kept.prefix, "--workspace", server.workspaceId, ...beside]);
  assert.deepEqual([elsewhere.status, document(elsewhere).code], [1, "key_not_found"]);
  assert.match(document(elsewhere).error, /^No API key of the workspace ".*" matches .* remove --workspace\.$/);
  const unknown = await rostrum(["key", "revoke", "ros_live_-----", ...beside]);
  assert.deepEqual([unknown.status, document(unknown).code], [1, "key_not_found"]);
  const db = openBeside(server.folder);
  t.after(() => db.close());
  db.prepare("UPDATE api_keys SET expires_at = ? WHERE id = ?").run(Date.now() - 1, kept.id);
  const list = await rostrum(["key", "list", "--workspace", there.workspaceId, ...beside.slice(0, 2)]);
  assert.match(list.stdout, /kept {2}\(expired 2/);
  db.prepare("UPDATE api_keys SET prefix = ? WHERE id IN (?, ?)").run(kept.prefix, kept.id, byId.id);
  const several = await rostrum(["key", "revoke", kept.prefix, ...beside]);
  assert.equal(several.status, 2);
  assert.match(several.stdout + several.stderr, new RegExp(`${kept.id}|${byId.id}`));
});
