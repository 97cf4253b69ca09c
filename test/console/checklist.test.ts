import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../../src/domain/access/roles.ts";
import {
  DOCUMENT,
  dueOf,
  entryOf,
  itemPath,
  newCard,
  newPost,
  POST,
  record,
  SAW,
  startChecklist,
  submit,
} from "../support/checklist.ts";
import { byDoor, signIn } from "../support/console.ts";
import { callAs, member } from "../support/member.ts";
import { audited, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, type TestServer } from "../support/server.ts";

const refusal = async (call: Promise<unknown>): Promise<[string, string]> => {
  const error = await call.then(
    () => assert.fail("it was not refused"),
    (reason: { code: string; message: string }) => reason,
  );
  return [error.code, error.message];
};

const CARD_DECISIONS = [
  ["approve", "approved"],
  ["request_change", "change_requested"],
  ["deny", "denied"],
] as const;

for (const [decision, status] of CARD_DECISIONS) {
  test(`a member's ${decision} makes a card ${status}, with who, when and the note, and a second decision is refused`, async (t) => {
    const clock = new FakeClock();
    const server = await startChecklist(t, { signIn, clock });
    const card_id = await newCard(server);
    clock.advance(60_000);
    const as = member(server);
    const { body } = await byDoor(server, "decide_card", { card_id, decision, note: " Because. " }, { as });
    const { status: now, note, decided_by, decided_at } = body.data;
    assert.deepEqual([now, note, decided_by], [status, "Because.", { id: as.id, name: as.name }]);
    assert.equal(decided_at, new Date(clock.now()).toISOString());
    for (const [other] of CARD_DECISIONS) {
      const again = await byDoor(server, "decide_card", { card_id, decision: other, note: "x" }, { as });
      assert.deepEqual([again.status, again.body.code], [409, "already_decided"]);
      assert.match(again.body.error ?? "", new RegExp(`is already ${status}`));
    }
    assert.deepEqual((await server.operator("list_cards", {}))[0], body.data);
  });
}

test("of many simultaneous decisions on a card or a post one succeeds, and the others are refused", async (t) => {
  const server = await startChecklist(t);
  const ids = {
    decide_card: { card_id: await newCard(server) },
    decide_post: { post_id: await newPost(server, "ON-01") },
  };
  for (const [name, id] of Object.entries(ids)) {
    const said = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const decision = ["approve", "deny", "request_change"][i % 3];
        return callAs(server, member(server), name, { ...id, decision, note: "n" });
      }),
    );
    assert.deepEqual(said.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
    const rows = await audited(server, name);
    assert.equal(rows.length, 1);
    for (const { body } of [DOCUMENT, POST]) assert.ok(!JSON.stringify(rows).includes(body), "no text in the audit");
  }
});

test("an approved card marks its item done in the approver's name; a rejected or returned one marks nothing", async (t) => {
  const server = await startChecklist(t, { signIn, clock: new FakeClock() });
  const as = member(server);
  for (const decision of ["request_change", "deny"]) {
    await byDoor(server, "decide_card", { card_id: await newCard(server, "ON-06"), decision, note: "n" }, { as });
    assert.equal((await entryOf(server, "ON-06")).status, "not_assessed");
  }
  await byDoor(server, "decide_card", { card_id: await newCard(server, "ON-06"), decision: "approve" }, { as });
  const { status, status_source, evidence, last_done_on, assessment } = await entryOf(server, "ON-06");
  assert.deepEqual(
    [status, status_source, evidence, last_done_on],
    ["done", "member", `Approved: ${DOCUMENT.title}`, "2026-11-20"],
  );
  assert.deepEqual([assessment.state, assessment.sources], ["done", [{ kind: "member", id: as.id, label: as.name }]]);
  assert.ok(!(await dueOf(server)).some(([id]) => id === "ON-06"));
});

