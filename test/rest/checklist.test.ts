import assert from "node:assert/strict";
import { test } from "node:test";
import { findOperation } from "../../src/cli/operator.ts";
import { AGENT_RULE } from "../../src/tools/checklist/item-schema.ts";
import { openBeside } from "../support/beside.ts";
import {
  drafted,
  dueOf,
  entryOf,
  ITEMS,
  itemPath,
  newCard,
  newPost,
  record,
  SAW,
  startChecklist,
} from "../support/checklist.ts";
import { keptLog } from "../support/log.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";
import { executions } from "../support/statements.ts";

const LIST = "/social/checklist/items";
const DUE = "/social/checklist/due";
const IDS = ["OT-01", "OT-02", "OT-03", "OT-04", "OT-05", "OT-06", "OT-07"];
const ONGOING = ["ON-01", "ON-02", "ON-03", "ON-04", "ON-05", "ON-06"];

const idsOf = ({ body }: { body: any }): string[] => body.data.map(({ id }: { id: string }) => id);

test("the list shows every catalog item, one-time ones first, with the contract's fields and the rule in its meta", async (t) => {
  const server = await startChecklist(t, { clock: new FakeClock() });
  const reply = await server.rest("GET", LIST);
  assert.equal(reply.status, 200);
  assert.deepEqual(idsOf(reply), [...IDS, ...ONGOING]);
  assert.deepEqual(reply.body.meta, {
    total: ITEMS.length,
    limit: 25,
    offset: 0,
    hasMore: false,
    catalog_version: "2026.11",
    today: "2026-11-20",
    approval_cards: "read",
    agent_rule: AGENT_RULE,
  });
  assert.deepEqual(reply.body.data[0], {
    id: "OT-01",
    kind: "one_time",
    frequency: "once",
    frequency_label: "Once",
    area: "Ownership",
    task: "Do what OT-01 asks.",
    done_when: null,
    applies_to: "Every team",
    platforms: "All channels",
    automation: "ai_draft_human_approves",
    automation_label: "Agent drafts, teammate approves",
    status: "not_assessed",
    status_label: "Not assessed",
    evidence: null,
    last_done_on: null,
    status_source: null,
    status_updated_at: null,
    recorded_by: null,
    due: { kind: "one_time", label: "One-time, not done yet", due_on: null, state: null },
    assessment: {
      state: "unknown",
      state_label: "Unknown",
      sources: [],
      reason: "Not checked yet. Rostrum checks the checklist every week.",
    },
    approval_card: null,
    executor: {
      evidence_verdict: "output",
      person_action: "approve_change_deny",
      exceptions: [],
      priority: 20,
      dependencies: [],
      runner: "assistant",
      test_first: false,
      replaced_by: null,
    },
    agent: { can_record_evidence: false, accepts_output_kinds: ["social_post", "document"] },
  });
});

test("each item lists what an agent can submit: evidence for observation items, outputs where accepted, nothing for replaced ones", async (t) => {
  const server = await startChecklist(t);
  const { data } = (await server.rest("GET", LIST)).body;
  const agents = Object.fromEntries(data.map(({ id, agent }: any) => [id, agent]));
  const recordable = Object.keys(agents).filter((id) => agents[id].can_record_evidence);
  assert.deepEqual(recordable, ["OT-02", "OT-04", "ON-02", "ON-03", "ON-04"]);
  const taking = Object.keys(agents).filter((id) => agents[id].accepts_output_kinds.length > 0);
  assert.deepEqual(taking, ["OT-01", "ON-01", "ON-05", "ON-06"]);
});

