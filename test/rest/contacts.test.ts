import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const ADA = { email: "Ada@Lovelace.example", first_name: "Ada", company: "Analytical Engines" };
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

async function create(server: TestServer, body: object = ADA) {
  const reply = await server.rest("POST", "/contacts", { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

test("a created contact reads back the same", async (t) => {
  const server = await startServer(t);
  const created = await server.rest("POST", "/contacts", { body: { ...ADA, email: " Ada@Lovelace.example " } });
  assert.equal(created.status, 201);
  const { id, created_at, updated_at, ...rest } = created.body.data;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updated_at, created_at);
  assert.deepEqual(rest, {
    email: "Ada@Lovelace.example",
    first_name: "Ada",
    last_name: null,
    company: "Analytical Engines",
    job_title: null,
    phone: null,
    socialnet_url: null,
    website: null,
    lifecycle: "prospect",
    source: "public_api",
    tags: null,
  });
  const read = await server.rest("GET", `/contacts/${id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.body, created.body);
  const upper = await server.rest("GET", `/contacts/${id.toUpperCase()}`);
  assert.deepEqual(upper.body, created.body);
});

test("create treats null and the empty string as no value, and ignores unknown fields", async (t) => {
  const server = await startServer(t);
  const contact = await create(server, {
    email: null,
    first_name: "",
    last_name: "Hopper",
    phone: "",
    tags: ["x"],
    source: "mine",
    id: UNKNOWN,
    workspace_id: UNKNOWN,
    lifecycle: "customer",
    created_at: "2001-01-01T00:00:00Z",
  });
  assert.equal(contact.email, null);
  assert.equal(contact.first_name, null);
  assert.equal(contact.tags, null);
  assert.equal(contact.source, "public_api");
  assert.equal(contact.lifecycle, "prospect");
  assert.notEqual(contact.id, UNKNOWN);
  assert.notEqual(contact.created_at, "2001-01-01T00:00:00Z");
});

test("create refuses a contact without email and name, and names the invalid field", async (t) => {
  const server = await startServer(t);
  const cases: [object, RegExp][] = [
    [{}, /^A contact needs an email, a first name or a last name\. Enter at least one\.$/],
    [{ company: "Acme" }, /^A contact needs an email, a first name or a last name\. Enter at least one\.$/],
    [{ first_name: "  " }, /^A contact needs an email, a first name or a last name\. Enter at least one\.$/],
    [{ email: "not an address" }, /^email /],
    [{ email: `${"a".repeat(320)}@x.example` }, /^email /],
    [{ email: `${"ä".repeat(311)}@x.example` }, /^email /],
    [{ first_name: 7 }, /^first_name /],
    [{ first_name: "x".repeat(501) }, /^first_name /],
    [{ first_name: `${"x".repeat(500)} ` }, /^first_name must be 500 characters or fewer/],
    [{ first_name: "Ada", website: "w".repeat(2001) }, /^website /],
    [{ first_name: { toString: 1 } }, /^first_name /],
  ];
  for (const [body, message] of cases) {
    const reply = await server.rest("POST", "/contacts", { body });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.code, "validation_failed");
    assert.match(reply.body.error ?? "", message);
  }
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 0);
});

test("an email address is unique among live contacts, ignoring case, and free again once archived", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  const again = await server.rest("POST", "/contacts", { body: { email: "ADA@LOVELACE.EXAMPLE" } });
  assert.equal(again.status, 409);
  assert.equal(again.body.code, "email_conflict");
  await server.operator("archive_contact", { contact_id: id });
  await create(server);
});

test("an archived contact is invisible to every operation", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  await create(server, { first_name: "Grace" });
  await server.operator("archive_contact", { contact_id: id });
  for (const [method, path, body] of [
    ["GET", `/contacts/${id}`, undefined],
    ["PATCH", `/contacts/${id}`, { first_name: "x" }],
    ["POST", `/contacts/${id}/tags`, { tag: "x" }],
  ] as const) {
    const reply = await server.rest(method, path, { body });
    assert.equal(reply.status, 404);
    assert.equal(reply.body.code, "contact_not_found");
  }
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
  const found = await server.rest("POST", "/contacts/query", { body: { filter: { email: ADA.email } } });
  assert.deepEqual([found.body.data, found.body.meta.total], [[], 0]);
  const asserted = await server.rest("PUT", "/contacts/assert", { body: { email: ADA.email } });
  assert.equal(asserted.status, 201);
});

test("the list is newest first, with default and maximum limits, and an exact total", async (t) => {
  const server = await startServer(t);
  for (let i = 0; i < 105; i += 1) await create(server, { first_name: `Person ${i}` });
  const expectations: [string, number, number][] = [
    ["", 25, 0],
    ["?limit=10&offset=100", 10, 100],
    ["?limit=0", 25, 0],
    ["?limit=-5&offset=-1", 25, 0],
    ["?limit=many&offset=none", 25, 0],
    ["?limit=1000", 100, 0],
    ["?limit=2.9", 2, 0],
    ["?offset=99999999999999999999999", 25, Number.MAX_SAFE_INTEGER],
    ["?unknown=1&filter=x", 25, 0],
  ];
  for (const [query, limit, offset] of expectations) {
    const { status, body } = await server.rest("GET", `/contacts${query}`);
    assert.equal(status, 200);
    const rows = Math.max(0, Math.min(limit, 105 - offset));
    assert.equal(body.data.length, rows, query);
    assert.deepEqual(body.meta, { total: 105, limit, offset, hasMore: rows > 0 && offset + rows < 105 }, query);
    assert.equal(body.error, null);
    if (rows > 0) assert.equal(body.data[0].first_name, `Person ${104 - offset}`);
  }
});

test("pages have names in any script", async (t) => {
  const server = await startServer(t);
  const names = ["Zoë", "日本", "🎉", '\\ "quoted" \u0001', "\ud7ff\ue000"];
  for (const first_name of names) await create(server, { first_name });
  const shown = (rows: { first_name: string }[]) => rows.map(({ first_name }) => first_name);
  const newest = names.toReversed();
  for (const { limit, expected } of [
    { limit: 5, expected: newest },
    { limit: 3, expected: newest.slice(0, 3) },
  ]) {
    const page = await server.rest("GET", `/contacts?limit=${limit}`);
    assert.equal(Number(page.headers.get("content-length")), Buffer.byteLength(page.text));
    assert.deepEqual(shown(page.body.data), expected);
  }
  const rows = (await server.operator("list_contacts", {})) as { first_name: string }[];
  assert.deepEqual(shown(rows), newest);
  // Of those created in the same millisecond, ids decide.
  const found = await server.rest("POST", "/contacts/query", { body: {} });
  assert.deepEqual(shown(found.body.data).sort(), names.sort());
});

test("assert creates with 201, then updates with 200 in any letter case, keeping and clearing fields", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const first = await server.rest("PUT", "/contacts/assert", {
    body: { ...ADA, phone: "1", website: "https://a.example" },
  });
  assert.equal(first.status, 201);
  clock.advance(5);
  const second = await server.rest("PUT", "/contacts/assert", {
    body: { email: "ada@LOVELACE.example", phone: "", last_name: "Lovelace", website: "" },
  });
  assert.equal(second.status, 200);
  assert.equal(second.body.data.id, first.body.data.id);
  assert.equal(second.body.data.email, ADA.email);
  assert.equal(second.body.data.first_name, "Ada");
  assert.equal(second.body.data.phone, null);
  assert.equal(second.body.data.website, null);
  assert.equal(second.body.data.last_name, "Lovelace");
  assert.notEqual(second.body.data.updated_at, first.body.data.updated_at);
  clock.advance(5);
  const third = await server.rest("PUT", "/contacts/assert", { body: { email: ADA.email, last_name: "Lovelace" } });
  assert.equal(third.body.data.updated_at, second.body.data.updated_at, "what changes nothing is no update");
});

test("assert refuses unknown fields, null, and invalid URLs", async (t) => {
  const server = await startServer(t);
  const cases: [object, RegExp][] = [
    [{ first_name: "Ada" }, /^email /],
    [{ email: "" }, /^email /],
    [{ email: ADA.email, lifecycle: "lead" }, /^Unknown field "lifecycle"/],
    [{ email: ADA.email, first_name: null }, /^first_name /],
    [{ email: ADA.email, website: "example.com" }, /^website /],
    [{ email: ADA.email, socialnet_url: "javascript:alert(1)" }, /^socialnet_url /],
    [{ email: ADA.email, website: `https://x.example/${"y".repeat(2000)}` }, /^website /],
  ];
  for (const [body, message] of cases) {
    const reply = await server.rest("PUT", "/contacts/assert", { body });
    assert.equal(reply.status, 400);
    assert.match(reply.body.error ?? "", message);
  }
  const website = "ftp://files.example/ada";
  const reply = await server.rest("PUT", "/contacts/assert", { body: { email: ADA.email, website } });
  assert.equal(reply.body.data.website, website, "any absolute URL that is safe to follow");
});

test("fifty racing asserts of one address create one contact", async (t) => {
  const server = await startServer(t);
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      server.rest("PUT", "/contacts/assert", {
        body: { email: i % 2 ? "x@y.example" : "X@Y.example", first_name: `${i}` },
      }),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(replies.filter(({ status }) => status === 200).length, 49);
  assert.equal(new Set(replies.map(({ body }) => body.data.id)).size, 1);
  assert.equal((await server.rest("GET", "/contacts")).body.meta.total, 1);
});

test("query combines exact filters, sorts with ties by id, and counts exactly", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const ids: string[] = [];
  for (let i = 0; i < 9; i += 1) {
    ids.push((await create(server, { first_name: `${i}`, company: i % 3 === 0 ? "Acme" : "Other" })).id);
    if (i === 4) clock.advance(1_000);
  }
  const query = async (body: object) => (await server.rest("POST", "/contacts/query", { body })).body;
  const sorted = [...ids].sort();
  const all = await query({ direction: "asc", sort: "created_at" });
  const early = ids.slice(0, 5).sort();
  const late = ids.slice(5).sort();
  assert.deepEqual(
    all.data.map((c: { id: string }) => c.id),
    [...early, ...late],
  );
  const down = await query({});
  assert.deepEqual(
    down.data.map((c: { id: string }) => c.id),
    [...late.reverse(), ...early.reverse()],
  );
  const acme = await query({ filter: { company: "Acme", source: "public_api" }, limit: 2 });
  assert.deepEqual(acme.meta, { total: 3, limit: 2, offset: 0, hasMore: true });
  assert.deepEqual((await query({ filter: { company: "acme" } })).meta.total, 0, "company is compared exactly");
  const since = new Date(clock.now()).toISOString();
  assert.equal((await query({ filter: { updated_since: since } })).meta.total, 4, "the bound is inclusive");
  const offset = since.replace("Z", "+00:00");
  assert.equal((await query({ filter: { updated_since: offset, company: "Acme" } })).meta.total, 1);
  assert.equal(sorted.length, 9);
});

test("query finds an address in any letter case, taken literally", async (t) => {
  const server = await startServer(t);
  await create(server);
  await create(server, { email: "a_a@lovelace.example" });
  const count = async (email: string) =>
    (await server.rest("POST", "/contacts/query", { body: { filter: { email } } })).body.meta.total;
  assert.equal(await count("ADA@lovelace.EXAMPLE"), 1);
  assert.equal(await count("a_a@lovelace.example"), 1);
});

test("query refuses unknown fields and values", async (t) => {
  const server = await startServer(t);
  const cases: [object, RegExp][] = [
    [{ filter: { first_name: "Ada" } }, /^Unknown field "filter\.first_name"/],
    [{ filters: {} }, /^Unknown field "filters"/],
    [{ filter: { email: "nope" } }, /^filter\.email /],
    [{ filter: { company: "" } }, /^filter\.company /],
    [{ filter: { source: "s".repeat(101) } }, /^filter\.source /],
    [{ filter: { updated_since: "yesterday" } }, /^filter\.updated_since /],
    [{ filter: null }, /^filter /],
    [{ sort: "email" }, /^sort /],
    [{ direction: "up" }, /^direction /],
    [{ limit: 0 }, /^limit /],
    [{ limit: 101 }, /^limit /],
    [{ limit: "5" }, /^limit /],
    [{ offset: -1 }, /^offset /],
    [{ offset: 100_001 }, /^offset /],
  ];
  for (const [body, message] of cases) {
    const reply = await server.rest("POST", "/contacts/query", { body });
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.match(reply.body.error ?? "", message);
  }
});

test("update changes the given fields, ignores unknown ones, and records the source of each edit", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  const reply = await server.rest("PATCH", `/contacts/${id}`, {
    body: { first_name: "Augusta", company: null, data_confidence: 1, provenance: {}, confidence_score: 9, zip: 1 },
  });
  assert.equal(reply.status, 200);
  assert.equal(reply.body.data.first_name, "Augusta");
  assert.equal(reply.body.data.company, null);
  assert.equal(reply.body.data.email, ADA.email);
  const inexact = '{"job_title":"Analyst","confidence_score":0.12345678901234567890123,"provenance":{"a":1,"a":2}}';
  const loose = await server.rest("PATCH", `/contacts/${id}`, { raw: inexact });
  assert.deepEqual([loose.status, loose.body.data?.job_title], [200, "Analyst"], "what is ignored may be any JSON");
  const kept = await server.rest("PATCH", `/contacts/${id}`, { raw: '{"job_title":0.12345678901234567890123}' });
  assert.deepEqual([kept.status, kept.body.code], [400, "invalid_json"]);
  await server.operator("update_contact", { id, job_title: "Countess" });
  const db = openBeside(server.folder, { readonly: true });
  t.after(() => db.close());
  const rows = db.prepare("SELECT field, source FROM contact_provenance ORDER BY id").all();
  assert.deepEqual(rows, [
    ...["email", "first_name", "company"].map((field) => ({ field, source: "public_api" })),
    ...["first_name", "company", "job_title"].map((field) => ({ field, source: "public_api" })),
    { field: "job_title", source: "member" },
  ]);
});

