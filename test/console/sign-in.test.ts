import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { hashPassword } from "../../src/identity/password.ts";
import { createSignInLimits } from "../../src/identity/rate-limits.ts";
import { createSignInService } from "../../src/identity/sign-in.ts";
import { networkOf } from "../../src/lib/http-client/addresses.ts";
import { AuthLog } from "../../src/services/access/auth-log.ts";
import { resetLink } from "../../src/services/access/links.ts";
import { filesIn } from "../support/files.ts";
import { asMember, asOwner, Browser, freshSetupLink, OWNER, PASSWORD, pathOf } from "../support/http-browser.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const DAY_MS = 86_400_000;
const GRACE = { email: "grace@b.example", name: "Grace", role: "rep" };
const home = (server: TestServer) => `/console/w/${server.workspaceId}`;

async function resetPath(server: TestServer, email: string, now = Date.now()): Promise<string> {
  const person = await server.running.store.people.findByEmail(email);
  return pathOf(await resetLink({ people: server.running.store.people, url: server.listening, now }, person?.id ?? ""));
}

test("without a session, a visitor goes to the sign-in page, and then to the requested page", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const browser = new Browser(server);
  const asked = await browser.get(`${home(server)}/contacts?q=ada`);
  assert.deepEqual(
    [asked.status, asked.location],
    [303, `/console/sign-in?next=${encodeURIComponent(`${home(server)}/contacts?q=ada`)}`],
  );
  const next = `${home(server)}/contacts?q=ada`;
  const entered = await browser.post("/console/sign-in", {
    email: OWNER.email.toLowerCase(),
    password: PASSWORD,
    next,
  });
  assert.deepEqual([entered.status, entered.location], [303, next]);
  assert.equal((await browser.get(next)).status, 200);
});

test("an unknown address and a wrong password get the same response, for the same work", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const tries = async (email: string) => {
    const started = performance.now();
    const { status, text } = await new Browser(server).signIn(email, "not the password at all");
    return { ms: performance.now() - started, answer: `${status} ${text.replace(email, "EMAIL")}` };
  };
  await tries(OWNER.email);
  const known = await tries(OWNER.email);
  const unknown = await tries("nobody@rostrum.example");
  assert.equal(known.answer, unknown.answer);
  assert.match(known.answer, /^401 /);
  // Argon2id takes a few hundred times longer than everything else, so skipping it would be visible.
  assert.ok(unknown.ms > known.ms / 5, `${unknown.ms} ms against ${known.ms} ms`);
  assert.ok(!known.answer.includes("not the password"), "what was typed as a password is never sent back");
});

test("too many failed attempts at one account from one address must wait; a success is not counted", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const browser = new Browser(server);
  for (let i = 0; i < 12; i += 1) assert.equal((await browser.signIn(OWNER.email)).status, 303);
  for (let i = 0; i < 10; i += 1) assert.equal((await browser.signIn(OWNER.email, "wrong password")).status, 401);
  const refused = await browser.signIn(OWNER.email);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.equal((await new Browser(server).signIn("other@b.example", "wrong password")).status, 401);
});

/** Signs the owner in with a given Host header; returns the status and the cookies. */
async function signInAt(
  server: TestServer,
  host: string,
  origin: string,
): Promise<{ status: number | undefined; set: string }> {
  const body = new URLSearchParams({ email: OWNER.email, password: PASSWORD }).toString();
  const headers = { host, origin, "content-type": "application/x-www-form-urlencoded" };
  return new Promise((resolve, reject) => {
    request(`${server.listening}/console/sign-in`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, set: String(response.headers["set-cookie"]) });
    })
      .on("error", reject)
      .end(body);
  });
}

test("the session cookie is closed to scripts and to other sites", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const set = (await new Browser(server).signIn(OWNER.email)).headers.getSetCookie().join();
  assert.match(
    set,
    new RegExp(`^rostrum_session_${server.running.port}=[\\w-]{43}; .*Path=/; .*HttpOnly; .*SameSite=Lax`, "i"),
  );
  assert.doesNotMatch(set, /Secure|Domain/i);
});