test("filters combine, the status filter uses the computed status, and the total counts the matches", async (t) => {
  const server = await startChecklist(t);
  await server.operator("mark_checklist_item", { item_id: "OT-01", status: "done" });
  await record(server, "ON-02", { ...SAW, status: "in_progress" });
  const cases: [string, string[]][] = [
    ["kind=ongoing", ONGOING],
    ["frequency=weekly", ["ON-01", "ON-02"]],
    ["frequency=once&kind=ongoing", []],
    ["status=done", ["OT-01"]],
    ["status=in_progress&kind=ongoing&frequency=weekly", ["ON-02"]],
    ["status=not_assessed&kind=one_time", IDS.slice(1)],
    ["status=blocked", []],
  ];
  for (const [query, ids] of cases) {
    const reply = await server.rest("GET", `${LIST}?${query}`);
    assert.deepEqual([reply.status, idsOf(reply), reply.body.meta.total], [200, ids, ids.length], query);
  }
  const page = await server.rest("GET", `${LIST}?status=not_assessed&limit=4&offset=8`);
  assert.deepEqual(
    [idsOf(page), page.body.meta.total, page.body.meta.hasMore],
    [["ON-04", "ON-05", "ON-06"], 11, false],
  );
});

test("pages have defaults and limits like other lists; unknown parameters and values are refused by name", async (t) => {
  const server = await startChecklist(t);
  for (const path of [LIST, DUE]) {
    for (const [query, limit, offset] of [
      ["limit=0&offset=-1", 25, 0],
      ["limit=many&offset=none", 25, 0],
      ["limit=1000&offset=3", 100, 3],
    ] as const) {
      const { meta } = (await server.rest("GET", `${path}?${query}`)).body;
      assert.deepEqual([meta.limit, meta.offset], [limit, offset], query);
    }
    const stranger = await server.rest("GET", `${path}?stranger=1`);
    assert.deepEqual([stranger.status, stranger.body.code], [400, "validation_failed"]);
    assert.match(stranger.body.error ?? "", /^Unknown field "stranger"/);
  }
  for (const name of ["kind", "frequency", "status"]) {
    const refused = await server.rest("GET", `${LIST}?${name}=never`);
    assert.deepEqual([refused.status, refused.body.code], [400, "validation_failed"]);
    assert.match(refused.body.error ?? "", new RegExp(`^${name} must be one of `));
  }
  assert.equal((await server.rest("GET", `${DUE}?kind=ongoing`)).status, 400, "due takes no filter");
});

test("due items follow marks, cards and the UTC day", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 23, 59));
  const server = await startChecklist(t, { clock });
  assert.deepEqual(await dueOf(server), [
    ["OT-01", "one_time_open"],
    ["ON-01", "never_done"],
    ["ON-02", "never_done"],
    ["ON-03", "never_done"],
    ["OT-02", "one_time_open"],
    ["ON-06", "never_done"],
    ["OT-06", "one_time_open"],
  ]);
  await record(server, "OT-02", SAW);
  await record(server, "ON-02", { ...SAW, done_on: "2026-11-14" });
  await server.operator("mark_checklist_item", { item_id: "ON-03", status: "blocked" });
  await server.operator("mark_checklist_item", { item_id: "OT-06", status: "not_applicable" });
  await newCard(server, "ON-06");
  assert.deepEqual(await dueOf(server), [
    ["OT-03", "one_time_open"],
    ["OT-01", "one_time_open"],
    ["ON-01", "never_done"],
  ]);
  clock.advance(60_000);
  const { meta } = (await server.rest("GET", DUE)).body;
  assert.deepEqual([meta.today, meta.total], ["2026-11-21", 4]);
  assert.deepEqual((await dueOf(server)).at(-1), ["ON-02", "due_today"]);
  clock.advance(86_400_000);
  assert.deepEqual((await dueOf(server)).at(-1), ["ON-02", "overdue"]);
});

