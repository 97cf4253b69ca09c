import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DEAL_STAGES } from "../../src/domain/contacts/deal.ts";
import { LIFECYCLE } from "../../src/domain/contacts/lifecycle.ts";
import { openBeside } from "../support/beside.ts";
import { callAs, member } from "../support/member.ts";
import { UNKNOWN } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";

const NO = { confirmed: false };
const BANT = { budget: NO, authority: NO, need: NO, timeline: NO };
const HELD_ON = "2026-01-01";

async function newContact(server: TestServer): Promise<string> {
  return (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data.id;
}

const patch = (server: TestServer, id: string, body: object) => server.rest("PATCH", `/contacts/${id}`, { body });

test("every move is on the contact's timeline and in the audit, with who moved it", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  await server.operator("confirm_meeting", { contact_id: id, held_on: HELD_ON });
  assert.equal((await patch(server, id, { lifecycle: "lead", job_title: "Countess" })).status, 200);
  assert.equal((await patch(server, id, { lifecycle: "lead" })).status, 200, "the same stage is no move");
  assert.equal((await patch(server, id, { lifecycle: "customer" })).status, 422, "a refused move leaves no trace");
  await callAs(server, member(server), "update_contact", { id, lifecycle: "prospect" });
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const rows = db.prepare("SELECT contact_id, type, subject, metadata FROM activities ORDER BY seq").all() as any[];
  const [key] = await server.operator("list_keys", {});
  const entry = { contact_id: id, type: "lifecycle_changed" };
  assert.deepEqual(
    rows.map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) })),
    [
      {
        ...entry,
        subject: "prospect → lead",
        metadata: { from: "prospect", to: "lead", source: "public_api", api_key_id: key.id },
      },
      {
        ...entry,
        subject: "lead → prospect",
        metadata: { from: "lead", to: "prospect", source: "member", member_id: member(server).id },
      },
    ],
  );
  const audit = (await server.operator("list_audit", {})).filter((row: any) => row.action === "update_contact");
  assert.deepEqual(
    audit.map((row: any) => [row.actor_kind, row.actor_id, row.record_id, row.before, row.after]),
    [
      ["member", member(server).id, id, { lifecycle: "lead" }, { lifecycle: "prospect" }],
      ["key", key.id, id, { lifecycle: "prospect" }, { lifecycle: "lead" }],
    ],
  );
});

test("no one can force a stage change: not a key, a member, an administrator or the server admin", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  for (const body of [{ force: true }, { force: true, first_name: "x" }, { force: true, lifecycle: "lead" }]) {
    const reply = await patch(server, id, body);
    assert.deepEqual([reply.status, reply.body.code], [403, "force_not_permitted"], JSON.stringify(body));
    for (const role of ["rep", "super_admin"] as const) {
      const { status, body: answer } = await callAs(server, member(server, { role }), "update_contact", {
        id,
        ...body,
      });
      assert.deepEqual([status, answer.code], [403, "force_not_permitted"]);
    }
    await assert.rejects(server.operator("update_contact", { id, ...body }), { code: "force_not_permitted" });
  }
  for (const force of [false, null, "true", 1]) {
    assert.equal((await patch(server, id, { force, lifecycle: "lead" })).body.code, "meeting_required", `${force}`);
  }
  assert.equal((await server.rest("GET", `/contacts/${id}`)).body.data.lifecycle, "prospect");
});

