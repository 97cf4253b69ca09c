import assert from "node:assert/strict";
import { test } from "node:test";
import { DEAL_STAGES } from "../../src/domain/contacts/deal.ts";
import { openBeside } from "../support/beside.ts";
import { callAs, member } from "../support/member.ts";
import { FakeClock, type Request, startServer, type TestServer } from "../support/server.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const YES = { confirmed: true };
const BANT = { budget: { confirmed: false, note: " 10k " }, authority: YES, need: YES, timeline: YES };

async function newContact(server: TestServer): Promise<string> {
  return (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data.id;
}

/** A contact at the lead stage, with a meeting confirmed by a member. */
async function newLead(server: TestServer): Promise<string> {
  const id = await newContact(server);
  await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-01-01" });
  assert.equal((await server.rest("PATCH", `/contacts/${id}`, { body: { lifecycle: "lead" } })).status, 200);
  return id;
}

const create = (server: TestServer, body: unknown, more: Request = {}) =>
  server.rest("POST", "/deals", { body, ...more });

function open(server: TestServer, t: { after(job: () => void): void }) {
  const db = openBeside(server.folder);
  t.after(() => db.close());
  return db;
}

test("a deal is returned with the contract's fields, in their order, and its defaults", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const least = await create(server, {
    contact_id: contact_id.toUpperCase(),
    title: " Engine ",
    workspace_id: UNKNOWN,
  });
  assert.equal(least.status, 201, least.text);
  const { id, created_at, ...rest } = least.body.data;
  assert.deepEqual(Object.keys(least.body.data), [
    ...["id", "contact_id", "workspace_id", "title", "value", "currency", "stage", "probability"],
    ...["expected_close_date", "created_at"],
  ]);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    contact_id,
    workspace_id: server.workspaceId,
    title: "Engine",
    value: 0,
    currency: "USD",
    stage: "prospecting",
    probability: null,
    expected_close_date: null,
  });
  const given = { title: "E", value: 19.99, currency: " eur ", stage: "closed_won", probability: 12.5 };
  const full = await create(server, { contact_id, ...given, expected_close_date: "2028-02-29" });
  assert.deepEqual(full.body.data, {
    id: full.body.data.id,
    contact_id,
    workspace_id: server.workspaceId,
    title: "E",
    value: 19.99,
    currency: "EUR",
    stage: "closed_won",
    probability: 12.5,
    expected_close_date: "2028-02-29",
    created_at: full.body.data.created_at,
  });
});

test("every value is returned and stored exactly as sent", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const db = open(server, t);
  const values = [0.1 + 0.2, 9_007_199_254_740_991, 1e300, 5e-324, 19.99, 0, Number.MAX_VALUE, 1 / 3, -0.01, -17_000];
  for (const value of values) {
    const { data } = (await create(server, { contact_id, title: "E", value })).body;
    assert.equal(data.value, value);
    assert.equal(db.prepare("SELECT value FROM deals WHERE id = ?").pluck().get(data.id), value);
    const moved = await server.operator("set_deal_stage", { deal_id: data.id, stage: "proposal" });
    assert.equal(moved.value, value, "a value that is read back");
  }
});

test("every ISO 4217 currency is accepted in any letter case, and nothing else", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  for (const currency of ["USD", "eur", "Jpy", "CHF", "KWD", "INR", "XAU", "xdr", "XXX"]) {
    const reply = await create(server, { contact_id, title: "E", currency });
    assert.equal(reply.body.data.currency, currency.toUpperCase());
  }
  for (const currency of ["", "US", "USDX", "ABC", "$", "u\u017fd", "___", null, 840]) {
    const reply = await create(server, { contact_id, title: "E", currency });
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], `${currency}`);
    assert.match(reply.body.error ?? "", /^currency must be (a three-letter currency code|a string)/);
  }
});