test("a server with an https URL binds its cookies to TLS and to the host, whatever Host a proxy sends", async (t) => {
  const origin = "https://rostrum.example";
  const server = await startServer(t, { env: { ROSTRUM_PUBLIC_URL: origin } });
  await asOwner(server);
  for (const host of ["rostrum.example", "Rostrum.Example:443", `127.0.0.1:${server.running.port}`, "localhost"]) {
    const { status, set } = await signInAt(server, host, origin);
    assert.equal(status, 303, host);
    assert.match(set, /^__Host-rostrum=[\w-]{43}; .*Path=\/; .*HttpOnly; .*Secure/i, host);
    assert.doesNotMatch(set, /Domain/i);
  }
  for (const host of ["rostrum.example", "ROSTRUM.example", "rostrum.example:443"]) {
    assert.equal((await signInAt(server, host, "http://rostrum.example")).status, 403, `${host} without TLS`);
  }
});

test("a sign-in creates a new session, and invalidates the one that the browser sent", async (t) => {
  const server = await startServer(t);
  const victim = await asOwner(server);
  const planted = victim.session;
  assert.equal((await victim.signIn(OWNER.email)).status, 303);
  assert.notEqual(victim.session, planted);
  const thief = new Browser(server);
  thief.cookies.set(`rostrum_session_${server.running.port}`, planted ?? "");
  assert.equal((await thief.get(home(server))).status, 303, "to the sign-in");
  const fixed = new Browser(server);
  fixed.cookies.set(`rostrum_session_${server.running.port}`, "A".repeat(43));
  await fixed.signIn(OWNER.email);
  assert.notEqual(fixed.session, "A".repeat(43), "a token that a stranger chose is never taken over");
});

test("a session ends after a week unused, after thirty days in any case, and at sign-out", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const browser = await asOwner(server, clock.now());
  const works = async (who: Browser) => (await who.get(home(server))).status === 200;
  for (let day = 0; day < 29; day += 1) {
    clock.advance(DAY_MS);
    assert.ok(await works(browser), `day ${day + 1}`);
  }
  clock.advance(DAY_MS);
  assert.ok(!(await works(browser)), "thirty days");
  await browser.signIn(OWNER.email);
  clock.advance(7 * DAY_MS);
  assert.ok(!(await works(browser)), "a week unused");
  await browser.signIn(OWNER.email);
  const twin = new Browser(server);
  for (const [name, value] of browser.cookies) twin.cookies.set(name, value);
  assert.ok(await works(twin));
  await browser.post("/console/sign-out", {});
  assert.equal(browser.session, undefined);
  assert.ok(!(await works(twin)), "signed out on the server, not in the browser alone");
});

test("a form from another origin, without an origin or of another content type is refused", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const key = { _do: "create_key", "scopes:list": "contacts.read", name: "stolen" };
  const path = `${home(server)}/settings/keys`;
  for (const origin of [undefined, "null", "https://evil.example", `http://127.0.0.1:${server.running.port - 1}`]) {
    assert.equal((await browser.post(path, key, { origin })).status, 403, String(origin));
    assert.equal((await browser.post("/console/sign-in", { email: "a", password: "b" }, { origin })).status, 403);
    assert.equal((await browser.post("/console/sign-out", {}, { origin })).status, 403);
  }
  for (const type of ["text/plain", "application/json", "multipart/form-data; boundary=x"]) {
    assert.equal((await browser.post(path, key, { "content-type": type })).status, 415, type);
  }
  assert.equal((await server.operator("list_keys", {})).length, 1, "the test's own");
});

