import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { asMember, asOwner, Browser, PASSWORD } from "../support/http-browser.ts";
import {
  APPROVER,
  answerOf,
  asApprover,
  connected,
  keyOf,
  NEW_ACCOUNT,
  REDIRECT,
  registered,
  SignIn,
  setup,
} from "../support/oauth.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const minted = (server: TestServer) => server.operator("list_keys", { minted_by: "sign_in" });
const accounts = (server: TestServer) => server.operator("list_socialnet_accounts", {});

test("a visitor without a session signs in first, and returns to the same request", async (t) => {
  const server = await startServer(t);
  await asApprover(server);
  const signIn = new SignIn(server, await registered(server));
  const browser = new Browser(server);
  const asked = await signIn.open(browser);
  assert.deepEqual([asked.status, asked.location?.startsWith("/console/sign-in?next=")], [303, true]);
  const door = await browser.get(asked.location ?? "");
  const next = Browser.hidden(door, "next").replaceAll("&amp;", "&");
  const entered = await browser.post("/console/sign-in", { email: APPROVER.email, password: PASSWORD, next });
  assert.deepEqual([entered.status, entered.headers.get("refresh")], [200, `0; url=${signIn.path}`]);
  assert.match((await browser.get(signIn.path)).text, /Approve this client\?/);
});

test("a sign-in started by a client shows its name, and any other sign-in does not", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const door = async (next?: string) => {
    const { status, text } = await new Browser(server).get(
      `/console/sign-in${next === undefined ? "" : `?next=${encodeURIComponent(next)}`}`,
    );
    assert.equal(status, 200);
    return text;
  };
  const named = new SignIn(server, await registered(server, REDIRECT, "<b>Robin's desk</b>"));
  assert.match(await door(named.path), /named “<bdi>&lt;b>Robin's desk&lt;\/b><\/bdi>” wants to act for you/);
  const described = new SignIn(server, "https://desk.example/client.json");
  assert.match(await door(described.path), /named “<bdi>desk\.example<\/bdi>”/);
  for (const unknown of ["client_AAAAAAAAAAAAAAAAAAAAAA", "nonsense", ""]) {
    assert.match(await door(new SignIn(server, unknown).path), /An MCP client wants to act for you/);
  }
  assert.doesNotMatch(await door(), /MCP client/);
});