test("update refuses invalid changes, and then writes nothing", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  await create(server, { email: "grace@hopper.example" });
  const cases: [object, number, string, RegExp][] = [
    [{}, 400, "validation_failed", /at least one of/],
    [{ zip: 1, provenance: {} }, 400, "validation_failed", /at least one of/],
    [{ email: "nope" }, 400, "validation_failed", /^email /],
    [
      { email: "", first_name: null },
      400,
      "validation_failed",
      /^A contact needs an email, a first name or a last name\. Set another/,
    ],
    [{ email: "GRACE@hopper.example" }, 409, "email_conflict", /^email /],
    [{ account_id: "7" }, 400, "validation_failed", /^account_id /],
    [{ account_id: UNKNOWN }, 404, "account_not_found", /account/],
    [{ first_name: "x", force: true }, 403, "force_not_permitted", /^force /],
    [{ lifecycle: "vip" }, 400, "validation_failed", /^lifecycle /],
    [{ lifecycle: "lead" }, 422, "meeting_required", /meeting/],
    [{ lifecycle: "opportunity" }, 422, "stage_not_adjacent", /one stage at a time/],
    [{ lifecycle: "customer", first_name: "x" }, 422, "stage_not_adjacent", /one stage at a time/],
  ];
  const before = (await server.rest("GET", `/contacts/${id}`)).text;
  for (const [body, status, code, message] of cases) {
    const reply = await server.rest("PATCH", `/contacts/${id}`, { body });
    assert.deepEqual([reply.status, reply.body.code], [status, code], reply.text);
    assert.match(reply.body.error ?? "", message);
  }
  assert.equal((await server.rest("GET", `/contacts/${id}`)).text, before);
  const same = await server.rest("PATCH", `/contacts/${id}`, { body: { lifecycle: "prospect", force: false } });
  assert.equal(same.status, 200);
});

