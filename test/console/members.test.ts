import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { codeLabel } from "../../src/console/ui/labels.ts";
import type { MemberActor } from "../../src/core/actor.ts";
import { mayGrant, ROLES } from "../../src/domain/access/roles.ts";
import { actorOf, byDoor, signIn } from "../support/console.ts";
import { asMember, asOwner, Browser, PASSWORD, pathOf } from "../support/http-browser.ts";
import { member } from "../support/member.ts";
import { FakeClock, type Reply, startServer, type TestServer } from "../support/server.ts";

const RANDOM = "0190aaaa-0000-7000-8000-00000000abcd";
const ADA = { email: "Ada@Lovelace.example", name: "Ada", role: "rep" };
const refusal = ({ status, body }: Reply) => [status, body.code];

async function start(t: TestContext) {
  const clock = new FakeClock();
  const server = await startServer(t, { signIn, clock });
  const as = member(server, { role: "super_admin" });
  const call = (name: string, input: unknown, who: MemberActor = as) => byDoor(server, name, input, { as: who });
  const invite = async (changes: object = {}, who: MemberActor = as) => {
    const reply = await call("invite_member", { ...ADA, ...changes }, who);
    assert.equal(reply.status, 200, reply.text);
    const { invitation_url, ...invited } = reply.body.data;
    assert.match(invitation_url, new RegExp(`^${server.listening}/console/invitation/[\\w-]{43}$`));
    return invited;
  };
  return { server, clock, call, invite };
}

const audited = (server: TestServer) => server.operator("list_audit", { limit: 100 });

test("an invited member is returned and listed as given, trimmed, newest first, page by page", async (t) => {
  const { server, clock, call, invite } = await start(t);
  const approver = member(server, { role: "admin", approveOutbound: true });
  const first = await invite({ email: " Ada@Lovelace.example ", name: " Ada " });
  const { id, ...rest } = first;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    email: "Ada@Lovelace.example",
    name: "Ada",
    role: "rep",
    approve_outbound: false,
    created_at: "2026-11-20T09:00:00.000Z",
    removed_at: null,
  });
  clock.advance(1);
  const second = await invite({ email: "grace@hopper.example", role: "viewer", approve_outbound: true }, approver);
  assert.equal(second.approve_outbound, true);
  const all = await call("list_members", {});
  const [listed, before] = [second, first].map((row) => ({ ...row, joined: false, invitation_open: true }));
  assert.deepEqual(all.body, {
    data: [listed, before],
    meta: { total: 2, limit: 25, offset: 0, hasMore: false },
    error: null,
  });
  const page = await call("list_members", { limit: 1, offset: 1 });
  assert.deepEqual([page.body.data, page.body.meta.total], [[before], 2]);
});

test("an invitation needs a valid address, a name and a role, and accepts nothing else", async (t) => {
  const { server, call } = await start(t);
  const wrong = [
    ...[{ email: undefined }, { email: "no" }, { name: undefined }, { name: " " }, { name: "x".repeat(201) }],
    ...[{ role: undefined }, { role: "king" }, { approve_outbound: "yes" }, { token: "x" }, { id: RANDOM }],
  ];
  for (const changes of wrong) {
    const reply = await call("invite_member", { ...ADA, ...changes });
    assert.deepEqual(refusal(reply), [400, "validation_failed"], JSON.stringify(changes));
    assert.match(reply.body.error ?? "", new RegExp(`^(Unknown field ")?${Object.keys(changes)[0]}`), reply.text);
  }
  assert.deepEqual(await server.operator("list_members", {}), []);
});

