import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { callAs, member } from "../support/member.ts";
import { type Agent, engineAction, SENDER, type Underway, withAgent } from "../support/socialnet.ts";

type Made = Underway & { sequence: any };

const setMode = (agent: Agent, automation_mode: string) =>
  agent.person("update_socialnet_account", { account_id: agent.account.id, automation_mode });

/** Changes to an action after it was planned, each with the note shown while it is on hold. */
const CHANGES: Record<string, { change: (agent: Agent, action: Made) => Promise<unknown>; note: RegExp }> = {
  recipient: {
    change: (agent, { contact }) => {
      const body = { socialnet_url: `${contact.socialnet_url}-elsewhere` };
      return agent.server.rest("PATCH", `/contacts/${contact.id}`, { body });
    },
    note: /profile changed/,
  },
  sender: {
    change: (agent) => {
      const profile_url = `${SENDER}-elsewhere`;
      return agent.person("update_socialnet_account", { account_id: agent.account.id, profile_url });
    },
    note: /another profile/,
  },
  sequence: {
    change: (agent, { sequence }) => {
      const [first, ...rest] = sequence.steps;
      const steps = [{ ...first, body: "Goodbye." }, ...rest];
      return agent.person("update_sequence", { sequence_id: sequence.id, steps });
    },
    note: /sequence, its sender or an approval of its audience changed/,
  },
};

/** Calls as a member who can work, but not approve. */
async function asRep(agent: Agent, verb: string, { id }: Underway, more: object = {}) {
  const input = { action_id: id, ...more };
  const { status, text } = await callAs(agent.server, member(agent.server), `${verb}_socialnet_action`, input);
  assert.equal(status, 200, text);
}

/** The action's state before the change. */
const BEFORE: Record<string, (agent: Agent) => Promise<Made>> = {
  planned: (agent) => engineAction(agent),
  held: async (agent) => {
    const action = await engineAction(agent);
    await asRep(agent, "hold", action);
    return action;
  },
  "held, and approved by the account before": async (agent) => {
    await setMode(agent, "automatic");
    const action = await engineAction(agent);
    await asRep(agent, "hold", action);
    await setMode(agent, "approve_each");
    return action;
  },
};

/** What a member without the approval permission does with it, none of which is an approval. */
const WORK: Record<string, (agent: Agent, action: Underway) => Promise<void>> = {
  leaves: async (agent, action) => {
    if ((await agent.statusOf(action)) === "held") await asRep(agent, "release", action);
  },
  "holds and releases": async (agent, action) => {
    if ((await agent.statusOf(action)) === "planned") await asRep(agent, "hold", action, { note: "Wait." });
    await asRep(agent, "release", action, { note: "Go on." });
  },
  "holds, edits and releases": async (agent, action) => {
    if ((await agent.statusOf(action)) === "planned") await asRep(agent, "hold", action, { note: "Wait." });
    await asRep(agent, "edit", action, { copy: "Other words." });
    await asRep(agent, "release", action);
  },
};

async function changed(t: TestContext, what: string, before = "planned") {
  const agent = await withAgent(t);
  const action = (await BEFORE[before]?.(agent)) as Made;
  await CHANGES[what]?.change(agent, action);
  return { agent, action };
}

for (const [what, { note }] of Object.entries(CHANGES)) {
  for (const before of Object.keys(BEFORE)) {
    for (const [does, work] of Object.entries(WORK)) {
      test(`an account made automatic puts an action on hold that was ${before} when its ${what} changed, and a rep ${does}`, async (t) => {
        const { agent, action } = await changed(t, what, before);
        await work(agent, action);
        assert.equal(await agent.statusOf(action), "planned");
        await setMode(agent, "automatic");
        const held = await agent.look(action);
        assert.deepEqual([held.status, held.approved_at], ["held", null]);
        assert.match(held.note, note);
        assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
      });
    }
  }

  test(`once a person has approved an action whose ${what} changed, it is like any other`, async (t) => {
    const { agent, action } = await changed(t, what);
    await agent.person("approve_socialnet_action", { action_id: action.id });
    await asRep(agent, "edit", action, { copy: "Other words." });
    assert.equal(await agent.statusOf(action), "planned");
    await setMode(agent, "automatic");
    assert.equal(await agent.statusOf(action), "approved");
  });

  test(`a member with the approval permission releases an action whose ${what} changed on an automatic account, which approves it`, async (t) => {
    const { agent, action } = await changed(t, what);
    await setMode(agent, "automatic");
    await agent.person("release_socialnet_action", { action_id: action.id });
    assert.equal(await agent.statusOf(action), "approved");
    for (const mode of ["approve_each", "automatic"]) await setMode(agent, mode);
    assert.equal(await agent.statusOf(action), "approved");
  });
}

