import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { DOCUMENT, newCard, newPost } from "../support/checklist.ts";
import { asMember, type Browser, formOf } from "../support/http-browser.ts";
import { withAgent } from "../support/socialnet.ts";

const takes = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id ?? "";
const [DOCUMENT_ITEM, POST_ITEM] = [takes("document"), takes("social_post")];

/** An approved action, card and post, and the members who view them. */
async function start(t: TestContext) {
  const agent = await withAgent(t);
  const { server } = agent;
  const action = await agent.approved();
  const card = await newCard(server, DOCUMENT_ITEM);
  await server.operator("decide_card", { card_id: card, decision: "approve" });
  const post = await newPost(server, POST_ITEM);
  await server.operator("decide_post", { post_id: post, decision: "approve" });
  const ids = { action: action.id, card, post };
  const browserOf = (role: string, approve_outbound: boolean) =>
    asMember(server, { email: `${role}${approve_outbound}@b.example`, name: role, role, approve_outbound });
  const at = (path: string) => `/console/w/${server.workspaceId}${path}`;
  /** The kinds that a page offers to withdraw. */
  const offered = async (browser: Browser, path: string) => {
    const page = await browser.get(at(path));
    assert.equal(page.status, 200, page.text);
    return Object.entries(ids).flatMap(([kind, id]) => (formOf(page, `withdraw-${id}`) === undefined ? [] : [kind]));
  };
  const withdraw = async (browser: Browser, path: string, kind: keyof typeof ids) => {
    const form = formOf(await browser.get(at(path)), `withdraw-${ids[kind]}`);
    return browser.post(at(path), { ...form, "note:optional": "Too early." });
  };
  const statusOf = async (kind: keyof typeof ids) => {
    const { action, card, post } = await server.operator("get_review", { kind, id: ids[kind] });
    return (action ?? card ?? post).status;
  };
  const pages = {
    action: [`/agents/${agent.account.id}/actions/${ids.action}`, `/review/action/${ids.action}`],
    card: [`/checklist/${DOCUMENT_ITEM}`, `/review/card/${ids.card}`],
    post: [`/checklist/${POST_ITEM}`, "/checklist/posts", `/review/post/${ids.post}`, `/review/publish/${ids.post}`],
  };
  return { agent, server, action, ids, browserOf, at, offered, withdraw, statusOf, pages };
}

const KINDS = ["action", "card", "post"] as const;

test("an approval is withdrawn with a reason where the decision is shown, and needs review again", async (t) => {
  const { agent, browserOf, offered, withdraw, statusOf, server } = await start(t);
  const browser = await browserOf("rep", true);
  assert.deepEqual(await offered(browser, "/review/decided"), [...KINDS]);
  const became = { action: "planned", card: "pending", post: "needs_review" };
  for (const kind of KINDS) {
    agent.clock.advance(1_000);
    const done = await withdraw(browser, "/review/decided", kind);
    assert.equal(done.status, 303, done.text);
    assert.equal(await statusOf(kind), became[kind]);
    const page = await browser.get(done.location ?? "");
    assert.match(page.text, /Approval withdrawn<\/span><\/td><td[^>]*><span class="quiet">“Too early\.”/);
  }
  assert.deepEqual(await offered(browser, "/review/decided"), []);
  const decided = await server.operator("list_decided_reviews", {});
  const operations = decided.slice(0, 3).map(({ operation }: any) => operation);
  assert.deepEqual(operations.sort(), ["withdraw_card", "withdraw_post", "withdraw_socialnet_action"]);
});

for (const kind of KINDS) {
  test(`${kind}: its own pages withdraw the approval and show the result`, async (t) => {
    const { browserOf, offered, withdraw, statusOf, pages, at } = await start(t);
    const browser = await browserOf("rep", true);
    for (const path of pages[kind]) assert.ok((await offered(browser, path)).includes(kind), path);
    const review = pages[kind].at(-1) ?? "";
    const done = await withdraw(browser, review, kind);
    assert.equal(done.status, 303, done.text);
    assert.equal(done.location, at(review));
    assert.match((await browser.get(at(review))).text, /approval withdrawn\. It needs review again/);
    assert.notEqual(await statusOf(kind), "approved");
    for (const path of pages[kind]) assert.deepEqual(await offered(browser, path), [], path);
  });
}

test("the button is shown only to members with the permission to withdraw", async (t) => {
  const { browserOf, offered, pages } = await start(t);
  const [rep, viewer] = [await browserOf("rep", false), await browserOf("viewer", false)];
  for (const path of ["/review/decided", ...Object.values(pages).flat()]) {
    assert.ok(!(await offered(rep, path)).includes("action"), path);
    assert.deepEqual(await offered(viewer, path), [], path);
  }
  assert.deepEqual(await offered(rep, "/review/decided"), ["card", "post"]);
});

test("withdrawal is not offered once something depends on the approval: a claimed action, a published post, a second card", async (t) => {
  const { agent, server, action, ids, browserOf, offered, pages } = await start(t);
  const browser = await browserOf("rep", true);
  await agent.claim(action);
  await server.operator("mark_post", { post_id: ids.post, status: "published" });
  await newCard(server, DOCUMENT_ITEM, { ...DOCUMENT, body: "Another." });
  for (const path of ["/review/decided", ...Object.values(pages).flat()]) {
    assert.deepEqual(await offered(browser, path), [], path);
  }
});
