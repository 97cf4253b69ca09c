import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { profilePin } from "../../src/domain/contacts/address.ts";
import { openBeside } from "../support/beside.ts";
import { callAs, member } from "../support/member.ts";
import { type Agent, engineAction, iso, MINUTE_MS, type Underway, withAgent } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const automatic = { account: { automation_mode: "automatic" } };
const edit = (agent: Agent, { id }: Underway, copy: string) =>
  agent.person("edit_socialnet_action", { action_id: id, copy });
const approve = (agent: Agent, { id }: Underway, more: object = {}) =>
  agent.person("approve_socialnet_action", { action_id: id, ...more });
const setMode = (agent: Agent, automation_mode: string) =>
  agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode });
const newProfile = async (agent: Agent, { contact }: Underway, socialnet_url: string | null) => {
  const { status, text } = await agent.server.rest("PATCH", `/contacts/${contact.id}`, { body: { socialnet_url } });
  assert.equal(status, 200, text);
};

test("an approval records who gave it and when, and is voided with its copy", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  const approved = await approve(agent, action, { note: "Good." });
  assert.equal(approved.approved_at, new Date(agent.clock.now()).toISOString());
  assert.ok(approved.approved_by);
  assert.equal(approved.note, "Good.");
  const same = await edit(agent, action, "Hello.");
  assert.deepEqual([same.status, same.approved_by], ["approved", approved.approved_by], "the same words are no edit");
  const edited = await edit(agent, action, "Other words.");
  assert.deepEqual([edited.status, edited.approved_by, edited.approved_at], ["planned", null, null]);
  assert.notEqual(edited.copy_hash, approved.copy_hash);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["not_approved"]);
});

test("an edit ends an agent's claim, and exactly the text approved last is sent", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.claimed();
  await edit(agent, action, "Edited under way.");
  const fields = { actionId: action.id, leaseToken: action.leaseToken };
  assert.deepEqual(await agent.refusal("start", fields), ["not_approved"]);
  await approve(agent, action);
  assert.deepEqual(await agent.refusal("start", fields), ["stale_claim"], "the old token stays over");
  assert.equal((await agent.start(await agent.claim(action))).copy, "Edited under way.");
});

test("copy_hash must match the current copy: an edit or another profile in between is a conflict", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  const { copy_hash } = await agent.look(action);
  await edit(agent, action, "Edited in between.");
  await assert.rejects(approve(agent, action, { copy_hash }), { code: "version_conflict" });
  const { copy_hash: now } = await agent.look(action);
  await newProfile(agent, action, "https://socialnet.example/in/somebody-else");
  await assert.rejects(approve(agent, action, { copy_hash: now }), { code: "version_conflict" });
  assert.equal(await agent.statusOf(action), "planned");
  const approved = await approve(agent, action);
  assert.equal(approved.recipient_url, "https://socialnet.example/in/somebody-else", "what is there now is meant");
  const other = await agent.planned();
  const read = await agent.look(other);
  assert.equal((await approve(agent, other, { copy_hash: read.copy_hash })).status, "approved");
});

test("the approval covers the URL that the action shows, even if the profile now differs only by its query", async (t) => {
  const agent = await withAgent(t);
  const profile = (id: number) => `https://socialnet.example/profile?id=${id}`;
  const contact = await agent.contact({ socialnet_url: profile(1) });
  const [read, unread] = [await agent.planned({ contact }), await agent.planned({ contact })];
  const { copy_hash } = await agent.look(read);
  await newProfile(agent, read, profile(2));
  assert.equal((await approve(agent, read, { copy_hash })).recipient_url, profile(1));
  const now = await approve(agent, unread);
  assert.equal(now.recipient_url, profile(1), "also without the hash");
  assert.equal((await agent.start(await agent.claim(read))).recipient.profileUrl, profile(1));
});

test("the recipient is pinned: changing the contact's profile withdraws the approval at claim and at start", async (t) => {
  const agent = await withAgent(t);
  const [approved, claimed] = [await agent.approved(), await agent.claimed()];
  for (const action of [approved, claimed]) await newProfile(agent, action, `${action.contact.socialnet_url}-2`);
  assert.deepEqual(await agent.refusal("claim", { actionId: approved.id }), ["not_approved"]);
  const fields = { actionId: claimed.id, leaseToken: claimed.leaseToken };
  assert.deepEqual(await agent.refusal("start", fields), ["not_approved"]);
  for (const action of [approved, claimed]) {
    const { status, approved_by, approved_at, lease_expires_at } = await agent.look(action);
    assert.deepEqual([status, approved_by, approved_at, lease_expires_at], ["planned", null, null, null]);
  }
  await approve(agent, claimed);
  const started = await agent.start(await agent.claim(claimed));
  assert.equal(started.recipient.profileUrl, `${claimed.contact.socialnet_url}-2`);
});

