import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Driven, driveEngine } from "../support/engine.ts";
import { EDITED, ORDERS, type Order, race, type Version, versionOf } from "../support/races.ts";
import { enroll, newContact } from "../support/sequences.ts";
import { Agent } from "../support/socialnet.ts";

/**
 * What an agent is handed by a start is what a person approved, whatever comes before it, after it or at once. A
 * sequence on an automatic account stands by the approval of its audience, an action of a person by its own.
 */

const SENDER = "https://socialnet.example/in/robin";
const OTHER = `https://socialnet.example/in/${EDITED}`;

interface World {
  driven: Driven;
  agent: Agent;
  /** The agent of another account of the workspace. */
  other: Agent;
}

async function start(t: TestContext, automation_mode: string): Promise<World> {
  const driven = await driveEngine(t);
  const limits = { daily_limits: { connection_requests: 1_000, messages: 1_000 } };
  const account = { automation_mode, ...limits };
  const agent = await Agent.of(driven.server, driven.clock, { ...account, profile_url: SENDER });
  const other = await Agent.of(driven.server, driven.clock, { ...account, profile_url: OTHER });
  await other.heartbeat();
  return { driven, agent, other };
}

/** The accounts and the policy as they were before any edit. */
async function reset({ driven: { server }, agent }: World): Promise<void> {
  await server.operator("set_sending_policy", { sender_name: "Robin" });
  await server.operator("update_socialnet_account", { account_id: agent.account.id, profile_url: SENDER });
  await agent.heartbeat();
}

let made = 0;

interface Scenario {
  n: number;
  contact: any;
  sequence?: any;
  actionId?: string;
  leaseToken?: string;
  read: object;
  approvalId?: string;
  approved: Set<Version>;
  left: Version[];
}

async function contactOf({ server }: Driven, n: number): Promise<any> {
  return newContact(server, { job_title: "Boss", socialnet_url: `https://socialnet.example/profile?id=${n}` });
}

const patch = ({ driven }: World, { contact }: Scenario, body: object) =>
  driven.server.rest("PATCH", `/contacts/${contact.id}`, { body });

/** Claims or starts for the account that the action belongs to. */
async function command({ agent, other }: World, of: Scenario, name: "claim" | "start"): Promise<void> {
  for (const { account, ...one } of [agent, other].map((one) => ({ account: one.account, agent: one }))) {
    const { leaseToken, actionId } = of;
    const fields = name === "claim" ? { actionId } : { actionId, leaseToken };
    const { status, body } = await one.agent.command(name, fields);
    if (status !== 200) continue;
    if (name === "claim") of.leaseToken = body.data.leaseToken;
    else of.left.push(versionOf([body.data.copy, body.data.recipient.profileUrl, account.profile_url].join()));
    return;
  }
}

type Edit = (world: World, of: Scenario) => Promise<unknown>;

/** Edits of a sequence's content, and of its recipients. */
const SEQUENCE_EDITS: Record<string, Edit> = {
  unused: (world, of) => patch(world, of, { last_name: EDITED }),
  value: (world, of) => patch(world, of, { job_title: EDITED }),
  profile: (world, of) => patch(world, of, { socialnet_url: `https://socialnet.example/in/${EDITED}-${of.n}` }),
  query: (world, of) => patch(world, of, { socialnet_url: `https://socialnet.example/profile?id=${EDITED}-${of.n}` }),
  import: ({ driven }, { contact, n }) =>
    driven.server.operator("import_contacts", {
      fingerprint: n.toString(16).padStart(64, "0"),
      from_row: 0,
      rows: [{ email: contact.email, socialnet_url: `https://socialnet.example/in/${EDITED}-${n}` }],
      last: true,
    }),
  steps: ({ driven }, { sequence }) =>
    driven.server.operator("update_sequence", { sequence_id: sequence.id, steps: [message(EDITED)] }),
  sender: ({ driven }) => driven.server.operator("set_sending_policy", { sender_name: EDITED }),
  account: ({ driven, other }, { sequence }) =>
    driven.server.operator("update_sequence", {
      sequence_id: sequence.id,
      socialnet_account_id: other.account.id,
    }),
};

