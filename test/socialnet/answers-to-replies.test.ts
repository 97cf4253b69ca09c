import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Taken } from "../mail/smtp.ts";
import { answerTo, driveEngine, HOUR_MS, onTheWay } from "../support/engine.ts";
import { asOwner } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { authorise, enroll, newSequence } from "../support/sequences.ts";
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

const CHANGED = { code: "version_conflict" };
const CORRECTED = "https://socialnet.example/in/corrected";

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

for (const [who, caller, setting] of [
  ["a rep", {}, "allowed"],
  ["an approver who may not approve own proposals", APPROVER, "forbidden"],
] as const) {
  test(`what ${who} answers on the network goes to review, also on an automatic account`, async (t) => {
    const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
    const contact = await agent.contact();
    const observedAt = new Date(agent.clock.now()).toISOString();
    const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt, externalKey: "m1" };
    await agent.done("sync", { observations: [{ ...seen, excerpt: "Who are you?" }] });
    await agent.person("set_own_proposals", { own_proposals: setting });
    const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Read by nobody else." };
    const { body, text } = await callAs(agent.server, member(agent.server, caller), "answer_on_network", answer);
    assert.equal(body.data?.status, "planned", text);
    await assertWaits(agent, body.data.id);
  });
}

/** A contact who sent a message, and an answer to it that Boss wrote, on an automatic account. */
async function answeredByApprover(t: TestContext, setting: "allowed" | "forbidden") {
  const agent = await withAgent(t, AUTOMATIC);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt, externalKey: "m1" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: "Who are you?" }] });
  await agent.person("set_own_proposals", { own_proposals: setting });
  const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Boss wrote this." };
  const { body } = await callAs(agent.server, member(agent.server, APPROVER), "answer_on_network", answer);
  return { agent, action: body.data };
}

test("a rep's edit of an answer that an approver sent needs approval, also on an automatic account", async (t) => {
  const { agent, action } = await answeredByApprover(t, "allowed");
  assert.deepEqual([action.status, action.approved_by], ["approved", "Boss"]);
  const edit = { action_id: action.id, copy: "Read by nobody else." };
  const { body, text } = await callAs(agent.server, member(agent.server), "edit_socialnet_action", edit);
  assert.equal(body.data?.status, "planned", text);
  await assertWaits(agent, action.id);
});

test("a rep's edit of an answer needs approval also after an approver edited it", async (t) => {
  const { agent, action } = await answeredByApprover(t, "allowed");
  const edit = (copy: string, by: object) =>
    callAs(agent.server, member(agent.server, by), "edit_socialnet_action", { action_id: action.id, copy });
  assert.equal((await edit("Boss corrected this.", APPROVER)).body.data.status, "approved");
  assert.equal((await edit("Read by nobody else.", {})).body.data.status, "planned");
  await assertWaits(agent, action.id);
});

test("a rep's edit of an answer needs approval also after an approver released it", async (t) => {
  const { agent, action } = await answeredByApprover(t, "allowed");
  const as = (by: object, name: string, more: object = {}) =>
    callAs(agent.server, member(agent.server, by), name, { action_id: action.id, ...more });
  await as({}, "hold_socialnet_action", { note: "Wait." });
  await as({}, "edit_socialnet_action", { copy: "A rep wrote this." });
  assert.equal((await as(APPROVER, "release_socialnet_action")).status, 200);
  const edited = await as({}, "edit_socialnet_action", { copy: "Read by nobody else." });
  assert.equal(edited.body.data.status, "planned");
  await assertWaits(agent, action.id);
});

test("an answer whose recipient a rep corrects needs approval", async (t) => {
  const { agent, action } = await answeredByApprover(t, "allowed");
  const corrected = { id: action.contact_id, socialnet_url: CORRECTED };
  const { status } = await callAs(agent.server, member(agent.server), "update_contact", corrected);
  assert.equal(status, 200);
  await assertWaits(agent, action.id);
});

test("turning on automatic mode approves no answer from the Inbox", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt, externalKey: "m1" };
  await agent.done("sync", { observations: [{ ...seen, excerpt: "Who are you?" }] });
  const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Read by nobody else." };
  const { body } = await callAs(agent.server, member(agent.server), "answer_on_network", answer);
  const account_id = agent.account.id;
  assert.deepEqual((await agent.person("preview_automatic_mode", { account_id })).approved, []);
  await agent.person("update_socialnet_account", { account_id, automation_mode: "automatic" });
  await assertWaits(agent, body.data.id);
});

