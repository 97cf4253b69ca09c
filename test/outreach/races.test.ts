import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AsSystem } from "../../src/core/context.ts";
import type { Engine } from "../../src/workers/engine.ts";
import { type Driven, driveEngine, runOut } from "../support/engine.ts";
import { EDITED, ORDERS, race, type Version, versionOf } from "../support/races.ts";
import { authorise, enroll, newContact } from "../support/sequences.ts";

/**
 * The promise of approvals under every pair of edit, approve, apply, enroll and send, one after the other in either
 * order, at once, and with the other one between taking a step and handing the message over: what leaves is what an
 * applied approval was given to, or nothing leaves.
 */

const CHAIN = ["approve", "apply", "enroll", "send"] as const;
type Act = (typeof CHAIN)[number];
const WITHIN = "within the send";

interface Scenario {
  n: number;
  contact: any;
  sequence: any;
  /** What a person has read before the race. */
  read: { steps_hash: string; copy_hashes: Record<string, string> };
  /** The approvals, each with its version once known. */
  approvals: Map<string, Version | undefined>;
}

const EDITS: Record<string, (world: World, of: Scenario) => Promise<unknown>> = {
  value: ({ server }, { contact }) =>
    server.rest("PATCH", `/contacts/${contact.id}`, { body: { job_title: `Boss ${EDITED}` } }),
  address: ({ server }, { contact, n }) =>
    server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: `${EDITED}-${n}@x.example` } }),
  import: ({ server }, { contact, n }) =>
    server.operator("import_contacts", {
      fingerprint: n.toString(16).padStart(64, "0"),
      from_row: 0,
      rows: [{ email: contact.email, job_title: `Boss ${EDITED}` }],
      last: true,
    }),
  steps: ({ server }, { sequence, n }) =>
    server.operator("update_sequence", { sequence_id: sequence.id, steps: [mail(n, EDITED)] }),
  sender: ({ server }) => server.operator("set_sending_policy", { sender_name: `Robin ${EDITED}` }),
};

const mail = (n: number, more = "") => ({
  type: "email",
  subject: `Mail ${n}.`,
  body: `Dear {{first_name}}, {{job_title}}${more}`,
  delay_days: 0,
});

class World {
  readonly driven: Driven;
  readonly engine: Engine;
  /** Runs once, between claiming a step and handing over the message. */
  between: (() => Promise<unknown>) | undefined;
  #made = 0;

  constructor(driven: Driven, engine: (world: World) => Engine) {
    this.driven = driven;
    this.engine = engine(this);
  }

  static async start(t: TestContext): Promise<World> {
    const driven = await driveEngine(t);
    let world: World | undefined;
    const asSystem: AsSystem = async (workspaceId, name, job) => {
      const made = await driven.asSystem(workspaceId, name, job);
      const happens = world?.between;
      if (name === "take_step" && world !== undefined) world.between = undefined;
      if (name === "take_step") await happens?.();
      return made;
    };
    const engine = await driven.another({ asSystem });
    world = new World(driven, () => engine);
    return world;
  }

  get server() {
    return this.driven.server;
  }

  async scenario(): Promise<Scenario> {
    this.#made += 1;
    const n = this.#made;
    await this.server.operator("set_sending_policy", { sender_name: "Robin" });
    const contact = await newContact(this.server, { job_title: "Boss" });
    const sequence = await this.server.operator("create_sequence", { name: "Races", steps: [mail(n)] });
    await this.server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active" });
    const of = { n, contact, sequence, read: { steps_hash: "", copy_hashes: {} }, approvals: new Map() };
    await this.look(of);
    return of;
  }

  async look(of: Scenario): Promise<void> {
    const given = { sequence_id: of.sequence.id, contact_ids: [of.contact.id] };
    const { steps_hash, contacts } = await this.server.operator("preview_audience", given);
    of.read = { steps_hash, copy_hashes: { [of.contact.id]: contacts[0].copy_hash } };
  }

  /** With hashes, what was read is approved; without them, the current values. */
  async approve(of: Scenario, version?: Version): Promise<void> {
    const given = { sequence_id: of.sequence.id, contact_ids: [of.contact.id] };
    const pins = version === undefined ? {} : of.read;
    const { id } = await this.server.operator("approve_sequence", { ...given, ...pins });
    of.approvals.set(id, version);
  }

  act(of: Scenario, act: Act, version?: Version): () => Promise<unknown> {
    const newest = () => [...of.approvals.keys()].at(-1);
    switch (act) {
      case "approve":
        return () => this.approve(of, version);
      case "apply":
        return () => this.server.operator("apply_sequence_approval", { approval_id: newest() });
      case "enroll":
        return () => enroll(this.server, { sequence_id: of.sequence.id, contact_id: of.contact.id });
      case "send":
        return () => runOut(this.server, this.driven.clock, this.engine);
    }
  }

  async all(of: Scenario, acts: readonly Act[], version?: Version): Promise<void> {
    for (const act of acts) await this.act(of, act, version)().catch(() => undefined);
  }