test("changing the contact's profile withdraws the approval at once, and ends an agent's claim", async (t) => {
  const agent = await withAgent(t);
  const [approved, claimed] = [await agent.approved(), await agent.claimed()];
  for (const action of [approved, claimed]) {
    await newProfile(agent, action, `${action.contact.socialnet_url}-elsewhere`);
    const { status, approved_by, lease_expires_at, note } = await agent.look(action);
    assert.deepEqual([status, approved_by, lease_expires_at], ["planned", null, null]);
    assert.match(note, /profile changed/);
  }
  assert.equal((await agent.command("brief")).body.data.claimable, 0);
});

test("a planned action follows the contact's profile, and is approved for the one that was read", async (t) => {
  const agent = await withAgent(t);
  const [planned, held] = [await agent.planned(), await agent.approved()];
  await agent.person("hold_socialnet_action", { action_id: held.id });
  for (const action of [planned, held]) {
    const elsewhere = `${action.contact.socialnet_url}-elsewhere`;
    await newProfile(agent, action, elsewhere);
    const { recipient_url, status } = await agent.look(action);
    assert.equal(recipient_url, elsewhere);
    if (status === "held") {
      const released = await agent.person("release_socialnet_action", { action_id: action.id });
      assert.equal(released.status, "planned", "its approval was for another recipient");
    }
    const { copy_hash } = await agent.look(action);
    assert.equal((await approve(agent, action, { copy_hash })).status, "approved");
    assert.equal((await agent.start(await agent.claim(action))).recipient.profileUrl, elsewhere);
  }
});

test("on an automatic account a member's change of the profile is followed, and a key's needs a person", async (t) => {
  const agent = await withAgent(t, automatic);
  const [followed, action] = [await agent.planned(), await agent.planned()];
  const socialnet_url = `${followed.contact.socialnet_url}-elsewhere`;
  await agent.person("update_contact", { id: followed.contact.id, socialnet_url });
  assert.equal(await agent.statusOf(followed), "approved");
  assert.equal((await agent.look(followed)).recipient_url, socialnet_url);
  await agent.claim(followed);

  const read = await agent.look(action);
  const elsewhere = `${action.contact.socialnet_url}-elsewhere`;
  await newProfile(agent, action, elsewhere);
  const held = await agent.look(action);
  assert.deepEqual([held.status, held.approved_at, held.recipient_url], ["held", null, elsewhere]);
  assert.match(held.note, /profile changed/);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
  const release = (copy_hash: string) => agent.person("release_socialnet_action", { action_id: action.id, copy_hash });
  await assert.rejects(release(read.copy_hash), { code: "version_conflict" }, "it was read with another recipient");
  await release(held.copy_hash);
  assert.equal(await agent.statusOf(action), "approved", "a person has released it as it is");
});

test("on an automatic account a key can't reach another recipient by clearing, resetting or changing it while claimed", async (t) => {
  const agent = await withAgent(t, automatic);
  const [cleared, claimed] = [await agent.planned(), await agent.planned()];
  await agent.claim(claimed);
  const elsewhere = (action: Underway) => `${action.contact.socialnet_url}-elsewhere`;
  await newProfile(agent, cleared, null);
  await newProfile(agent, cleared, elsewhere(cleared));
  await newProfile(agent, claimed, elsewhere(claimed));
  for (const action of [cleared, claimed]) assert.equal(await agent.statusOf(action), "held");
});

test("an approval pins the sender: changing the account's profile withdraws it, also for actions on hold", async (t) => {
  const agent = await withAgent(t);
  const [planned, approved, claimed, held] = [
    await agent.planned(),
    await agent.approved(),
    await agent.claimed(),
    await agent.approved(),
  ];
  await agent.person("hold_socialnet_action", { action_id: held.id });
  const { copy_hash } = await agent.look(planned);
  const profile_url = "https://socialnet.example/in/somebody-else";
  await agent.person("update_socialnet_account", { account_id: agent.account.id, profile_url });
  await assert.rejects(approve(agent, planned, { copy_hash }), { code: "version_conflict" });
  for (const action of [approved, claimed]) {
    const { status, approved_by, note } = await agent.look(action);
    assert.deepEqual([status, approved_by], ["planned", null]);
    assert.match(note, /another profile/);
  }
  await agent.person("release_socialnet_action", { action_id: held.id });
  assert.equal(await agent.statusOf(held), "planned");
});