/**
 * Whether something is handed out for certain: no step uses what was edited, the edit came after the start, or after the
 * action had its copy, which another value of the contact does not change.
 */
function isCertain(kind: string, act: Act, order: Order): boolean {
  if (kind === "unused") return true;
  if (order !== "second, first") return false;
  return act === "start" || ((kind === "value" || kind === "query") && (act === "plan" || act === "claim"));
}

/** These withdraw approvals, so nothing is given to an agent after them without a new approval. */
const VOIDING = ["profile", "import", "steps", "sender", "account"];

const message = (more = "") => ({
  type: "socialnet_message",
  body: `{{job_title}} {{sender_name}} ${more}`,
  delay_days: 0,
});

const CHAIN = ["approve", "apply", "enroll", "plan", "claim", "start"] as const;
type Act = (typeof CHAIN)[number];

async function sequenceScenario(world: World): Promise<Scenario> {
  const { driven, agent } = world;
  const { server } = driven;
  await reset(world);
  made += 1;
  const contact = await contactOf(driven, made);
  const steps = { steps: [message()], socialnet_account_id: agent.account.id };
  const sequence = await server.operator("create_sequence", { name: "Races", ...steps });
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
  const shown = await server.operator("preview_audience", { sequence_id: sequence.id, contact_ids: [contact.id] });
  const read = { steps_hash: shown.steps_hash, copy_hashes: { [contact.id]: shown.contacts[0].copy_hash } };
  return { n: made, contact, sequence, read, approved: new Set(), left: [] };
}

function sequenceAct(world: World, of: Scenario, act: Act): () => Promise<unknown> {
  const { driven } = world;
  const { server } = driven;
  const { contact, sequence } = of;
  switch (act) {
    case "approve":
      return async () => {
        const given = { sequence_id: sequence.id, contact_ids: [contact.id], ...of.read };
        of.approvalId = (await server.operator("approve_sequence", given)).id;
      };
    case "apply":
      return async () => {
        await server.operator("apply_sequence_approval", { approval_id: of.approvalId });
        of.approved.add("before");
      };
    case "enroll":
      return () => enroll(server, { sequence_id: sequence.id, contact_id: contact.id });
    case "plan":
      return async () => {
        await driven.run();
        await find(world, of);
      };
    default:
      return () => command(world, of, act);
  }
}

async function find({ driven: { server } }: World, of: Scenario): Promise<void> {
  const [action] = await server.operator("list_planned_actions", { contact_id: of.contact.id });
  if (action !== undefined) of.actionId = action.id;
}

const tried = (act: () => Promise<unknown>) => act().catch(() => undefined);

function check({ approved, left }: Scenario, what: string): void {
  for (const version of left) assert.ok(approved.has(version), `${what}: ${version} was handed out`);
  assert.ok(left.length <= 1, `${what}: it was handed out ${left.length} times`);
}

for (const act of CHAIN) {
  test(`an edit and ${act} of a sequence on an automatic account, in any order: agents receive only approved content`, async (t) => {
    const world = await start(t, "automatic");
    for (const [kind, edit] of Object.entries(SEQUENCE_EDITS)) {
      for (const order of ORDERS.slice(0, 3)) {
        const what = `${kind} and ${act}, ${order}`;
        const of = await sequenceScenario(world);
        for (const done of CHAIN.slice(0, CHAIN.indexOf(act))) await sequenceAct(world, of, done)();
        await race(order, () => edit(world, of), sequenceAct(world, of, act));
        await find(world, of);
        for (const then of CHAIN.slice(CHAIN.indexOf(act) + 1)) await tried(sequenceAct(world, of, then));
        check(of, what);
        if (order === "first, second" && VOIDING.includes(kind)) assert.deepEqual(of.left, [], what);
        if (isCertain(kind, act, order)) assert.deepEqual(of.left, ["before"], what);
      }
    }
  });
}