test("the setup link creates the owner once, in every workspace, and can't be used again", async (t) => {
  const server = await startServer(t);
  await server.neighbour();
  const [first, second] = [await freshSetupLink(server), await freshSetupLink(server)];
  const page = await new Browser(server).get(first);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  assert.equal((await new Browser(server).get(first)).status, 200, "looking at it uses nothing up");
  const form = { ...OWNER, password: PASSWORD };
  const racing = await Promise.all([1, 2, 3, 4].map(() => new Browser(server).post(first, form)));
  assert.deepEqual(racing.map(({ status }) => status).sort(), [303, 410, 410, 410]);
  const late = await new Browser(server).post(second, { ...form, email: "mallory@b.example" });
  assert.equal(late.status, 410, "another link, made before there was an owner");
  const { people } = server.running.store;
  const owner = await people.findByEmail(OWNER.email);
  const memberships = await people.memberships(owner?.id ?? "");
  assert.deepEqual(
    memberships.map(({ member }) => [member.role, member.approveOutbound]),
    [
      ["owner", true],
      ["owner", true],
    ],
  );
  const [audited] = await server.operator("list_audit", {});
  assert.deepEqual([audited.action, audited.actor_kind], ["set_up", "member"]);
  assert.equal(
    await (await import("../../src/services/access/links.ts")).setupLink({ people, url: "", now: Date.now() }, false),
    null,
  );
});

test("a setup link does not take over an existing account: its password and sessions stay, and the link stays valid", async (t) => {
  const server = await startServer(t);
  const grace = await asMember(server, GRACE);
  const path = await freshSetupLink(server);
  const thief = new Browser(server);
  const form = { name: "Mallory", email: "GRACE@b.example", password: "a password of the thief" };
  const refused = await thief.post(path, form);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /already has an account\. Sign in with it, or use another email/);
  assert.equal(thief.session, undefined);
  assert.equal((await new Browser(server).signIn(GRACE.email, form.password)).status, 401);
  assert.equal((await grace.get(home(server))).status, 200, "the session goes on");
  assert.equal((await new Browser(server).signIn(GRACE.email)).status, 303, "the password is as it was");
  assert.equal((await server.operator("list_members", {}))[0].role, "rep");
  assert.equal((await thief.post(path, { ...form, email: "mallory@b.example" })).status, 303, "nothing was used up");
});

test("a setup link expires after thirty minutes, and a too short password does not use it up", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const path = await freshSetupLink(server, false, clock.now());
  const short = await new Browser(server).post(path, { ...OWNER, password: "elevenchars" });
  assert.equal(short.status, 400);
  assert.match(short.text, /must be at least 12 characters long/);
  assert.match(short.text, /value="Olive Owner"/, "what was typed stays");
  assert.match(short.text, /<input[^>]*name="password"[^>]*autofocus/i, "the focus is on the field that is wrong");
  assert.ok(!short.text.includes("elevenchars"));
  clock.advance(30 * 60_000);
  assert.equal((await new Browser(server).post(path, { ...OWNER, password: PASSWORD })).status, 410);
});

test("an invitation works once, within a week, and ends with the membership", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const invite = async (email: string) => server.operator("invite_member", { ...GRACE, email });
  const [once, late, removed] = [await invite("a@b.example"), await invite("b@b.example"), await invite("c@b.example")];
  const browser = new Browser(server);
  assert.equal((await browser.post(pathOf(once.invitation_url), { password: PASSWORD })).status, 303);
  assert.equal((await browser.get(home(server))).status, 200);
  assert.equal((await new Browser(server).post(pathOf(once.invitation_url), { password: PASSWORD })).status, 410);
  await server.operator("remove_member", { member_id: removed.id });
  assert.equal((await new Browser(server).post(pathOf(removed.invitation_url), { password: PASSWORD })).status, 410);
  clock.advance(7 * DAY_MS);
  assert.equal((await new Browser(server).post(pathOf(late.invitation_url), { password: PASSWORD })).status, 410);
});