suite("consent is given only by the page's own form", () => {
  async function ready(t: Parameters<typeof startServer>[0]) {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const signIn = new SignIn(server, await registered(server));
    const consent = Browser.hidden(await signIn.open(browser), "consent");
    return { server, browser, signIn, form: { consent, decision: "approve", ...NEW_ACCOUNT } };
  }

  test("not without its token or with a made-up one", async (t) => {
    const { server, browser, signIn, form } = await ready(t);
    const [nonce = "", mac = ""] = form.consent.split(".");
    for (const consent of ["", "x", `${nonce}.`, `.${mac}`, `${nonce}x.${mac}`, `${nonce}.${mac.toLowerCase()}`]) {
      const refused = await browser.post(signIn.path, { ...form, consent });
      assert.deepEqual([refused.status, refused.location], [403, null], consent);
    }
    assert.deepEqual([await minted(server), await accounts(server)], [[], []]);
  });

  test("not with the token of another request, another session or another person", async (t) => {
    const { server, browser, signIn, form } = await ready(t);
    const other = new SignIn(server, signIn.query.client_id ?? "");
    assert.equal((await browser.post(other.path, form)).status, 403, "another request");
    const again = new Browser(server);
    await again.signIn(APPROVER.email);
    assert.equal((await again.post(signIn.path, form)).status, 403, "another session");
    const grace = await asMember(server, { ...APPROVER, email: "g@b.example", name: "Grace" });
    assert.equal((await grace.post(signIn.path, form)).status, 403, "another person");
    assert.equal(answerOf(await browser.post(signIn.path, form)).has("code"), true, "its own");
  });

  test("not from another origin", async (t) => {
    const { browser, signIn, form } = await ready(t);
    for (const origin of ["https://evil.example", "null", undefined]) {
      assert.equal((await browser.post(signIn.path, form, { origin })).status, 403, origin);
    }
  });

  test("not inside a frame, and the form posts only here and redirects only to the client", async (t) => {
    const { browser, signIn, server } = await ready(t);
    const policyOf = async (redirect_uri: string) => {
      const id = await registered(server, redirect_uri);
      const { headers } = await new SignIn(server, id, { redirect_uri }).open(browser);
      assert.equal(headers.get("x-frame-options"), "DENY");
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /frame-ancestors 'none'/);
      return /form-action ([^;]*)/.exec(policy)?.[1];
    };
    assert.equal(await policyOf(signIn.query.redirect_uri ?? ""), "'self' http://127.0.0.1:4711");
    assert.equal(await policyOf("https://client.example/cb"), "'self' https://client.example");
    assert.equal(await policyOf("cursor://anysphere/callback"), "'self' cursor:");
    assert.equal(await policyOf("http://[::1]:9/cb"), "'self' http:");
    const elsewhere = (await browser.get("/console/account")).headers.get("content-security-policy") ?? "";
    assert.match(elsewhere, /form-action 'self';/);
  });

  test("a double click approves once", async (t) => {
    const { server, browser, signIn, form } = await ready(t);
    const [one, two] = await Promise.all([browser.post(signIn.path, form), browser.post(signIn.path, form)]);
    assert.equal(one.location, two.location);
    assert.equal((await accounts(server)).length, 1);
  });

  test("after the session has ended, the member signs in first", async (t) => {
    const { browser, signIn, form } = await ready(t);
    await browser.post("/console/sign-out", {});
    const answer = await browser.post(signIn.path, form);
    assert.match(answer.location ?? "", /^\/console\/sign-in\?next=/);
  });
});

test("declining returns access_denied to the client, and creates nothing", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const signIn = new SignIn(server, await registered(server));
  const answer = answerOf(await signIn.decide(browser, { decision: "deny" }));
  assert.deepEqual([answer.get("error"), answer.get("state")], ["access_denied", "the state"]);
  assert.deepEqual(await accounts(server), []);
});

suite("a member without the approval permission", () => {
  test("sees which teammates to ask, and can only go back", async (t) => {
    const server = await startServer(t);
    const viewer = await asMember(server, { email: "v@b.example", name: "Vera", role: "admin" });
    const signIn = new SignIn(server, await registered(server));
    assert.match((await signIn.open(viewer)).text, /No one in test has this permission/);
    await asApprover(server);
    const page = await signIn.open(viewer);
    assert.equal(page.status, 403);
    assert.match(page.text, /Ada Approver, ada@b\.example/);
    assert.doesNotMatch(page.text, /value="approve"/);
    const forced = await signIn.decide(viewer);
    assert.deepEqual([forced.status, forced.location], [403, null]);
    assert.equal(answerOf(await signIn.decide(viewer, { decision: "deny" })).get("error"), "access_denied");
    assert.deepEqual(await accounts(server), []);
  });

  test("cannot approve with a page shown while they had the permission", async (t) => {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const signIn = new SignIn(server, await registered(server));
    const consent = Browser.hidden(await signIn.open(browser), "consent");
    await server.operator("set_member", { email: APPROVER.email, approve_outbound: false });
    const refused = await browser.post(signIn.path, { consent, decision: "approve", ...NEW_ACCOUNT });
    assert.deepEqual([refused.status, refused.location], [403, null]);
  });
});

