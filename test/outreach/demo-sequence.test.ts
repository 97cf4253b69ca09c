import assert from "node:assert/strict";
import { test } from "node:test";
import { fillDemo } from "../../src/cli/demo/fill.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { senderText } from "../../src/lib/mail-server.ts";
import { answerTo, DAY_MS, driveEngine, FROM, HOUR_MS, headerOf, timeline } from "../support/engine.ts";
import { engineEnv, openStoreOf } from "../support/engine-under-test.ts";
import { FakeClock, temporaryFolder } from "../support/server.ts";

const EMAIL = "kwame.mensah@meridianfreight.example";

test("a demo contact gets three messages in two weeks, replies, and everything stops, as the timeline shows", async (t) => {
  const folder = temporaryFolder(t);
  // The server beside which the demo is filled has recorded its sender.
  const store = await openStoreOf(folder);
  await store.recordMailFrom(senderText(FROM), Date.now());
  await store.recordHasMailServer(true, Date.now());
  await store.close();
  await fillDemo(readConfig({ data: folder }, engineEnv(folder)), createLog("silent"));
  // That server may have read its clock while the demo was in the past.
  const filled = await openStoreOf(folder);
  const { at = 0 } = await filled.retention();
  await filled.close();
  assert.ok(Date.now() - at < HOUR_MS, `the server's last run is not a day of the story: ${new Date(at)}`);
  const clock = new FakeClock(Date.now());
  const driven = await driveEngine(t, { folder, clock });
  const { server, taken, run } = driven;
  const { data: found } = (await server.rest("POST", "/contacts/query", { body: { filter: { email: EMAIL } } })).body;
  const [contact] = found;
  const began = (await timeline(server, contact.id)).length;
  const accounts: { id: string; label: string; profile_url: string }[] = await server.operator(
    "list_socialnet_accounts",
    {},
  );
  const account = accounts.find(({ label }) => label === "Robin Ashworth");
  assert.ok(account);
  const { key } = await server.operator("create_key", {
    name: "another agent",
    scopes: ["socialnet.read", "socialnet.execute"],
    socialnet_account_id: account.id,
  });
  const command = async (name: string, fields: object = {}) => {
    const reply = await server.rest("POST", "/socialnet/actions", { key, body: { command: name, ...fields } });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const mine = async (status: string) =>
    ((await server.operator("list_planned_actions", { limit: 100 })) as any[]).find(
      (action) => action.origin === "engine" && action.status === status && JSON.stringify(action).includes(contact.id),
    );
  const enrollment = async () => (await server.operator("list_enrollments", { contact_id: contact.id }))[0];
  const theirs = () => taken.filter(({ to }) => to.includes(EMAIL));

  let executed = false;
  for (let hour = 0; hour < 14 * 24 && (await mine("cancelled")) === undefined; hour += 1) {
    await run();
    const asked = executed ? undefined : await mine("planned");
    if (asked !== undefined) {
      await server.operator("approve_socialnet_action", { action_id: asked.id });
      await command("heartbeat", { session: "ready", profileUrl: account.profile_url });
    }
    const approved = await mine("approved");
    if (approved !== undefined) {
      const body = { command: "claim", actionId: approved.id };
      // Outside the account's sending hours, the agent comes back later.
      const claimed = await server.rest("POST", "/socialnet/actions", { key, body });
      if (claimed.status === 200) {
        const lease = { actionId: approved.id, leaseToken: claimed.body.data.leaseToken };
        await command("start", lease);
        await command("result", { ...lease, outcome: "connection_sent", evidence: "The request stands as sent." });
        executed = true;
      }
    }
    if (executed && (await enrollment()).status === "waiting_on_action" && theirs().length === 2) {
      await driven.receive(answerTo(theirs()[1] as never, {}, "Yes, please call me on Monday."));
    }
    clock.advance(HOUR_MS);
  }
  const { status, held_reason } = await enrollment();
  assert.deepEqual([status, held_reason], ["stopped_replied", null]);
  assert.equal((await mine("cancelled")).kind, "message");
  clock.advance(60 * DAY_MS);
  await run();
  assert.equal(theirs().length, 2);
  assert.equal(headerOf(theirs()[1] as never, "in-reply-to"), headerOf(theirs()[0] as never, "message-id"));
  const story = (await timeline(server, contact.id))
    .slice(began)
    .map(({ type, subject, body }) => [...[type, subject, (body ?? "").split("\n")[0]]]);
  assert.deepEqual(story, [
    ["email_sent", "How Meridian Freight plans its week", "Hi Kwame,"],
    [
      "socialnet_connection_sent",
      "Connection request sent",
      "Hi Kwame, I emailed you about rosters at Meridian Freight.",
    ],
    ["email_sent", "The page on rosters", "Hi Kwame,"],
    ["email_reply", "Re: The page on rosters", "Yes, please call me on Monday."],
  ]);
});
