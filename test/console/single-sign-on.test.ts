import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BadSetting, readConfig } from "../../src/config.ts";
import { filesIn } from "../support/files.ts";
import { asMember, asOwner, Browser, OWNER, PASSWORD, pathOf } from "../support/http-browser.ts";
import { keptLog } from "../support/log.ts";
import { CLIENT, type Provider, signInThere, startProvider, startWith, wayBack } from "../support/provider.ts";
import { FakeClock, type ServerOptions, startServer, type TestServer } from "../support/server.ts";

const GRACE = { email: "grace@b.example", name: "Grace", role: "rep" };
const home = (server: TestServer) => `/console/w/${server.workspaceId}`;
const saysOf = (email: string, sub = "subject-1") => ({ sub, aud: CLIENT.id, email, email_verified: true });

async function start(t: TestContext, options?: ServerOptions) {
  const provider = await startProvider(t);
  const server = await startWith(t, provider, options);
  await asOwner(server, options?.clock?.now());
  provider.claims = saysOf(OWNER.email);
  return { provider, server, browser: new Browser(server) };
}

const people = ({ running }: TestServer) => running.store.people;

test("a member signs in with code, PKCE, state and nonce, returns to the requested page, and is bound to that subject", async (t) => {
  const { provider, server, browser } = await start(t);
  const closed = await browser.get(`${home(server)}/deals`);
  const signIn = await browser.get(closed.location ?? "");
  const link = /href="(\/console\/single-sign-on[^"]*)"[^>]*>Sign in with Acme/.exec(signIn.text)?.[1] ?? "";
  const away = await browser.get(link);
  const there = new URL(away.location ?? "");
  assert.equal(there.origin, provider.issuer);
  const { searchParams } = there;
  assert.equal(searchParams.get("redirect_uri"), `${server.listening}/console/single-sign-on/callback`);
  assert.equal(searchParams.get("response_type"), "code");
  assert.equal(searchParams.get("code_challenge_method"), "S256");
  for (const name of ["state", "nonce", "code_challenge"]) assert.ok((searchParams.get(name)?.length ?? 0) >= 43, name);
  const back = await signInThere(browser, link);
  assert.deepEqual([back.status, back.location], [303, `${home(server)}/deals`]);
  assert.equal((await browser.get(`${home(server)}/deals`)).status, 200);
  const [asked] = provider.asked;
  assert.ok(asked?.body.code_verifier, "the verifier was sent");
  assert.equal(asked?.authorization, `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`);
  const moved = new Browser(server);
  provider.claims = saysOf("olive@elsewhere.example");
  assert.equal((await signInThere(moved)).status, 303, "the same subject under another address");
  assert.match((await moved.get("/console/account")).text, new RegExp(OWNER.email));
});

test("the session is new, and the one that the browser sent is invalid afterwards", async (t) => {
  const { server, browser } = await start(t);
  await browser.signIn(OWNER.email);
  const planted = browser.session;
  assert.equal((await signInThere(browser)).status, 303);
  assert.notEqual(browser.session, planted);
  const thief = new Browser(server);
  thief.cookies.set(`rostrum_session_${server.running.port}`, planted ?? "");
  assert.equal((await thief.get(home(server))).status, 303, "to the sign-in");
});

test("an invalid provider response is refused on a page with the next step, and no one is signed in", async (t) => {
  const { provider, server } = await start(t);
  const good = provider.claims;
  const seconds = Math.floor(Date.now() / 1000);
  const wrong: [string, object, RegExp][] = [
    ["another nonce", { nonce: "another" }, /The response from Acme is not valid/],
    ["no nonce", { nonce: undefined }, /The response from Acme is not valid/],
    ["another audience", { aud: "another-client" }, /The response from Acme is not valid/],
    ["another issuer", { iss: "https://evil.example" }, /The response from Acme is not valid/],
    ["an old token", { exp: seconds - 120, iat: seconds - 240 }, /The response from Acme is not valid/],
    [
      "an address that is not verified",
      { email_verified: false },
      /Acme has not verified your email|reports no email|is not valid/,
    ],
    [
      "a verification in words",
      { email_verified: "true" },
      /Acme has not verified your email|reports no email|is not valid/,
    ],
    [
      "no verification",
      { email_verified: undefined },
      /Acme has not verified your email|reports no email|is not valid/,
    ],
    ["no address", { email: "not an address" }, /Acme has not verified your email|reports no email|is not valid/],
  ];
  for (const [what, claims, says] of wrong) {
    const browser = new Browser(server);
    provider.claims = { ...good, ...claims };
    const page = await signInThere(browser);
    assert.ok([401, 502].includes(page.status), what);
    assert.match(page.text, says, what);
    assert.match(page.text, /Sign in with Acme/, what);
    assert.equal(browser.session, undefined, what);
  }
  provider.claims = good;
  provider.forges = true;
  const browser = new Browser(server);
  assert.equal((await signInThere(browser)).status, 502, "a signature that is none");
  assert.equal(browser.session, undefined);
});