test("an invitation to an address with an account requires signing in to it, and sets no password", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const grace = await asMember(server, GRACE);
  const { invitation_url } = await server.operator(
    "invite_member",
    { ...GRACE, email: "GRACE@b.example" },
    other.workspaceId,
  );
  const path = pathOf(invitation_url);
  const thief = new Browser(server);
  assert.match((await thief.get(path)).text, /Already have an account\?/);
  const tried = await thief.post(path, { password: "a password of the thief" });
  assert.equal(thief.session, undefined);
  assert.match(tried.text, /Already have an account\?/);
  assert.equal((await grace.signIn(GRACE.email)).status, 303, "the password is as it was");
  assert.equal((await grace.get(`/console/w/${other.workspaceId}`)).status, 404, "not accepted yet");
  assert.equal((await grace.post(path, {})).status, 303);
  for (const id of [server.workspaceId, other.workspaceId])
    assert.equal((await grace.get(`/console/w/${id}`)).status, 200);
  assert.equal((await grace.get("/console")).location, `/console/w/${other.workspaceId}`, "the last one looked at");
  const elsewhere = new Browser(server);
  await elsewhere.signIn(GRACE.email);
  assert.equal((await elsewhere.get("/console")).location, "/console/workspaces");
});

test("a reset works once within 30 minutes, sets the password, and ends every session and every other reset", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const old = await asOwner(server, clock.now());
  const [first, second] = [
    await resetPath(server, OWNER.email, clock.now()),
    await resetPath(server, OWNER.email, clock.now()),
  ];
  const browser = new Browser(server);
  assert.equal((await browser.post(first, { password: "another password entirely" })).status, 303);
  assert.equal((await browser.get(home(server))).status, 200);
  assert.equal((await old.get(home(server))).status, 303, "the old session is over");
  assert.equal((await new Browser(server).signIn(OWNER.email)).status, 401, "the old password too");
  for (const path of [first, second])
    assert.equal((await new Browser(server).post(path, { password: PASSWORD })).status, 410);
  const late = await resetPath(server, OWNER.email, clock.now());
  clock.advance(30 * 60_000);
  assert.equal((await new Browser(server).post(late, { password: PASSWORD })).status, 410);
});

test("changing the password needs the current one, and ends all other sessions", async (t) => {
  const server = await startServer(t);
  const [here, there] = [await asOwner(server), new Browser(server)];
  await there.signIn(OWNER.email);
  const wrong = await here.post("/console/account", {
    current: "not it, not at all",
    password: "a new one, long enough",
  });
  assert.equal(wrong.status, 401);
  assert.equal((await there.get(home(server))).status, 200);
  const right = await here.post("/console/account", { current: PASSWORD, password: "a new one, long enough" });
  assert.equal(right.status, 303);
  assert.equal((await here.get(home(server))).status, 200);
  assert.equal((await there.get(home(server))).status, 303);
});

test("a removed member loses access at the next request, only in this workspace, and a change of role applies at once", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const grace = await asMember(server, { ...GRACE, role: "admin" });
  const { invitation_url } = await server.operator("invite_member", GRACE, other.workspaceId);
  await grace.post(pathOf(invitation_url), {});
  const keys = `${home(server)}/settings/keys`;
  assert.equal((await grace.get(keys)).status, 200);
  await asMember(server, { email: "second@b.example", name: "Second", role: "admin" });
  await server.operator("set_member", { email: GRACE.email, role: "viewer" });
  assert.equal((await grace.get(keys)).status, 403);
  const [, { id }] = await server.operator("list_members", {});
  await server.operator("remove_member", { member_id: id });
  assert.equal((await grace.get(home(server))).status, 404);
  assert.equal((await grace.get(`/console/w/${other.workspaceId}`)).status, 200);
});

test("the last administrator who has signed in can't be removed, even if others are invited", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const [owner] = await server.operator("list_members", {});
  const invited = await server.operator("invite_member", { ...GRACE, role: "admin" });
  const refused = { code: "last_administrator" };
  await assert.rejects(server.operator("remove_member", { member_id: owner.id }), refused);
  await assert.rejects(server.operator("set_member", { member_id: owner.id, role: "viewer" }), refused);
  await server.operator("set_member", { member_id: invited.id, role: "rep" });
  await server.operator("set_member", { member_id: invited.id, role: "admin" });
  await server.operator("remove_member", { member_id: invited.id });
  await asMember(server, { ...GRACE, role: "admin" });
  await server.operator("remove_member", { member_id: owner.id });
});

