import assert from "node:assert/strict";
import { test } from "node:test";
import { findOperation } from "../../src/cli/operator.ts";
import { inputSchema } from "../../src/core/json-schema.ts";
import {
  DOCUMENT,
  drafted,
  entryOf,
  itemPath,
  newCard,
  newPost,
  POST,
  startChecklist,
  submit,
} from "../support/checklist.ts";
import { FakeClock } from "../support/server.ts";

const FUTURE = "2026-12-01T09:30:00+01:00";
const letters = (count: number) => "ä".repeat(count);

test("a post goes to the review queue, and nothing is published or scheduled", async (t) => {
  const clock = new FakeClock();
  const server = await startChecklist(t, { clock });
  const given = { ...POST, platform: "socialnet", title: "Mondays", scheduled_for: FUTURE };
  const { status, body } = await submit(server, "OT-01", given);
  assert.equal(status, 201);
  const { id, ...rest } = body.data;
  assert.deepEqual(rest, {
    item_id: "OT-01",
    output_kind: "social_post",
    status: "needs_review",
    card_id: null,
    post_id: id,
    redo_of: null,
    created_at: new Date(clock.now()).toISOString(),
  });
  const [post, ...others] = await server.operator("list_posts", {});
  assert.deepEqual(others, []);
  assert.deepEqual(
    [post.id, post.status, post.body, post.platform, post.title, post.suggested_for, post.scheduled_for, post.ended_at],
    [id, "needs_review", POST.body, "socialnet", "Mondays", "2026-12-01T08:30:00.000Z", null, null],
  );
  assert.equal(post.submitted_by.name, "all");
  assert.equal((await submit(server, "OT-01", POST)).status, 201, "a post holds up nothing");
});