test("an answer on the network that was read before another message can't be approved", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "message_received", profileUrl: contact.socialnet_url, observedAt };
  await agent.done("sync", { observations: [{ ...seen, externalKey: "m1", excerpt: "Who are you?" }] });
  const answer = { contact_id: contact.id, account_id: agent.account.id, copy: "Shall we talk?" };
  const { id } = (await callAs(agent.server, member(agent.server), "answer_on_network", answer)).body.data;
  const { version } = await agent.person("get_review", { kind: "action", id });
  const [listed] = await agent.person("list_planned_actions", { contact_id: contact.id });
  assert.deepEqual(
    [listed.copy_hash, (await agent.person("get_planned_action", { action_id: id })).copy_hash],
    [version, version],
  );
  await agent.done("sync", { observations: [{ ...seen, externalKey: "m2", excerpt: "Never write to me again." }] });
  const read = { action_id: id, copy_hash: version };
  await assert.rejects(agent.person("approve_socialnet_action", read), CHANGED);
  const items = [{ id, version }];
  await assert.rejects(agent.person("approve_review", { kind: "action", items }), CHANGED);
  const again = await agent.person("get_review", { kind: "action", id });
  assert.equal(again.action.last_message.body, "Never write to me again.");
  const browser = await asOwner(agent.server);
  for (const path of [`review/action/${id}`, `agents/${agent.account.id}/actions/${id}`]) {
    const { text } = await browser.open(`/console/w/${agent.server.workspaceId}/${path}`);
    assert.ok(text.includes(again.version) && text.includes("Never write to me again."), path);
  }
  await agent.person("approve_socialnet_action", { action_id: id, copy_hash: again.version });
});

test("an approver who may not approve own proposals can't do so by an edit", async (t) => {
  const { agent, action } = await answeredByApprover(t, "forbidden");
  assert.equal(action.status, "planned");
  const edit = { action_id: action.id, copy: "Read by nobody else." };
  const { body, text } = await callAs(agent.server, member(agent.server, APPROVER), "edit_socialnet_action", edit);
  assert.equal(body.data?.status, "planned", text);
  await assertWaits(agent, action.id);
});

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
  await agent.person("release_socialnet_action", { action_id: id, copy_hash: await read() });
  const late = await read();
  await assert.rejects(agent.person("approve_socialnet_action", asked), changed);
  const entry = (version: string) => ({ kind: "action", items: [{ id, version, read: true }] });
  await assert.rejects(agent.person("approve_review", entry(early)), changed);
  assert.deepEqual((await agent.person("approve_review", entry(late))).approved, [id]);
});

test("an action read before a second reply can't be approved, even if the clock was set back in between", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const receive = (n: number) => {
    const observedAt = new Date(agent.clock.now()).toISOString();
    const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt, externalKey: `r${n}` };
    return agent.done("sync", { observations: [{ ...seen, excerpt: `Reply ${n}` }] });
  };
  agent.clock.advance(60_000);
  await receive(1);
  agent.clock.advance(-30_000);
  const { id } = await agent.planned({ contact });
  const early = await agent.person("get_planned_action", { action_id: id });
  await receive(2);
  await agent.person("release_socialnet_action", { action_id: id });
  const late = await agent.person("get_planned_action", { action_id: id });
  assert.deepEqual([early.last_reply.body, late.last_reply.body], ["Reply 1", "Reply 2"]);
  const approve = (copy_hash: string) => agent.person("approve_socialnet_action", { action_id: id, copy_hash });
  await assert.rejects(approve(early.copy_hash), CHANGED);
  await approve(late.copy_hash);
});

test("a plan form that was read before a reply is refused on an automatic account", async (t) => {
  const agent = await withAgent(t, AUTOMATIC);
  const contact = await agent.contact();
  const read = async (): Promise<string | null> =>
    (await agent.person("get_contact_record", { id: contact.id })).last_reply?.id ?? null;
  const plan = (read_last_reply: string | null) =>
    callAs(agent.server, member(agent.server, APPROVER), "plan_socialnet_action", {
      ...{ account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: "Following up!" },
      read_last_reply,
    });
  assert.equal(await read(), null);
  await reply(agent, contact.socialnet_url);
  const refused = await plan(null);
  assert.deepEqual([refused.status, refused.body.code], [409, "version_conflict"]);
  assert.match(refused.body.error ?? "", /^read_last_reply/);
  assert.equal((await plan("0190bbbb-0000-7000-8000-00000000000f")).status, 409);
  assert.equal((await plan(await read())).body.data.status, "approved");
});

