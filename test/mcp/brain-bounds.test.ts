import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { CLIENTS, connect } from "../support/mcp.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { executions } from "../support/statements.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";
const VIEWS = ["brain_contact", "brain_account", "brain_opportunity"];
const LONG = "é💥".repeat(500);

const idOf = (kind: number, number: number) =>
  `0190${kind.toString(16).padStart(4, "0")}-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

/** A contact with an account and a deal. */
async function found(server: TestServer) {
  const post = async (path: string, body: object) => (await server.rest("POST", path, { body })).body.data;
  const account = await server.operator("create_account", { name: "Acme", domain: "acme.example" });
  const fields = { first_name: "Ada", email: "ada@acme.example", socialnet_url: "https://socialnet.example/in/ada" };
  const contact = await post("/contacts", fields);
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { account_id: account.id } });
  const deal = await post("/deals", { contact_id: contact.id, title: "Engine" });
  return { account, contact, deal };
}

type Found = Awaited<ReturnType<typeof found>>;

/** Rows of every part, far beyond its limit and with texts far beyond theirs. */
async function pile(server: TestServer, { contact, account }: Found, many: number): Promise<void> {
  const { id: contactId } = contact;
  // First: a background read in the same turn could hide what another connection writes, but not what the store does.
  enroll(server, contactId, many);
  await server.running.store.write(server.workspaceId, async ({ activities, deals, meetings, bant, contacts }) => {
    for (let i = 1; i <= many; i += 1) {
      const at = { createdAt: i, now: i };
      const metadata = { source: "public_api", api_key_id: "k", big: "m".repeat(i % 2 === 0 ? 900 : 2_000) };
      const text = { type: "note_added", subject: LONG, body: LONG, metadata } as const;
      await activities.insert({ id: idOf(1, i), contactId, ...text, ...at });
      const stage = i % 2 === 0 ? "closed_lost" : "proposal";
      const deal = { title: `Deal ${i}`, value: i, currency: "USD", probability: null, expectedCloseDate: null };
      await deals.insert({ id: idOf(2, i), contactId, ...deal, stage, ...at });
      const confirmed = { confirmedBy: "m", confirmedAt: i };
      await meetings.insert({
        id: idOf(3, i),
        contactId,
        activityId: null,
        heldOn: null,
        note: LONG,
        ...confirmed,
        ...at,
      });
      const answer = { confirmed: true, note: LONG };
      const answers = { budget: answer, authority: answer, need: answer, timeline: answer };
      await bant.insert({ id: idOf(4, i), contactId, answers, ...(i % 2 === 0 ? confirmed : NOBODY), ...at });
      const person = { id: idOf(5, i), fields: { first_name: `Person ${i}` }, source: "import", now: i };
      await contacts.update(await contacts.insert(person), { fields: {}, accountId: account.id, now: i });
    }
  });
}

const NOBODY = { confirmedBy: null, confirmedAt: null };

/** Past and open enrollments alternately; written directly, since each open one needs its own approval. */
function enroll(server: TestServer, contactId: string, many: number): void {
  const beside = openBeside(server.folder);
  beside.ignoreReferences();
  const sequence = beside.prepare(
    "INSERT INTO sequences (id, workspace_id, name, steps, steps_hash, created_at, updated_at) VALUES (?, ?, ?, '[]', '', 1, 1)",
  );
  const enrollment = beside.prepare(
    `INSERT INTO enrollments (id, workspace_id, sequence_id, contact_id, approval_id, status, held_reason, current_step, enrolled_at)
     VALUES (?, ?, ?, ?, '', ?, ?, 0, ?)`,
  );
  beside.exec("BEGIN");
  for (let i = 1; i <= many; i += 1) {
    sequence.run(idOf(6, i), server.workspaceId, `Sequence ${i}`);
    const status = i % 2 === 0 ? "completed" : "waiting_on_action";
    enrollment.run(idOf(7, i), server.workspaceId, idOf(6, i), contactId, status, LONG, i);
  }
  beside.exec("COMMIT");
  beside.close();
}

/** Every text within a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
const down = (kind: number, from: number, count: number, step = 1) =>
  Array.from({ length: count }, (_, i) => idOf(kind, from - i * step));

test("each list ends at its limit, newest first and open before closed, and texts are truncated", async (t) => {
  const server = await startServer(t);
  const it = await found(server);
  await pile(server, it, 60);
  const data = await server.operator("brain_contact", { id: it.contact.id });
  assert.deepEqual(idsOf(data.activities), down(1, 60, 20));
  assert.deepEqual(idsOf(data.meetings), down(3, 60, 10));
  assert.deepEqual(idsOf(data.deals), [it.deal.id, ...down(2, 59, 19, 2)], "30 are open");
  assert.deepEqual(idsOf(data.enrollments), down(7, 59, 20, 2), "30 are open");
  assert.deepEqual([data.bant.confirmed.id, data.bant.unconfirmed.id], [idOf(4, 60), idOf(4, 59)]);
  const cut = `${"é💥".repeat(250)}…`;
  const [even, odd] = data.activities;
  assert.deepEqual([even.subject, even.body], [cut, cut]);
  assert.deepEqual([Object.keys(even.metadata), even.metadata.big.length], [["source", "api_key_id", "big"], 900]);
  assert.deepEqual(odd.metadata, { source: "public_api", api_key_id: "k" });
  assert.deepEqual(
    [data.meetings[0].note, data.bant.confirmed.need.note, data.enrollments[0].held_reason],
    [cut, cut, cut],
  );

  const opportunity = await server.operator("brain_opportunity", { id: it.deal.id });
  assert.deepEqual(idsOf(opportunity.other_deals), down(2, 59, 20, 2));
  const account = await server.operator("brain_account", { id: it.account.id });
  assert.deepEqual([account.contacts.total, account.contacts.by_stage.prospect], [61, 61]);
  assert.deepEqual(idsOf(account.contacts.recent), [it.contact.id, ...down(5, 60, 24)]);
  assert.deepEqual([account.deals.length, account.activities.length, account.enrollments.length], [20, 20, 20]);
  for (const view of [data, opportunity, account]) {
    assert.ok(textsIn(view).every((text) => [...text].length <= 900));
    assert.ok(JSON.stringify(view).length < 100_000);
  }
});

test("closed deals and past enrollments fill the places that open ones leave", async (t) => {
  const server = await startServer(t);
  const it = await found(server);
  await pile(server, it, 30);
  const { deals, enrollments } = await server.operator("brain_contact", { id: it.contact.id });
  assert.deepEqual(idsOf(deals), [it.deal.id, ...down(2, 29, 15, 2), ...down(2, 30, 4, 2)]);
  assert.deepEqual(idsOf(enrollments), [...down(7, 29, 15, 2), ...down(7, 30, 5, 2)]);
});

test("all contacts of an account with more than 500 are counted, and the last updated ones are shown", async (t) => {
  const server = await startServer(t);
  const { account } = await found(server);
  const later = Date.now() + 60_000;
  const add = (from: number, to: number) =>
    server.running.store.write(server.workspaceId, async ({ contacts }) => {
      for (let i = from; i <= to; i += 1) {
        const record = await contacts.insert({
          id: idOf(5, i),
          fields: { first_name: "x" },
          source: "import",
          now: i,
        });
        await contacts.update(record, { fields: {}, accountId: account.id, now: later + i });
      }
    });
  await add(1, 499);
  const all = await server.operator("brain_account", { id: account.id });
  assert.deepEqual([all.contacts.total, all.contacts.by_stage.prospect, all.deals.length], [500, 500, 1]);
  assert.equal(all.contacts.recent[0].id, idOf(5, 499));
  await add(500, 500);
  const more = await server.operator("brain_account", { id: account.id });
  assert.deepEqual([more.contacts.total, more.contacts.by_stage.prospect, more.deals.length], [501, 501, 0]);
  assert.equal(more.contacts.recent[0].id, idOf(5, 500));
});

test("the number of statements of a view does not grow with the data", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_WORKERS: "off" } });
  const it = await found(server);
  const given = [it.contact, it.account, it.deal];
  const count = async () => {
    const counts = [];
    for (const [i, name] of VIEWS.entries()) {
      const call = () => executions(() => server.operator(name, { id: given[i].id }));
      // The least of three: the server's own work in between is counted too.
      counts.push(Math.min(await call(), await call(), await call()));
    }
    return counts;
  };
  const few = await count();
  await pile(server, it, 60);
  assert.deepEqual(await count(), few);
  assert.ok(
    few.every((statements) => statements > 3 && statements <= 15),
    `${few}`,
  );
});

test("a key without contacts.read neither sees nor can call a view", async (t) => {
  const server = await startServer(t);
  const agent = await connect(t, CLIENTS[0], server, await server.mint(["sequences.read", "deals.write"]));
  const { tools } = await agent.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["list_sequences"],
  );
  for (const name of VIEWS) {
    const refused = await agent.callTool({ name, arguments: { id: UNKNOWN } });
    assert.equal(refused.isError, true);
    assert.equal(refused.structuredContent?.code, "insufficient_scope");
  }
});

test("a record of another workspace gets the same answer as an unknown one, by any selector", async (t) => {
  const server = await startServer(t);
  const it = await found(server);
  const { key } = await server.neighbour();
  const agent = await connect(t, CLIENTS[0], server, key);
  const cases: [tool: string, code: string, selector: string, foreign: string, unknown: string][] = [
    ["brain_contact", "contact_not_found", "id", it.contact.id, UNKNOWN],
    ["brain_contact", "contact_not_found", "email", it.contact.email, "no@body.example"],
    ["brain_contact", "contact_not_found", "profile_url", it.contact.socialnet_url, "https://socialnet.example/in/no"],
    ["brain_contact", "contact_not_found", "name", it.contact.first_name, "Nobody"],
    ["brain_account", "account_not_found", "id", it.account.id, UNKNOWN],
    ["brain_account", "account_not_found", "domain", "acme.example", "nobody.example"],
    ["brain_account", "account_not_found", "name", "Acme", "Nobody"],
    ["brain_opportunity", "deal_not_found", "id", it.deal.id, UNKNOWN],
  ];
  for (const [name, code, selector, foreign, unknown] of cases) {
    const refused = await agent.callTool({ name, arguments: { [selector]: unknown } });
    assert.deepEqual([refused.isError, refused.structuredContent?.code], [true, code]);
    const sentBack = JSON.parse(JSON.stringify(refused).replaceAll(unknown, foreign));
    assert.deepEqual(await agent.callTool({ name, arguments: { [selector]: foreign } }), sentBack, selector);
    assert.ok(await server.operator(name, { [selector]: foreign }), "its own workspace finds it");
  }
});

test("an archived contact and its deals are not found, and its account no longer counts it", async (t) => {
  const server = await startServer(t);
  const it = await found(server);
  await server.rest("POST", `/contacts/${it.contact.id}/activities`, { body: { type: "note_added", body: "x" } });
  await server.operator("archive_contact", { contact_id: it.contact.id });
  for (const given of [{ id: it.contact.id }, { email: it.contact.email }, { profile_url: it.contact.socialnet_url }]) {
    await assert.rejects(server.operator("brain_contact", given), { code: "contact_not_found" });
  }
  await assert.rejects(server.operator("brain_opportunity", { id: it.deal.id }), { code: "deal_not_found" });
  const { contacts, deals, activities } = await server.operator("brain_account", { id: it.account.id });
  assert.deepEqual([contacts.total, contacts.recent, deals, activities], [0, [], [], []]);
});
