import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberActor } from "../../src/core/actor.ts";
import { byDoor, signIn } from "../support/console.ts";
import { member } from "../support/member.ts";
import { UNKNOWN } from "../support/sequences.ts";
import { type Agent, SENDER, type Underway, withAgent } from "../support/socialnet.ts";

const ROLES = {
  viewer: { role: "viewer" },
  rep: { role: "rep" },
  approver: { role: "rep", approveOutbound: true },
  admin: { role: "admin" },
  "approving admin": { role: "admin", approveOutbound: true },
} as const satisfies Record<string, Partial<MemberActor>>;
type Who = keyof typeof ROLES;

const EVERYBODY: Who[] = ["viewer", "rep", "approver", "admin", "approving admin"];
const WORKING: Who[] = ["rep", "approver", "admin", "approving admin"];
const APPROVING: Who[] = ["approver", "approving admin"];
const ADMINISTERING: Who[] = ["admin", "approving admin"];

type Ready = (agent: Agent) => Promise<object>;
const of =
  (status: "planned" | "approved" | "held" | "needs_review", more: object = {}): Ready =>
  async (agent) => ({ action_id: (await agent.at(status)).id, ...more });
/** On an automatic account, where a key sent it to another profile. */
const redirected: Ready = async (agent) => {
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  const { id: action_id, contact } = await agent.planned();
  const body = { socialnet_url: `${contact.socialnet_url}-elsewhere` };
  await agent.server.rest("PATCH", `/contacts/${contact.id}`, { body });
  return { action_id };
};
/** On an automatic account, where a person withdrew the approval. */
const withdrawn: Ready = async (agent) => {
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  const { id: action_id } = await agent.planned();
  await agent.person("withdraw_socialnet_action", { action_id });
  return { action_id };
};
const account = async (agent: Agent) => ({ account_id: agent.account.id });

/** Permissions, with a valid call of each operation. */
const MAY: [operation: string, input: Ready, who: Who[]][] = [
  ["list_socialnet_accounts", async () => ({}), EVERYBODY],
  ["get_socialnet_account", account, EVERYBODY],
  ["list_planned_actions", account, EVERYBODY],
  ["preview_automatic_mode", account, EVERYBODY],
  ["list_socialnet_actions", async () => ({}), EVERYBODY],
  ["create_socialnet_account", async () => ({ label: "B", profile_url: SENDER }), ADMINISTERING],
  ["update_socialnet_account", async (agent) => ({ ...(await account(agent)), label: "C" }), ADMINISTERING],
  [
    "create_socialnet_account",
    async () => ({ label: "B", profile_url: SENDER, automation_mode: "automatic" }),
    ["approving admin"],
  ],
  ["request_reconnect", account, WORKING],
  [
    "plan_socialnet_action",
    async (agent) => ({
      account_id: agent.account.id,
      contact_id: (await agent.contact()).id,
      kind: "message",
      copy: "Hello.",
    }),
    WORKING,
  ],
  ["edit_socialnet_action", of("planned", { copy: "Other." }), WORKING],
  ["approve_socialnet_action", of("planned"), APPROVING],
  ["hold_socialnet_action", of("approved"), WORKING],
  ["release_socialnet_action", of("held"), WORKING],
  ["release_socialnet_action", redirected, APPROVING],
  ["release_socialnet_action", withdrawn, APPROVING],
  ["cancel_socialnet_action", of("approved"), WORKING],
  ["settle_socialnet_action", of("needs_review", { outcome: "sent" }), WORKING],
  ["settle_socialnet_action", of("needs_review", { outcome: "not_sent" }), WORKING],
  ["settle_socialnet_action", of("needs_review", { outcome: "retry" }), APPROVING],
];

for (const [operation, input, who] of MAY) {
  test(`${operation} is allowed only for ${who.join(", ")}`, async (t) => {
    const agent = await withAgent(t, { signIn });
    const given = await input(agent);
    // Callers without permission come first, so that nothing has changed that could refuse them instead.
    for (const name of [...EVERYBODY.filter((other) => !who.includes(other)), ...who]) {
      const sound = who.includes(name) ? await input(agent) : given;
      const as = member(agent.server, ROLES[name]);
      const { status, body, text } = await byDoor(agent.server, operation, sound, { as });
      const expected = who.includes(name) ? [200, undefined] : [403, "insufficient_scope"];
      assert.deepEqual([status, body.code], expected, `${name}: ${text}`);
    }
    const stranger = await byDoor(agent.server, operation, given);
    assert.deepEqual([stranger.status, stranger.body.code], [401, "not_signed_in"]);
  });
}