suite("a member of one workspace can't connect a client to another", () => {
  test("the workspace is one of the person's own, chosen if there are several", async (t) => {
    const server = await startServer(t);
    const neighbour = await server.neighbour();
    const browser = await asApprover(server);
    const signIn = new SignIn(server, await registered(server));
    const foreign = await browser.get(`${signIn.path}&workspace=${neighbour.workspaceId}`);
    assert.deepEqual([foreign.status, foreign.location], [404, null]);

    const { invitation_url } = await server.operator("invite_member", APPROVER, neighbour.workspaceId);
    await browser.post(new URL(invitation_url).pathname, {});
    const picker = await signIn.open(browser);
    assert.match(picker.text, /Which workspace is Test Client for\?/);
    assert.equal(Browser.hidden(picker, "consent"), "");
    const picked = `${signIn.path}&workspace=${neighbour.workspaceId}`;
    assert.ok(picker.text.includes(`workspace=${neighbour.workspaceId}`));
    const page = await browser.get(picked);
    const consent = Browser.hidden(page, "consent");
    const elsewhere = `${signIn.path}&workspace=${server.workspaceId}`;
    const crossed = await browser.post(elsewhere, { consent, decision: "approve", ...NEW_ACCOUNT });
    assert.equal(crossed.status, 403, "the token is of the workspace that was shown");
    const answer = answerOf(await browser.post(picked, { consent, decision: "approve", ...NEW_ACCOUNT }));
    const { access_token: key } = (await signIn.redeem(answer.get("code") ?? "")).body;
    assert.deepEqual(await minted(server), []);
    const [row] = await server.operator("list_keys", { minted_by: "sign_in" }, neighbour.workspaceId);
    assert.ok(key.startsWith(row.prefix));
  });

  test("a person who has left every workspace is told so", async (t) => {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const [{ id }] = await server.operator("list_members", {});
    await server.operator("remove_member", { member_id: id });
    const page = await new SignIn(server, await registered(server)).open(browser);
    assert.deepEqual([page.status, page.location], [403, null]);
    assert.match(page.text, /You don.t have access to a workspace yet/);
  });

  test("an account of another workspace, of another member or without an owner is not offered, and refused if forced", async (t) => {
    const server = await startServer(t);
    const neighbour = await server.neighbour();
    const browser = await asApprover(server);
    const [ada] = await server.operator("list_members", {});
    const grace = await server.operator("invite_member", { email: "g@b.example", name: "G", role: "rep" });
    const add = (label: string, owner: string | null, workspaceId = server.workspaceId) =>
      server.operator(
        "create_socialnet_account",
        { label, profile_url: `https://socialnet.example/in/${label}`, owner_member_id: owner },
        workspaceId,
      );
    const own = await add("own", ada.id);
    const refused = [
      [await add("graces", grace.id), 403],
      [await add("nobodys", null), 403],
      [await add("foreign", null, neighbour.workspaceId), 404],
      [{ id: "0190aaaa-0000-7000-8000-00000000abcd" }, 404],
      [{ id: "nonsense" }, 400],
      [{ id: "" }, 400],
    ] as const;
    const signIn = new SignIn(server, await registered(server));
    const page = await signIn.open(browser);
    assert.ok(page.text.includes(own.id));
    for (const [account, status] of refused) {
      if (account.id !== "") assert.ok(!page.text.includes(account.id));
      const forced = await signIn.decide(browser, { account: account.id });
      assert.deepEqual([forced.status, forced.location], [status, null], account.id);
    }
    const { body } = await signIn.redeem(await signIn.code(browser, { account: own.id }));
    assert.equal((await setup(server, body.access_token)).body.data.account.label, "own");
  });
});

test("an invalid entry is explained next to its field, and kept", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const signIn = new SignIn(server, await registered(server));
  const page = await signIn.decide(browser, { "new_account.profile_url": "no address", "new_account.label": "Mine" });
  assert.equal(page.status, 400);
  assert.match(
    page.text,
    /Profile URL is invalid\. Enter the full URL, such as https:\/\/socialnet\.example\/in\/name\./,
  );
  assert.match(page.text, /value="Mine"/);
  assert.match(page.text, /aria-invalid="true"/);
});