test("a stage opens once a member has confirmed its requirements, in both directions", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  const db = openBeside(server.folder);
  t.after(() => db.close());
  const move = async (lifecycle: string) =>
    (await server.rest("PATCH", `/contacts/${id}`, { body: { lifecycle } })).body;
  db.prepare(
    `INSERT INTO meetings (id, workspace_id, contact_id, held_on, confirmed_by, confirmed_at, created_at)
     VALUES ('m', ?, ?, '2026-11-01', 'member', 1, 1)`,
  ).run(server.workspaceId, id);
  assert.equal((await move("lead")).data?.lifecycle, "lead");
  assert.equal((await move("opportunity")).code, "bant_required");
  db.prepare("INSERT INTO bant_assessments VALUES ('b', ?, ?, '{}', 'member', 1, 1)").run(server.workspaceId, id);
  assert.equal((await move("opportunity")).data?.lifecycle, "opportunity");
  assert.equal((await move("customer")).code, "won_deal_required");
  assert.equal((await move("prospect")).code, "stage_not_adjacent");
  db.prepare("DELETE FROM meetings").run();
  assert.equal((await move("lead")).code, "meeting_required");
});

test("tags are lower-cased, unique, sorted, added to existing ones, and limited to fifty", async (t) => {
  const server = await startServer(t);
  const { id } = await create(server);
  const tag = async (body: object) => await server.rest("POST", `/contacts/${id}/tags`, { body });
  assert.deepEqual((await tag({ tags: ["Beta", " alpha ", "beta", ""] })).body.data, { id, tags: ["alpha", "beta"] });
  assert.deepEqual((await tag({ tag: "Zed", tags: ["mid"] })).body.data.tags, ["alpha", "beta", "mid", "zed"]);
  const many = await tag({ tags: Array.from({ length: 60 }, (_, i) => `t${String(i).padStart(2, "0")}`) });
  assert.equal(many.body.data.tags.length, 50);
  for (const kept of ["alpha", "beta", "mid", "zed"]) assert.ok(many.body.data.tags.includes(kept));
  assert.deepEqual(many.body.data.tags, [...many.body.data.tags].sort());
  assert.deepEqual((await tag({ tag: "alpha" })).body.data.tags, many.body.data.tags);
  for (const body of [{}, { tags: [] }, { tags: ["", "  "] }, { tag: "" }, { tags: "x" }, { tags: [1] }]) {
    const reply = await tag(body);
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], JSON.stringify(body));
  }
});

test("a contact's address follows the rule of HTML forms, and may be internationalized", async (t) => {
  const server = await startServer(t);
  const taken = [
    "a&b@x.example",
    "a#b@x.example",
    ".a..b.@x.example",
    "a@localhost",
    "müller@example.com",
    "a@exämple.com",
  ];
  for (const email of taken) {
    const made = await server.rest("POST", "/contacts", { body: { email } });
    assert.deepEqual([made.status, made.body.data?.email], [201, email], made.text);
    const asserted = await server.rest("PUT", "/contacts/assert", { body: { email: email.toUpperCase() } });
    assert.deepEqual([asserted.status, asserted.body.data?.id], [200, made.body.data.id]);
    const found = await server.rest("POST", "/contacts/query", { body: { filter: { email } } });
    assert.equal(found.body.meta.total, 1);
  }
  const refused = [
    "a b@x.example",
    '"a b"@x.example',
    "a@-x.example",
    "a@x..example",
    "a@x_y.example",
    "a\u00ad@x.example",
    "a",
  ];
  for (const email of refused) {
    const reply = await server.rest("POST", "/contacts", { body: { email } });
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], email);
  }
});
