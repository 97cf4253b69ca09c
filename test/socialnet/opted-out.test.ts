import assert from "node:assert/strict";
import { test } from "node:test";
import { driveEngine } from "../support/engine.ts";
import { asOwner } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { authorise, enroll, newSequence } from "../support/sequences.ts";
import { Agent, withAgent } from "../support/socialnet.ts";

/**
 * A contact who might have opted out is contacted only after an approver has seen the warning, even on an automatic
 * account.
 */

const AUTOMATIC = { account: { automation_mode: "automatic" } };

async function optOut(agent: Agent, body: { email: string } | { contact_id: string }): Promise<void> {
  assert.equal((await agent.server.rest("POST", "/suppression", { body })).status, 201);
}

async function patch(agent: Agent, { id }: { id: string }, body: object): Promise<void> {
  const { status, text } = await agent.server.rest("PATCH", `/contacts/${id}`, { body });
  assert.equal(status, 200, text);
}

async function planByRep(agent: Agent, { id: contact_id }: { id: string }): Promise<{ id: string; status: string }> {
  const planned = { account_id: agent.account.id, contact_id, kind: "message", copy: "Buy." };
  const { status, body } = await callAs(agent.server, member(agent.server), "plan_socialnet_action", planned);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function assertWaits(agent: Agent, actionId: string): Promise<void> {
  assert.deepEqual(await agent.refusal("claim", { actionId }), ["not_approved"]);
  const { action } = await agent.person("get_review", { kind: "action", id: actionId });
  assert.deepEqual([action.status, typeof action.similar_suppressed], ["planned", "string"]);
}

/** Ways for an agent to create a new recipient from someone who opted out. */
const EVASIONS: Record<string, (agent: Agent) => Promise<any>> = {
  "whose email an agent took away": async (agent) => {
    const contact = await agent.contact();
    await optOut(agent, { contact_id: contact.id });
    await patch(agent, contact, { email: null });
    return contact;
  },
  "whose email an agent replaced": async (agent) => {
    const contact = await agent.contact();
    await optOut(agent, { contact_id: contact.id });
    await patch(agent, contact, { email: "next@y.example" });
    return contact;
  },
  "with a tag in a listed address": async (agent) => {
    await optOut(agent, { email: "ada@x.example" });
    return agent.contact({ email: "ada+x@x.example" });
  },
  "who has the profile of a listed contact": async (agent) => {
    const listed = await agent.contact();
    await optOut(agent, { contact_id: listed.id });
    return agent.contact({ socialnet_url: listed.socialnet_url });
  },
};

for (const [who, evade] of Object.entries(EVASIONS)) {
  test(`a rep's message to someone ${who} needs an approver on an automatic account`, async (t) => {
    const agent = await withAgent(t, AUTOMATIC);
    const action = await planByRep(agent, await evade(agent));
    assert.equal(action.status, "planned");
    await assertWaits(agent, action.id);
    await agent.person("approve_socialnet_action", { action_id: action.id });
    assert.equal((await agent.command("claim", { actionId: action.id })).status, 200);
  });
}

test("an opt-out without a reason counts, also of an address that bounced before", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  const contact = await agent.contact({ socialnet_url: undefined });
  const bounce = { email: contact.email, reason: "bounce", stated: true, source: "engine" } as const;
  await agent.server.running.store.write(agent.server.workspaceId, ({ suppressions }) =>
    suppressions.upsert({ id: "0190aaaa-0000-7000-8000-00000000000e", createdAt: 1, ...bounce }),
  );
  await patch(agent, contact, { email: "next@y.example" });
  await optOut(agent, { email: contact.email });
  await patch(agent, contact, { socialnet_url: "https://socialnet.example/in/found-later" });
  await assertWaits(agent, (await planByRep(agent, contact)).id);
});

test("an approver's message to someone who might have opted out is approved on an automatic account", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  await optOut(agent, { email: "ada@x.example" });
  const contact = await agent.contact({ email: "ada+x@x.example" });
  assert.equal((await agent.command("claim", { actionId: (await agent.planned({ contact })).id })).status, 200);
});

test("correcting a profile does not approve a message to someone who might have opted out", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  await optOut(agent, { email: "ada@x.example" });
  const contact = await agent.contact({ email: "ada+x@x.example" });
  const action = await planByRep(agent, contact);
  const socialnet_url = "https://socialnet.example/in/corrected";
  await agent.person("update_contact", { id: contact.id, socialnet_url });
  await assertWaits(agent, action.id);
});

test("turning on automatic mode approves nothing for contacts who might have opted out", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  await optOut(agent, { contact_id: contact.id });
  await patch(agent, contact, { email: "other@y.example" });
  const [waiting, other] = [await planByRep(agent, contact), await planByRep(agent, await agent.contact())];
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  await assertWaits(agent, waiting.id);
  assert.equal((await agent.command("claim", { actionId: other.id })).status, 200);
});

test("a sequence's step to someone who might have opted out needs a person on an automatic account", async (t) => {
  const driven = await driveEngine(t);
  const agent = await Agent.of(driven.server, driven.clock, AUTOMATIC.account);
  await agent.heartbeat();
  await optOut(agent, { email: "ada@x.example" });
  const contacts = [await agent.contact({ email: "ada+x@x.example" }), await agent.contact()];
  const { id } = await newSequence(driven.server, {
    steps: [{ type: "socialnet_message", body: "Hello.", delay_days: 0 }],
  });
  await authorise(
    driven.server,
    id,
    contacts.map((contact) => contact.id),
  );
  await driven.server.operator("set_sequence_status", { sequence_id: id, status: "active" });
  for (const contact of contacts) await enroll(driven.server, { sequence_id: id, contact_id: contact.id });
  await driven.run();
  const actions: any[] = await agent.person("list_planned_actions", {});
  const statusOf = (contact: any) => actions.find(({ contact_id }) => contact_id === contact.id)?.status;
  assert.deepEqual(contacts.map(statusOf), ["planned", "approved"]);
});

test("an opt-out of the contact's previous address cancels a planned action", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const action = await agent.planned({ contact });
  await patch(agent, contact, { email: "next@y.example" });
  await optOut(agent, { email: contact.email });
  const { action: reviewed } = await agent.person("get_review", { kind: "action", id: action.id });
  assert.deepEqual([reviewed.status, reviewed.similar_suppressed], ["cancelled", contact.email]);
});

test("the page that plans an action warns of an opt-out", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  const browser = await asOwner(agent.server);
  const contact = await agent.contact({ email: "ada+x@x.example" });
  const page = async () => {
    const path = `/console/w/${agent.server.workspaceId}/agents/${agent.account.id}/plan?contact=${contact.id}`;
    return (await browser.get(path)).text;
  };
  assert.doesNotMatch(await page(), /May have opted out/);
  await optOut(agent, { email: "ada@x.example" });
  assert.match(await page(), /May have opted out<\/span> ada@x\.example is on the do-not-contact list/);
});
