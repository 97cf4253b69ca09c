import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, onTheWay, startSending, timeline } from "../support/engine.ts";
import { until } from "../support/until.ts";

const STEPS = [
  { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 },
  { type: "wait", days: 3 },
  { type: "email", subject: "Still there, {{first_name}}?", body: "Once more.", delay_days: 1 },
];

test("each email of a sequence is sent on its day, once, and logged on the timeline", async (t) => {
  const { server, clock, taken } = await startSending(t);
  const { contact, enrollment } = await onTheWay(server, STEPS);
  const status = async () => (await server.operator("list_enrollments", {}))[0];
  await until(async () => (await status()).current_step === 1);
  clock.advance(3 * DAY_MS);
  await until(async () => (await status()).current_step === 2);
  clock.advance(DAY_MS);
  await until(() => taken.length === 2);
  await until(async () => (await status()).status === "completed");
  assert.equal((await status()).id, enrollment.id);
  assert.deepEqual(
    (await timeline(server, contact.id)).map(({ type, subject }) => [type, subject]),
    [
      ["email_sent", "Hello Ada"],
      ["email_sent", "Still there, Ada?"],
    ],
  );
  assert.match(taken[1]?.raw ?? "", /^In-Reply-To: <rostrum\./m);
  const sent = await server.operator("list_sends", {});
  assert.deepEqual(
    sent.map(({ subject, text, contact: { first_name } }: any) => [subject, text?.split("\n")[0], first_name]),
    [
      ["Still there, Ada?", "Once more.", "Ada"],
      ["Hello Ada", `About ${contact.company}`, "Ada"],
    ],
  );
  await server.operator("archive_contact", { contact_id: contact.id });
  assert.equal((await server.operator("list_sends", {}))[0].contact, null);
});