test("an address belongs to one live member, ignoring case, and is free again after removal", async (t) => {
  const { call, invite } = await start(t);
  const first = await invite();
  const again = () => call("invite_member", { ...ADA, email: "ADA@lovelace.EXAMPLE" });
  assert.deepEqual(refusal(await again()), [409, "member_exists"]);
  const removed = await call("remove_member", { member_id: first.id });
  assert.deepEqual(removed.body.data, { ...first, removed_at: "2026-11-20T09:00:00.000Z" });
  assert.equal((await again()).status, 200);
  const race = await Promise.all(
    Array.from({ length: 5 }, () => call("invite_member", { ...ADA, email: "g@h.example" })),
  );
  assert.deepEqual(race.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
});

test("a member is changed by id or by address, and omitted fields stay", async (t) => {
  const { server, call, invite } = await start(t);
  const ada = await invite();
  const approver = member(server, { role: "super_admin", approveOutbound: true });
  const set = (input: object) => call("set_member", input, approver);
  const renamed = await set({ member_id: ada.id.toUpperCase(), name: "Countess" });
  assert.deepEqual(renamed.body.data, { ...ada, name: "Countess" });
  const lifted = await set({ email: "ada@LOVELACE.example", role: "admin", approve_outbound: true });
  assert.deepEqual(lifted.body.data, { ...ada, name: "Countess", role: "admin", approve_outbound: true });
  for (const [input, message] of [
    [{ name: "x" }, /^Send exactly one of these fields: member_id, email/],
    [{ member_id: ada.id, email: ada.email, name: "x" }, /^Send exactly one of these fields: member_id, email/],
    [{ member_id: ada.id }, /^Send at least one of these fields: name, role, approve_outbound/],
    [{ member_id: "7", name: "x" }, /^member_id must be a UUID/],
    [{ member_id: ada.id, role: "king" }, /^role must be one of super_admin/],
    [{ member_id: ada.id, name: null }, /^name must be a string/],
  ] as const) {
    const reply = await set(input);
    assert.deepEqual(refusal(reply), [400, "validation_failed"], reply.text);
    assert.match(reply.body.error ?? "", message);
  }
});

test("a removed member and one of another workspace get the same answer as a random id", async (t) => {
  const { server, call, invite } = await start(t);
  const removed = await invite();
  await call("remove_member", { member_id: removed.id });
  const other = await server.neighbour();
  const { invitation_url: _, ...foreign } = await server.operator("invite_member", ADA, other.workspaceId);
  const calls = [
    (member_id: string) => call("set_member", { member_id, name: "x" }),
    (member_id: string) => call("set_member", { member_id, role: "super_admin" }, member(server, { role: "admin" })),
    (member_id: string) => call("remove_member", { member_id }),
    (member_id: string) => call("renew_invitation", { member_id }),
  ];
  for (const attempt of calls) {
    const random = await attempt(RANDOM);
    assert.deepEqual(refusal(random), [404, "member_not_found"]);
    for (const id of [removed.id, foreign.id]) assert.equal((await attempt(id)).text, random.text);
  }
  assert.deepEqual(refusal(await call("set_member", { email: ADA.email, name: "x" })), [404, "member_not_found"]);
  assert.deepEqual(await server.operator("list_members", {}, other.workspaceId), [
    { ...foreign, joined: false, invitation_open: true },
  ]);
});

test("only super_admins and the local operator create, change and remove a super_admin", async (t) => {
  const { server, call, invite } = await start(t);
  const top = await invite({ role: "super_admin" });
  const rep = await invite({ email: "rep@b.example" });
  for (const role of ["org_admin", "owner", "admin"] as const) {
    const row = await invite({ email: `${role}@b.example`, role });
    const as = actorOf(server, row);
    for (const [name, input] of [
      ["invite_member", { ...ADA, email: "new@b.example", role: "super_admin" }],
      ["set_member", { member_id: rep.id, role: "super_admin" }],
      ["set_member", { member_id: row.id, role: "super_admin" }],
      ["set_member", { member_id: top.id, name: "x" }],
      ["set_member", { member_id: top.id, role: "rep" }],
      ["set_member", { email: top.email, approve_outbound: true }],
      ["remove_member", { member_id: top.id }],
    ] as const) {
      const reply = await call(name, input, as);
      assert.deepEqual(refusal(reply), [403, "insufficient_scope"], `${role} ${name} ${JSON.stringify(input)}`);
      assert.match(reply.body.error ?? "", /Only super admins and the server admin can/);
    }
  }
  assert.equal((await call("set_member", { member_id: top.id, name: "x" }, actorOf(server, top))).status, 200);
  await server.operator("set_member", { member_id: rep.id, role: "super_admin" });
  await server.operator("remove_member", { member_id: rep.id });
});

test("only a member with the approval permission grants it, and never to themselves or their other address", async (t) => {
  const { server, call, invite } = await start(t);
  const approver = member(server, { role: "super_admin", approveOutbound: true });
  for (const role of ["super_admin", "admin"] as const) {
    const row = await invite({ email: `${role}@b.example`, role });
    const as = actorOf(server, row);
    const reply = await call("set_member", { member_id: row.id, name: "x", approve_outbound: true }, as);
    assert.deepEqual(refusal(reply), [403, "insufficient_scope"]);
    assert.match(
      reply.body.error ?? "",
      /^approve_outbound can only be granted by an admin who has it, or by the server/,
    );
    const second = await invite({ email: `${role}-2@b.example`, role: "rep" });
    const other = await call("set_member", { member_id: second.id, approve_outbound: true }, as);
    assert.deepEqual(refusal(other), [403, "insufficient_scope"]);
    const granted = await call("set_member", { member_id: row.id, approve_outbound: true }, approver);
    assert.equal(granted.body.data.approve_outbound, true, granted.text);
    const now = { ...as, approveOutbound: true };
    const kept = await call("set_member", { member_id: row.id, name: "y", approve_outbound: true }, now);
    assert.equal(kept.body.data?.name, "y", kept.text);
    assert.equal((await call("set_member", { member_id: row.id, approve_outbound: false }, now)).status, 200);
  }
});

test("only members with the approval permission, and the operator, invite a member who has it", async (t) => {
  const { server, call, invite } = await start(t);
  for (const role of ["super_admin", "owner", "admin"] as const) {
    const reply = await call("invite_member", { ...ADA, approve_outbound: true }, member(server, { role }));
    assert.deepEqual(refusal(reply), [403, "insufficient_scope"], role);
    assert.match(reply.body.error ?? "", /^approve_outbound can only be granted by/);
  }
  assert.deepEqual(await server.operator("list_members", {}), []);
  const approver = member(server, { role: "admin", approveOutbound: true });
  assert.equal((await invite({ approve_outbound: true }, approver)).approve_outbound, true);
  await server.operator("invite_member", { ...ADA, email: "b@b.example", approve_outbound: true });
});

test("a workspace keeps its last administrator, for every caller", async (t) => {
  const { server, call, invite } = await start(t);
  await invite({ email: "rep@b.example" });
  const last = await invite({ role: "owner" });
  for (const [name, input] of [
    ["set_member", { member_id: last.id, role: "rep" }],
    ["set_member", { member_id: last.id, role: "viewer", name: "x" }],
    ["remove_member", { member_id: last.id }],
  ] as const) {
    assert.deepEqual(refusal(await call(name, input)), [409, "last_administrator"]);
    assert.deepEqual(refusal(await call(name, input, actorOf(server, last))), [409, "last_administrator"]);
    await assert.rejects(server.operator(name, input), { code: "last_administrator" });
  }
  assert.equal((await call("set_member", { member_id: last.id, role: "admin" })).status, 200);
  await invite({ email: "second@b.example", role: "org_admin" });
  assert.equal((await call("remove_member", { member_id: last.id })).status, 200);
});

test("two administrators who demote or remove each other at the same moment leave one", async (t) => {
  const { server, call } = await start(t);
  const demote = (by: MemberActor, { id }: MemberActor) => call("set_member", { member_id: id, role: "viewer" }, by);
  const remove = (by: MemberActor, { id }: MemberActor) => call("remove_member", { member_id: id }, by);
  for (const [one, two] of [
    [demote, demote],
    [remove, remove],
    [demote, remove],
  ] as const) {
    const { id: workspaceId } = await server.operator("create_workspace", { name: "two" });
    const found = async (email: string, role: string): Promise<MemberActor> => {
      const row = await server.operator("invite_member", { ...ADA, email, role }, workspaceId);
      return { ...actorOf(server, row), workspaceId };
    };
    const [a, b] = [await found("a@b.example", "admin"), await found("b@b.example", "owner")];
    const replies = await Promise.all([one(a, b), two(b, a)]);
    // The second one is no longer an administrator by then.
    const [won, lost = 0] = replies.map(({ status }) => status).sort();
    assert.equal(won, 200);
    assert.ok([401, 403].includes(lost), `${lost}`);
    const left: { role: string }[] = await server.operator("list_members", {}, workspaceId);
    assert.equal(left.filter(({ role }) => role !== "viewer").length, 1);
  }
});

test("unchanged values and refusals add no row to the audit", async (t) => {
  const { server, call, invite } = await start(t);
  const ada = await invite({ role: "admin" });
  const before = await audited(server);
  const same = { name: ada.name, role: ada.role, approve_outbound: ada.approve_outbound };
  assert.deepEqual((await call("set_member", { member_id: ada.id, ...same })).body.data, ada);
  await call("remove_member", { member_id: ada.id });
  await call("invite_member", ADA);
  assert.deepEqual(await audited(server), before);
  await call("set_member", { member_id: ada.id, name: "Grace" });
  const [row] = await audited(server);
  assert.deepEqual([row.before, row.after], [ada, { ...ada, name: "Grace" }]);
});

test("renewing a pending invitation ends every earlier link and is audited", async (t) => {
  const { server, call } = await start(t);
  const { id, invitation_url: first } = (await call("invite_member", ADA)).body.data;
  const { data } = (await call("renew_invitation", { member_id: id })).body;
  assert.notEqual(data.invitation_url, first);
  const browser = new Browser(server);
  assert.equal((await browser.get(pathOf(first))).status, 410);
  assert.equal((await audited(server))[0].action, "renew_invitation");
  assert.ok(!JSON.stringify(await audited(server)).includes("/console/invitation/"));
  assert.equal((await browser.post(pathOf(data.invitation_url), { password: PASSWORD })).status, 303);
  assert.equal((await server.operator("list_members", {}))[0].joined, true);
  assert.deepEqual(refusal(await call("renew_invitation", { member_id: id })), [409, "member_exists"]);
});

test("only those who could invite a member see that member's sign-in link", async (t) => {
  const { server, call, invite } = await start(t);
  const admin = member(server, { role: "admin" });
  const approver = member(server, { role: "admin", approveOutbound: true });
  const top = await invite({ role: "super_admin", email: "top@b.example" });
  const granted = await invite({ approve_outbound: true }, approver);
  for (const { id } of [top, granted]) {
    assert.deepEqual(refusal(await call("renew_invitation", { member_id: id }, admin)), [403, "insufficient_scope"]);
  }
  assert.equal((await call("renew_invitation", { member_id: granted.id }, approver)).status, 200);
});

test("a link shown to an administrator expires once its member gets what that administrator can't grant", async (t) => {
  const { server, call } = await start(t);
  const admin = member(server, { role: "admin" });
  const approver = member(server, { role: "admin", approveOutbound: true });
  const chief = member(server, { role: "super_admin" });
  for (const [by, gain, email] of [
    [approver, { approve_outbound: true }, "a@b.example"],
    [chief, { role: "super_admin" }, "c@b.example"],
  ] as const) {
    const invited = (await call("invite_member", { ...ADA, email }, admin)).body.data;
    const enter = () => new Browser(server).post(pathOf(invited.invitation_url), { password: PASSWORD });
    const listed = async () =>
      (await server.operator("list_members", {})).find(({ id }: { id: string }) => id === invited.id);
    const set = (changes: object, who: MemberActor) => call("set_member", { member_id: invited.id, ...changes }, who);
    await set({ name: "Countess", role: "admin" }, admin);
    assert.equal((await listed()).invitation_open, true, "any administrator may give that");
    assert.equal((await set(gain, by)).status, 200);
    const [row] = await audited(server);
    assert.deepEqual([row.action, row.after.ended_invitation_links], ["set_member", 1]);
    assert.equal((await enter()).status, 410);
    assert.equal((await listed()).invitation_open, false);
    assert.equal((await call("renew_invitation", { member_id: invited.id }, admin)).status, 403);
    const renewed = (await call("renew_invitation", { member_id: invited.id }, by)).body.data;
    await set({ name: "Ada" }, by);
    const entered = await new Browser(server).post(pathOf(renewed.invitation_url), { password: PASSWORD });
    assert.equal(entered.status, 303);
  }
});

test("the page says that an invitation has no link, and offers a new one to those who can create it", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const admin = await asMember(server, { email: "admin@b.example", name: "Admin", role: "admin" });
  const path = `/console/w/${server.workspaceId}/settings`;
  await admin.post(path, { _do: "invite_member", name: "Ada", email: ADA.email, role: "rep" });
  const [{ id }] = await server.operator("list_members", {});
  assert.match(
    (await owner.get(path)).text,
    /earlier invitation links for Ada stop working\. Create a new link afterward\./,
  );
  assert.equal(
    (await owner.post(path, { _do: "set_member", member_id: id, "approve_outbound:flag": "true" })).status,
    303,
  );
  for (const [browser, offered] of [
    [owner, true],
    [admin, false],
  ] as const) {
    const { text } = await browser.get(path);
    assert.match(text, /No valid invitation link/);
    assert.equal(text.includes(`renew-${id}`), offered);
  }
});

