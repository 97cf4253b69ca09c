import assert from "node:assert/strict";
import { test } from "node:test";
import { newAccount, startLocal, subscribe } from "../support/events.ts";
import { post } from "../support/mcp.ts";
import { rowsOf } from "../support/outbox.ts";
import { Receiver } from "../support/receiver.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const CARD = "checklist.card.decided";
const POST = "checklist.post.decided";

async function submit(server: TestServer, item: string, body: object): Promise<any> {
  const { status, body: answer } = await server.rest("POST", `/social/checklist/items/${item}/submissions`, { body });
  assert.equal(status, 201, String(answer.error));
  return answer.data;
}

/** An item that accepts documents, and one that accepts posts. */
async function itemsOf(server: TestServer): Promise<{ document: string; social_post: string }> {
  const { data } = (await server.rest("GET", "/social/checklist/items?limit=100")).body;
  const taking = (kind: string) => data.find((item: any) => item.agent.accepts_output_kinds.includes(kind)).id;
  return { document: taking("document"), social_post: taking("social_post") };
}

test("a decision on a card or a post emits an event, and so does withdrawing an approval", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  for (const name of [CARD, POST]) assert.ok((await subscribe(server, receiver, { name })).result.id);
  const items = await itemsOf(server);
  const document = { output_kind: "document", title: "Voice", body: "A secret plan." };
  const { card_id } = await submit(server, items.document, document);
  await server.operator("decide_card", { card_id, decision: "request_change", note: "Shorter, Ada." });
  const redo = await submit(server, items.document, document);
  await server.operator("decide_card", { card_id: redo.card_id, decision: "approve" });
  await server.operator("withdraw_card", { card_id: redo.card_id });
  await server.operator("decide_card", { card_id: redo.card_id, decision: "deny" });
  const { post_id } = await submit(server, items.social_post, { output_kind: "social_post", body: "A secret post." });
  await server.operator("decide_post", { post_id, decision: "approve" });
  await server.operator("withdraw_post", { post_id });
  const received = await receiver.waitFor(6);
  const told = received.map(({ body: { name, data } }) => ({ name, ...data }));
  const of = (id: string) => told.filter((event) => (event.card_id ?? event.post_id) === id);
  const decisions = (id: string) => new Set(of(id).map(({ decision }) => decision));
  assert.deepEqual(decisions(card_id), new Set(["change_requested"]));
  assert.deepEqual(decisions(redo.card_id), new Set(["approved", "withdrawn", "denied"]));
  assert.deepEqual(decisions(post_id), new Set(["approved", "withdrawn"]));
  assert.deepEqual([of(card_id)[0]?.name, of(post_id)[0]?.name], [CARD, POST]);
  assert.equal(of(card_id)[0]?.item_id, items.document);
  for (const { text } of received) assert.doesNotMatch(text, /secret|Ada|Voice/, "never text");
});

test("the note of a requested change is where the event's description says", async (t) => {
  const server = await startLocal(t);
  const items = await itemsOf(server);
  const change = (note: string) => ({ decision: "request_change", note });
  const { card_id } = await submit(server, items.document, { output_kind: "document", title: "T", body: "B" });
  const { post_id } = await submit(server, items.social_post, { output_kind: "social_post", body: "Text." });
  const { events } = (await post(server, "2026-07-28", "events/list")).body.result;
  for (const [event, item, note] of [
    [CARD, items.document, "Name the date."],
    [POST, items.social_post, "Name the place."],
  ] as const) {
    if (event === CARD) await server.operator("decide_card", { card_id, ...change(note) });
    else await server.operator("decide_post", { post_id, ...change(note) });
    const { description } = events.find(({ name }: any) => name === event);
    const [tool] = /list_due_checklist_items|get_checklist_item_context/.exec(description) ?? [];
    const args = tool === "get_checklist_item_context" ? { id: item } : { limit: 100 };
    const { structuredContent } = (await post(server, "2026-07-28", "tools/call", { name: tool, arguments: args })).body
      .result;
    const { data } = structuredContent;
    const entries = data.recent_posts ?? data.map(({ change_request }: any) => change_request);
    assert.ok(
      entries.some((entry: any) => entry?.note === note),
      `${event}: ${tool}`,
    );
  }
});

test("a refused decision emits no event", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  await subscribe(server, receiver, { name: POST });
  const items = await itemsOf(server);
  const { post_id } = await submit(server, items.social_post, { output_kind: "social_post", body: "Text." });
  await assert.rejects(server.operator("decide_post", { post_id, decision: "approve", content_hash: "other" }));
  await server.operator("decide_post", { post_id, decision: "approve" });
  await assert.rejects(server.operator("decide_post", { post_id, decision: "deny" }));
  const [only, ...more] = await receiver.waitFor(1);
  assert.deepEqual([only?.body.data.decision, more], ["approved", []]);
});

test("each event needs its own scope, and a checklist event takes no argument", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const { id: socialnet_account_id } = await newAccount(server);
  const social = await server.mint(["socialnet.read"]);
  const checklist = await server.mint(["social_checklist.read"]);
  const listed = async (key: string) =>
    (await post(server, "2026-07-28", "events/list", {}, { key })).body.result.events.map(({ name }: any) => name);
  assert.deepEqual(await listed(checklist), [CARD, POST]);
  assert.ok(!(await listed(social)).includes(CARD));
  const denied = { code: -32012, data: { reason: "insufficient_scope" } };
  for (const [key, name] of [
    [social, CARD],
    [checklist, "socialnet.work.available"],
  ] as const) {
    const { error } = await subscribe(server, receiver, { key, name });
    assert.deepEqual({ code: error.code, data: error.data }, denied, name);
  }
  const denials = () => rowsOf(server, "SELECT route FROM auth_events WHERE code = 'scope_denied'");
  await until(() => denials().length === 2);
  const about = await subscribe(server, receiver, {
    ...{ key: checklist, name: CARD },
    arguments: { account_id: socialnet_account_id },
  });
  assert.equal(about.error.code, -32602);
  const scopes = ["social_checklist.read", "socialnet.execute"];
  const { key: bound } = await server.operator("create_key", { name: "bound", scopes, socialnet_account_id });
  assert.ok((await subscribe(server, receiver, { key: bound, name: CARD })).result.id);
  const items = await itemsOf(server);
  const document = { output_kind: "document", title: "T", body: "B" };
  const { card_id } = await submit(server, items.document, document);
  await server.operator("decide_card", { card_id, decision: "approve" });
  assert.equal((await receiver.waitFor(1))[0]?.body.data.card_id, card_id, "a bound key hears of the workspace");
});