test("the demo opens from its link with a button, only on this machine, and setting it up instead works too", async (t) => {
  const server = await startServer(t);
  const path = await freshSetupLink(server, true);
  const browser = new Browser(server);
  assert.match((await browser.get(path)).text, /Open demo/);
  assert.equal((await browser.post(path, { as: "demo" })).status, 303);
  assert.equal((await browser.get(home(server))).status, 200);
  assert.equal((await new Browser(server).post(path, { as: "demo" })).status, 410);
  const again = new Browser(server);
  assert.equal(
    (await again.post(await freshSetupLink(server, true), { as: "demo" })).status,
    303,
    "a later start's link",
  );
  const open = await startServer(t, { env: { ROSTRUM_HOST: "0.0.0.0" } });
  const shown = await new Browser(open).get(await freshSetupLink(open, true));
  assert.doesNotMatch(shown.text, /Open demo/);
  assert.equal(
    (await new Browser(open).post(await freshSetupLink(open, true), { as: "demo" })).status,
    400,
    "an owner's form",
  );
});

test("behind a proxy on this machine the demo link signs in no one, whatever the proxy sends", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_TRUST_PROXY: "loopback" } });
  const path = await freshSetupLink(server, true);
  for (const headers of [
    { "x-forwarded-for": "192.0.2.1" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-host": "rostrum.example" },
    { forwarded: "for=127.0.0.1" },
    { "x-real-ip": "127.0.0.1" },
  ]) {
    const browser = new Browser(server);
    assert.doesNotMatch((await browser.get(path, headers)).text, /Open demo/, JSON.stringify(headers));
    assert.equal((await browser.post(path, { as: "demo" }, headers)).status, 400, "an owner's form");
    assert.equal(browser.session, undefined);
  }
  const named = await startServer(t, { env: { ROSTRUM_PUBLIC_URL: "http://rostrum.example" } });
  const shown = await new Browser(named).get(await freshSetupLink(named, true));
  assert.doesNotMatch(shown.text, /Open demo/, "a server with a public name");
  assert.equal((await new Browser(server).post(path, { as: "demo" })).status, 303, "at the machine itself");
});

test("the member API accepts the session, asks for the workspace if there are several, and accepts no key", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const grace = await asMember(server, GRACE);
  const call = (headers: Record<string, string> = {}) =>
    fetch(`${server.listening}/console/api/get_workspace`, {
      method: "POST",
      body: "{}",
      headers: {
        origin: server.listening,
        "content-type": "application/json",
        cookie: [...grace.cookies].map((pair) => pair.join("=")).join("; "),
        ...headers,
      },
    }).then(async (response) => ({ status: response.status, body: (await response.json()) as any }));
  assert.equal((await call()).body.data.id, server.workspaceId);
  const { invitation_url } = await server.operator("invite_member", GRACE, other.workspaceId);
  await grace.post(pathOf(invitation_url), {});
  assert.equal((await call()).status, 400);
  assert.equal((await call({ "rostrum-workspace": other.workspaceId })).body.data.id, other.workspaceId);
  assert.equal((await call({ "rostrum-workspace": "0190aaaa-0000-7000-8000-00000000abcd" })).status, 401);
  assert.equal((await call({ cookie: "", authorization: `Bearer ${server.key}` })).status, 401);
  const cookie = [...grace.cookies].map((pair) => pair.join("=")).join("; ");
  assert.equal((await server.rest("GET", "/contacts", { key: "", headers: { cookie } })).status, 401);
});

