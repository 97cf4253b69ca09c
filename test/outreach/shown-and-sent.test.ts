import assert from "node:assert/strict";
import { test } from "node:test";
import PostalMime from "postal-mime";
import { driveEngine, onTheWay } from "../support/engine.ts";
import { authorise, enroll, newContact, newSequence } from "../support/sequences.ts";

/** What a person approves and what a recipient gets are the same, also where a program between them reads text as code. */

const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "Hello {{job_title}}", delay_days: 0 };

const codedWord = (text: string) => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;

test("a text that reads like an encoded word is shown by the recipient's mail program as it was approved, or not at all", async (t) => {
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

test("an address that opted out stays so where its domain ends with the full stop of another script", async (t) => {
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