test("a callback with another state, from another browser, sent twice or after ten minutes is refused", async (t) => {
  const clock = new FakeClock();
  const { provider, server } = await start(t, { clock });
  const refusedBy = async (browser: Browser, path: string) => {
    const page = await browser.get(path);
    assert.ok([401, 502].includes(page.status), page.text);
    assert.match(page.text, /Sign in again/);
    assert.equal(browser.session, undefined);
  };
  provider.redirect = (url) => url.searchParams.set("state", "x".repeat(43));
  const states = new Browser(server);
  await refusedBy(states, await wayBack(states));
  provider.redirect = () => {};

  const victim = new Browser(server);
  await refusedBy(new Browser(server), await wayBack(victim));

  const twice = new Browser(server);
  const path = await wayBack(twice);
  const kept = new Map(twice.cookies);
  assert.equal((await twice.get(path)).status, 303);
  const replay = new Browser(server);
  for (const [name, value] of kept) replay.cookies.set(name, value);
  await refusedBy(replay, path);

  const raced = new Browser(server);
  const racing = await wayBack(raced);
  const all = await Promise.all([1, 2, 3, 4].map(() => raced.get(racing)));
  assert.equal(all.filter(({ status }) => status === 303).length, 1, "one of four at once");

  const slow = new Browser(server);
  const late = await wayBack(slow);
  clock.advance(10 * 60_000);
  await refusedBy(slow, late);

  provider.redirect = (url) => {
    url.search = "";
    url.searchParams.set("error", "access_denied");
  };
  const denied = new Browser(server);
  assert.equal((await denied.get(await wayBack(denied))).status, 502, "without its state, an error is none either");
});

test("an unknown address, or one whose invitation expired or was withdrawn, gets no account", async (t) => {
  const clock = new FakeClock();
  const { provider, server } = await start(t, { clock });
  const tries = async (email: string) => {
    const browser = new Browser(server);
    provider.claims = saysOf(email, `subject of ${email}`);
    const page = await signInThere(browser);
    assert.deepEqual([page.status, browser.session], [401, undefined]);
    assert.match(page.text, /No account here has the email/);
    assert.equal(await people(server).findByEmail(email), undefined);
  };
  await tries("stranger@b.example");
  const removed = await server.operator("invite_member", GRACE);
  await server.operator("remove_member", { member_id: removed.id });
  await tries(GRACE.email);
  await server.operator("invite_member", GRACE);
  clock.advance(8 * 86_400_000);
  await tries(GRACE.email);
});

test("an open invitation to the address signs in without a password, and no other address can use it", async (t) => {
  const { provider, server, browser } = await start(t);
  const { invitation_url } = await server.operator("invite_member", { ...GRACE, email: "Grace@B.example" });
  const page = await browser.get(pathOf(invitation_url));
  assert.match(page.text, /Sign in with Acme/);
  provider.claims = saysOf("mallory@b.example", "mallory");
  assert.equal((await signInThere(new Browser(server))).status, 401);
  provider.claims = saysOf(GRACE.email, "grace");
  assert.equal((await signInThere(browser)).status, 303);
  assert.equal((await browser.get(home(server))).status, 200);
  assert.equal((await new Browser(server).get(pathOf(invitation_url))).status, 410, "the link is used up");
  assert.equal((await people(server).findByEmail(GRACE.email))?.passwordHash, null);
  const [audited] = await server.operator("list_audit", {});
  assert.equal(audited.action, "accept_invitation");
  assert.match((await browser.get("/console/account")).text, /You sign in with Acme/);
});

test("another subject with the same address is not the same member", async (t) => {
  const { provider, server, browser } = await start(t);
  assert.equal((await signInThere(browser)).status, 303);
  provider.claims = saysOf(OWNER.email, "subject-2");
  const other = new Browser(server);
  const page = await signInThere(other);
  assert.deepEqual([page.status, other.session], [401, undefined]);
  assert.match(page.text, /Acme now links this email to a different account/);
});

test("a member who set up an unverified address loses access once its owner signs in with the provider", async (t) => {
  const { provider, server, browser } = await start(t);
  const other = await server.neighbour();
  const admin = await asMember(server, { email: "admin@b.example", name: "Admin", role: "admin" }, other.workspaceId);
  const shown = await admin.post(`/console/w/${other.workspaceId}/settings`, { _do: "invite_member", ...GRACE });
  const link = /\/console\/invitation\/[\w-]{43}/.exec(shown.text)?.[0] ?? "";
  const squatter = new Browser(server);
  assert.equal((await squatter.post(link, { password: PASSWORD })).status, 303);
  provider.claims = saysOf(GRACE.email, "grace");
  assert.equal((await signInThere(browser)).status, 303);
  assert.equal((await squatter.get(`/console/w/${other.workspaceId}`)).status, 303, "to the sign-in");
  assert.equal((await new Browser(server).signIn(GRACE.email)).status, 401, "the squatter's password is none any more");
  const again = new Browser(server);
  await again.signIn(OWNER.email);
  provider.claims = saysOf(OWNER.email, "olive");
  await signInThere(new Browser(server));
  assert.equal((await again.get(home(server))).status, 200, "who made the owner by the setup link keeps the session");
});