test("on an automatic account, actions approved for the previous profile need a person", async (t) => {
  const agent = await withAgent(t, automatic);
  const action = await agent.planned();
  const profile_url = "https://socialnet.example/in/somebody-else";
  await agent.person("update_socialnet_account", { account_id: agent.account.id, profile_url });
  assert.equal(await agent.statusOf(action), "held");
});

test("planning for an automatic account with an outdated sender profile is refused", async (t) => {
  const agent = await withAgent(t, automatic);
  const contact = await agent.contact();
  const read = contact.socialnet_url;
  await newProfile(agent, { id: "", contact, leaseToken: "" }, `${read}-elsewhere`);
  await assert.rejects(agent.planned({ contact, recipient_url: read }), { code: "version_conflict" });
  const planned = await agent.planned({ contact, recipient_url: `${read}-elsewhere/` });
  assert.equal(await agent.statusOf(planned), "approved");
});

test("the same action can't be planned twice for a contact while the first is open", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  const again = { contact: action.contact, copy: "Hello." };
  await assert.rejects(agent.planned(again), { code: "already_planned" });
  await agent.person("cancel_socialnet_action", { action_id: action.id });
  await agent.planned(again);
});

test("a session belongs to its sender: a new profile starts without one", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.claimed();
  const moved = { account_id: agent.account.id, profile_url: "https://socialnet.example/in/ada-2" };
  assert.equal((await agent.person("update_socialnet_account", moved)).id, agent.account.id);
  const token = { actionId: action.id, leaseToken: action.leaseToken };
  assert.deepEqual(await agent.refusal("start", token), ["not_approved"]);
  await approve(agent, action);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["session_not_ready"]);
});

test("a finished action can't be edited, not even to the same text", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  const { copy } = await agent.person("cancel_socialnet_action", { action_id: action.id });
  await assert.rejects(edit(agent, action, copy), { code: "action_not_movable" });
});

test("another spelling of the same profile is no change; removing it is one, and can't be approved", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.approved();
  await newProfile(agent, action, `${action.contact.socialnet_url.replace("https://", "http://www.")}/?utm=1`);
  const claimed = await agent.claim(action);
  await newProfile(agent, action, null);
  const fields = { actionId: claimed.id, leaseToken: claimed.leaseToken };
  assert.deepEqual(await agent.refusal("start", fields), ["not_approved"]);
  await assert.rejects(approve(agent, action), { code: "validation_failed" });
});

test("an action to a contact on the do-not-contact list can't be approved, whenever the contact was added", async (t) => {
  const agent = await withAgent(t);
  const action = await agent.planned();
  await agent.person("add_suppression", { email: "listed@b.example" });
  await agent.server.rest("PATCH", `/contacts/${action.contact.id}`, { body: { email: "Listed@B.example" } });
  await assert.rejects(approve(agent, action), { code: "contact_suppressed" });
});

test("a released action returns to its previous status, and one edited during the hold needs approval", async (t) => {
  const agent = await withAgent(t);
  const hold = ({ id }: Underway) => agent.person("hold_socialnet_action", { action_id: id });
  const release = ({ id }: Underway) => agent.person("release_socialnet_action", { action_id: id });
  const [planned, approved, edited] = [await agent.planned(), await agent.approved(), await agent.approved()];
  for (const action of [planned, approved, edited]) await hold(action);
  assert.deepEqual(await agent.refusal("claim", { actionId: approved.id }), ["held"]);
  await edit(agent, edited, "Other words.");
  const statuses = [];
  for (const action of [planned, approved, edited]) statuses.push((await release(action)).status);
  assert.deepEqual(statuses, ["planned", "approved", "planned"]);
  assert.ok((await agent.look(approved)).approved_by);
});

test("an automatic account approves planned, edited and released actions, without an approver", async (t) => {
  const agent = await withAgent(t, automatic);
  const action = await agent.planned();
  const unattended = { status: "approved", approved_by: null };
  const seen = ({ status, approved_by }: any) => ({ status, approved_by });
  assert.deepEqual(seen(await agent.look(action)), unattended);
  assert.ok((await agent.look(action)).approved_at);
  assert.deepEqual(seen(await edit(agent, action, "Other words.")), unattended);
  const engine = await engineAction(agent);
  assert.deepEqual(seen(await agent.look(engine)), unattended);
  await agent.start(await agent.claim(engine));
});

