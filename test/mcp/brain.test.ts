import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENTS, connect } from "../support/mcp.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";
const ADA = {
  email: "Ada@Lovelace.example",
  first_name: "Ada",
  last_name: "Lovelace",
  company: "Analytical Engines",
  job_title: "Countess",
  socialnet_url: "https://www.socialnet.example/in/ada/",
};
const ANSWER = { confirmed: true, note: "yes" };
const BANT = { budget: ANSWER, authority: ANSWER, need: ANSWER, timeline: { confirmed: false } };
const SHOWN_BANT = { budget: ANSWER, authority: ANSWER, need: ANSWER, timeline: { confirmed: false, note: null } };
const EMAIL_STEP = { type: "email", subject: "Hello", body: "Hello {{first_name}}", delay_days: 0 };

/** A workspace with one contact with every kind of data; each step is a second after the last. */
async function furnish(server: TestServer, clock: FakeClock) {
  const step = async <T>(job: Promise<T>): Promise<T> => {
    const done = await job;
    clock.advance(1_000);
    return done;
  };
  const post = async (path: string, body: object) => {
    const reply = await step(server.rest("POST", path, { body }));
    assert.equal(reply.status, 201, reply.text);
    return reply.body.data;
  };
  const act = (name: string, input: object) => step(server.operator(name, input));
  const patch = async (body: object) => {
    const reply = await step(server.rest("PATCH", `/contacts/${id}`, { body }));
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const account = await act("create_account", { name: "Analytical Engines", domain: "engines.example" });
  const { id } = await post("/contacts", ADA);
  await patch({ account_id: account.id });
  const booked = await post(`/contacts/${id}/activities`, { type: "meeting_booked", subject: "Tea", body: "At noon" });
  const meeting = await act("confirm_meeting", { contact_id: id, held_on: "2026-11-19", note: "She is keen" });
  const open = await post(`/contacts/${id}/activities`, { type: "meeting_booked", subject: "Dinner" });
  await patch({ lifecycle: "lead" });
  const won = await post("/deals", { contact_id: id, title: "Pilot", value: 0.1, bant_assessment: BANT });
  await act("set_deal_stage", { deal_id: won.id, stage: "closed_won" });
  const older = await post("/deals", { contact_id: id, title: "Engine", value: 17_000, bant_assessment: BANT });
  const newer = await post("/deals", { contact_id: id, title: "Spare parts", bant_assessment: BANT });
  const bant = await act("confirm_bant", { contact_id: id, ...BANT });
  const sequences = [];
  for (const name of ["First words", "Second words"]) {
    const sequence = await act("create_sequence", { name, steps: [EMAIL_STEP] });
    const approval = await act("approve_sequence", { sequence_id: sequence.id, contact_ids: [id] });
    await act("apply_sequence_approval", { approval_id: approval.id });
    sequences.push(sequence);
  }
  const [first, second] = sequences;
  const way = await post("/sequences/enroll", { sequence_id: first.id, contact_id: id });
  const ended = await post("/sequences/enroll", { sequence_id: second.id, contact_id: id });
  const stopped = await act("stop_enrollment", { enrollment_id: ended.id });
  const call = await post(`/contacts/${id}/activities`, { type: "call_made", subject: "Rang" });
  return { id, account, booked, meeting, open, won, older, newer, bant, first, second, way, ended, stopped, call };
}

async function rich(t: Parameters<typeof startServer>[0]) {
  const clock = new FakeClock();
  const server = await startServer(t, { clock, env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const key = (await server.operator("list_keys", {}))[0].id;
  return { server, key, clock, it: await furnish(server, clock) };
}

const without = ({ workspace_id: _, ...record }: Record<string, any>) => record;
const read = async (server: TestServer, path: string) => (await server.rest("GET", path)).body.data;

test("a contact with every kind of data shows every part exactly, to every client", async (t) => {
  const { server, key, it } = await rich(t);
  const data = await server.operator("brain_contact", { id: it.id });
  const contact = await read(server, `/contacts/${it.id}`);
  assert.deepEqual(data.contact, contact);
  assert.equal(contact.lifecycle, "lead");
  assert.equal(data.last_contacted_at, it.call.created_at);
  assert.deepEqual(data.account, it.account);
  assert.deepEqual(data.lifecycle, { stage: "lead", next: { stage: "opportunity", needs: [] } });
  const won = { ...it.won, stage: "closed_won" };
  assert.deepEqual(data.deals, [it.newer, it.older, won].map(without), "open ones first, newest first");
  const { contact_id: _, workspace_id: __, ...confirmed } = it.meeting;
  const booked = { id: data.meetings[0].id, activity_id: it.open.id, created_at: it.open.created_at };
  assert.deepEqual(data.meetings, [
    { ...booked, confirmed: false, held_on: null, note: null, confirmed_by: null, confirmed_at: null },
    { ...confirmed, confirmed: true },
  ]);
  const { confirmed_by, confirmed_at } = it.bant;
  const stands = { id: it.bant.id, ...SHOWN_BANT, confirmed_by, confirmed_at, created_at: confirmed_at };
  const pending = { ...SHOWN_BANT, confirmed_by: null, confirmed_at: null, created_at: it.newer.created_at };
  assert.deepEqual(data.bant, { confirmed: stands, unconfirmed: { id: data.bant.unconfirmed.id, ...pending } });
  const enrolled = ({ id, sequence_id, enrolled_at }: Record<string, unknown>) => ({ id, sequence_id, enrolled_at });
  const draft = { sequence_status: "draft", delivery: "send", held_reason: null, current_step: 0 };
  const { enrolled_at } = it.way;
  assert.deepEqual(data.enrollments, [
    {
      ...enrolled(it.way),
      sequence_name: "First words",
      ...draft,
      status: "active",
      due_at: enrolled_at,
      ended_at: null,
      waits: { reason: "sequence_not_active", until: null },
    },
    {
      ...enrolled(it.ended),
      sequence_name: "Second words",
      ...draft,
      status: "stopped_by_member",
      due_at: null,
      ended_at: data.enrollments[1].ended_at,
      waits: null,
    },
  ]);
  assert.ok(data.enrollments[1].ended_at > enrolled_at);
  assert.equal(data.suppression, null);
  const [rang, moved, dinner, tea] = data.activities;
  assert.deepEqual([rang, dinner, tea], [it.call, it.open, it.booked].map(without));
  assert.deepEqual([moved.type, moved.metadata.from, moved.metadata.to], ["lifecycle_changed", "prospect", "lead"]);
  assert.equal(data.activities.length, 4);
  const by = (at: string) => ({ source: "public_api", actor_id: key, at });
  const made = by(contact.created_at);
  assert.deepEqual(data.provenance, {
    email: made,
    first_name: made,
    last_name: made,
    company: made,
    job_title: made,
    phone: null,
    socialnet_url: made,
    website: null,
    lifecycle: by(moved.created_at),
    tags: null,
    account_id: by(new Date(Date.parse(contact.created_at) + 1_000).toISOString()),
  });
  for (const client of CLIENTS) {
    const agent = await connect(t, client, server);
    await agent.listTools();
    const seen = await agent.callTool({ name: "brain_contact", arguments: { id: it.id, detail: "full" } });
    assert.deepEqual(seen.structuredContent, { data, error: null }, client.label);
    assert.deepEqual(JSON.parse(seen.content[0]?.text ?? ""), seen.structuredContent);
  }
});

test("a deal shows itself, its contact, and the contact's other deals", async (t) => {
  const { server, it } = await rich(t);
  const { deals, ...known } = await server.operator("brain_contact", { id: it.id });
  assert.deepEqual(await server.operator("brain_opportunity", { id: it.older.id }), {
    ...known,
    deal: without(it.older),
    other_deals: deals.filter(({ id }: { id: string }) => id !== it.older.id),
  });
});

const enrollmentsOf = async (server: TestServer, id: string) =>
  (await server.operator("brain_contact", { id })).enrollments;

test("an account shows its contacts, and the data of all of them", async (t) => {
  const { server, clock, it } = await rich(t);
  const others = [];
  for (const first_name of ["Charles", "Grace", "Alan"]) {
    const email = `${first_name}@engines.example`;
    const { data } = (await server.rest("POST", "/contacts", { body: { first_name, email } })).body;
    clock.advance(1_000);
    await server.rest("PATCH", `/contacts/${data.id}`, { body: { account_id: it.account.id } });
    clock.advance(1_000);
    others.push(data);
  }
  const [charles, grace, alan] = others;
  await server.operator("archive_contact", { contact_id: alan.id });
  await server.rest("POST", "/suppression", { body: { email: "CHARLES@engines.example" } });
  clock.advance(1_000);
  const { data: deal } = (await server.rest("POST", "/deals", { body: { contact_id: charles.id, title: "Mill" } }))
    .body;
  const note = { type: "note_added", body: "Wrote back" };
  const noted = (await server.rest("POST", `/contacts/${grace.id}/activities`, { body: note })).body.data;
  await server.rest("POST", "/contacts", { body: { first_name: "Nobody's" } });

  const data = await server.operator("brain_account", { id: it.account.id });
  assert.deepEqual(data.account, it.account);
  const recent = await Promise.all([grace, charles, it].map(({ id }) => read(server, `/contacts/${id}`)));
  const by_stage = { prospect: 2, lead: 1, opportunity: 0, customer: 0 };
  assert.deepEqual(data.contacts, { total: 3, by_stage, recent });
  const won = { ...it.won, stage: "closed_won" };
  assert.deepEqual(data.deals, [deal, it.newer, it.older, won].map(without));
  assert.deepEqual([data.enrollments, data.suppressed], [await enrollmentsOf(server, it.id), 1]);
  const types = data.activities.map(({ contact_id, type }: Record<string, string>) => [contact_id, type]);
  const ofAda = ["call_made", "lifecycle_changed", "meeting_booked", "meeting_booked"].map((type) => [it.id, type]);
  assert.deepEqual(data.activities[0], without(noted));
  assert.deepEqual(types, [[grace.id, "note_added"], [charles.id, "suppressed"], ...ofAda]);
});

test("each view finds its record by any one selector, ignoring case, and the newest for a profile or domain", async (t) => {
  const { server, clock, it } = await rich(t);
  const byId = await server.operator("brain_contact", { id: it.id.toUpperCase() });
  const selectors = [
    { email: "ADA@lovelace.EXAMPLE" },
    { profile_url: "http://socialnet.example/in/ada?x=1" },
    ...["ada LOVELACE", " Ada  Lovelace ", "ad", "Lovel", "a l"].map((name) => ({ name })),
  ];
  for (const name of selectors) {
    assert.deepEqual(await server.operator("brain_contact", name), byId);
  }
  const known = await server.operator("brain_account", { id: it.account.id });
  for (const name of [
    { name: "ANALYTICAL engines " },
    { name: "anal" },
    { domain: "https://www.Engines.example/about" },
  ]) {
    assert.deepEqual(await server.operator("brain_account", name), known);
  }
  clock.advance(1);
  const twin = await server.operator("create_account", { name: "Analytical ENGINES", domain: "ENGINES.example" });
  assert.deepEqual((await server.operator("brain_account", { domain: "engines.example" })).account, twin);
  const both = [twin, it.account].map(({ id, name, domain }) => ({ id, name, domain }));
  assert.deepEqual(await server.operator("brain_account", { name: "analytical engines" }), { candidates: both });
});

test("several records with one name are listed as candidates, up to ten; a full name wins over a prefix", async (t) => {
  const server = await startServer(t);
  const add = async (first_name: string, last_name: string, company: string | null = null) =>
    (await server.rest("POST", "/contacts", { body: { first_name, last_name, company } })).body.data.id;
  const ada = await add("Ada", "Byron", "Engines");
  const adam = await add("Adam", "Byrons");
  for (let i = 0; i < 11; i += 1) await add(`Grace ${i}`, "Hopper");
  const asAgent = await connect(t, CLIENTS[0], server);
  await asAgent.listTools();
  const ask = async (args: object) =>
    (await asAgent.callTool({ name: "brain_contact", arguments: { ...args } })).structuredContent as any;
  assert.deepEqual((await ask({ name: "byro" })).data.candidates, [
    { id: adam, name: "Adam Byrons", company: null },
    { id: ada, name: "Ada Byron", company: "Engines" },
  ]);
  assert.equal((await ask({ name: "ada byron" })).data.contact.id, ada);
  assert.equal((await ask({ name: "adam" })).data.contact.id, adam);
  assert.equal((await ask({ name: "Grace" })).data.candidates.length, 10);
  for (const name of ["Acme", "Acme Labs", "Acme Loans"]) await server.operator("create_account", { name });
  const candidatesOf = async (name: string) => (await server.operator("brain_account", { name })).candidates;
  const named = (rows: { name: string }[]) => rows.map(({ name }) => name);
  assert.deepEqual(named(await candidatesOf("acm")), ["Acme", "Acme Labs", "Acme Loans"]);
  assert.equal((await server.operator("brain_account", { name: "acme" })).account.name, "Acme");
  assert.equal((await server.operator("brain_account", { name: "acme lo" })).account.name, "Acme Loans");
});

test("a record that is not found is named by the given selector", async (t) => {
  const server = await startServer(t);
  const agent = await connect(t, CLIENTS[0], server);
  const long = "x".repeat(300);
  for (const [name, args, code, said] of [
    ["brain_contact", { id: UNKNOWN }, "contact_not_found", `No contact in this workspace has the id "${UNKNOWN}".`],
    ["brain_contact", { name: "Ada" }, "contact_not_found", 'has the name "Ada". Check the spelling'],
    ["brain_contact", { email: "a@b.example", id: null }, "contact_not_found", 'has the email "a@b.example".'],
    [
      "brain_contact",
      { profile_url: "socialnet.example/in/x" },
      "contact_not_found",
      'profile_url "socialnet.example/in/x"',
    ],
    ["brain_account", { domain: "https://acme.example/" }, "account_not_found", 'has the domain "acme.example".'],
    ["brain_account", { name: "Acme" }, "account_not_found", "over REST, POST /contacts/query with filter.company"],
    ["brain_account", { name: long }, "account_not_found", `has the name "${"x".repeat(100)}…".`],
    ["brain_opportunity", { id: UNKNOWN }, "deal_not_found", `No deal in this workspace has the id "${UNKNOWN}".`],
  ] as [string, Record<string, unknown>, string, string][]) {
    const { structuredContent } = await agent.callTool({ name, arguments: args });
    assert.equal(structuredContent?.code, code);
    assert.ok(structuredContent?.error?.includes(said), structuredContent?.error ?? "");
  }
});

test("anything but exactly one selector is refused, and the message names the fields", async (t) => {
  const server = await startServer(t);
  const cases: [string, object, RegExp][] = [
    ["brain_contact", {}, /^Send exactly one of these fields: id, email, profile_url, name\.$/],
    [
      "brain_contact",
      { id: UNKNOWN, email: "a@b.example" },
      /exactly one of these fields: id, email, profile_url, name/,
    ],
    ["brain_contact", { email: "a@b.example", profile_url: "socialnet.example/in/a" }, /exactly one of/],
    ["brain_contact", { id: "nonsense" }, /^id /],
    ["brain_contact", { email: "nonsense" }, /^email /],
    ["brain_contact", { email: null }, /^Send exactly one of these fields: id, email, profile_url, name\.$/],
    ["brain_contact", { profile_url: "nonsense" }, /^profile_url /],
    ["brain_contact", { contact_id: UNKNOWN }, /^Unknown field "contact_id"/],
    ["brain_account", {}, /^Send exactly one of these fields: id, domain, name\.$/],
    ["brain_account", { name: "Acme", domain: "acme.example" }, /exactly one of these fields: id, domain, name/],
    ["brain_account", { name: " " }, /^name /],
    ["brain_account", { domain: "no host" }, /^domain /],
    ["brain_opportunity", {}, /^id /],
    ["brain_opportunity", { id: UNKNOWN, name: "x" }, /^Unknown field "name"/],
  ];
  const agent = await connect(t, CLIENTS[0], server);
  for (const [name, given, message] of cases) {
    const refused = await agent.callTool({ name, arguments: given as Record<string, unknown> });
    assert.equal(refused.isError, true, `${name} ${JSON.stringify(given)}`);
    assert.equal(refused.structuredContent?.code, "validation_failed");
    assert.match(refused.structuredContent?.error ?? "", message);
  }
});

test("the needs of the next stage match the refusal of a move there", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const expect = async (stage: string, next: object | null) =>
    assert.deepEqual((await server.operator("brain_contact", { id })).lifecycle, { stage, next });
  const move = async (lifecycle: string) =>
    (await server.rest("PATCH", `/contacts/${id}`, { body: { lifecycle } })).body.code;
  await expect("prospect", { stage: "lead", needs: ["meeting_required"] });
  assert.equal(await move("lead"), "meeting_required");
  await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-01-02" });
  await expect("prospect", { stage: "lead", needs: [] });
  assert.equal(await move("lead"), undefined);
  await expect("lead", { stage: "opportunity", needs: ["bant_required"] });
  assert.equal(await move("opportunity"), "bant_required");
  await server.operator("confirm_bant", { contact_id: id, ...BANT });
  assert.equal(await move("opportunity"), undefined);
  await expect("opportunity", { stage: "customer", needs: ["won_deal_required"] });
  assert.equal(await move("customer"), "won_deal_required");
  await server.operator("create_deal", { contact_id: id, title: "Engine", stage: "closed_won" });
  assert.equal(await move("customer"), undefined);
  await expect("customer", null);
});

test("a suppressed contact is marked, and missing addresses and accounts are omitted", async (t) => {
  const server = await startServer(t);
  const { id } = (await server.rest("POST", "/contacts", { body: ADA })).body.data;
  const body = { email: "ADA@LOVELACE.example", reason: "asked by telephone" };
  const { workspace_id: _, ...entry } = (await server.rest("POST", "/suppression", { body })).body.data;
  assert.deepEqual((await server.operator("brain_contact", { id })).suppression, entry);
  const nameless = (await server.rest("POST", "/contacts", { body: { first_name: "Ada" } })).body.data;
  const { suppression, account, last_contacted_at } = await server.operator("brain_contact", { id: nameless.id });
  assert.deepEqual([suppression, account, last_contacted_at], [null, null, null]);
});