/** Edits of a person's own action, and of its recipient. */
const ACTION_EDITS: Record<string, Edit> = {
  copy: ({ driven }, { actionId }) =>
    driven.server.operator("edit_socialnet_action", { action_id: actionId, copy: EDITED }),
  profile: SEQUENCE_EDITS.profile as Edit,
  query: SEQUENCE_EDITS.query as Edit,
  import: SEQUENCE_EDITS.import as Edit,
};

/** Ways to stop an approved action. */
const STOPS: Record<string, Edit> = {
  hold: ({ driven }, { actionId }) => driven.server.operator("hold_socialnet_action", { action_id: actionId }),
  withdraw: ({ driven }, { actionId }) => driven.server.operator("withdraw_socialnet_action", { action_id: actionId }),
  cancel: ({ driven }, { actionId }) => driven.server.operator("cancel_socialnet_action", { action_id: actionId }),
  suppress: ({ driven }, { contact }) => driven.server.operator("add_suppression", { contact_id: contact.id }),
  sender: ({ driven, agent }) =>
    driven.server.operator("update_socialnet_account", { account_id: agent.account.id, profile_url: `${SENDER}-2` }),
};

const ACTS = ["approve what was read", "approve", "claim", "start"] as const;

async function actionScenario(world: World): Promise<Scenario> {
  const { driven, agent } = world;
  await reset(world);
  made += 1;
  const contact = await contactOf(driven, made);
  const plan = { account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: `Hello ${made}` };
  const { id: actionId, copy_hash } = await driven.server.operator("plan_socialnet_action", plan);
  return { n: made, contact, actionId, read: { copy_hash }, approved: new Set(), left: [] };
}

function actionAct(world: World, of: Scenario, act: (typeof ACTS)[number]): () => Promise<unknown> {
  if (act === "claim" || act === "start") return () => command(world, of, act);
  return async () => {
    const given = { action_id: of.actionId, ...(act === "approve" ? {} : of.read) };
    const { copy, recipient_url } = await world.driven.server.operator("approve_socialnet_action", given);
    of.approved.add(act === "approve" ? versionOf(copy + recipient_url) : "before");
  };
}

async function racedAction(world: World, order: Order, act: (typeof ACTS)[number], edit: Edit): Promise<Scenario> {
  const of = await actionScenario(world);
  const before = act === "claim" ? ["approve"] : act === "start" ? ["approve", "claim"] : [];
  for (const done of before) await actionAct(world, of, done as "approve")();
  await race(order, () => edit(world, of), actionAct(world, of, act));
  for (const then of act === "start" ? [] : act === "claim" ? ["start"] : ["claim", "start"]) {
    await tried(actionAct(world, of, then as "claim"));
  }
  return of;
}

for (const act of ACTS) {
  test(`an edit and ${act} of an action, in any order: agents receive only approved content`, async (t) => {
    const world = await start(t, "approve_each");
    const handedOut: Version[] = [];
    for (const [kind, edit] of Object.entries(ACTION_EDITS)) {
      for (const order of ORDERS) {
        const of = await racedAction(world, order, act, edit);
        check(of, `${kind} and ${act}, ${order}`);
        handedOut.push(...of.left);
      }
    }
    assert.ok(handedOut.includes(act === "approve" ? "edited" : "before"), "some are handed out");
  });
}

for (const act of ["claim", "start"] as const) {
  test(`a person stops an action during ${act}, in any order: agents receive nothing after the stop`, async (t) => {
    const world = await start(t, "approve_each");
    let handedOut = 0;
    for (const [kind, stop] of Object.entries(STOPS)) {
      for (const order of ORDERS) {
        const what = `${kind} and ${act}, ${order}`;
        const of = await racedAction(world, order, act, stop);
        check(of, what);
        // Putting on hold or withdrawing needs an unclaimed action.
        const late = (kind === "hold" || kind === "withdraw") && act === "start";
        if (order === "first, second" && !late) assert.deepEqual(of.left, [], what);
        handedOut += of.left.length;
      }
    }
    assert.ok(handedOut > 0);
  });
}