test("without an address in the ID token, userinfo is requested and must have the same subject", async (t) => {
  const { provider, server, browser } = await start(t);
  provider.claims = { sub: "subject-1", aud: CLIENT.id, email: undefined, email_verified: undefined };
  provider.told = { sub: "subject-1", email: OWNER.email, email_verified: true };
  assert.equal((await signInThere(browser)).status, 303);
  provider.told = { sub: "somebody else", email: OWNER.email, email_verified: true };
  assert.equal((await signInThere(new Browser(server))).status, 502);
});

test("failures are in the auth log, and too many from one address must wait", async (t) => {
  const { provider, server } = await start(t);
  provider.claims = saysOf("stranger@b.example");
  const browser = new Browser(server);
  for (let i = 0; i < 50; i += 1) {
    assert.equal((await browser.get("/console/single-sign-on/callback?code=x&state=y")).status, 401);
  }
  const waits = await signInThere(browser);
  assert.equal(waits.status, 429);
  assert.ok(Number(waits.headers.get("retry-after")) > 0);
  const { authLog, store } = server.running;
  await authLog.close(store);
  const failed = await server.operator("list_auth_events", { limit: 100, code: "sign_in_failed" });
  const events = failed.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  assert.deepEqual([events, failed[0].route], [50, "GET /console/single-sign-on/callback"]);
});

test("an unreachable provider is reported, and works again once it is back", async (t) => {
  const clock = new FakeClock();
  const provider = await startProvider(t);
  const gone: Provider = { ...provider, issuer: "http://127.0.0.1:9" };
  const server = await startWith(t, gone, { clock });
  await asOwner(server, clock.now());
  const page = await new Browser(server).get("/console/single-sign-on");
  assert.equal(page.status, 502);
  assert.match(page.text, /Signing in with Acme isn't possible right now/);
  assert.match(page.text, /Sign in another way/);
});

test("neither the client secret nor the browser's state is ever shown, and the redirect uses the public URL", async (t) => {
  const { log, text: logged } = keptLog();
  const provider = await startProvider(t);
  const server = await startWith(t, provider, { log, env: { ROSTRUM_PUBLIC_URL: "https://rostrum.example" } });
  await asOwner(server);
  const browser = new Browser(server);
  const away = await browser.get("/console/single-sign-on");
  const redirect = new URL(away.location ?? "").searchParams.get("redirect_uri");
  assert.equal(redirect, "https://rostrum.example/console/single-sign-on/callback");
  const set = away.headers.getSetCookie().join();
  assert.match(set, /^__Host-rostrum_away=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax/);
  const state = new URL(away.location ?? "").searchParams.get("state") ?? "?";
  assert.ok(!set.includes(state), "sealed");
  provider.claims = { ...saysOf(OWNER.email), aud: "another" };
  const { text } = await signInThere(browser);
  const files = [...filesIn(server.folder).values()];
  for (const all of [logged(), text, (await browser.get("/console/sign-in")).text, ...files]) {
    assert.ok(!all.includes(CLIENT.secret));
  }
});

test("without a provider there is no button and no route; an incomplete or insecure setting is refused", async (t) => {
  const server = await startServer(t);
  await asOwner(server);
  const browser = new Browser(server);
  assert.doesNotMatch((await browser.get("/console/sign-in")).text, /single-sign-on/);
  for (const path of ["/console/single-sign-on", "/console/single-sign-on/callback?code=x&state=y"]) {
    assert.equal((await browser.get(path)).status, 404, path);
  }
  const whole = {
    ROSTRUM_OIDC_ISSUER: "https://id.example",
    ROSTRUM_OIDC_CLIENT_ID: "a",
    ROSTRUM_OIDC_CLIENT_SECRET: "b",
  };
  assert.equal(readConfig({}, whole).oidc?.name, "single sign-on");
  const wrong: [Record<string, string>, RegExp][] = [
    ...Object.keys(whole).map((name): [Record<string, string>, RegExp] => [{ ...whole, [name]: "" }, / together/]),
    [{ ...whole, ROSTRUM_HOST: "0.0.0.0" }, /requires ROSTRUM_PUBLIC_URL/],
    ...["http://id.example", "https://a:b@id.example", "https://id.example?x=1", "nothing"].map(
      (issuer): [Record<string, string>, RegExp] => [
        { ...whole, ROSTRUM_OIDC_ISSUER: issuer },
        /ROSTRUM_OIDC_ISSUER must be/,
      ],
    ),
  ];
  for (const [env, says] of wrong) {
    assert.throws(
      () => readConfig({}, env),
      (error) => error instanceof BadSetting && says.test(error.message),
    );
  }
});