test("a post's channel is the named one, otherwise its item's only one, otherwise none", async (t) => {
  const of = (channels: string[] | "all") => ({ channels, accepts_output_kinds: ["social_post"] });
  const one = drafted("ON-01", 1, of(["socialnet"]));
  const items = [one, drafted("ON-02", 2, of(["x", "blog"])), drafted("ON-03", 3, of([]))];
  const server = await startChecklist(t, { items });
  const platform = async (id: string, body: object = POST) => {
    const post_id = await newPost(server, id, body);
    return (await server.operator("list_posts", {})).find((post: any) => post.id === post_id).platform;
  };
  assert.equal(await platform("ON-01"), "socialnet");
  assert.equal(await platform("ON-01", { ...POST, platform: "blog" }), "blog");
  assert.deepEqual([await platform("ON-02"), await platform("ON-03")], [null, null]);
  const { platform: told } = inputSchema(findOperation("submit_checklist_output")).properties ?? {};
  assert.match(String(told?.description), /Default: the item's only channel, or none\.$/);
});

test("a submitted document becomes a card that needs review, with its exact text, and the item shows it", async (t) => {
  const server = await startChecklist(t);
  const body = "  Ada\r\n\tanswers.\u202E  ";
  const given = { ...DOCUMENT, body, summary: "In short." };
  const reply = await submit(server, "OT-01", given);
  assert.equal(reply.status, 201);
  const { id, status, card_id, post_id } = reply.body.data;
  assert.deepEqual([status, card_id, post_id], ["pending", id, null]);
  const [card] = await server.operator("list_cards", { status: "pending" });
  assert.deepEqual([card.id, card.title, card.summary, card.body], [id, DOCUMENT.title, "In short.", body]);
  assert.deepEqual(card.hidden, { body: "  Ada\r\n\tanswers.[U+202E]  " });
  const { approval_card: head } = await entryOf(server, "OT-01");
  assert.deepEqual(
    [head.id, head.status, head.title, head.summary, head.decided_at],
    [id, "pending", DOCUMENT.title, "In short.", null],
  );
});

/** An invalid submission, and the field that its refusal names. */
const REFUSED: [string, object, string][] = [
  ["no kind", { body: "x" }, "output_kind"],
  ["a kind that is none", { ...POST, output_kind: "video" }, "output_kind"],
  ["no body", { output_kind: "social_post" }, "body"],
  ["a body that is no text", { ...POST, body: 7 }, "body"],
  ["a blank body", { ...POST, body: " \n" }, "body"],
  ["a post too long", { ...POST, body: letters(20_001) }, "body"],
  ["a channel that is none", { ...POST, platform: "myspace" }, "platform"],
  ["a post's title too long", { ...POST, title: letters(301) }, "title"],
  ["a post's title that is empty", { ...POST, title: "" }, "title"],
  ["a post's title that is blank", { ...POST, title: " \t" }, "title"],
  ["a summary for a post", { ...POST, summary: "x" }, "summary"],
  ["a time that has come", { ...POST, scheduled_for: "2026-11-20T09:00:00Z" }, "scheduled_for"],
  ["a time long past", { ...POST, scheduled_for: "2020-01-01T00:00:00Z" }, "scheduled_for"],
  ["a time that is no time", { ...POST, scheduled_for: "tomorrow" }, "scheduled_for"],
  ["a time without a zone", { ...POST, scheduled_for: "2027-01-01T00:00:00" }, "scheduled_for"],
  ["a field that nobody knows", { ...POST, publish: true }, "publish"],
  ["a field of the path", { ...POST, id: "OT-01" }, "id"],
  ["a document without a title", { output_kind: "document", body: "x" }, "title"],
  ["a document with a blank title", { ...DOCUMENT, title: "  " }, "title"],
  ["a document's title too long", { ...DOCUMENT, title: letters(201) }, "title"],
  ["a summary too long", { ...DOCUMENT, summary: letters(501) }, "summary"],
  ["a document too long", { ...DOCUMENT, body: letters(4_001) }, "body"],
  ["a document too long with its summary", { ...DOCUMENT, body: letters(3_901), summary: letters(100) }, "body"],
  ["a channel for a document", { ...DOCUMENT, platform: "blog" }, "platform"],
  ["a time for a document", { ...DOCUMENT, scheduled_for: FUTURE }, "scheduled_for"],
  ["a field that is null", { ...POST, title: null }, "title"],
];

for (const [label, body, field] of REFUSED) {
  test(`${label} is refused, naming ${field}, and nothing is written`, async (t) => {
    const server = await startChecklist(t, { clock: new FakeClock() });
    const reply = await submit(server, "OT-01", body);
    assert.deepEqual([reply.status, reply.body.code], [400, "validation_failed"], reply.text);
    assert.match(reply.body.error ?? "", new RegExp(`^(?:${field} |Unknown field "${field}")`));
    assert.deepEqual([await server.operator("list_posts", {}), await server.operator("list_cards", {})], [[], []]);
  });
}

test("the limits count characters, not storage units", async (t) => {
  const server = await startChecklist(t);
  const wide = (count: number) => "💥".repeat(count);
  const post = { output_kind: "social_post", title: wide(300), body: wide(20_000) };
  assert.equal((await submit(server, "ON-06", post)).status, 201);
  const document = { output_kind: "document", title: wide(200), summary: wide(500), body: wide(3_500) };
  assert.equal((await submit(server, "ON-06", document)).status, 201);
  assert.equal((await submit(server, "OT-01", { ...document, body: wide(3_501) })).status, 400);
});

test("an item accepts its listed kinds, refuses any other, and says what it accepts", async (t) => {
  const server = await startChecklist(t);
  const cases: [string, object, RegExp][] = [
    ["ON-01", DOCUMENT, /Use social_post\.$/],
    ["ON-05", POST, /Use document\.$/],
    ["ON-02", POST, /It accepts no submissions\.$/],
    ["OT-03", DOCUMENT, /It accepts no submissions\.$/],
    ["OT-05", DOCUMENT, /Use item OT-01, which replaces it\.$/],
  ];
  for (const [id, body, says] of cases) {
    const reply = await submit(server, id, body);
    assert.deepEqual([reply.status, reply.body.code], [409, "output_kind_not_accepted"], id);
    assert.match(reply.body.error ?? "", says);
  }
  const unknown = await submit(server, "OT-99", POST);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "item_not_found"]);
  const malformed = await submit(server, "first", POST);
  assert.deepEqual([malformed.status, malformed.body.code], [400, "invalid_id"]);
});

