import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taken } from "../mail/smtp.ts";
import { answerTo, driveEngine, HOUR_MS, onTheWay } from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { Agent, withAgent } from "../support/socialnet.ts";

/**
 * An answer to a reply is approved by a member with `approve_outbound`, even on an automatic account: decisions of
 * others, and changes beside it, never approve it.
 */

const AUTOMATIC = { account: { automation_mode: "automatic" } };
const APPROVER = {
  id: "0190bbbb-0000-7000-8000-000000000002",
  name: "Boss",
  role: "admin",
  approveOutbound: true,
} as const;

async function reply(agent: Agent, profileUrl: string): Promise<void> {
  const observedAt = new Date(agent.clock.now()).toISOString();
  await agent.done("sync", { observations: [{ kind: "reply", profileUrl, observedAt, externalKey: profileUrl }] });
}

async function answer(agent: Agent, contactId: string): Promise<string> {
  const rep = member(agent.server);
  const planned = { account_id: agent.account.id, contact_id: contactId, kind: "message", copy: "Not read by anyone." };
  const { status, body } = await callAs(agent.server, rep, "plan_socialnet_action", planned);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

async function assertWaits(agent: Agent, actionId: string, reason = "not_approved"): Promise<void> {
  const claimed = await agent.command("claim", { actionId });
  assert.deepEqual([claimed.status, JSON.parse(claimed.text).reason], [409, reason], claimed.text);
}

const CORRECTED = "https://socialnet.example/in/corrected";

for (const [how, correct] of Object.entries({
  "edits the contact": (agent: Agent, { id }: { id: string }) =>
    callAs(agent.server, member(agent.server, APPROVER), "update_contact", { id, socialnet_url: CORRECTED }),
  "imports the contact": (agent: Agent, { email }: { email: string }) =>
    callAs(agent.server, member(agent.server, APPROVER), "import_contacts", {
      fingerprint: "a".repeat(64),
      from_row: 0,
      rows: [{ email, socialnet_url: CORRECTED }],
      last: true,
    }),
})) {
  test(`a rep's answer still needs approval after an approver ${how}`, async (t) => {
    const agent = await withAgent(t, AUTOMATIC);
    const contact = await agent.contact();
    await reply(agent, contact.socialnet_url);
    const id = await answer(agent, contact.id);
    await assertWaits(agent, id);
    const { status, body } = await correct(agent, contact);
    assert.equal(status, 200, JSON.stringify(body));
    // Nobody chose the profile that an import brings.
    await assertWaits(agent, id, how.startsWith("imports") ? "held" : "not_approved");
  });
}

test("a rep's answer to a reply by email needs approval", async (t) => {
  const driven = await driveEngine(t);
  const mail = { type: "email", subject: "Hello", body: "Hello.", delay_days: 0 };
  const made = await onTheWay(driven.server, [mail], { socialnet_url: "https://socialnet.example/in/ada" });
  await driven.run();
  await driven.receive(answerTo(driven.taken[0] as Taken));
  const agent = await Agent.of(driven.server, driven.clock, AUTOMATIC.account);
  await agent.heartbeat();
  await assertWaits(agent, await answer(agent, made.contact.id));
});

test("a rep's answer needs approval if another contact with the profile replied", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  const contact = await agent.contact();
  await reply(agent, contact.socialnet_url);
  const twin = await agent.contact({ socialnet_url: contact.socialnet_url });
  await assertWaits(agent, await answer(agent, twin.id));
});

test("a rep's answer needs approval if an agent gave the profile of someone who replied to another contact", async (t) => {
  const driven = await driveEngine(t);
  const profile = "https://socialnet.example/in/ada";
  const mail = { type: "email", subject: "Hello", body: "Hello.", delay_days: 0 };
  const made = await onTheWay(driven.server, [mail], { socialnet_url: profile });
  await driven.run();
  await driven.receive(answerTo(driven.taken[0] as Taken));
  const agent = await Agent.of(driven.server, driven.clock, AUTOMATIC.account);
  await agent.heartbeat();
  const elsewhere = { socialnet_url: "https://socialnet.example/in/nobody" };
  assert.equal((await driven.server.rest("PATCH", `/contacts/${made.contact.id}`, { body: elsewhere })).status, 200);
  const twin = await agent.contact({ socialnet_url: `${profile}/` });
  await assertWaits(agent, await answer(agent, twin.id));
});

test("a rep's answer needs approval if another account received the reply before the profile changed", async (t) => {
  const hearing = await withAgent(t);
  const contact = await hearing.contact();
  await reply(hearing, contact.socialnet_url);
  const elsewhere = { socialnet_url: "https://socialnet.example/in/nobody" };
  await hearing.server.rest("PATCH", `/contacts/${contact.id}`, { body: elsewhere });
  const agent = await Agent.of(hearing.server, hearing.clock, {
    ...AUTOMATIC.account,
    profile_url: "https://socialnet.example/in/second",
  });
  await agent.heartbeat();
  const twin = await agent.contact({ socialnet_url: contact.socialnet_url });
  await assertWaits(agent, await answer(agent, twin.id));
});

for (const when of ["before", "after"]) {
  test(`a rep's answer needs approval where the contact got the address of who replied ${when} the reply`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock } = driven;
    const mail = { type: "email", subject: "Hello", body: "Hello.", delay_days: 0 };
    const made = await onTheWay(server, [mail]);
    await driven.run();
    const agent = await Agent.of(server, clock, AUTOMATIC.account);
    await agent.heartbeat();
    const answered = () => driven.receive(answerTo(driven.taken[0] as Taken));
    if (when === "after") await answered();
    await server.rest("PATCH", `/contacts/${made.contact.id}`, { body: { email: "moved@x.example" } });
    const owner = await agent.contact({ email: made.contact.email });
    if (when === "before") await answered();
    await assertWaits(agent, await answer(agent, owner.id));
  });
}

test("turning on automatic mode approves planned actions, but no answer to a reply", async (t) => {
  const agent = await withAgent(t);
  const replied = await agent.contact();
  await reply(agent, replied.socialnet_url);
  const waiting = await answer(agent, replied.id);
  const other = await answer(agent, (await agent.contact()).id);
  await agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  await assertWaits(agent, waiting);
  assert.equal((await agent.command("claim", { actionId: other })).status, 200);
});

test("an action read before a reply can be neither approved nor released", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  await reply(agent, contact.socialnet_url);
  const id = await answer(agent, contact.id);
  const read = async () => (await agent.person("get_planned_action", { action_id: id })).copy_hash;
  const early = await read();
  await agent.person("hold_socialnet_action", { action_id: id, note: "Wait." });
  agent.clock.advance(HOUR_MS);
  const observedAt = new Date(agent.clock.now()).toISOString();
  const again = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: "again" };
  await agent.done("sync", { observations: [again] });
  const changed = { code: "version_conflict" };
  const asked = { action_id: id, copy_hash: early };
  await assert.rejects(agent.person("release_socialnet_action", asked), changed);
  const late = await read();
  await agent.person("release_socialnet_action", { action_id: id, copy_hash: late });
  await assert.rejects(agent.person("approve_socialnet_action", asked), changed);
  const entry = (version: string) => ({ kind: "action", items: [{ id, version, read: true }] });
  await assert.rejects(agent.person("approve_review", entry(early)), changed);
  assert.deepEqual((await agent.person("approve_review", entry(late))).approved, [id]);
});
