import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createSignInLimits } from "../../src/identity/rate-limits.ts";
import { invitationLink } from "../../src/services/access/links.ts";
import { asMember, asOwner, Browser, freshSetupLink, OWNER, PASSWORD, pathOf } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/server.ts";

const GRACE = { email: "grace@b.example", name: "Grace", role: "rep" };
const home = (server: TestServer) => `/console/w/${server.workspaceId}`;
const TOKEN = "t".repeat(43);

test("a double click on a sign-in form acts once, and continues with the same session", async (t) => {
  const server = await startServer(t);
  const twice = async (path: string, form: Record<string, string>) => {
    const browser = new Browser(server);
    const _token = Browser.hidden(await browser.get(path), "_token");
    assert.ok(_token.length > 30, path);
    const [first, second] = await Promise.all([1, 2].map(() => browser.post(path, { ...form, _token })));
    assert.deepEqual([first?.status, second?.status], [303, 303], path);
    assert.deepEqual(first?.headers.getSetCookie(), second?.headers.getSetCookie());
    assert.equal((await browser.get(home(server))).status, 200);
    const other = new Browser(server);
    assert.equal(
      (await other.post(path, { ...form, _token: "another page's" })).status,
      410,
      "another's is no click of it",
    );
    assert.equal((await other.post(path, { ...form, password: "a guess of a password", _token })).status, 410);
  };
  await twice(await freshSetupLink(server), { ...OWNER, password: PASSWORD });
  const { invitation_url } = await server.operator("invite_member", GRACE);
  await twice(pathOf(invitation_url), { password: PASSWORD });
});

test("a link with text appended by a mail program still works, and its token is never passed on", async (t) => {
  const server = await startServer(t);
  const { invitation_url } = await server.operator("invite_member", GRACE);
  for (const hung of [".", "%2F", "%2f..", "/", ")", "%20", "/more"]) {
    const page = await new Browser(server).get(pathOf(invitation_url) + hung);
    assert.equal(page.status, 200, hung);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer", hung);
  }
  for (const kind of ["setup", "invitation", "reset"]) {
    for (const path of [
      `${kind}/${TOKEN}.`,
      `${kind}/${TOKEN}%2F`,
      `${kind}/short`,
      `${kind}//${TOKEN}`,
      `${kind}/%41${TOKEN}`,
    ]) {
      const page = await new Browser(server).get(`/console/${path}`);
      assert.deepEqual([page.status, page.location], [410, null], path);
    }
    for (const path of [
      `%72${kind.slice(1)}/${TOKEN}`,
      `${kind.toUpperCase()}/${TOKEN}`,
      `/${kind}/${TOKEN}`,
      `./${kind}%2F${TOKEN}`,
    ]) {
      const { location } = await new Browser(server).get(`/console/${path}`);
      assert.ok(!(location ?? "").includes(TOKEN) || path.startsWith("%72"), `${path} ${location}`);
    }
    const browser = await asOwnerOnce(server);
    for (const next of [`/console/${kind}/${TOKEN}`, `/console/${kind}%2F${TOKEN}`, `/console/w/../${kind}/${TOKEN}`]) {
      const entered = await browser.post("/console/sign-in", { email: OWNER.email, password: PASSWORD, next });
      assert.equal(entered.location, "/console", next);
    }
  }
});

const owners = new WeakMap<TestServer, Promise<Browser>>();
function asOwnerOnce(server: TestServer): Promise<Browser> {
  const made = owners.get(server) ?? asOwner(server);
  owners.set(server, made);
  return made;
}

test("next redirects only to pages of this console", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/console/../\\evil.example",
    "/consoleevil",
    "/console\r\nSet-Cookie: a=b",
    "/console/%0d%0aSet-Cookie:a=b",
    "javascript:alert(1)",
    "/console@evil.example",
    "/console/..//evil.example",
    "http:/console",
    "/console/\t/evil",
    "\u0000/console",
  ]) {
    const entered = await browser.post("/console/sign-in", { email: OWNER.email, password: PASSWORD, next });
    const { origin, pathname } = new URL(entered.location ?? "", server.listening);
    assert.equal(origin, server.listening, next);
    assert.match(pathname, /^\/console(\/|$)/, next);
    assert.ok(
      entered.headers.getSetCookie().every((cookie) => !cookie.startsWith("a=b")),
      next,
    );
  }
});