test("an account that becomes automatic with a new profile puts actions planned for the old one on hold", async (t) => {
  const agent = await withAgent(t);
  const [planned, approved] = [await agent.planned(), await agent.approved()];
  const other = { profile_url: `${SENDER}-elsewhere`, automation_mode: "automatic" };
  await agent.person("update_socialnet_account", { account_id: agent.account.id, ...other });
  for (const action of [planned, approved]) assert.equal(await agent.statusOf(action), "held");
});

test("an action in progress while its sender changed returns marked, even if it had to stop already", async (t) => {
  const agent = await withAgent(t);
  const [one, other] = [await agent.started(), await agent.started()];
  const { socialnet_url: profileUrl } = other.contact;
  const observedAt = new Date(agent.clock.now()).toISOString();
  await agent.done("sync", { observations: [{ kind: "reply", profileUrl, externalKey: "reply", observedAt }] });
  await CHANGES.sender?.change(agent, one as Made);
  for (const action of [one, other]) {
    await agent.result(action, "login_required");
    assert.equal(await agent.statusOf(action), "held");
    await asRep(agent, "release", action);
  }
  await setMode(agent, "automatic");
  for (const action of [one, other]) assert.equal(await agent.statusOf(action), "held");
});

test("an action approved by a person stays approved when its sequence changes, and is on hold once that is withdrawn", async (t) => {
  const agent = await withAgent(t);
  const [kept, edited] = [await engineAction(agent), await engineAction(agent)];
  for (const action of [kept, edited]) {
    await agent.person("approve_socialnet_action", { action_id: action.id });
    await CHANGES.sequence?.change(agent, action);
    assert.equal(await agent.statusOf(action), "approved");
  }
  await asRep(agent, "edit", edited, { copy: "Other words." });
  await setMode(agent, "automatic");
  assert.deepEqual([await agent.statusOf(kept), await agent.statusOf(edited)], ["approved", "held"]);
});

test("on an automatic account, an action that loses a person's approval by an edit after its sequence changed is on hold too", async (t) => {
  const agent = await withAgent(t);
  const action = await engineAction(agent);
  await agent.person("approve_socialnet_action", { action_id: action.id });
  await setMode(agent, "automatic");
  await CHANGES.sequence?.change(agent, action);
  assert.equal(await agent.statusOf(action), "approved");
  await asRep(agent, "edit", action, { copy: "Words that nobody approved." });
  const held = await agent.look(action);
  assert.deepEqual([held.status, held.approved_at], ["held", null]);
  assert.match(held.note, CHANGES.sequence?.note as RegExp);
  assert.deepEqual(await agent.refusal("claim", { actionId: action.id }), ["held"]);
});

test("on an automatic account, an import that changes a profile sends the action to a person", async (t) => {
  const agent = await withAgent(t, { account: { automation_mode: "automatic" } });
  const { server } = agent;
  const contact = await agent.contact({ email: "yvonne@x.example" });
  const action = await agent.planned({ contact });
  assert.equal(await agent.statusOf(action), "approved");
  const row = { email: "yvonne@x.example", first_name: "Zoe", socialnet_url: "https://socialnet.example/in/zoe" };
  await server.operator("import_contacts", { fingerprint: "a".repeat(64), from_row: 0, rows: [row], last: true });
  const { status, recipient_url } = await agent.look(action);
  assert.equal(recipient_url, row.socialnet_url);
  assert.notEqual(status, "approved");
  assert.ok((await agent.refusal("claim", { actionId: action.id })).length > 0);
});