test("a post goes from review to approved, with the reviewer's own time, and from there to published or canceled", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const suggested = "2026-11-21T08:00:00.000Z";
  const [published, cancelled] = [
    await newPost(server, "ON-01", { ...POST, title: "One", scheduled_for: suggested }),
    await newPost(server, "OT-01", POST),
  ];
  const approve = { decision: "approve", scheduled_for: "2026-11-22T12:00:00+02:00" };
  const post = await server.operator("decide_post", { post_id: published, ...approve });
  assert.deepEqual(
    [post.status, post.suggested_for, post.scheduled_for, post.ended_at],
    ["approved", suggested, "2026-11-22T10:00:00.000Z", null],
  );
  assert.equal((await entryOf(server, "ON-01")).status, "not_assessed", "an approved post is not published");
  const later = await server.operator("decide_post", { post_id: cancelled, decision: "approve" });
  assert.equal(later.scheduled_for, null);
  clock.advance(1_000);
  const ended = await server.operator("mark_post", { post_id: published, status: "published" });
  assert.deepEqual([ended.status, ended.ended_at], ["published", new Date(clock.now()).toISOString()]);
  const { status, evidence } = await entryOf(server, "ON-01");
  assert.deepEqual([status, evidence], ["done", "Published: One"]);
  await server.operator("mark_post", { post_id: cancelled, status: "cancelled" });
  assert.equal((await entryOf(server, "OT-01")).status, "not_assessed");
  for (const post_id of [published, cancelled]) {
    for (const status of ["published", "cancelled"]) {
      const [code] = await refusal(server.operator("mark_post", { post_id, status }));
      assert.equal(code, "post_not_approved");
    }
  }
});