test("sign-ins, failures, sign-outs and new passwords are in the auth log of the member's workspaces, without a token", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  await new Browser(server).signIn(OWNER.email, "wrong password here");
  await new Browser(server).signIn("nobody@b.example", "wrong password here");
  await browser.post("/console/sign-out", {});
  const path = await resetPath(server, OWNER.email);
  const again = new Browser(server);
  await again.post(path, { password: "another password entirely" });
  const events = () => server.operator("list_auth_events", { limit: 100 });
  await until(async () => (await events()).length >= 6);
  const listed = (await events()).reverse() as { code: string; route: string; member_id: string | null }[];
  const shown = listed.map(({ code, route, member_id }) => [code, route, member_id !== null]);
  // A reset sets the password and signs in: in one millisecond, the order is undefined.
  const reset = shown.splice(4).sort();
  assert.deepEqual(
    [...shown, ...reset],
    [
      ["signed_in", "POST /console/setup", true],
      ["sign_in_failed", "POST /console/sign-in", true],
      ["sign_in_failed", "POST /console/sign-in", false],
      ["signed_out", "POST /console/sign-out", true],
      ["password_set", "POST /console/reset", true],
      ["signed_in", "POST /console/reset", true],
    ],
  );
  const { text } = await again.get(`/console/w/${server.workspaceId}/audit/sign-ins`);
  for (const place of ["Setup link", "Sign-in page", "Sign-out", "Password reset"]) assert.ok(text.includes(place));
});

test("no file in the data folder contains a password, a session or a link", async (t) => {
  const server = await startServer(t);
  const setup = await freshSetupLink(server);
  const browser = new Browser(server);
  await browser.post(setup, { ...OWNER, password: PASSWORD });
  const { invitation_url } = await server.operator("invite_member", GRACE);
  const unused = await resetPath(server, OWNER.email);
  const secrets = [
    PASSWORD,
    browser.session ?? "?",
    ...[setup, pathOf(invitation_url), unused].map((path) => path.split("/").at(-1) ?? "?"),
  ];
  for (const [name, bytes] of filesIn(server.folder)) {
    for (const secret of secrets) assert.ok(!bytes.includes(secret), name);
  }
});

test("an address in cooldown creates no counter for the accounts it tries, and refused attempts do not count", async () => {
  const limits = createSignInLimits();
  const tries = (account: string, address: string) =>
    limits.spend(account, address).then(
      () => "let in",
      ({ code }) => code,
    );
  for (let address = 10; address < 22; address += 1) {
    for (let i = 0; i < 50; i += 1)
      assert.equal(await tries(`${address}-${i}@b.example`, `192.0.2.${address}`), "let in");
    for (let i = 0; i < 10; i += 1) assert.equal(await tries("victim@b.example", `192.0.2.${address}`), "rate_limited");
  }
  assert.equal(await tries("victim@b.example", "192.0.2.2"), "let in", "the account has its whole budget");
  for (let i = 0; i < 9; i += 1) await tries("victim@b.example", "192.0.2.2");
  for (let i = 0; i < 100; i += 1) assert.equal(await tries("victim@b.example", "192.0.2.2"), "rate_limited");
  assert.equal(await tries("other@b.example", "192.0.2.2"), "let in", "the address spent ten of its fifty");
});

test("an email address that is too long is refused before it is counted", async (t) => {
  const server = await startServer(t);
  const long = `${"x".repeat(321 - "@b.example".length)}@b.example`;
  for (let i = 0; i < 51; i += 1) {
    const refused = await new Browser(server).signIn(long, "wrong password");
    assert.equal(refused.status, 400);
    assert.match(refused.text, /must be 320 characters or fewer/);
  }
  assert.equal((await new Browser(server).signIn(long.slice(1), "wrong password")).status, 401);
});

