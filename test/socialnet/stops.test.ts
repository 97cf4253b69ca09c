import assert from "node:assert/strict";
import { test } from "node:test";
import { driveEngine, onTheWay, theEnrollment } from "../support/engine.ts";
import { Agent, engineAction, enrollmentOf, iso, systemOf, type Underway, withAgent } from "../support/socialnet.ts";

const reply = (agent: Agent, { contact }: Underway) =>
  agent.done("sync", {
    observations: [
      {
        kind: "reply",
        profileUrl: contact.socialnet_url,
        externalKey: contact.id,
        observedAt: iso(agent.clock.now()),
      },
    ],
  });

/** What stops a contact's actions, and the resulting status of the engine's and a member's own. */
const STOPS: Record<
  string,
  { stop: (agent: Agent, action: Underway) => Promise<unknown>; engine: string; member: string; enrollment: string }
> = {
  "a reply": { stop: reply, engine: "cancelled", member: "held", enrollment: "stopped_replied" },
  "the do-not-contact list": {
    stop: (agent, { contact }) => agent.server.rest("POST", "/suppression", { body: { email: contact.email } }),
    engine: "cancelled",
    member: "cancelled",
    enrollment: "stopped_suppressed",
  },
  "the archive": {
    stop: (agent, { contact }) => agent.person("archive_contact", { contact_id: contact.id }),
    engine: "cancelled",
    member: "cancelled",
    enrollment: "stopped_by_member",
  },
};

async function engineAt(agent: Agent, status: string) {
  const action = await engineAction(agent);
  if (status === "planned") return action;
  await agent.person("approve_socialnet_action", { action_id: action.id });
  if (status === "held") await agent.person("hold_socialnet_action", { action_id: action.id });
  if (status === "approved" || status === "held") return action;
  const claimed = { ...action, ...(await agent.claim(action)) };
  if (status !== "claimed") await agent.start(claimed);
  return claimed;
}

test("an agent neither sees nor counts actions to an archived contact", async (t) => {
  const agent = await withAgent(t);
  const [shown, hidden] = [await agent.at("approved"), await agent.at("approved")];
  const listed = async (query = "") => {
    const { body } = await agent.server.rest("GET", `/socialnet/actions${query}`, { key: agent.key });
    return [body.data.map(({ id }: { id: string }) => id).sort(), body.meta.total];
  };
  assert.deepEqual(await listed(), [[hidden.id, shown.id].sort(), 2]);
  await agent.person("archive_contact", { contact_id: hidden.contact.id });
  assert.deepEqual(await listed(), [[shown.id], 1]);
  assert.deepEqual(await listed("?status=cancelled"), [[], 0]);
});

for (const [name, { stop, engine, member, enrollment }] of Object.entries(STOPS)) {
  test(`${name} stops what was not started: the engine's is ${engine}, a member's ${member}, the enrollment stopped`, async (t) => {
    const agent = await withAgent(t);
    for (const status of ["planned", "approved", "claimed", "held"] as const) {
      const planned = await engineAt(agent, status);
      await stop(agent, planned);
      assert.equal(await agent.statusOf(planned), engine, `the engine's, ${status}`);
      assert.equal((await enrollmentOf(agent, planned)).status, enrollment);
      const own = await agent.at(status);
      await stop(agent, own);
      assert.equal(await agent.statusOf(own), member, `a member's, ${status}`);
      if (status !== "claimed") continue;
      const reason = (of: string) => (of === "held" ? "held" : "cancelled");
      const token = ({ id: actionId, leaseToken }: Underway) => ({ actionId, leaseToken });
      assert.deepEqual(await agent.refusal("start", token(planned)), [reason(engine)]);
      assert.deepEqual(await agent.refusal("start", token(own)), [reason(member)]);
    }
  });

  test(`${name} leaves a started action to its report, and applies when it returns`, async (t) => {
    const agent = await withAgent(t);
    for (const [outcome, left] of [
      ["message_sent", "completed"],
      ["not_sent", "failed"],
      ["captcha", null],
    ] as const) {
      for (const [action, stopped] of [
        [await engineAt(agent, "started"), engine],
        [await agent.started(), member],
      ] as const) {
        await stop(agent, action);
        assert.equal(await agent.statusOf(action), "started");
        const { data } = (await agent.result(action, outcome)).body;
        assert.deepEqual([data.status, await agent.statusOf(action)], [left ?? stopped, left ?? stopped], outcome);
        if ("enrollmentId" in action) {
          assert.equal(
            (await enrollmentOf(agent, action as never)).status,
            enrollment,
            "a sequence that ended stays so",
          );
        }
        await agent.heartbeat();
      }
    }
  });

  test(`${name} also stops an action that a person is retrying`, async (t) => {
    const agent = await withAgent(t);
    for (const [action, stopped] of [
      [await engineAt(agent, "started"), engine],
      [await agent.started(), member],
    ] as const) {
      await agent.result(action, "outcome_unknown");
      await stop(agent, action);
      const shown = await agent.person("settle_socialnet_action", { action_id: action.id, outcome: "retry" });
      assert.deepEqual([shown.status, await agent.statusOf(action)], [stopped, stopped]);
    }
  });
}