test("making an account automatic approves what needs review, and a later edit keeps that approval and a person's", async (t) => {
  const agent = await withAgent(t);
  const [waiting, byPerson] = [await agent.planned(), await agent.approved()];
  await setMode(agent, "automatic");
  const claimed = await agent.claim(await agent.planned());
  assert.deepEqual([await agent.statusOf(waiting), await agent.statusOf(byPerson)], ["approved", "approved"]);
  await setMode(agent, "approve_each");
  assert.deepEqual(
    [await agent.statusOf(waiting), await agent.statusOf(claimed), await agent.statusOf(byPerson)],
    ["planned", "planned", "approved"],
  );
  const fields = { actionId: claimed.id, leaseToken: claimed.leaseToken };
  assert.deepEqual(await agent.refusal("start", fields), ["not_approved"]);
});

test("an unapproved action on hold is not released as approved once its account is no longer automatic", async (t) => {
  const agent = await withAgent(t, automatic);
  const action = await agent.planned();
  await agent.person("hold_socialnet_action", { action_id: action.id });
  await setMode(agent, "approve_each");
  const released = await agent.person("release_socialnet_action", { action_id: action.id });
  assert.deepEqual([released.status, released.approved_at], ["planned", null]);
});

test("leaving automatic mode ends its approval of actions on hold: once it is back, only an approver releases them", async (t) => {
  const agent = await withAgent(t);
  const byPerson = await agent.approved();
  await setMode(agent, "automatic");
  const unattended = await agent.planned();
  for (const { id } of [unattended, byPerson]) await agent.person("hold_socialnet_action", { action_id: id });
  await setMode(agent, "approve_each");
  await setMode(agent, "automatic");
  const release = ({ id }: Underway) =>
    callAs(agent.server, member(agent.server), "release_socialnet_action", { action_id: id });
  assert.equal((await release(unattended)).body.code, "insufficient_scope");
  assert.equal((await release(byPerson)).body.data.status, "approved");
  assert.equal(await agent.statusOf(unattended), "held");
  await agent.person("release_socialnet_action", { action_id: unattended.id });
  assert.equal(await agent.statusOf(unattended), "approved");
});

test("an unapproved action that its agent returns needs review once the account is no longer automatic", async (t) => {
  const agent = await withAgent(t, automatic);
  const back = await agent.claim(await agent.planned());
  await agent.start(back);
  await setMode(agent, "approve_each");
  await agent.result(back, "login_required");
  await agent.heartbeat();
  assert.deepEqual(await agent.refusal("claim", { actionId: back.id }), ["not_approved"]);
  assert.equal(await agent.statusOf(back), "planned");
});

test("leaving automatic mode ends its approval of started actions too: once it is back, a person approves what returns", async (t) => {
  const agent = await withAgent(t, automatic);
  const begin = async () => {
    const action = await agent.claim(await agent.planned());
    await agent.start(action);
    return action;
  };
  const lost = await begin();
  agent.clock.advance(15 * MINUTE_MS);
  await until(async () => (await agent.statusOf(lost)) === "needs_review");
  await agent.heartbeat();
  const started = await begin();
  await setMode(agent, "approve_each");
  const byPerson = await agent.started();
  await setMode(agent, "automatic");
  for (const action of [lost, started]) assert.equal((await agent.look(action)).approved_at, null);
  const { history } = await agent.person("get_planned_action", { action_id: started.id });
  assert.deepEqual([history[0].move, history[0].from, history[0].to], ["late_void", "started", "started"]);
  for (const action of [lost, started, byPerson]) {
    assert.equal((await agent.result(action, "login_required")).status, 200);
  }
  await agent.heartbeat();
  for (const action of [lost, started]) {
    assert.equal(await agent.statusOf(action), "planned");
    assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["not_approved"]);
    await approve(agent, action);
    await agent.claim(action);
  }
  await agent.claim(byPerson);
});

test("a started action whose approval was withdrawn can still be reported as sent", async (t) => {
  const agent = await withAgent(t, automatic);
  const action = await agent.claim(await agent.planned());
  await agent.start(action);
  await setMode(agent, "off");
  assert.equal((await agent.result(action, "message_sent")).status, 200);
  assert.equal(await agent.statusOf(action), "completed");
});

test("the member who requests a retry approves that attempt", async (t) => {
  const agent = await withAgent(t, automatic);
  const action = await agent.claim(await agent.planned());
  await agent.start(action);
  await agent.result(action, "outcome_unknown");
  await setMode(agent, "approve_each");
  agent.clock.advance(MINUTE_MS);
  const retried = await agent.person("settle_socialnet_action", { action_id: action.id, outcome: "retry" });
  assert.deepEqual([retried.status, retried.approved_at], ["approved", new Date(agent.clock.now()).toISOString()]);
  assert.ok(retried.approved_by);
  await agent.claim(action);
});

