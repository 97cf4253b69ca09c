import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { UNUSED_CLIENT_MS } from "../../src/domain/access/oauth.ts";
import { pruneClients } from "../../src/workers/housekeeper.ts";
import { asMember } from "../support/http-browser.ts";
import { keptLog } from "../support/log.ts";
import { asApprover, connected, postForm, REDIRECT, registered, SignIn, setup } from "../support/oauth.ts";
import { followsClock, rowsOf } from "../support/outbox.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

async function ready(t: Parameters<typeof startServer>[0], clock = new FakeClock()) {
  const server = await startServer(t, { clock });
  const browser = await asApprover(server);
  const signIn = new SignIn(server, await registered(server));
  return { clock, server, browser, signIn, code: await signIn.code(browser) };
}

const revoked = async (server: TestServer, key: string) => (await setup(server, key)).body.code === "revoked_key";

suite("a code is refused, and used up, if its other parameters are wrong", () => {
  const wrong: [string, Record<string, string | undefined>, string][] = [
    ["a wrong verifier", { code_verifier: "b".repeat(43) }, "invalid_grant"],
    ["a verifier of another form", { code_verifier: "short" }, "invalid_grant"],
    ["another redirect", { redirect_uri: "http://127.0.0.1:4712/callback" }, "invalid_grant"],
    ["localhost for 127.0.0.1", { redirect_uri: REDIRECT.replace("127.0.0.1", "localhost") }, "invalid_grant"],
    ["another resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["another client", { client_id: "another" }, "invalid_grant"],
  ];
  for (const [name, changes, error] of wrong) {
    test(`${name}; afterwards the right one is refused too`, async (t) => {
      const { signIn, code, server } = await ready(t);
      const client_id = changes.client_id === "another" ? await registered(server) : undefined;
      const refused = await signIn.redeem(code, { ...changes, ...(client_id === undefined ? {} : { client_id }) });
      assert.deepEqual([refused.status, refused.body.error], [400, error], refused.text);
      assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
      assert.equal((await server.operator("list_keys", { minted_by: "sign_in" })).length, 0);
    });
  }

  test("a missing parameter is named, and does not use up the code", async (t) => {
    const { signIn, code } = await ready(t);
    for (const name of ["grant_type", "code", "code_verifier", "client_id", "redirect_uri"]) {
      const refused = await signIn.redeem(code, { [name]: undefined });
      assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"], name);
      assert.match(refused.body.error_description, new RegExp(`^${name} is required`));
    }
    assert.equal((await signIn.redeem(code)).status, 200);
  });

  test("a duplicate parameter", async (t) => {
    const { signIn, code, server } = await ready(t);
    const form = new URLSearchParams({ grant_type: "authorization_code", code, code_verifier: signIn.verifier });
    const { client_id = "", redirect_uri = "", resource = "" } = signIn.query;
    for (const [name, value] of Object.entries({ client_id, redirect_uri, resource })) form.set(name, value);
    for (const name of ["code", "resource", "client_id", "redirect_uri", "code_verifier", "grant_type"]) {
      const twice = `${form}&${name}=${encodeURIComponent(form.get(name) ?? "")}`;
      const refused = await postForm(server, "/oauth/token", twice);
      const error = name === "resource" ? "invalid_target" : "invalid_request";
      assert.deepEqual([refused.status, refused.body.error], [400, error], name);
    }
  });

  test("other grants are unsupported", async (t) => {
    const { signIn, code } = await ready(t);
    for (const grant_type of ["refresh_token", "password", "client_credentials", "implicit"]) {
      const refused = await signIn.redeem(code, { grant_type });
      assert.deepEqual([refused.status, refused.body.error], [400, "unsupported_grant_type"], grant_type);
    }
  });
});

test("a client that names no resource, or an empty one, gets this server's own", async (t) => {
  const { server, browser } = await ready(t);
  for (const resource of [undefined, ""]) {
    const signIn = new SignIn(server, await registered(server), { resource });
    const { status, body } = await signIn.redeem(await signIn.code(browser), { resource });
    assert.equal(status, 200, body.error_description);
    const token = body.access_token;
    const client_id = signIn.query.client_id ?? "";
    const foreign = { token, client_id, resource: "https://evil.example/mcp" };
    const refused = await postForm(server, "/oauth/revoke", foreign);
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_target"]);
    const own = new URLSearchParams({ token, client_id, resource: server.mcpUrl.href });
    const twice = await postForm(server, "/oauth/revoke", `${own}&resource=${server.mcpUrl.href}`);
    assert.deepEqual([twice.status, twice.body.error], [400, "invalid_target"]);
    assert.equal((await setup(server, token)).status, 200);
    assert.equal((await postForm(server, "/oauth/revoke", `${own}`)).status, 200);
    assert.ok(await revoked(server, token));
  }
});

test("a code is valid for sixty seconds", async (t) => {
  const { signIn, code, clock, browser } = await ready(t);
  clock.advance(60_000);
  assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
  const next = await signIn.code(browser);
  clock.advance(59_999);
  assert.equal((await signIn.redeem(next)).status, 200);
});

test("a replay is refused and permanently revokes the key created from the code", async (t) => {
  const { signIn, code, server, browser } = await ready(t);
  const { access_token: key } = (await signIn.redeem(code)).body;
  assert.equal((await setup(server, key)).status, 200);
  const other = (await connected(server, browser)).key;
  assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
  assert.ok(await revoked(server, key), "the refusal has not rolled it back");
  assert.equal((await setup(server, other)).status, 200, "and no other key");
  assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
  const [row, ...rest] = (await server.operator("list_audit", {})).filter(
    (entry: any) => entry.record_id === row_id(entry, key),
  );
  assert.deepEqual([row.action, row.actor_kind, rest.length], ["redeem_code", "system", 0]);
  assert.deepEqual([row.before.revoked_at, typeof row.after.revoked_at], [null, "string"]);
});

const row_id = ({ record_id, before }: any, key: string) => (key.startsWith(before?.prefix) ? record_id : undefined);

test("a replay revokes the key even after the code has expired, and from another client", async (t) => {
  const { signIn, code, server, clock } = await ready(t);
  const { access_token: key } = (await signIn.redeem(code)).body;
  clock.advance(86_400_000);
  const other = await registered(server);
  assert.equal((await signIn.redeem(code, { client_id: other, code_verifier: "x".repeat(43) })).status, 400);
  assert.ok(await revoked(server, key));
});

test("of eight racing exchanges of one code one gets a key, and the others revoke it", async (t) => {
  const { signIn, code, server } = await ready(t);
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn.redeem(code)));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.equal((await server.operator("list_keys", { minted_by: "sign_in" })).length, 1);
  assert.ok(await revoked(server, won[0]?.body.access_token));
});