test("an action that a reply put on hold needs approval again, since its approval came before the reply", async (t) => {
  const agent = await withAgent(t);
  for (const status of ["approved", "claimed", "held"] as const) {
    const action = await agent.at(status);
    await reply(agent, action);
    const held = await agent.look(action);
    assert.deepEqual([held.status, held.approved_by, held.approved_at], ["held", null, null], status);
    const released = await agent.person("release_socialnet_action", { action_id: action.id });
    assert.equal(released.status, "planned", status);
  }
});

test("removing a contact from a sequence cancels its step, and canceling the step removes the contact", async (t) => {
  const agent = await withAgent(t);
  const first = await engineAt(agent, "approved");
  await agent.person("stop_enrollment", { enrollment_id: first.enrollmentId });
  assert.equal(await agent.statusOf(first), "cancelled");
  const second = await engineAt(agent, "approved");
  await agent.person("cancel_socialnet_action", { action_id: second.id });
  assert.equal((await enrollmentOf(agent, second)).status, "stopped_by_member");
});

test("a contact whose address became a suppressed one is detected at claim and at start: canceled, with an entry in the ledger", async (t) => {
  const agent = await withAgent(t);
  await agent.person("add_suppression", { email: "listed@b.example" });
  for (const status of ["approved", "claimed"] as const) {
    const own = await agent.at(status);
    const planned = await engineAt(agent, status);
    for (const [i, action] of [own, planned].entries()) {
      const email = `Listed@b.example`;
      const changed = await agent.server.rest("PATCH", `/contacts/${action.contact.id}`, { body: { email } });
      assert.equal(changed.status, 200, changed.text);
      const { id: actionId, leaseToken } = action;
      const refusal =
        status === "approved"
          ? await agent.refusal("claim", { actionId })
          : await agent.refusal("start", { actionId, leaseToken });
      assert.deepEqual(refusal, ["cancelled"], `${status} ${i}`);
      const shown = await agent.look(action);
      assert.deepEqual([shown.status, shown.ended_at], ["cancelled", iso(agent.clock.now())]);
      assert.match(shown.note, /do-not-contact/);
      const [row] = await agent.person("list_audit", { limit: 1 });
      assert.deepEqual([row.record_id, row.after.move], [action.id, "cancel"]);
      assert.deepEqual(await agent.refusal("claim", { actionId }), ["cancelled"]);
      await agent.server.rest("PATCH", `/contacts/${action.contact.id}`, { body: { email: null } });
    }
    assert.equal((await enrollmentOf(agent, planned)).status, "stopped_suppressed", "its sequence does not wait on");
  }
});

for (const mode of ["approve_each", "automatic"]) {
  for (const email of ["other@x.example", null]) {
    test(`an opt-out of the approved address counts after it is changed to ${email}: ${mode}`, async (t) => {
      const agent = await withAgent(t, { account: { automation_mode: mode } });
      const add = () => (mode === "automatic" ? agent.planned() : agent.approved());
      const [approved, claimed] = [await add(), await agent.claim(await add())];
      const key = await agent.server.mint(["contacts.write"]);
      for (const { contact } of [approved, claimed]) {
        const change = { key, body: { email: email && `${contact.id}-${email}` } };
        assert.equal((await agent.server.rest("PATCH", `/contacts/${contact.id}`, change)).status, 200);
        await agent.person("add_suppression", { email: contact.email.toUpperCase(), reason: "asked by phone" });
      }
      assert.deepEqual(await agent.refusal("claim", { actionId: approved.id }), ["cancelled"]);
      const { id: actionId, leaseToken } = claimed;
      assert.deepEqual(await agent.refusal("start", { actionId, leaseToken }), ["cancelled"]);
      assert.equal((await agent.done("brief")).claimable, 0);
    });
  }
}

