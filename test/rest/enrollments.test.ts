import assert from "node:assert/strict";
import { test } from "node:test";
import { armed, authorise, enroll, newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

const env = { ROSTRUM_OUTBOUND_GATE: "open" };

test("archiving a contact removes it from every sequence", async (t) => {
  const server = await startServer(t, { env });
  const { contact, ids } = await armed(server);
  await enroll(server, ids);
  await server.operator("archive_contact", { contact_id: contact.id });
  const [enrollment] = await server.operator("list_enrollments", { contact_id: contact.id });
  assert.deepEqual([enrollment.status, enrollment.due_at], ["stopped_by_member", null]);
});

test("an enrollment that is on hold because the contact changed continues once the contact is approved again", async (t) => {
  const server = await startServer(t, { env });
  const { contact, sequence, ids } = await armed(server);
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { first_name: "Augusta" } });
  await enroll(server, ids);
  const held = async () => (await server.operator("list_enrollments", { contact_id: contact.id }))[0].held_reason;
  assert.equal(await held(), "contact_changed");
  await authorise(server, sequence.id, [(await newContact(server)).id]);
  assert.equal(await held(), "contact_changed", "an approval of others changes nothing for this one");
  await authorise(server, sequence.id, [contact.id]);
  assert.equal(await held(), null);
});