suite("between the approval and the key", () => {
  test("an approver who loses the approval permission invalidates the code", async (t) => {
    const { signIn, code, server } = await ready(t);
    await server.operator("set_member", { email: "ada@b.example", approve_outbound: false });
    await server.operator("set_member", { email: "ada@b.example", approve_outbound: true });
    assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
  });

  test("so does removing the approver", async (t) => {
    const { signIn, code, server } = await ready(t);
    const [{ id }] = (await server.operator("list_members", {})).filter((m: any) => m.email === "ada@b.example");
    await server.operator("remove_member", { member_id: id });
    assert.equal((await signIn.redeem(code)).body.error, "invalid_grant");
  });
});

test("changing an account's owner ends what the previous owner approved for it: keys and unused codes", async (t) => {
  const server = await startServer(t);
  const ann = await asApprover(server);
  const { key } = await connected(server, ann);
  const other = await connected(server, ann);
  const { id: account } = (await setup(server, key)).body.data.account;
  const mine = new SignIn(server, await registered(server));
  const code = await mine.code(ann, { account });
  const { key: settings } = await server.operator("create_key", {
    name: "made by an admin",
    scopes: ["socialnet.read", "socialnet.execute"],
    socialnet_account_id: account,
  });
  await asMember(server, { email: "bob@b.example", name: "Bob", role: "rep", approve_outbound: true });
  const members = await server.operator("list_members", {});
  const bob = members.find(({ email }: any) => email === "bob@b.example");
  await server.operator("update_socialnet_account", { account_id: account, label: "Renamed" });
  assert.equal(await revoked(server, key), false, "another change ends nothing");
  await server.operator("update_socialnet_account", { account_id: account, owner_member_id: bob.id });
  assert.ok(await revoked(server, key));
  assert.equal((await mine.redeem(code)).body.error, "invalid_grant");
  assert.equal(await revoked(server, other.key), false, "of another account");
  assert.equal(await revoked(server, settings), false, "an admin's own decision");
  const ended = (await server.operator("list_audit", {})).filter(({ after }: any) => after?.revoked_at != null);
  assert.deepEqual(
    ended.map(({ action, after }: any) => [action, after.socialnet_account_id]),
    [["update_socialnet_account", account]],
  );
});