/** A contact who was emailed 3 hours ago, and answers; the mailbox is read late. */
async function emailed(t: TestContext, settings: object = {}) {
  const driven = await driveEngine(t);
  const agent = await Agent.of(driven.server, driven.clock, settings);
  const mail = { type: "email", subject: "Hello", body: "Hello.", delay_days: 0 };
  const { contact } = await onTheWay(driven.server, [mail], { socialnet_url: CORRECTED });
  await driven.run();
  const arrived = driven.clock.now();
  driven.clock.advance(3 * HOUR_MS);
  await agent.heartbeat();
  const receive = (n = 1) =>
    driven.receive(
      answerTo(driven.taken[0] as Taken, { "message-id": `<r${n}@x.example>` }, `Never write to me again: ${n}.`),
      arrived,
    );
  return { driven, agent, contact, receive };
}

test("a retry that was decided before a reply was read is refused", async (t) => {
  const { agent, contact, receive } = await emailed(t);
  const action = await agent.started({ contact });
  assert.equal((await agent.result(action, "outcome_unknown")).status, 200);
  const read = () => agent.person("get_planned_action", { action_id: action.id });
  const retry = (copy_hash: string) =>
    agent.person("settle_socialnet_action", { action_id: action.id, outcome: "retry", copy_hash });
  const early = await read();
  await receive();
  await assert.rejects(retry(early.copy_hash), CHANGED);
  assert.equal(await agent.statusOf(action), "needs_review");
  const late = await read();
  assert.match(late.last_reply.body, /Never write/);
  assert.equal((await retry(late.copy_hash)).status, "approved");
});

test("every answer with an action's hash says when the contact last replied", async (t) => {
  const { driven, agent, contact, receive } = await emailed(t);
  const { id: action_id } = await agent.planned({ contact });
  const before = await agent.person("get_planned_action", { action_id });
  assert.equal(before.last_reply_at, null);
  await receive();
  const at = new Date(driven.clock.now()).toISOString();
  const [listed] = await agent.person("list_planned_actions", { contact_id: contact.id });
  const answers = [listed, await agent.person("get_planned_action", { action_id })];
  for (const [name, more] of [
    ["hold", {}],
    ["edit", { copy: "Other words." }],
    ["release", {}],
    ["approve", {}],
    ["withdraw", {}],
    ["cancel", {}],
  ] as const) {
    answers.push(await agent.person(`${name}_socialnet_action`, { action_id, ...more }));
  }
  for (const { copy_hash, last_reply_at } of answers) {
    assert.notEqual(copy_hash, before.copy_hash);
    assert.equal(last_reply_at, at);
  }
});

test("an answer that shows no reply has no hash that covers one, whenever the reply is recorded", async (t) => {
  const { agent, contact, receive } = await emailed(t);
  const { id } = await agent.planned({ contact });
  const read = () => agent.person("get_review", { kind: "action", id });
  // On PostgreSQL, a reply can be recorded between two statements of one reading.
  for (let n = 0; n < 40; n += 1) {
    const reading = Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        await sleep(i);
        return read();
      }),
    );
    await receive(n);
    const byReply = new Map<string, string>();
    for (const { version, action } of [...(await reading), await read()]) {
      const shown = String(action.last_reply?.id);
      assert.equal(byReply.get(version) ?? shown, shown, "one hash for one reply");
      byReply.set(version, shown);
    }
  }
});

test("a rep's edit of a sequence's action that answers a reply needs approval", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run } = driven;
  const agent = await Agent.of(server, clock, AUTOMATIC.account);
  await agent.heartbeat();
  const contact = await agent.contact();
  await reply(agent, contact.socialnet_url);
  clock.advance(1_000);
  const step = { type: "socialnet_message", body: "Approved text", delay_days: 0 };
  const sequence = await newSequence(server, { steps: [step] });
  await authorise(server, sequence.id, [contact.id]);
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  assert.equal((await enroll(server, { sequence_id: sequence.id, contact_id: contact.id })).status, 201);
  await run();
  const [action] = await agent.person("list_planned_actions", { contact_id: contact.id });
  assert.deepEqual([action.status, action.copy], ["approved", "Approved text"]);
  const edit = { action_id: action.id, copy: "Not read by anyone." };
  const { body } = await callAs(server, member(server), "edit_socialnet_action", edit);
  assert.equal(body.data.status, "planned");
  await assertWaits(agent, action.id);
});