test("forcing is refused after the scope check and before any other validation", async (t) => {
  const server = await startServer(t);
  const id = await newContact(server);
  for (const faulty of [
    { email: "no address" },
    { lifecycle: "emperor" },
    { account_id: 7, first_name: 7 },
    { first_name: "\u0000" },
    { website: "javascript:alert(1)", id: "x" },
  ]) {
    const reply = await patch(server, id, { force: true, ...faulty });
    assert.deepEqual([reply.status, reply.body.code], [403, "force_not_permitted"], JSON.stringify(faulty));
    const { status, body } = await callAs(server, member(server), "update_contact", { id, force: true, ...faulty });
    assert.deepEqual([status, body.code], [403, "force_not_permitted"]);
    assert.equal((await patch(server, id, { force: false, ...faulty })).status, 400, JSON.stringify(faulty));
  }
  for (const other of ["nonsense", UNKNOWN]) {
    assert.equal((await patch(server, other, { force: true })).body.code, "force_not_permitted", other);
  }
  const key = await server.mint(["contacts.read"]);
  const denied = await server.rest("PATCH", `/contacts/${id}`, { body: { force: true }, key });
  assert.equal(denied.body.code, "insufficient_scope");
  await server.operator("set_billing", { state: "delinquent" });
  assert.equal((await patch(server, id, { force: true, first_name: "x" })).body.code, "force_not_permitted");
  assert.equal((await patch(server, id, { first_name: "x" })).status, 402);
});

type Step =
  | { do: "move"; to: (typeof LIFECYCLE)[number]; force: boolean }
  | { do: "book" | "report" | "hold" | "judge" }
  | { do: "deal"; stage: string; bant: boolean }
  | { do: "settle"; which: number; stage: string };

const stage = fc.constantFrom(...DEAL_STAGES);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      to: fc.constantFrom(...LIFECYCLE),
      force: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("book", "report", "hold", "judge") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("deal" as const), stage, bant: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const), which: fc.nat(3), stage }) },
);

/** The rules for one contact, written independently of the code that enforces them. */
class Model {
  stage = 0;
  met = false;
  judged = false;
  /** A deal that a key created as won does not count until a person moves it there. */
  deals: { id: string; stage: string; byPerson: boolean }[] = [];

  move({ to, force }: { to: string; force: boolean }): [number, string | undefined] {
    const aim = ["prospect", "lead", "opportunity", "customer"].indexOf(to);
    if (force) return [403, "force_not_permitted"];
    if (aim === this.stage) return [200, undefined];
    if (aim > this.stage + 1 || aim < this.stage - 1) return [422, "stage_not_adjacent"];
    if (to === "lead" && !this.met) return [422, "meeting_required"];
    if (to === "opportunity" && !this.judged) return [400, "bant_required"];
    if (to === "customer" && !this.deals.some(({ stage, byPerson }) => stage === "closed_won" && byPerson)) {
      return [422, "won_deal_required"];
    }
    this.stage = aim;
    return [200, undefined];
  }

  deal({ bant }: { bant: boolean }): [number, string | undefined] {
    return this.stage === 1 && !this.judged && !bant ? [400, "bant_required"] : [201, undefined];
  }
}

async function play(server: TestServer, id: string, model: Model, step: Step): Promise<void> {
  const rep = member(server);
  const told = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
  const log = (type: string) => server.rest("POST", `/contacts/${id}/activities`, { body: { type, subject: "S" } });
  switch (step.do) {
    case "move": {
      const { to, force } = step;
      assert.deepEqual(told(await patch(server, id, { lifecycle: to, force })), model.move(step));
      break;
    }
    case "book":
      assert.equal((await log("meeting_booked")).status, 201);
      break;
    case "report":
      assert.equal((await log("meeting_completed")).status, 201);
      break;
    case "hold":
      assert.equal((await callAs(server, rep, "confirm_meeting", { contact_id: id, held_on: HELD_ON })).status, 200);
      model.met = true;
      break;
    case "judge":
      assert.equal((await callAs(server, rep, "confirm_bant", { contact_id: id, ...BANT })).status, 200);
      model.judged = true;
      break;
    case "deal": {
      const assessed = step.bant ? { bant_assessment: BANT } : {};
      const body = { contact_id: id, title: "E", stage: step.stage, ...assessed };
      const reply = await server.rest("POST", "/deals", { body });
      assert.deepEqual(told(reply), model.deal(step));
      if (reply.status === 201) model.deals.push({ id: reply.body.data.id, stage: step.stage, byPerson: false });
      break;
    }
    case "settle": {
      const deal = model.deals[step.which];
      if (deal === undefined) return;
      const { status } = await callAs(server, rep, "set_deal_stage", { deal_id: deal.id, stage: step.stage });
      assert.equal(status, 200);
      // Without a change, nothing is moved.
      if (step.stage !== deal.stage) deal.byPerson = true;
      deal.stage = step.stage;
    }
  }
}