/** Two workspaces with an administrator each; the second's invites someone whom the first has already invited. */
async function rivals(t: TestContext) {
  const server = await startServer(t);
  const other = await server.neighbour();
  const admin = { email: "admin@b.example", name: "Admin", role: "admin" };
  const rival = await asMember(server, admin, other.workspaceId);
  const inviteBy = async (browser: Browser, workspaceId: string, who: object) => {
    const shown = await browser.post(`/console/w/${workspaceId}/settings`, { _do: "invite_member", ...who });
    return /\/console\/invitation\/[\w-]{43}/.exec(shown.text)?.[0] ?? "";
  };
  return { server, other, rival, inviteBy };
}

test("an address invited by another workspace can't be set up by a link shown here, which reveals nothing and stays valid", async (t) => {
  const { server, other, rival, inviteBy } = await rivals(t);
  const awaited = await server.operator("invite_member", GRACE);
  const link = await inviteBy(rival, other.workspaceId, GRACE);
  const free = await inviteBy(rival, other.workspaceId, { ...GRACE, email: "free@b.example" });
  const [page, plain] = [await new Browser(server).get(link), await new Browser(server).get(free)];
  const bare = (text: string) =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "").replaceAll("free@b.example", GRACE.email);
  assert.equal(bare(page.text), bare(plain.text), "as that of any address");
  const squatter = new Browser(server);
  const refused = await squatter.post(link, { password: "a password of the rival" });
  assert.deepEqual([refused.status, squatter.session], [401, undefined]);
  const grace = new Browser(server);
  assert.equal((await grace.post(pathOf(awaited.invitation_url), { password: PASSWORD })).status, 303);
  assert.equal((await grace.post(link, {})).status, 303, "signed in as the address, both are theirs");
  for (const id of [server.workspaceId, other.workspaceId])
    assert.equal((await grace.get(`/console/w/${id}`)).status, 200);
});

test("an address with an account is refused like an invited one, the refusal is in the auth log, and the account is unchanged", async (t) => {
  const { server, other, rival, inviteBy } = await rivals(t);
  const grace = await asMember(server, GRACE);
  await server.operator("invite_member", { ...GRACE, email: "awaited@b.example" });
  const answers = [];
  for (const email of [GRACE.email, "awaited@b.example"]) {
    const link = await inviteBy(rival, other.workspaceId, { ...GRACE, email });
    const { status, text } = await new Browser(server).post(link, { password: "a password of the rival" });
    answers.push([status, text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "").replaceAll(email, "")]);
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.equal((await grace.signIn(GRACE.email)).status, 303);
});

test("an administrator of both workspaces, and the operator, can invite to both, and either link signs in", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const owner = await asOwner(server);
  const links = [];
  for (const id of [server.workspaceId, other.workspaceId]) {
    const shown = await owner.post(`/console/w/${id}/settings`, { _do: "invite_member", ...GRACE });
    links.push(/\/console\/invitation\/[\w-]{43}/.exec(shown.text)?.[0] ?? "");
  }
  const grace = new Browser(server);
  for (const link of links) assert.equal((await grace.post(link, { password: PASSWORD })).status, 303);
  const heidi = { ...GRACE, email: "heidi@b.example" };
  await server.operator("invite_member", heidi);
  const { id } = await server.operator("invite_member", heidi, other.workspaceId);
  const parts = { people: server.running.store.people, url: server.listening, now: Date.now() };
  const link = pathOf(await invitationLink(parts, id, 60_000));
  assert.equal((await new Browser(server).post(link, { password: PASSWORD })).status, 303);
});

