import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerTo,
  bounceOf,
  type Driven,
  driveEngine,
  onTheWay,
  theEnrollment,
  theSend,
  told,
} from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";
import { audited, UNKNOWN } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const TWO = [MAIL, { ...MAIL, delay_days: 1 }];

/** A message that its recipient has, while its sender died before it could write that down. */
async function lost(driven: Driven) {
  const { server, taken, run } = driven;
  const made = await onTheWay(server, TWO);
  await run();
  const send = await theSend(server);
  await server.running.store.write(server.workspaceId, async ({ sends, enrollments }) => {
    await sends.move(send.id, ["sent"], "sending", driven.clock.now(), { leaseUntil: driven.clock.now() });
    await enrollments.stop(made.enrollment.id, "stopped_by_member", driven.clock.now());
  });
  assert.equal(taken.length, 1);
  return { ...made, send };
}

test("an answer to a message that nobody knew the end of shows that it arrived", async (t) => {
  for (const settled of [true, false]) {
    const driven = await driveEngine(t);
    const { contact } = await lost(driven);
    if (settled) await driven.engine.run();
    assert.equal((await theSend(driven.server)).status, settled ? "unknown" : "sending");
    await driven.receive(answerTo(driven.taken[0] as never));
    assert.equal((await theSend(driven.server)).status, "sent");
    assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_sent", "email_reply"]);
  }
});

test("a bounce that is here before its sender has written down that it went is read all the same", async (t) => {
  const driven = await driveEngine(t);
  const { contact } = await lost(driven);
  await driven.receive(bounceOf(driven.taken[0] as never, "5.1.1", "550 5.1.1 user unknown"));
  assert.equal((await theSend(driven.server)).status, "failed");
  assert.deepEqual(await told(driven.server, contact.id), ["email_sent", "email_bounced", "suppressed"]);
});

test("sending once more needs the permission to approve sends; the rest a rep may say, and all of it is audited", async (t) => {
  const driven = await driveEngine(t);
  const { server, engine } = driven;
  const { send } = await lost(driven);
  const settle = (outcome: string, changes = {}) =>
    callAs(server, member(server, changes), "settle_send", { send_id: send.id, outcome });
  assert.deepEqual([(await settle("sent")).body.code], ["send_not_unknown"]);
  await engine.run();
  const refused = await settle("retry");
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  await server.operator("set_billing", { state: "delinquent" });
  const { status, body } = await settle("not_sent");
  assert.deepEqual([status, body.data.status], [200, "failed"]);
  const [row] = await audited(server, "settle_send");
  assert.deepEqual([row.record_id, row.before.status, row.after.status], [send.id, "unknown", "failed"]);
  await assert.rejects(server.operator("settle_send", { send_id: UNKNOWN, outcome: "sent" }), {
    code: "send_not_found",
  });
  assert.equal((await theEnrollment(server)).status, "stopped_by_member");
});
