import assert from "node:assert/strict";
import { test } from "node:test";
import PostalMime from "postal-mime";
import { driveEngine, onTheWay, theEnrollment } from "../support/engine.ts";
import { authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { withAgent } from "../support/socialnet.ts";

/** What a person approves is what a recipient gets, even if a program in between reads text as code. */

const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "Hello {{job_title}}", delay_days: 0 };
const MESSAGE = { type: "socialnet_message", body: "Hi {{first_name}}", delay_days: 0 };

const codedWord = (text: string) => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;

test("text that looks like an encoded word reaches the recipient as approved, or is not sent", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const first_name = codedWord("Pay now at evil.example");
  await server.operator("set_sending_policy", { sender_name: codedWord("Your bank") });
  const { sequence, contact } = await onTheWay(server, [{ ...MAIL, body: "Hello" }], { first_name });
  const shown = await server.operator("preview_sequence", { sequence_id: sequence.id, contact_id: contact.id });
  await run();
  const email = await PostalMime.parse((taken[0] as any).raw);
  assert.equal(shown.steps[0].subject, `Hi ${first_name}`);
  assert.equal(email.subject, shown.steps[0].subject);
  assert.deepEqual(email.to, [{ name: "", address: contact.email }], "without the name");
  assert.deepEqual(email.from, { name: "", address: "sales@acme.example" });
});

test("an opted-out address stays opted out if its domain ends with another script's full stop", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  await server.operator("set_sequence_status", { sequence_id, status: "active" });
  await server.rest("POST", "/suppression", { body: { email: "ada@x.example" } });
  for (const stop of ["\u3002", "\uFF0E", "\uFF61"]) {
    const { id: contact_id } = await newContact(server, { email: `ada@x.example${stop}`, job_title: "A" });
    await authorise(server, sequence_id, [contact_id]);
    const { body } = await enroll(server, { sequence_id, contact_id });
    assert.equal(body.code, "contact_suppressed", JSON.stringify(stop));
    await server.operator("archive_contact", { contact_id });
  }
  await run();
  assert.equal(taken.length, 0);
});

test("an opted-out address stays opted out if the opt-out has quotes that the mailbox does not need", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { contact } = await onTheWay(server, [MAIL], { email: "ada@x.example", job_title: "A" });
  assert.equal((await server.rest("POST", "/suppression", { body: { email: '"Ada"@x.example' } })).status, 201);
  await run();
  assert.equal(taken.length, 0);
  assert.equal((await theEnrollment(server, contact.id)).status, "stopped_suppressed");
});

test("an approval pins a profile URL as an agent reads it, even if a URL parser ignores the difference", async (t) => {
  const { server, run } = await driveEngine(t);
  const profile_url = "https://socialnet.example/in/robin";
  await server.operator("create_socialnet_account", { label: "Robin", profile_url, automation_mode: "automatic" });
  for (const [was, is] of [
    ["https://socialnet.example/in/ada", "https://write-to-eve-instead@socialnet.example/in/ada"],
    ["https://socialnet.example/in/adam", "https://socialnet.example/in/ada\nm"],
    ["https://socialnet.example/@b.example/in/a", "https://socialnet.example\\@b.example/in/a"],
    ["https://socialnet.example/in/bob", "https://socialnet.example/write-to-eve-instead/../in/bob"],
    ["https://socialnet.example/in/carl", "https://socialnet.example/write-to-eve-instead/.%2E/in/carl"],
    ["https://socialnet.example/in/dora", "https://socialnet.example\u{E0100}\u{E0101}/in/dora"],
  ]) {
    const { contact } = await onTheWay(server, [MESSAGE], { socialnet_url: was });
    const changed = await server.rest("PATCH", `/contacts/${contact.id}`, { body: { socialnet_url: is } });
    assert.equal(changed.status, 200);
    await run();
    assert.equal((await theEnrollment(server, contact.id)).held_reason, "contact_changed", is);
  }
  assert.deepEqual(await server.operator("list_planned_actions", {}), []);
});

test("an approval pins the sender if two profiles differ only by their query", async (t) => {
  const profile = (id: number) => `https://socialnet.example/profile?id=${id}`;
  const agent = await withAgent(t, { account: { profile_url: profile(1) } });
  const [read, approved] = [await agent.planned(), await agent.approved()];
  const { id: sequence_id } = await newSequence(agent.server, { steps: [MESSAGE] });
  await authorise(agent.server, sequence_id, [read.contact.id]);
  const { copy_hash } = await agent.look(read);
  await agent.person("update_socialnet_account", { account_id: agent.account.id, profile_url: profile(2) });
  const approve = agent.person("approve_socialnet_action", { action_id: read.id, copy_hash });
  await assert.rejects(approve, { code: "version_conflict" });
  assert.equal(await agent.statusOf(approved), "planned");
  const { body } = await enroll(agent.server, { sequence_id, contact_id: read.contact.id });
  assert.equal(body.code, "sequence_not_authorized");
});

test("activating an approval covers only what was read: a contact approved with other values is on hold", async (t) => {
  const { server, taken, run } = await driveEngine(t);
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  await server.operator("set_sequence_status", { sequence_id, status: "active" });
  const evil = { job_title: "Pay at http://evil.example" };
  const [ada, bob] = [await newContact(server, evil), await newContact(server, { job_title: "Builder" })];
  const edit = (body: object) => server.rest("PATCH", `/contacts/${ada.id}`, { body });
  const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids: [ada.id, bob.id] });
  await edit({ job_title: "Countess" });
  const read = await server.operator("get_review", { kind: "sequence", id: approval_id });
  const copy_hashes = Object.fromEntries(read.audience.map((one: any) => [one.contact_id, one.copy_hash]));
  await server.operator("apply_sequence_approval", { approval_id, copy_hashes });
  await edit(evil);
  for (const { id: contact_id } of [ada, bob]) {
    assert.equal((await enroll(server, { sequence_id, contact_id })).status, 201);
  }
  await run();
  assert.deepEqual(
    taken.map(({ to }) => to),
    [[bob.email]],
  );
  assert.equal((await theEnrollment(server, ada.id)).held_reason, "contact_changed");
  await edit({ job_title: "Countess" });
  await authorise(server, sequence_id, [ada.id]);
  await run();
  assert.match((taken[1] as any).raw, /Countess/, "once somebody has approved it");
});