test("the addresses of one IPv6 network share a budget, those of another do not, and IPv4 works the same however written", () => {
  const same = (one: string, two: string) => networkOf(one) === networkOf(two);
  assert.ok(same("2001:db8:0:1::1", "2001:0DB8:0:1:ffff:ffff:ffff:ffff"));
  assert.ok(!same("2001:db8:0:1::1", "2001:db8:0:2::1"));
  assert.ok(same("192.0.2.1", "::ffff:192.0.2.1"));
  assert.ok(!same("192.0.2.1", "192.0.2.2"));
  assert.equal(networkOf("unknown"), "unknown");
});

test("an IPv6 network that tries one account from many addresses must wait like a single address", async () => {
  const limits = createSignInLimits();
  for (let i = 1; i <= 10; i += 1) await limits.spend("a@b.example", `2001:db8::${i}`);
  await assert.rejects(limits.spend("a@b.example", "2001:db8::b"), { code: "rate_limited" });
});

test("a full queue and a too short new password use none of the attempts", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  for (let i = 0; i < 12; i += 1) {
    const refused = await browser.post("/console/account", { current: PASSWORD, password: "short" });
    assert.match(refused.text, /must be at least 12 characters long/);
  }
  const clock = new FakeClock(Date.now());
  const limits = createSignInLimits();
  const { store } = server.running;
  // Found at once: while a database looks for them, places in the queue become free.
  const owner = await store.people.findByEmail(OWNER.email);
  const people = { ...store.people, findByEmail: async () => owner };
  const service = createSignInService({
    store: { ...store, people },
    authLog: new AuthLog(clock),
    clock,
    limits,
    singleSignOn: undefined,
    mailsLinks: () => false,
  });
  const request = { address: "192.0.2.1", route: "POST /console/sign-in", sessionToken: undefined };
  const queued = (count: number) => Array.from({ length: count }, () => hashPassword(PASSWORD).catch(() => undefined));
  const filling = queued(100);
  await new Promise(setImmediate);
  for (let round = 0; round < 3; round += 1) {
    filling.push(...queued(20));
    const tries = Array.from({ length: 8 }, () => service.signIn(OWNER.email, "wrong password", request));
    for (const refused of await Promise.allSettled(tries)) {
      assert.match(String(refused.status === "rejected" && refused.reason), /Too many people are signing in right now/);
    }
  }
  await Promise.all(filling);
  assert.ok((await service.signIn(OWNER.email, PASSWORD, request)).token);
});

test("a reset during a password check invalidates the old password's sign-in", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  await asOwner(server, clock.now());
  const { store } = server.running;
  const NEXT = "another correct horse";
  const reset = async () => {
    const browser = new Browser(server);
    assert.equal(
      (await browser.post(await resetPath(server, OWNER.email, clock.now()), { password: NEXT })).status,
      303,
    );
  };
  // Runs last before the write, when the old password has already been verified.
  const late: Pick<typeof store.people, "startSession" | "changePassword"> = {
    startSession: async (session) => {
      await reset();
      return store.people.startSession(session);
    },
    changePassword: async (...change) => {
      await reset();
      return store.people.changePassword(...change);
    },
  };
  const service = createSignInService({
    store: { ...store, people: { ...store.people, ...late } },
    authLog: new AuthLog(clock),
    clock,
    limits: createSignInLimits(),
    singleSignOn: undefined,
    mailsLinks: () => false,
  });
  const request = { address: "192.0.2.1", route: "POST /console/sign-in", sessionToken: undefined };
  const person = await store.people.findByEmail(OWNER.email);
  assert.ok(person);
  const refused = { code: "wrong_credentials" };
  await assert.rejects(service.signIn(OWNER.email, PASSWORD, request), refused);
  await store.people.changePassword(person.id, (await store.people.find(person.id))?.passwordHash ?? "", "x");
  await store.people.changePassword(person.id, "x", await hashPassword(PASSWORD));
  const session = { person: { ...person, hasPassword: true }, hash: Buffer.alloc(32) };
  await assert.rejects(service.changePassword(session, PASSWORD, "what a thief would set", request), refused);
  assert.equal((await new Browser(server).signIn(OWNER.email, NEXT)).status, 303);
});