test("a requested change comes first in the due list, with the note, until redone; a rejected card closes a one-time item", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const card_id = await newCard(server, "ON-06");
  clock.advance(1_000);
  await server.operator("decide_card", { card_id, decision: "request_change", note: "Name the owner." });
  const [first] = (await server.rest("GET", `${DUE}?limit=1`)).body.data;
  assert.deepEqual(
    [first.id, first.due_reason, first.change_request],
    [
      "ON-06",
      "change_requested",
      { card_id, note: "Name the owner.", requested_at: new Date(clock.now()).toISOString() },
    ],
  );
  assert.equal(first.approval_card.status, "change_requested");
  const redo = await newCard(server, "ON-06");
  assert.ok(!(await dueOf(server)).some(([id]) => id === "ON-06"));
  assert.equal((await entryOf(server, "ON-06")).approval_card.id, redo);
  await server.operator("decide_card", { card_id: redo, decision: "deny" });
  assert.deepEqual(
    (await dueOf(server)).find(([id]) => id === "ON-06"),
    ["ON-06", "never_done"],
  );

  await server.operator("decide_card", { card_id: await newCard(server, "OT-01"), decision: "deny" });
  assert.ok(!(await dueOf(server)).some(([id]) => id === "OT-01"));
  assert.equal((await entryOf(server, "OT-01")).approval_card, null);
  const { description } = findOperation("list_due_checklist_items");
  assert.match(description, / or with a pending card, and one-time items rejected or waiting for others\./);
});

test("the context has the complete item, its status, the voice, the facts, the connections, and the ten newest posts", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const empty = (await server.rest("GET", `${itemPath("OT-01")}/context`)).body.data;
  const { item, status, ...rest } = empty;
  assert.deepEqual(rest, { brand_voice: null, profile_facts: [], social_connections: [], recent_posts: [] });
  assert.deepEqual(
    [item.id, item.why, item.sources],
    ["OT-01", "Somebody has to.", [{ name: "A guide by name", url: null }]],
  );
  assert.deepEqual([status.status, status.due.kind, status.assessment.state], ["not_assessed", "one_time", "unknown"]);

  const by = { saved_by: (await server.operator("save_brand_voice", { text: "Plain and warm." })).saved_by };
  const at = { saved_at: new Date(clock.now()).toISOString() };
  await server.operator("save_profile_facts", { facts: ["Founded in 2019.", "Sixty vans."] });
  await server.operator("save_social_connection", { channel: "x", state: "expired", handle: "@harbor" });
  await server.operator("save_social_connection", { channel: "blog", state: "connected" });
  const body = "é💥".repeat(1_500);
  for (let i = 0; i < 11; i += 1) {
    await newPost(server, "ON-06", { output_kind: "social_post", title: `Post ${i}`, platform: "x", body });
  }
  const full = (await server.rest("GET", `${itemPath("ON-06")}/context`)).body.data;
  assert.deepEqual(full.brand_voice, { text: "Plain and warm.", ...by, ...at });
  assert.deepEqual(full.profile_facts, ["Founded in 2019.", "Sixty vans."]);
  assert.deepEqual(full.social_connections, [
    { channel: "blog", state: "connected", handle: null, ...by, ...at },
    { channel: "x", state: "expired", handle: "@harbor", ...by, ...at },
  ]);
  const titles = full.recent_posts.map(({ title }: any) => title);
  assert.deepEqual(
    titles,
    Array.from({ length: 10 }, (_, i) => `Post ${10 - i}`),
  );
  assert.deepEqual(
    [full.recent_posts[0].status, full.recent_posts[0].body, full.recent_posts[0].body_length],
    ["needs_review", "é💥".repeat(1_000), 3_000],
  );
});

test("an unknown item is not found, and an invalid item id is malformed", async (t) => {
  const server = await startChecklist(t);
  const unknown = await server.rest("GET", `${itemPath("OT-99")}/context`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "item_not_found"]);
  for (const id of ["ot-01", "OT-1", "OT-001", "XX-01", "0190aaaa-0000-7000-8000-00000000abcd", "OT-01%0A"]) {
    const malformed = await server.rest("GET", `${itemPath(id)}/context`);
    assert.deepEqual([malformed.status, malformed.body.code], [400, "invalid_id"], id);
  }
});

/** Makes a table unreadable, as if it was never migrated. */
function hide(server: TestServer, table: string): () => void {
  const db = openBeside(server.folder);
  db.exec(`ALTER TABLE ${table} RENAME TO hidden`);
  return () => {
    db.exec(`ALTER TABLE hidden RENAME TO ${table}`);
    db.close();
  };
}