test("the page marks pending invitations, renews their links, and describes each role", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/settings`;
  const { id } = await server.operator("invite_member", ADA);
  const page = (await owner.get(path)).text;
  assert.equal(page.split(">Pending<").length - 1, 1);
  const made = await owner.post(path, { _do: "renew_invitation", member_id: id });
  assert.match(made.text, /Send this link to Ada.*\/console\/invitation\/[\w-]{43}.*Earlier links no longer work/s);
  // Nobody has the other name of the role Admin.
  for (const role of ROLES) {
    const described = new RegExp(`<dt>${codeLabel(role)}</dt><dd>\\w`).test(page);
    assert.equal(described, role !== "org_admin", role);
  }
  const again = await owner.post(path, { _do: "invite_member", _form: "invite_member", ...ADA });
  assert.match(again.text, /Email is already used by a teammate/);
  assert.doesNotMatch(again.text, /set_member\./);
});

test("the page offers only the roles that a member can grant, and no form for members they can't change", async (t) => {
  const server = await startServer(t);
  const path = `/console/w/${server.workspaceId}/settings`;
  const top = { ...ADA, email: "top@b.example", name: "Top" };
  const browsers = {
    super_admin: await asMember(server, { ...top, role: "super_admin" }),
    admin: await asMember(server, { ...top, email: "admin@b.example", role: "admin" }),
  };
  const [{ id }] = (await server.operator("list_members", {})).filter(
    ({ role }: { role: string }) => role === "super_admin",
  );
  for (const [role, browser] of Object.entries(browsers)) {
    const page = (await browser.get(path)).text;
    const offered = [...new Set([...page.matchAll(/<option[^>]* value="(\w+)"/g)].map(([, value]) => value))];
    const may = ROLES.filter((one) => mayGrant(role as (typeof ROLES)[number], one));
    assert.deepEqual(
      offered,
      may.filter((one) => one !== "org_admin" && one !== "owner"),
      role,
    );
    assert.equal(page.includes(`set-${id}`), role === "super_admin", role);
  }
  await server.operator("invite_member", { ...ADA, email: "other@b.example", role: "org_admin" });
  const page = (await browsers.admin.get(path)).text;
  assert.equal(page.split('<option value="org_admin" selected').length - 1, 1, "who has it keeps it");
});

test("an address that mail programs read differently can't be invited", async (t) => {
  const server = await startServer(t);
  for (const email of ["a@0x7f.1", "é@xn--mi7cb2al.example"]) {
    await assert.rejects(
      server.operator("invite_member", { email, name: "A", role: "rep" }),
      /email: mail programs read/,
    );
  }
  assert.equal(
    (await server.operator("list_members", {})).some(({ name }: { name: string }) => name === "A"),
    false,
  );
});