test("an invalid deal is refused by field, and nothing is written", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const deal = { contact_id, title: "E" };
  const answer = (note: unknown) => ({ ...deal, bant_assessment: { ...BANT, need: { confirmed: true, note } } });
  const cases: [unknown, RegExp][] = [
    [{ title: "E" }, /^contact_id is required/],
    [{ ...deal, contact_id: "ada" }, /^contact_id must be a UUID/],
    [{ contact_id }, /^title is required/],
    [{ ...deal, title: "  " }, /^title can't be empty/],
    [{ ...deal, title: "t".repeat(501) }, /^title must be 500 characters or fewer/],
    [{ ...deal, value: "7" }, /^value must be a number/],
    [{ ...deal, stage: "won" }, /^stage must be one of prospecting, /],
    [{ ...deal, probability: 100.1 }, /^probability must be 100 or less/],
    [{ ...deal, probability: -1 }, /^probability /],
    [{ ...deal, expected_close_date: "2026-02-30" }, /^expected_close_date must be a date/],
    [{ ...deal, bant_assessment: {} }, /^bant_assessment\.budget is required/],
    [{ ...deal, bant_assessment: { ...BANT, timeline: undefined } }, /^bant_assessment\.timeline is required/],
    [{ ...deal, bant_assessment: { ...BANT, need: { note: "x" } } }, /^bant_assessment\.need\.confirmed is required/],
    [answer("n".repeat(1_001)), /^bant_assessment\.need\.note must be 1000 characters or fewer/],
    [answer(7), /^bant_assessment\.need\.note /],
  ];
  for (const [body, message] of cases) {
    const reply = await create(server, body);
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], reply.text);
    assert.match(reply.body.error ?? "", message);
  }
  const huge = await server.rest("POST", "/deals", { raw: `{"contact_id":"${contact_id}","title":"E","value":1e999}` });
  assert.deepEqual([huge.status, huge.body.code], [400, "validation_failed"]);
  const db = open(server, t);
  assert.equal(db.prepare("SELECT count(*) FROM deals").pluck().get(), 0);
  assert.equal(db.prepare("SELECT count(*) FROM bant_assessments").pluck().get(), 0);
});

test("a lead needs BANT with the deal unless a member has confirmed one, and other stages do not", async (t) => {
  const server = await startServer(t);
  const prospect = await newContact(server);
  assert.equal((await create(server, { contact_id: prospect, title: "E" })).status, 201);
  const contact_id = await newLead(server);
  const deal = { contact_id, title: "E" };
  const bare = await create(server, deal);
  assert.deepEqual([bare.status, bare.body.code], [400, "bant_required"]);
  assert.match(bare.body.error ?? "", /^bant_assessment .*Send one/);
  assert.equal((await create(server, { ...deal, bant_assessment: BANT })).status, 201);
  assert.equal((await create(server, deal)).status, 400, "an assessment that nobody confirmed opens nothing");
  const up = await server.rest("PATCH", `/contacts/${contact_id}`, { body: { lifecycle: "opportunity" } });
  assert.equal(up.body.code, "bant_required");
  await server.operator("confirm_bant", { contact_id, ...BANT });
  assert.equal((await create(server, deal)).status, 201);
  assert.equal(
    (await server.rest("PATCH", `/contacts/${contact_id}`, { body: { lifecycle: "opportunity" } })).status,
    200,
  );
});

test("an assessment sent with a deal is stored as unconfirmed, for every caller", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const assessed = { ...BANT, need: { ...YES, confirmed_by: "me" }, confirmed_by: "me", confirmed_at: 1 };
  assert.equal((await create(server, { contact_id, title: "E", bant_assessment: assessed })).status, 201);
  await callAs(server, member(server), "create_deal", { contact_id, title: "E", bant_assessment: assessed });
  const rows = open(server, t)
    .prepare("SELECT answers, confirmed_by, confirmed_at FROM bant_assessments")
    .all() as any[];
  assert.equal(rows.length, 2);
  for (const { answers, ...confirmed } of rows) {
    assert.deepEqual(JSON.parse(answers), { ...BANT, budget: { confirmed: false, note: "10k" } });
    assert.deepEqual(confirmed, { confirmed_by: null, confirmed_at: null });
  }
});

test("racing repeats with one Idempotency-Key create one deal and one assessment", async (t) => {
  const server = await startServer(t);
  const contact_id = await newContact(server);
  const more = { headers: { "idempotency-key": "k" } };
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => create(server, { contact_id, title: `${i}`, bant_assessment: BANT }, more)),
  );
  assert.equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1);
  const db = open(server, t);
  assert.equal(db.prepare("SELECT count(*) FROM deals").pluck().get(), 1);
  assert.equal(db.prepare("SELECT count(*) FROM bant_assessments").pluck().get(), 1);
});

test("another workspace's contacts and deals get the same answer as random ids", async (t) => {
  const server = await startServer(t);
  const other = await server.neighbour();
  const contact_id = await newContact(server);
  const { id } = (await create(server, { contact_id, title: "E" })).body.data;
  const more = { key: other.key };
  const random = await create(server, { contact_id: UNKNOWN, title: "E" }, more);
  assert.deepEqual([random.status, random.body.code], [404, "contact_not_found"]);
  assert.equal((await create(server, { contact_id, title: "E", bant_assessment: BANT }, more)).text, random.text);
  const rep = member(server, { workspaceId: other.workspaceId });
  const unknown = await callAs(server, rep, "set_deal_stage", { deal_id: UNKNOWN, stage: "closed_won" });
  assert.deepEqual([unknown.status, unknown.body.code], [404, "deal_not_found"]);
  const foreign = await callAs(server, rep, "set_deal_stage", { deal_id: id, stage: "closed_won" });
  assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
  const db = open(server, t);
  assert.deepEqual(db.prepare("SELECT stage FROM deals").pluck().all(), ["prospecting"]);
  assert.equal(db.prepare("SELECT count(*) FROM bant_assessments").pluck().get(), 0);
  await server.operator("archive_contact", { contact_id });
  assert.equal((await create(server, { contact_id, title: "E" })).body.code, "contact_not_found");
});