test("cards that can't be read are reported; lists work without them, and items that may be in review are not due", async (t) => {
  const { log, text } = keptLog();
  const server = await startChecklist(t, { log });
  await newCard(server, "OT-01");
  assert.ok(!(await dueOf(server)).some(([id]) => id === "OT-01"));
  const others = (await dueOf(server)).filter(([id]) => id !== "ON-06");
  const show = hide(server, "approval_cards");
  t.after(show);
  for (const path of [LIST, DUE]) {
    const { status, body } = await server.rest("GET", path);
    assert.deepEqual([status, body.meta.approval_cards], [200, "unavailable"]);
    assert.ok(body.data.every((entry: any) => entry.approval_card === null));
  }
  assert.deepEqual(await dueOf(server), others);
  assert.match(text(), /"part":"approval_cards"/);
});

const PARTS = [
  ["brand_voices", "brand_voice"],
  ["profile_facts", "profile_facts"],
  ["social_connections", "social_connections"],
  ["social_posts", "recent_posts"],
  ["checklist_marks", "status"],
  ["checklist_assessments", "status"],
] as const;

for (const [table, part] of PARTS) {
  test(`with ${table} unreadable, the context reports it for ${part}, and shows the rest`, async (t) => {
    const server = await startChecklist(t);
    await server.operator("save_brand_voice", { text: "Plain." });
    await server.operator("save_profile_facts", { facts: ["A fact."] });
    const path = `${itemPath("OT-01")}/context`;
    const before = (await server.rest("GET", path)).body.data;
    const show = hide(server, table);
    t.after(show);
    const { status, body } = await server.rest("GET", path);
    assert.equal(status, 200);
    assert.deepEqual(body.data, { ...before, [part]: "unavailable" });
  });
}

test("with cards unreadable, the context's status reports only the card", async (t) => {
  const server = await startChecklist(t);
  t.after(hide(server, "approval_cards"));
  const { data } = (await server.rest("GET", `${itemPath("OT-01")}/context`)).body;
  assert.deepEqual([data.status.status, data.status.approval_card], ["not_assessed", "unavailable"]);
});

test("the three reads need their scope, and share their own budget of 120 a minute", async (t) => {
  const server = await startChecklist(t, { budgets: true });
  const paths = [LIST, DUE, `${itemPath("OT-01")}/context`];
  const other = await server.mint(["social_checklist.submit", "social_checklist.record", "contacts.read"]);
  for (const path of paths) {
    const refused = await server.rest("GET", path, { key: other });
    assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
    assert.match(refused.body.error ?? "", /social_checklist\.read/);
    assert.equal((await server.rest("GET", path, { key: "" })).status, 401);
  }
  for (let i = 0; i < 120; i += 1) {
    assert.equal((await server.rest("GET", paths[i % 3] as string)).status, 200);
  }
  for (const path of paths) {
    const refused = await server.rest("GET", path);
    assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
  }
  assert.equal((await server.rest("POST", "/contacts", { body: { first_name: "A" } })).status, 201);
});

test("another workspace's marks, cards and posts are not visible", async (t) => {
  const server = await startChecklist(t);
  await record(server, "ON-02", SAW);
  await newCard(server, "OT-01");
  await server.operator("save_brand_voice", { text: "Ours." });
  const { key } = await server.neighbour();
  const { data } = (await server.rest("GET", LIST, { key })).body;
  assert.ok(data.every((entry: any) => entry.status === "not_assessed" && entry.approval_card === null));
  const context = (await server.rest("GET", `${itemPath("OT-01")}/context`, { key })).body.data;
  assert.deepEqual([context.brand_voice, context.recent_posts], [null, []]);
});

test("a list uses a fixed number of statements, however many items, marks and cards there are", async (t) => {
  const small = await startChecklist(t, { items: [drafted("OT-01", 1)] });
  const large = await startServer(t);
  // The servers' background jobs sometimes run statements of their own.
  const count = async (server: TestServer) => {
    const counts: number[] = [];
    for (let i = 0; i < 8; i += 1) counts.push(await executions(() => server.rest("GET", `${LIST}?limit=100`)));
    return Math.min(...counts);
  };
  assert.ok((await large.rest("GET", LIST)).body.meta.total > 60);
  assert.equal(await count(large), await count(small));
});