test("a URL without a workspace leads to the only one or the last one viewed, whose pages name it", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const grace = await asMember(server, GRACE);
  assert.equal((await grace.get("/console/contacts?q=ada")).location, `${home(server)}/contacts?q=ada`);
  assert.equal((await grace.get("/console")).location, home(server));
  const { invitation_url } = await server.operator("invite_member", GRACE, other.workspaceId);
  await grace.post(pathOf(invitation_url), {});
  const there = `/console/w/${other.workspaceId}`;
  const page = await grace.get(`${there}/deals`);
  assert.match(page.text, new RegExp(`href="${home(server)}/deals"`), "the switcher leads to the same room");
  assert.equal((await grace.get("/console/deals")).location, `${there}/deals`);
  grace.cookies.set("rostrum_workspace", "0190aaaa-0000-7000-8000-00000000abcd");
  assert.equal((await grace.get("/console/deals")).location, "/console/workspaces", "one that is none of theirs");
  assert.equal((await grace.get("/console/nothing")).status, 404);
  const signedOut = await new Browser(server).get("/console/contacts?q=ada");
  assert.equal(signedOut.location, `/console/sign-in?next=${encodeURIComponent("/console/contacts?q=ada")}`);
});

test("a member of no workspace is told what to do", async (t) => {
  const server = await startServer(t);
  const grace = await asMember(server, GRACE);
  const [{ id }] = await server.operator("list_members", {});
  await server.operator("remove_member", { member_id: id });
  assert.equal((await grace.get("/console")).location, "/console/workspaces");
  const page = await grace.get("/console/workspaces");
  assert.match(page.text, new RegExp(`Ask a workspace admin to invite ${GRACE.email}`));
  assert.match(page.text, /Sign out/);
});

test("outreach can be paused from any page, also from one that is not found", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const outreach = async () => (await server.operator("get_workspace", {})).outreach.paused_at;
  for (const path of ["", "/contacts", "/nothing/here", "/contacts/0190aaaa-0000-7000-8000-00000000abcd"]) {
    const page = await owner.get(home(server) + path);
    assert.match(page.text, /name="_do" value="pause_outreach"/, path);
    const paused = await owner.post(home(server) + path, { _do: "pause_outreach" });
    assert.deepEqual([paused.status, paused.location], [303, home(server) + path], path);
    assert.notEqual(await outreach(), null, path);
    await server.operator("resume_outreach", {});
  }
});

test("private pages are not cached, and signing out requires a form", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  for (const path of [
    home(server),
    "/console/account",
    "/console/workspaces",
    "/console/nothing",
    `${home(server)}/nothing`,
  ]) {
    assert.equal((await owner.get(path)).headers.get("cache-control"), "no-store", path);
  }
  assert.equal((await owner.get("/console/sign-out")).status, 303);
  assert.equal((await owner.get(home(server))).status, 200, "still signed in");
});

test("a flood of wrong passwords from everywhere does not lock out an address that has signed in before", async () => {
  const limits = createSignInLimits();
  limits.remember("olive@b.example", "192.0.2.1");
  for (let i = 0; i < 100; i += 1) await limits.spend("olive@b.example", `198.51.100.${i}`);
  await assert.rejects(limits.spend("olive@b.example", "203.0.113.1"), { code: "rate_limited" });
  await limits.spend("olive@b.example", "192.0.2.1");
  for (let i = 1; i < 10; i += 1) await limits.spend("olive@b.example", "192.0.2.1");
  await assert.rejects(limits.spend("olive@b.example", "192.0.2.1"), { code: "rate_limited" }, "its own bound stays");
});

test("a used link tells an owner to sign in, and an unknown page links back to Today", async (t) => {
  const server = await startServer(t);
  const path = await freshSetupLink(server);
  const owner = new Browser(server);
  await owner.post(path, { ...OWNER, password: PASSWORD });
  const spent = await new Browser(server).get(path);
  assert.equal(spent.status, 410);
  assert.match(spent.text, /If that's you, sign in.*<a href="\/console\/sign-in">Sign in<\/a>/s);
  const missing = await owner.get(`${home(server)}/nowhere`);
  assert.equal(missing.status, 404);
  assert.ok(missing.text.includes(`<a href="${home(server)}">Go to Today</a>`));
});