test("a member can move a deal to any stage; omitted fields stay, null clears, and the audit has both states", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const contact_id = await newContact(server);
  const given = { probability: 10, expected_close_date: "2027-01-31" };
  const { data } = (await create(server, { contact_id, title: "E", ...given })).body;
  const move = async (input: object) => {
    clock.advance(1_000);
    return (await callAs(server, member(server), "set_deal_stage", { deal_id: data.id, ...input })).body.data;
  };
  for (const stage of [...DEAL_STAGES].reverse()) assert.deepEqual(await move({ stage }), { ...data, stage });
  const moved = await move({ stage: "proposal", probability: 75.5, expected_close_date: null });
  assert.deepEqual(moved, { ...data, stage: "proposal", probability: 75.5, expected_close_date: null });
  await move({ stage: "proposal", probability: 75.5 });
  const [audit] = await server.operator("list_audit", { limit: 1 });
  assert.deepEqual([audit.action, audit.record_id], ["set_deal_stage", data.id]);
  assert.deepEqual(audit.before, { stage: "prospecting", ...given }, "a deal that stays as it is leaves no row");
  assert.deepEqual(audit.after, { stage: "proposal", probability: 75.5, expected_close_date: null });
});

test("moving a deal needs the work permission, known fields and stages, and writable billing", async (t) => {
  const server = await startServer(t);
  const { data } = (await create(server, { contact_id: await newContact(server), title: "E" })).body;
  const input = { deal_id: data.id, stage: "proposal" };
  const viewer = await callAs(server, member(server, { role: "viewer" }), "set_deal_stage", input);
  assert.deepEqual([viewer.status, viewer.body.code], [403, "insufficient_scope"]);
  const cases: [object, RegExp][] = [
    [{ deal_id: data.id }, /^stage is required/],
    [{ ...input, stage: "won" }, /^stage must be one of/],
    [{ ...input, probability: 101 }, /^probability /],
    [{ ...input, expected_close_date: "soon" }, /^expected_close_date /],
    [{ ...input, value: 5 }, /^Unknown field "value"/],
    [{ ...input, deal_id: "7" }, /^deal_id must be a UUID/],
  ];
  for (const [wrong, message] of cases) {
    const { status, body } = await callAs(server, member(server), "set_deal_stage", wrong);
    assert.deepEqual([status, body.code], [400, "validation_failed"]);
    assert.match(body.error ?? "", message);
  }
  const key = await server.mint(["contacts.write", "activities.write"]);
  const denied = await create(server, { contact_id: data.contact_id, title: "E" }, { key });
  assert.deepEqual([denied.status, denied.body.code], [403, "insufficient_scope"]);
  const db = open(server, t);
  db.prepare("UPDATE workspaces SET billing_state = 'delinquent'").run();
  const unpaid = [
    await create(server, { contact_id: data.contact_id, title: "E" }),
    await callAs(server, member(server), "set_deal_stage", input),
  ];
  for (const { status, body } of unpaid) assert.deepEqual([status, body.code], [402, "billing_read_only"]);
  assert.deepEqual(db.prepare("SELECT stage FROM deals").pluck().all(), ["prospecting"]);
});

test("a member can edit a deal without moving it; omitted fields stay, null clears", async (t) => {
  const server = await startServer(t);
  const given = { value: 5, currency: "EUR", stage: "proposal", probability: 10, expected_close_date: "2027-01-31" };
  const { data } = (await create(server, { contact_id: await newContact(server), title: "E", ...given })).body;
  const edit = async (input: object, as = member(server)) =>
    callAs(server, as, "update_deal", { deal_id: data.id, ...input });
  const { body } = await edit({ title: " F ", value: -0.1, currency: "usd", probability: null });
  const after = { ...data, title: "F", value: -0.1, currency: "USD", probability: null };
  assert.deepEqual(body.data, { ...after, owner: null });
  assert.deepEqual((await edit({ value: -0.1 })).body.data, { ...after, owner: null });
  const changes = (await server.operator("list_audit", {})).filter(({ action }: any) => action === "update_deal");
  assert.equal(changes.length, 1, "an edit without a change leaves no row");
  const cases: [object, RegExp][] = [
    [{}, /title/],
    [{ stage: "closed_won" }, /^Unknown field "stage"/],
    [{ currency: "EURO" }, /^currency must be a three-letter currency code/],
    [{ title: " " }, /^title /],
  ];
  for (const [wrong, message] of cases) {
    const { status, body: refusal } = await edit(wrong);
    assert.deepEqual([status, refusal.code], [400, "validation_failed"]);
    assert.match(refusal.error ?? "", message);
  }
  assert.equal((await edit({ value: 1 }, member(server, { role: "viewer" }))).status, 403);
  assert.equal((await callAs(server, member(server), "update_deal", { deal_id: UNKNOWN, value: 1 })).status, 404);
});