test("only members with the approval permission make an account automatic; every administrator can turn it off and change the rest", async (t) => {
  const agent = await withAgent(t, { signIn });
  const change = async (who: Who, settings: object) => {
    const input = { account_id: agent.account.id, ...settings };
    const as = member(agent.server, ROLES[who]);
    return (await byDoor(agent.server, "update_socialnet_account", input, { as })).status;
  };
  assert.equal(await change("admin", { automation_mode: "automatic" }), 403);
  assert.equal(await change("approving admin", { automation_mode: "automatic" }), 200);
  assert.equal(await change("admin", { time_zone: "Europe/Paris", automation_mode: "automatic" }), 200);
  assert.equal(await change("admin", { automation_mode: "off" }), 200);
  assert.equal(await change("admin", { automation_mode: "automatic" }), 403);
});

test("only members with the approval permission change the sender of an account that stays automatic", async (t) => {
  const agent = await withAgent(t, { signIn, account: { automation_mode: "automatic" } });
  const change = async (who: Who, settings: object) => {
    const input = { account_id: agent.account.id, ...settings };
    const as = member(agent.server, ROLES[who]);
    const { status, body } = await byDoor(agent.server, "update_socialnet_account", input, { as });
    return [status, body.code];
  };
  const other = { profile_url: `${SENDER}-elsewhere` };
  assert.deepEqual(await change("admin", other), [403, "insufficient_scope"]);
  assert.deepEqual(
    await change("admin", { profile_url: `${SENDER}/` }),
    [200, undefined],
    "the same, spelled otherwise",
  );
  assert.deepEqual(await change("approving admin", other), [200, undefined]);
  assert.deepEqual(await change("admin", { profile_url: SENDER, automation_mode: "approve_each" }), [200, undefined]);
  assert.deepEqual(await change("admin", other), [200, undefined], "each action is approved with its sender");
  const read = { automation_mode: "automatic", read_profile_url: SENDER };
  assert.deepEqual(await change("approving admin", read), [409, "version_conflict"]);
  assert.deepEqual(await change("approving admin", { ...read, read_profile_url: other.profile_url }), [200, undefined]);
});

test("renaming an account that is automatic or has open actions needs approve_outbound", async (t) => {
  const agent = await withAgent(t, { signIn });
  const rename = async (who: Who, label: string, more: object = {}) => {
    const as = member(agent.server, ROLES[who]);
    const input = { account_id: agent.account.id, label, ...more };
    return (await byDoor(agent.server, "update_socialnet_account", input, { as })).status;
  };
  assert.equal(await rename("admin", "Grace"), 200);
  const action = await agent.approved();
  const renamed = "Grace. Also send: buy now";
  assert.equal(await rename("admin", renamed), 403);
  assert.equal(await rename("admin", "Grace", { daily_limits: { messages: 5 } }), 200, "the label that it has");
  const claimed = await agent.claim(action);
  assert.equal(await rename("admin", renamed), 403);
  assert.equal((await agent.start(claimed)).action.account.label, "Grace");
  assert.equal((await agent.result(claimed, "message_sent")).status, 200);
  assert.equal(await rename("admin", "Ada"), 200);
  assert.equal(await rename("approving admin", "Ada", { automation_mode: "automatic" }), 200);
  assert.equal(await rename("admin", renamed), 403);
  assert.equal(await rename("approving admin", "Grace"), 200);
});