test("while a card needs review, its item accepts no submission, and others do", async (t) => {
  const server = await startChecklist(t);
  const card_id = await newCard(server);
  for (const body of [DOCUMENT, POST]) {
    const reply = await submit(server, "OT-01", body);
    assert.deepEqual([reply.status, reply.body.code], [409, "card_waiting"]);
  }
  assert.equal((await submit(server, "ON-06", DOCUMENT)).status, 201);
  assert.equal(
    (
      await server.rest("POST", `${itemPath("OT-01")}/submissions`, {
        key: (await server.neighbour()).key,
        body: DOCUMENT,
      })
    ).status,
    201,
  );
  await server.operator("decide_card", { card_id, decision: "approve" });
  assert.equal((await submit(server, "OT-01", POST)).status, 201);
});

test("of many simultaneous submissions for one item, one becomes a card and the others are refused", async (t) => {
  const server = await startChecklist(t);
  const replies = await Promise.all(Array.from({ length: 30 }, () => submit(server, "OT-01", DOCUMENT)));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array(29).fill(409)]);
  assert.equal((await server.operator("list_cards", {})).length, 1);
});

test("the first submission after a change request links to what it replaces; later ones do not", async (t) => {
  const server = await startChecklist(t);
  const ask = { decision: "request_change", note: "Shorter." };
  const first = await newCard(server);
  await server.operator("decide_card", { card_id: first, ...ask });
  const second = (await submit(server, "OT-01", DOCUMENT)).body.data;
  assert.equal(second.redo_of, first);
  await server.operator("decide_card", { card_id: second.id, ...ask });
  const third = (await submit(server, "OT-01", DOCUMENT)).body.data;
  assert.equal(third.redo_of, second.id);
  await server.operator("decide_card", { card_id: third.id, decision: "deny" });
  assert.equal((await submit(server, "OT-01", DOCUMENT)).body.data.redo_of, null);

  const post = (await submit(server, "ON-01", POST)).body.data;
  await server.operator("decide_post", { post_id: post.id, ...ask });
  assert.equal((await submit(server, "ON-01", POST)).body.data.redo_of, post.id);
  assert.equal((await submit(server, "ON-01", POST)).body.data.redo_of, null, "the last one was not sent back");
});

test("submitting respects the idempotency key, its scope and billing", async (t) => {
  const server = await startChecklist(t);
  const headers = { "idempotency-key": "k" };
  const first = await submit(server, "OT-01", DOCUMENT, { headers });
  const again = await submit(server, "OT-01", { nonsense: 1 }, { headers });
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(
    (await submit(server, "ON-06", DOCUMENT, { headers })).body.data.item_id,
    "ON-06",
    "another item is another endpoint",
  );
  const refused = await submit(server, "ON-05", POST, { headers });
  assert.equal(refused.status, 409);
  assert.equal((await submit(server, "ON-05", DOCUMENT, { headers })).status, 201, "a refusal is not kept");

  const key = await server.mint(["social_checklist.read", "social_checklist.record"]);
  const denied = await submit(server, "ON-01", POST, { key });
  assert.deepEqual([denied.status, denied.body.code], [403, "insufficient_scope"]);
  await server.operator("set_billing", { state: "delinquent" });
  const unpaid = await submit(server, "ON-01", POST);
  assert.deepEqual([unpaid.status, unpaid.body.code], [402, "billing_read_only"]);
  const past = await submit(server, "ON-01", { ...POST, scheduled_for: "2020-01-01T09:00:00Z" });
  assert.deepEqual([past.status, past.body.code], [400, "validation_failed"], "input is checked before the plan");
});

test("an item id in the wrong case is refused, whatever was answered for the same idempotency key", async (t) => {
  const server = await startChecklist(t);
  const headers = { "idempotency-key": "k" };
  const send = (item: string) =>
    server.rest("POST", `/social/checklist/items/${item}/submissions`, { headers, body: POST });
  assert.equal((await send("OT-01")).status, 201);
  const refused = await send("ot-01");
  assert.deepEqual([refused.status, refused.body.code], [400, "invalid_id"]);
});