test("only marking a post as published accepts a channel, a time and a URL", async (t) => {
  const server = await startChecklist(t, { clock: new FakeClock() });
  const approved = async () => {
    const post_id = await newPost(server, "ON-01");
    await server.operator("decide_post", { post_id, decision: "approve" });
    return post_id;
  };
  const out = { platform: "bluesky", published_at: "2026-11-18T07:30:00Z", url: "https://social.example/p/1" };
  const first = await server.operator("mark_post", { post_id: await approved(), status: "published", ...out });
  assert.deepEqual(
    [first.platform, first.ended_at, first.published_url],
    ["bluesky", "2026-11-18T07:30:00.000Z", out.url],
  );
  assert.equal((await entryOf(server, "ON-01")).last_done_on, "2026-11-18");
  await server.operator("mark_post", { post_id: await approved(), status: "published" });
  const earlier = { published_at: "2026-11-19T09:00:00Z" };
  await server.operator("mark_post", { post_id: await approved(), status: "published", ...earlier });
  assert.equal((await entryOf(server, "ON-01")).last_done_on, "2026-11-20", "an older one takes no day back");
  const post_id = await approved();
  for (const [input, says] of [
    [{ status: "published", published_at: "2026-11-20T09:00:01Z" }, /^published_at can't be in the future/],
    [{ status: "published", url: "javascript:alert(1)" }, /^url must be a URL that starts with http/],
    [{ status: "published", platform: "myspace" }, /^platform /],
    [{ status: "cancelled", url: out.url }, /^url can only be set with status published/],
    [{ status: "cancelled", platform: "x" }, /^platform can only be set with status published/],
  ] as const) {
    const [code, message] = await refusal(server.operator("mark_post", { post_id, ...input }));
    assert.equal(code, "validation_failed");
    assert.match(message, says);
  }
});

test("only an approved post can be marked, and a rejected or returned one can't be decided again", async (t) => {
  const server = await startChecklist(t);
  const waiting = await newPost(server, "ON-01");
  assert.equal(
    (await refusal(server.operator("mark_post", { post_id: waiting, status: "published" })))[0],
    "post_not_approved",
  );
  for (const [decision, status] of [
    ["request_change", "changes_requested"],
    ["deny", "declined"],
  ]) {
    const post_id = await newPost(server, "ON-01");
    assert.equal((await server.operator("decide_post", { post_id, decision, note: "n" })).status, status);
    assert.equal(
      (await refusal(server.operator("decide_post", { post_id, decision: "approve" })))[0],
      "already_decided",
    );
    assert.equal(
      (await refusal(server.operator("mark_post", { post_id, status: "cancelled" })))[0],
      "post_not_approved",
    );
  }
});

test("an incomplete decision names what is missing, and an unknown card or post is not found", async (t) => {
  const server = await startChecklist(t, { clock: new FakeClock() });
  const card_id = await newCard(server);
  const post_id = await newPost(server, "ON-01");
  const cases: [string, object, string, RegExp][] = [
    [
      "decide_card",
      { card_id, decision: "request_change" },
      "validation_failed",
      /^note can't be blank when you request changes/,
    ],
    [
      "decide_card",
      { card_id, decision: "request_change", note: "  " },
      "validation_failed",
      /^note can't be blank when you request changes/,
    ],
    ["decide_card", { card_id, decision: "publish" }, "validation_failed", /^decision /],
    [
      "decide_card",
      { card_id, decision: "approve", scheduled_for: "2027-01-01T00:00:00Z" },
      "validation_failed",
      /scheduled_for/,
    ],
    ["decide_card", { card_id: UNKNOWN, decision: "approve" }, "card_not_found", /card/],
    ["decide_card", { card_id: post_id, decision: "approve" }, "card_not_found", /card/],
    [
      "decide_post",
      { post_id, decision: "request_change" },
      "validation_failed",
      /^note can't be blank when you request changes/,
    ],
    [
      "decide_post",
      { post_id, decision: "deny", scheduled_for: "2027-01-01T00:00:00Z" },
      "validation_failed",
      /scheduled_for/,
    ],
    [
      "decide_post",
      { post_id, decision: "approve", scheduled_for: "2026-11-20T09:00:00Z" },
      "validation_failed",
      /scheduled_for/,
    ],
    ["decide_post", { post_id: card_id, decision: "approve" }, "post_not_found", /post/],
    ["mark_post", { post_id: UNKNOWN, status: "published" }, "post_not_found", /post/],
    ["mark_post", { post_id, status: "approved" }, "validation_failed", /^status /],
  ];
  for (const [name, input, code, says] of cases) {
    const [found, message] = await refusal(server.operator(name, input));
    assert.equal(found, code, `${name} ${JSON.stringify(input)}`);
    assert.match(message, says);
  }
});

test("a manual status records who, when and the day, keeps the last done day, and is cleared by not_assessed", async (t) => {
  const server = await startChecklist(t, { signIn, clock: new FakeClock() });
  const as = member(server);
  const mark = async (input: object) =>
    (await byDoor(server, "mark_checklist_item", { item_id: "ON-02", ...input }, { as })).body;
  await record(server, "ON-02", { ...SAW, done_on: "2026-11-19" });
  const done = (await mark({ status: "done", done_on: "2026-11-10", evidence: " Seen. " })).data;
  assert.deepEqual(
    [done.status, done.status_source, done.evidence, done.last_done_on, done.due.due_on],
    ["done", "member", "Seen.", "2026-11-10", "2026-11-17"],
  );
  const blocked = (await mark({ status: "blocked" })).data;
  assert.deepEqual([blocked.status, blocked.evidence, blocked.last_done_on], ["blocked", null, "2026-11-10"]);
  const none = (await mark({ status: "not_assessed" })).data;
  assert.deepEqual([none.status, none.status_source, none.last_done_on], ["not_assessed", null, null]);
  for (const [input, says] of [
    [{ status: "done", done_on: "2026-11-21" }, /^done_on can't be in the future/],
    [{ status: "blocked", done_on: "2026-11-19" }, /^done_on can only be set with status done/],
    [{ status: "finished" }, /^status /],
    [{ status: "not_assessed", evidence: "No." }, /^evidence /],
    [{ status: "done", item_id: "OT-99" }, /OT-99/],
  ] as const) {
    assert.match((await mark(input)).error ?? "", says);
  }
});

test("cards and posts are listed newest first, byte for byte, filtered by status and item, with exact totals", async (t) => {
  const server = await startChecklist(t, { signIn });
  const as = member(server, { role: "viewer" });
  const cards = [await newCard(server, "OT-01"), await newCard(server, "ON-05"), await newCard(server, "ON-06")];
  await server.operator("decide_card", { card_id: cards[1], decision: "deny" });
  const body = "a\u202Eb \u200B";
  const posts = [await newPost(server, "ON-01", { ...POST, body, title: "t\u00AD" }), await newPost(server, "ON-01")];
  const list = async (name: string, input: object) => {
    const reply = await byDoor(server, name, input, { as });
    return [reply.body.data.map(({ id }: any) => id), reply.body.meta.total];
  };
  assert.deepEqual(await list("list_cards", {}), [cards.toReversed(), 3]);
  assert.deepEqual(await list("list_cards", { status: "denied" }), [[cards[1]], 1]);
  assert.deepEqual(await list("list_cards", { status: "pending", item_id: "ON-06" }), [[cards[2]], 1]);
  assert.deepEqual(await list("list_cards", { limit: 1, offset: 1 }), [[cards[1]], 3]);
  assert.deepEqual(await list("list_posts", { status: "needs_review" }), [posts.toReversed(), 2]);
  assert.deepEqual(await list("list_posts", { item_id: "OT-01" }), [[], 0]);
  const [, first] = await server.operator("list_posts", {});
  assert.deepEqual([first.body, first.title], [body, "t\u00AD"]);
  assert.deepEqual(first.hidden, { body: "a[U+202E]b [U+200B]", title: "t[U+00AD]" });
  const [plain] = await server.operator("list_posts", {});
  assert.equal(plain.hidden, null);
});

test("saving voice, facts or connections replaces the old values, and a connection accepts no credential", async (t) => {
  const server = await startChecklist(t);
  await server.operator("save_brand_voice", { text: "Plain." });
  await server.operator("save_brand_voice", { text: "Plain and warm." });
  await server.operator("save_profile_facts", { facts: ["One.", "Two."] });
  await server.operator("save_profile_facts", { facts: [] });
  await server.operator("save_social_connection", { channel: "x", state: "connected", handle: "@a" });
  await server.operator("save_social_connection", { channel: "x", state: "disconnected" });
  const { brand_voice, profile_facts, social_connections } = (await server.rest("GET", `${itemPath("OT-01")}/context`))
    .body.data;
  assert.deepEqual([brand_voice.text, profile_facts], ["Plain and warm.", []]);
  assert.deepEqual(
    social_connections.map(({ channel, state, handle }: any) => [channel, state, handle]),
    [["x", "disconnected", null]],
  );
  for (const [name, input, field] of [
    ["save_social_connection", { channel: "x", state: "connected", token: "secret" }, "token"],
    ["save_social_connection", { channel: "myspace", state: "connected" }, "channel"],
    ["save_social_connection", { channel: "x", state: "fine" }, "state"],
    ["save_brand_voice", { text: " " }, "text"],
    ["save_profile_facts", { facts: ["ok", ""] }, "facts.1"],
  ] as const) {
    const [code, message] = await refusal(server.operator(name, input));
    assert.deepEqual([code, message.includes(field)], ["validation_failed", true], message);
  }
});

test("reps decide, mark and save; viewers read; administrators request assessments; keys do none of it", async (t) => {
  const server = await startChecklist(t, { signIn });
  const writes: [string, (server: TestServer) => Promise<object> | object][] = [
    ["decide_card", async () => ({ card_id: await newCard(server), decision: "deny" })],
    ["decide_post", async () => ({ post_id: await newPost(server, "ON-01"), decision: "deny" })],
    ["mark_checklist_item", () => ({ item_id: "OT-03", status: "done" })],
    ["save_brand_voice", () => ({ text: "Plain." })],
    ["save_profile_facts", () => ({ facts: [] })],
    ["save_social_connection", () => ({ channel: "x", state: "connected" })],
  ];
  const status = async (role: Role, name: string, input: object) =>
    (await byDoor(server, name, input, { as: member(server, { role }) })).status;
  for (const [name, make] of writes) {
    const input = await make(server);
    assert.equal(await status("viewer", name, input), 403, name);
    assert.equal(await status("rep", name, input), 200, name);
  }
  for (const name of ["list_cards", "list_posts"]) assert.equal(await status("viewer", name, {}), 200);
  assert.deepEqual(
    [await status("rep", "run_assessment", {}), await status("admin", "run_assessment", {})],
    [403, 200],
  );
  await server.operator("set_billing", { state: "delinquent" });
  assert.equal(await status("rep", "save_brand_voice", { text: "x" }), 402);
});

test("a member can submit and record with the agents' operations, without a key being recorded", async (t) => {
  const server = await startChecklist(t, { signIn });
  const as = member(server);
  const handed = await byDoor(server, "submit_checklist_output", { id: "ON-01", ...POST }, { as });
  assert.equal(handed.status, 201);
  assert.deepEqual((await server.operator("list_posts", {}))[0].submitted_by, { id: as.id, name: as.name });
  const { recorded_by } = (await byDoor(server, "record_checklist_evidence", { id: "ON-02", ...SAW }, { as })).body
    .data;
  assert.deepEqual(recorded_by, { key_id: null, name: as.name });
  assert.equal((await submit(server, "ON-01", POST)).status, 201);
});