test("HTML in a client's name, redirect and state is escaped, and hidden characters in a name are shown", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const name = `<script>alert(1)</script>"'><img src=x> \u202egnidaelsim\u200b`;
  const redirect_uri = `https://client.example/"><script>alert(2)</script>?a=<b>`.replaceAll(" ", "");
  const id = await registered(server, redirect_uri, name);
  const signIn = new SignIn(server, id, { redirect_uri, state: `"><script>alert(3)</script>` });
  const page = await signIn.open(browser);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /<script>alert|<img/);
  assert.match(page.text, /\[U\+202E\]gnidaelsim\[U\+200B\]/);
  await signIn.redeem(await signIn.code(browser));
  const [row] = await minted(server);
  assert.match(row.connector_name, /\[U\+202E\]/);
  const owner = await asMember(server, { email: "o@b.example", name: "O", role: "owner" });
  const settings = await owner.get(`/console/w/${server.workspaceId}/settings/keys`);
  assert.match(settings.text, /&lt;script>alert\(1\)/);
  assert.doesNotMatch(settings.text, /<script>alert|<img/);
});

suite("access ends when the approver can no longer grant it", () => {
  const ends: [string, (server: TestServer, id: string) => Promise<unknown>][] = [
    [
      "losing the permission",
      (server, id) => server.operator("set_member", { member_id: id, approve_outbound: false }),
    ],
    ["being removed", (server, id) => server.operator("remove_member", { member_id: id })],
  ];
  for (const [name, end] of ends) {
    test(name, async (t) => {
      const server = await startServer(t);
      const browser = await asApprover(server);
      const [{ id }] = await server.operator("list_members", {});
      const { key } = await connected(server, browser);
      const grace = await asMember(server, { ...APPROVER, email: "g@b.example", name: "Grace" });
      const others = (await connected(server, grace)).key;
      await server.operator("set_member", { member_id: id, role: "viewer" });
      assert.equal((await setup(server, key)).status, 200, "another change is none of its business");
      await end(server, id);
      assert.equal((await setup(server, key)).body.code, "revoked_key");
      assert.equal((await setup(server, others)).status, 200, "what others let in stays");
      const [row] = (await server.operator("list_audit", {})).filter(({ after }: any) => after?.revoked_at);
      assert.deepEqual([row.before.connector_name, row.before.revoked_at], ["Test Client", null]);
    });
  }
});

test("creating a key is not in the configuration audit, but its revocation and a new account are", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  const audit = () => server.operator("list_audit", { limit: 100 });
  const before = await audit();
  const { key } = await connected(server, browser);
  const [account, ...rest] = await audit();
  assert.deepEqual(rest, before);
  assert.deepEqual(
    [account.action, account.after.label, account.after.connector_name],
    ["approve_connector", "Ada", undefined],
  );
  const { id } = await keyOf(server, key);
  const db = openBeside(server.folder, { readonly: true });
  const logged = db.prepare("SELECT actor_kind, record_id FROM operation_log WHERE operation = 'approve_connector'");
  assert.deepEqual(logged.all(), [{ actor_kind: "member", record_id: id }], "the operation log has it");
  db.close();
  await server.operator("revoke_key", { key_id: id });
  const [revocation] = await audit();
  assert.deepEqual([revocation.action, revocation.record_id], ["revoke_key", id]);
});

test("a workspace that is read-only for billing connects no client, and says why", async (t) => {
  const server = await startServer(t);
  const browser = await asApprover(server);
  await server.operator("set_billing", { state: "delinquent" });
  const page = await new SignIn(server, await registered(server)).decide(browser);
  assert.deepEqual([page.status, page.location], [402, null]);
  assert.match(page.text, /read-only/);
});

test("revoking the connector in settings stops its next call, and it can be connected again", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const browser = await asApprover(server);
  const { key, clientId } = await connected(server, browser);
  assert.equal((await setup(server, key)).status, 200);
  const admin = await asMember(server, { email: "o@b.example", name: "Olive", role: "owner" });
  const path = `/console/w/${server.workspaceId}/settings/keys`;
  const page = await admin.get(path);
  assert.match(page.text, /Connected clients/);
  const { id } = await keyOf(server, key);
  const done = await admin.post(path, { _do: "revoke_key", _form: `revoke-${id}`, key_id: id });
  assert.equal(done.status, 303);
  assert.equal((await setup(server, key)).body.code, "revoked_key");
  const again = await connected(server, browser, clientId);
  assert.equal((await setup(server, again.key)).status, 200);
});