  /** The versions that were sent. */
  left({ n }: Scenario): Version[] {
    const mine = this.driven.taken.filter(({ raw }) => raw.includes(`Mail ${n}.`));
    return mine.map(({ raw, to }) => versionOf(raw + to));
  }

  /** The versions with an approval that is or was active. */
  async allowed(of: Scenario): Promise<Set<Version>> {
    const versions = new Set<Version>();
    for (const [id, known] of of.approvals) {
      const { approval, audience, sequence } = await this.server.operator("get_review", { kind: "sequence", id });
      // All edits are done by now: contacts that match their approval were approved as edited.
      const isNow = !audience[0].changed && approval.steps_hash === sequence.steps_hash;
      if (approval.applied_at !== null) versions.add(known ?? (isNow ? "edited" : "before"));
    }
    return versions;
  }

  async check(of: Scenario, what: string): Promise<Version[]> {
    const [left, allowed] = [this.left(of), await this.allowed(of)];
    for (const version of left) assert.ok(allowed.has(version), `${what}: ${version} left, approved: ${[...allowed]}`);
    assert.ok(left.length <= 1, `${what}: it left ${left.length} times`);
    return left;
  }

  /** Runs both of a pair in an order, or the first between claiming a step and handing over the message. */
  async pair(
    order: (typeof ORDERS)[number] | typeof WITHIN,
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
  ) {
    if (order !== WITHIN) return race(order, first, second);
    this.between = () => first().catch(() => undefined);
    await second().catch(() => undefined);
    const { between } = this;
    this.between = undefined;
    await between?.();
  }
}

const ordersOf = (second: Act) => (second === "send" ? ([...ORDERS, WITHIN] as const) : ORDERS);

for (const act of CHAIN) {
  test(`an edit and ${act}, in any order: only approved content is sent`, async (t) => {
    const world = await World.start(t);
    const left = { before: 0, edited: 0, none: 0 };
    for (const [kind, edit] of Object.entries(EDITS)) {
      for (const read of act === "approve" ? [true, false] : [true]) {
        for (const order of ordersOf(act)) {
          const what = `${kind} and ${act}${read ? "" : " of what is there"}, ${order}`;
          const of = await world.scenario();
          await world.all(of, CHAIN.slice(0, CHAIN.indexOf(act)), "before");
          await world.pair(order, () => edit(world, of), world.act(of, act, read ? "before" : undefined));
          await world.check(of, what);
          await world.all(of, CHAIN.slice(CHAIN.indexOf(act) + 1));
          await world.all(of, ["send"]);
          const [version = "none"] = await world.check(of, what);
          left[version] += 1;
          if (order === "first, second" || order === WITHIN) assert.notEqual(version, "before", what);
        }
      }
    }
    assert.ok(left.none > 0, "some are held");
    if (act === "send") assert.ok(left.before >= Object.keys(EDITS).length, "what was sent before the edit was sent");
    if (act === "approve") assert.ok(left.edited >= Object.keys(EDITS).length, "what was approved after it is sent");
  });
}

const PAIRS = CHAIN.flatMap((first, i) => CHAIN.slice(i + 1).map((second) => [first, second] as const));

for (const [first, second] of PAIRS) {
  test(`${first} and ${second} after an edit, in any order: it is sent once its approval is activated, and once`, async (t) => {
    const world = await World.start(t);
    for (const kind of ["value", "steps"] as const) {
      for (const order of ordersOf(second)) {
        const what = `${first} and ${second} after ${kind}, ${order}`;
        const of = await world.scenario();
        await world.all(of, ["approve", "apply"], "before");
        if (first !== "enroll" && second !== "enroll") await world.all(of, ["enroll"]);
        await EDITS[kind]?.(world, of);
        await world.look(of);
        if (first !== "approve") await world.all(of, ["approve"], "edited");
        await world.pair(order, world.act(of, first, "edited"), world.act(of, second, "edited"));
        await world.check(of, what);
        assert.ok(!world.left(of).includes("before"), what);
        // A contact at the end of a sequence can be enrolled again under the same approval.
        await world.all(of, world.left(of).length > 0 ? ["send"] : ["apply", "enroll", "send"]);
        assert.deepEqual(await world.check(of, what), ["edited"], what);
      }
    }
  });
}

test("an edit that is undone before a message is handed over still withdraws its approval", async (t) => {
  const world = await World.start(t);
  const of = await world.scenario();
  await world.all(of, ["approve", "apply", "enroll"], "before");
  const back = async () => {
    await EDITS.steps?.(world, of);
    await world.server.operator("update_sequence", { sequence_id: of.sequence.id, steps: [mail(of.n)] });
  };
  await world.pair(WITHIN, back, world.act(of, "send"));
  assert.deepEqual(world.left(of), []);
  await authorise(world.server, of.sequence.id, [of.contact.id]);
  await world.all(of, ["send"]);
  assert.deepEqual(world.left(of), ["before"]);
});