test("a person owns the deals they create and can give them away; an agent's deal has no owner", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const contact_id = await newContact(server);
  const invite = (name: string) =>
    server.operator("invite_member", { email: `${name}@b.example`, name, role: "rep", approve_outbound: false });
  const [ada, eve] = [await invite("Ada"), await invite("Eve")];
  const as = member(server, { id: ada.id });
  const call = async (name: string, input: object) => {
    // Deals of one millisecond are in no order.
    clock.advance(1);
    return (await callAs(server, as, name, input)).body;
  };
  const made = (await create(server, { contact_id, title: "Agent", owner_id: ada.id })).body.data;
  assert.equal("owner" in made, false, "the contract's deal has no owner");
  const own = (await call("create_deal", { contact_id, title: "Own" })).data;
  assert.equal("owner" in own, false);
  const added = (await call("add_deal", { contact_id, title: "Added" })).data;
  assert.deepEqual(added.owner, { id: ada.id, name: "Ada" });
  const given = (await call("add_deal", { contact_id, title: "Given", owner_id: eve.id })).data;
  assert.deepEqual(given.owner, { id: eve.id, name: "Eve" });
  assert.equal((await call("add_deal", { contact_id, title: "Open", owner_id: null })).data.owner, null);
  const titles = async (owner_id?: string) =>
    (await call("list_deals", { stage: "prospecting", ...(owner_id && { owner_id }) })).data.map(
      ({ title, owner }: any) => `${title} ${owner?.name ?? "-"}`,
    );
  assert.deepEqual(await titles(), ["Open -", "Given Eve", "Added Ada", "Own Ada", "Agent -"]);
  assert.deepEqual(await titles(ada.id), ["Added Ada", "Own Ada"]);
  const [total] = (await call("list_deal_totals", { owner_id: eve.id })).data;
  assert.equal(total.deals, 1);
  const moved = (await call("update_deal", { deal_id: added.id, owner_id: eve.id })).data;
  assert.deepEqual([moved.owner, moved.title], [{ id: eve.id, name: "Eve" }, "Added"]);
  await call("update_deal", { deal_id: added.id, title: "Renamed" });
  assert.deepEqual(await titles(eve.id), ["Given Eve", "Renamed Eve"]);
  await server.operator("remove_member", { member_id: eve.id });
  assert.deepEqual(await titles(), ["Open -", "Given -", "Renamed -", "Own Ada", "Agent -"]);
  for (const owner_id of [UNKNOWN, eve.id]) {
    for (const [name, input] of [
      ["update_deal", { deal_id: added.id, owner_id }],
      ["add_deal", { contact_id, title: "E", owner_id }],
    ] as const) {
      const { code, error } = await call(name, input);
      assert.equal(code, "member_not_found");
      assert.match(error ?? "", /^owner_id is not the id of a current member/);
    }
  }
  const viewer = member(server, { role: "viewer" });
  const denied = await callAs(server, viewer, "update_deal", { deal_id: added.id, owner_id: ada.id });
  assert.deepEqual([denied.status, denied.body.code], [403, "insufficient_scope"]);
});

test("a deal says since when it is at its stage: since it moved there, or was created", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const { id, created_at } = (await create(server, { contact_id: await newContact(server), title: "E" })).body.data;
  const since = async (stage: string) => {
    const [listed] = await server.operator("list_deals", { stage });
    const { stage_since } = await server.operator("get_deal_record", { id });
    assert.equal(stage_since, listed.stage_since);
    return stage_since;
  };
  assert.equal(await since("prospecting"), created_at);
  clock.advance(86_400_000);
  const at = new Date(clock.now()).toISOString();
  await server.operator("set_deal_stage", { deal_id: id, stage: "proposal" });
  assert.equal(await since("proposal"), at);
  clock.advance(86_400_000);
  await server.operator("set_deal_stage", { deal_id: id, stage: "proposal", probability: 50 });
  assert.equal(await since("proposal"), at, "a new probability is no move");
});