test("an account's settings keep omitted fields, within the daily limits too", async (t) => {
  const agent = await withAgent(t, { account: { daily_limits: { connection_requests: 3, messages: 4 } } });
  const id = { account_id: agent.account.id };
  const { daily_limits } = await agent.person("update_socialnet_account", { ...id, daily_limits: { messages: 5 } });
  assert.deepEqual(daily_limits, { connection_requests: 3, messages: 5 });
});

test("on an automatic account an answer to a reply needs review, unless its author can approve it", async (t) => {
  const agent = await withAgent(t, automatic);
  const { server, account } = agent;
  const contact = await agent.contact();
  const input = { account_id: account.id, contact_id: contact.id, kind: "message" };
  const rep = member(server);
  const plan = async (copy: string, as = rep) =>
    (await callAs(server, as, "plan_socialnet_action", { ...input, copy })).body.data;
  assert.equal((await plan("First.")).status, "approved", "nobody has answered yet");
  await agent.done("sync", {
    observations: [
      { kind: "reply", profileUrl: contact.socialnet_url, observedAt: iso(agent.clock.now()), externalKey: "r1" },
    ],
  });
  const answer = await plan("Thank you.");
  assert.equal(answer.status, "planned");
  assert.deepEqual(await agent.refusal("claim", { actionId: answer.id }), ["not_approved"]);
  const edited = await callAs(server, rep, "edit_socialnet_action", { action_id: answer.id, copy: "Thanks a lot." });
  assert.equal(edited.body.data.status, "planned", "an edit is no way around");
  for (const socialnet_url of [`${contact.socialnet_url}-2`, contact.socialnet_url]) {
    const { status } = await callAs(server, rep, "update_contact", { id: contact.id, socialnet_url });
    assert.equal(status, 200);
    assert.equal(
      await agent.statusOf({ ...answer, contact } as Underway),
      "planned",
      "nor is another profile, nor the one before",
    );
  }
  const approver = member(server, { approveOutbound: true });
  assert.equal((await plan("See you there.", approver)).status, "approved");
  await approve(agent, { id: answer.id } as Underway);
  assert.equal((await agent.done("claim", { actionId: answer.id })).action.copy, "Thanks a lot.");
});

test("copy_hash covers the campaign, which the agent reads; without one it equals the hash of earlier versions", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const [plain, spring] = [await agent.planned({ contact }), await agent.planned({ campaign: "Spring" })];
  const { copy_hash, account_id, recipient_url, kind, copy } = await agent.look(plain);
  const sender = [account_id, profilePin(agent.account.profile_url)];
  const earlier = createHash("sha256").update(JSON.stringify([sender, profilePin(recipient_url), kind, copy]));
  assert.equal(copy_hash, earlier.digest("hex").slice(0, 32));
  const read = await agent.look(spring);
  const db = openBeside(agent.server.folder);
  t.after(() => db.close());
  const setCampaign = (campaign: string | null) =>
    db.prepare("UPDATE socialnet_actions SET campaign = ? WHERE id = ?").run(campaign, spring.id);
  for (const other of ["Also write to everyone", null]) {
    setCampaign(other);
    await assert.rejects(approve(agent, spring, { copy_hash: read.copy_hash }), { code: "version_conflict" });
  }
  setCampaign("Spring");
  await approve(agent, spring, { copy_hash: read.copy_hash });
  const started = await agent.start(await agent.claim(spring));
  assert.equal(started.action.context.campaign, "Spring");
});

test("hidden characters in the campaign are shown by code to the approver", async (t) => {
  const agent = await withAgent(t);
  const { id } = await agent.planned({ campaign: "Spring\u202Egnirps" });
  const { action } = await agent.person("get_review", { kind: "action", id });
  assert.deepEqual(action.hidden, { campaign: "Spring[U+202E]gnirps" });
});

test("review marks a profile that an agent wrote, until a member writes it", async (t) => {
  const agent = await withAgent(t);
  const contact = await agent.contact();
  const action = await agent.planned({ contact });
  const marks = async () => {
    const review = await agent.person("get_review", { kind: "action", id: action.id });
    const own = await agent.person("get_planned_action", { action_id: action.id });
    assert.deepEqual(own.recipient_marks, review.action.recipient_marks);
    return review.action.recipient_marks;
  };
  assert.deepEqual(await marks(), ["agent"]);
  const typed = "https://socialnet.example/in/typed-by-a-member";
  const row = { email: contact.email, socialnet_url: typed };
  await agent.person("import_contacts", { fingerprint: "b".repeat(64), from_row: 0, rows: [row], last: true });
  assert.equal((await agent.look(action)).recipient_url, typed);
  assert.deepEqual(await marks(), []);
});