suite("the revocation endpoint (RFC 7009)", () => {
  test("ends the client's own key, and answers the same for an unknown token", async (t) => {
    const { signIn, code, server } = await ready(t);
    const { access_token: token } = (await signIn.redeem(code)).body;
    const client_id = signIn.query.client_id ?? "";
    const form = { token, client_id, token_type_hint: "access_token" };
    for (let i = 0; i < 2; i += 1) {
      const answer = await postForm(server, "/oauth/revoke", form);
      assert.deepEqual([answer.status, answer.text], [200, ""]);
      assert.ok(await revoked(server, token));
    }
    const unknown = await postForm(server, "/oauth/revoke", { token: "no such thing", client_id });
    assert.equal(unknown.status, 200);
    const actions = (await server.operator("list_audit", {})).map(({ action }: any) => action);
    assert.equal(actions.filter((action: string) => action === "revoke_token").length, 1);
  });

  test("can't revoke another client's key or one created in settings", async (t) => {
    const { signIn, code, server } = await ready(t);
    const { access_token: token } = (await signIn.redeem(code)).body;
    const other = await registered(server);
    const own = signIn.query.client_id ?? "";
    for (const form of [
      { token, client_id: other },
      { token, client_id: "nobody" },
      { token: server.key, client_id: own },
    ]) {
      const refused = await postForm(server, "/oauth/revoke", form);
      assert.deepEqual([refused.status, refused.body.error], [400, "unauthorized_client"]);
    }
    assert.equal((await postForm(server, "/oauth/revoke", { token })).body.error, "invalid_request");
    assert.equal((await setup(server, token)).status, 200);
    assert.equal((await setup(server, server.key)).status, 200);
  });
});

test("the operation log has each revocation of a client's key, as the configuration audit does", async (t) => {
  const { signIn, code, server, browser } = await ready(t);
  const { access_token: token } = (await signIn.redeem(code)).body;
  const again = new SignIn(server, signIn.query.client_id ?? "");
  const replayed = await again.code(browser);
  await again.redeem(replayed);
  const keys = await server.operator("list_keys", { minted_by: "sign_in" });
  const idOf = (secret: string) => keys.find(({ prefix }: any) => secret.startsWith(prefix)).id;
  await postForm(server, "/oauth/revoke", { token, client_id: signIn.query.client_id ?? "" });
  await again.redeem(replayed);
  const replaced = keys.find(({ id }: any) => id !== idOf(token)).id;
  const audited = (await server.operator("list_audit", { limit: 2 })).map(({ record_id }: any) => record_id);
  assert.deepEqual(audited, [replaced, idOf(token)]);
  const logged = rowsOf(server, "SELECT * FROM operation_log WHERE surface = 'oauth' ORDER BY id DESC LIMIT 2");
  assert.deepEqual(
    logged.map(({ operation, record_id }) => [operation, record_id]),
    [
      ["redeem_code", replaced],
      ["revoke_token", idOf(token)],
    ],
  );
});

test("no secret of a sign-in is stored in plain text or logged", async (t) => {
  const log = keptLog();
  const server = await startServer(t, { log: log.log });
  const browser = await asApprover(server);
  const { signIn, code, key } = await connected(server, browser);
  await setup(server, key);
  await signIn.redeem(code);
  await server.running.close();
  const files = readdirSync(server.folder).filter((name) => name.startsWith("rostrum.db"));
  const kept = files.map((name) => readFileSync(join(server.folder, name)).toString("latin1")).join();
  for (const secret of [code, key, signIn.verifier]) {
    assert.ok(!kept.includes(secret), "in the database");
    assert.ok(!log.text().includes(secret), "in the log");
  }
});

test("the cleanup job removes unused registrations once they expire, and keeps connected clients", async (t) => {
  const { signIn, server, clock, browser } = await ready(t);
  const idle = await registered(server);
  const prune = () => pruneClients(server.running.store, followsClock(clock)).run();
  clock.advance(UNUSED_CLIENT_MS - 1);
  await prune();
  assert.equal((await new SignIn(server, idle).open(browser)).status, 200);
  clock.advance(1);
  await prune();
  assert.equal((await new SignIn(server, idle).open(browser)).status, 404);
  assert.equal((await signIn.open(browser)).status, 200);
});