const move = (to: (typeof LIFECYCLE)[number]): Step => ({ do: "move", to, force: false });
const upAndDown: Step[] = [
  ...[move("lead"), { do: "book" } as const, move("lead"), { do: "hold" } as const, move("lead")],
  ...[{ do: "deal", stage: "proposal", bant: false } as const, { do: "deal", stage: "proposal", bant: true } as const],
  ...[move("opportunity"), move("customer"), { do: "judge" } as const, move("opportunity"), move("customer")],
  ...[{ do: "settle", which: 0, stage: "closed_won" } as const, move("customer"), move("lead")],
  ...[{ do: "settle", which: 0, stage: "closed_lost" } as const, move("opportunity"), move("customer"), move("lead")],
];

test("no sequence of requests, confirmations, deals and stage moves lets a contact skip a gate", async (t) => {
  const server = await startServer(t);
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const timeline = db.prepare(
    "SELECT subject FROM activities WHERE contact_id = ? AND type = 'lifecycle_changed' ORDER BY seq",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (walk) => {
      const id = await newContact(server);
      const model = new Model();
      const path: string[] = [];
      for (const step of walk) {
        const from = LIFECYCLE[model.stage];
        await play(server, id, model, step);
        const to = LIFECYCLE[model.stage];
        if (to !== from) path.push(`${from} → ${to}`);
        assert.equal((await server.rest("GET", `/contacts/${id}`)).body.data.lifecycle, to);
      }
      assert.deepEqual(timeline.pluck().all(id), path);
    }),
    { numRuns: 40, examples: [[upAndDown]] },
  );
});

test("a won deal created by a key makes no customer until a member moves or confirms it", async (t) => {
  const server = await startServer(t);
  const opportunity = async () => {
    const { data } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body;
    await server.operator("confirm_meeting", { contact_id: data.id, held_on: "2026-01-05" });
    await server.operator("confirm_bant", { contact_id: data.id, ...BANT });
    for (const lifecycle of ["lead", "opportunity"]) await patch(server, data.id, { lifecycle });
    return data.id as string;
  };
  const won = async (contact_id: string) => {
    const body = { contact_id, title: "Engine", stage: "closed_won" };
    const reply = await server.rest("POST", "/deals", { body });
    assert.equal(reply.status, 201, "creating it stays allowed");
    return reply.body.data.id as string;
  };
  const becomes = async (id: string) => {
    const { status, body } = await patch(server, id, { lifecycle: "customer" });
    return body.code ?? status;
  };
  const [confirmed, moved] = [await opportunity(), await opportunity()];
  const [deal, other] = [await won(confirmed), await won(moved)];
  for (const id of [confirmed, moved]) assert.equal(await becomes(id), "won_deal_required");
  await server.operator("set_deal_stage", { deal_id: other, stage: "closed_won", probability: 90 });
  assert.equal(await becomes(moved), "won_deal_required", "another forecast is no word on whether it is won");
  await server.operator("confirm_deal", { deal_id: deal });
  assert.equal(await becomes(confirmed), 200);
  await server.operator("set_deal_stage", { deal_id: other, stage: "negotiation" });
  await assert.rejects(server.operator("confirm_deal", { deal_id: other }), { code: "validation_failed" });
  await server.operator("set_deal_stage", { deal_id: other, stage: "closed_won" });
  assert.equal(await becomes(moved), 200);
});