test("claim and start detect an opt-out of the approved address themselves, and a bounced one is not an opt-out", async (t) => {
  const agent = await withAgent(t);
  const [approved, begun, bounced] = [await agent.approved(), await agent.claimed(), await agent.approved()];
  for (const { contact } of [approved, begun, bounced]) {
    await agent.server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: null } });
    const source = contact.id === bounced.contact.id ? "engine" : "member";
    await systemOf(agent)(agent.server.workspaceId, "test", async (ctx) => {
      const given = { email: contact.email, reason: "bounce", stated: true, source, createdAt: ctx.now } as const;
      await ctx.store.suppressions.upsert({ id: ctx.newId(), ...given });
    });
  }
  const { id: actionId, leaseToken } = begun;
  assert.deepEqual(await agent.refusal("claim", { actionId: approved.id }), ["cancelled"]);
  assert.deepEqual(await agent.refusal("start", { actionId, leaseToken }), ["cancelled"]);
  for (const action of [approved, begun]) assert.equal(await agent.statusOf(action), "cancelled");
  await agent.claim(bounced);
});

test("an opt-out stops the contact who was emailed at the address, even if their address has changed", async (t) => {
  const driven = await driveEngine(t);
  const agent = await Agent.of(driven.server, driven.clock);
  await agent.heartbeat();
  const steps = [
    { type: "email", subject: "Hi", body: "Hello", delay_days: 0 },
    { type: "socialnet_message", body: "Hello again", delay_days: 0 },
  ];
  const profile = { socialnet_url: "https://socialnet.example/in/grace" };
  const { contact } = await onTheWay(driven.server, steps, profile);
  await driven.run();
  const [{ id: actionId, status }] = await agent.person("list_planned_actions", {});
  assert.equal(status, "planned", "nothing of it was approved with an address");
  await driven.server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: null } });
  await agent.person("add_suppression", { email: driven.taken[0]?.to[0] ?? "", reason: "asked" });
  assert.deepEqual(await agent.refusal("claim", { actionId }), ["cancelled"]);
  assert.equal((await theEnrollment(driven.server, contact.id)).status, "stopped_suppressed");
});

test("a reply stops the contact's actions on every account of the workspace, and no others", async (t) => {
  const agent = await withAgent(t);
  const other = await Agent.of(agent.server, agent.clock, { profile_url: "https://socialnet.example/in/other" });
  await other.heartbeat();
  const mine = await agent.approved();
  const theirs = await other.approved({ contact: mine.contact });
  const stranger = await other.approved();
  await reply(agent, mine);
  const statuses = [await agent.statusOf(mine), await agent.statusOf(theirs), await agent.statusOf(stranger)];
  assert.deepEqual(statuses, ["held", "held", "approved"]);
});

test("a reply stops every contact of the profile, and those who had it when they were contacted", async (t) => {
  const agent = await withAgent(t);
  const profile = "https://socialnet.example/in/twins";
  const [older, newer] = [
    await agent.contact({ socialnet_url: profile }),
    await agent.contact({ socialnet_url: profile }),
  ];
  const moved = await agent.started({ contact: await agent.contact({ socialnet_url: profile }) });
  await agent.result(moved, "message_sent");
  const body = { socialnet_url: `${profile}-elsewhere` };
  assert.equal((await agent.server.rest("PATCH", `/contacts/${moved.contact.id}`, { body })).status, 200);
  const open = [];
  for (const contact of [older, newer, moved.contact]) open.push(await agent.approved({ contact }));
  const observedAt = new Date(agent.clock.now()).toISOString();
  const seen = { kind: "reply", profileUrl: profile, observedAt, externalKey: "twins/1" };
  assert.equal((await agent.done("sync", { observations: [seen] })).results[0].status, "recorded");
  for (const action of open) assert.equal(await agent.statusOf(action), "held");
});