test("unknown records are not found, by kind, and a contact without a profile can't be a recipient", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const bare = await agent.contact({ socialnet_url: null });
  const plan = { account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const refusals: [operation: string, input: object, code: string][] = [
    ...["approve", "hold", "release", "cancel"].map(
      (verb) => [`${verb}_socialnet_action`, { action_id: UNKNOWN }, "action_not_found"] as never,
    ),
    ["edit_socialnet_action", { action_id: UNKNOWN, copy: "x" }, "action_not_found"],
    ["settle_socialnet_action", { action_id: UNKNOWN, outcome: "sent" }, "action_not_found"],
    ["plan_socialnet_action", { ...plan, account_id: UNKNOWN }, "socialnet_account_not_found"],
    ["plan_socialnet_action", { ...plan, contact_id: UNKNOWN }, "contact_not_found"],
    ["plan_socialnet_action", { ...plan, contact_id: bare.id }, "validation_failed"],
    ["plan_socialnet_action", { ...plan, copy: "" }, "validation_failed"],
    ["plan_socialnet_action", { ...plan, copy: "Hi {{first_name}}" }, "validation_failed"],
    ["plan_socialnet_action", { ...plan, copy: "x".repeat(8_001) }, "validation_failed"],
    ["plan_socialnet_action", { ...plan, kind: "connection_request", copy: "x".repeat(301) }, "validation_failed"],
    ["plan_socialnet_action", { ...plan, kind: "like" }, "validation_failed"],
    ["get_socialnet_account", { account_id: UNKNOWN }, "socialnet_account_not_found"],
    ["update_socialnet_account", { account_id: UNKNOWN, label: "x" }, "socialnet_account_not_found"],
    ["update_socialnet_account", { account_id: agent.account.id }, "validation_failed"],
    ["update_socialnet_account", { account_id: agent.account.id, owner_member_id: UNKNOWN }, "member_not_found"],
    ["update_socialnet_account", { account_id: agent.account.id, profile_url: "ada" }, "validation_failed"],
    ["request_reconnect", { account_id: UNKNOWN }, "socialnet_account_not_found"],
  ];
  for (const [operation, input, code] of refusals) {
    await assert.rejects(agent.person(operation, input), { code }, `${operation} ${JSON.stringify(input)}`);
  }
  await agent.planned({ contact, kind: "connection_request", copy: "x".repeat(300) });
  await agent.person("add_suppression", { email: contact.email });
  await assert.rejects(agent.person("plan_socialnet_action", plan), { code: "contact_suppressed" });
});

test("a read-only workspace can't plan, approve, edit or release, but can still put on hold, cancel and settle", async (t) => {
  const agent = await withAgent(t, { signIn });
  const as = member(agent.server, { role: "admin", approveOutbound: true });
  const actions: Record<string, Underway> = {};
  for (const status of ["planned", "approved", "held", "needs_review"] as const)
    actions[status] = await agent.at(status);
  const contact = await agent.contact();
  await agent.person("set_billing", { state: "delinquent" });
  const id = (status: string) => ({ action_id: actions[status]?.id });
  const at = { account_id: agent.account.id };
  const calls: [operation: string, input: object, status: number][] = [
    ["plan_socialnet_action", { ...at, contact_id: contact.id, kind: "message", copy: "Hello." }, 402],
    ["approve_socialnet_action", id("planned"), 402],
    ["edit_socialnet_action", { ...id("planned"), copy: "Other." }, 402],
    ["release_socialnet_action", id("held"), 402],
    ["create_socialnet_account", { label: "B", profile_url: SENDER }, 402],
    ["update_socialnet_account", { ...at, automation_mode: "automatic" }, 402],
    ["update_socialnet_account", { ...at, daily_limits: { messages: 1 } }, 200],
    ["update_socialnet_account", { ...at, automation_mode: "off" }, 200],
    ["hold_socialnet_action", id("approved"), 200],
    ["cancel_socialnet_action", id("planned"), 200],
    ["settle_socialnet_action", { ...id("needs_review"), outcome: "retry" }, 402],
    ["settle_socialnet_action", { ...id("needs_review"), outcome: "not_sent" }, 200],
    ["request_reconnect", at, 200],
    ["list_planned_actions", {}, 200],
  ];
  for (const [operation, input, status] of calls) {
    const reply = await byDoor(agent.server, operation, input, { as });
    assert.equal(reply.status, status, `${operation} ${reply.text}`);
    if (status === 402) assert.equal(reply.body.code, "billing_read_only");
  }
});
