import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import type { ReviewKind } from "../../src/domain/checklist/review.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { DOCUMENT, newCard, newPost, submit } from "../support/checklist.ts";
import { asMember, Browser, type Page } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { audited, newContact, newSequence } from "../support/sequences.ts";
import type { TestServer } from "../support/server.ts";
import { type Agent, withAgent } from "../support/socialnet.ts";

const takes = (kind: "document" | "social_post") =>
  shippedCatalog()
    .items.filter((item) => acceptedOutputKinds(item).includes(kind))
    .map(({ id }) => id);
const [DOCUMENT_ITEM = "", OTHER_ITEM = ""] = takes("document");
const [POST_ITEM = ""] = takes("social_post");

const APPROVER = { email: "ap@b.example", name: "Grace", role: "rep", approve_outbound: true };

/** One of each kind, proposed by someone other than the viewer. */
async function waiting(agent: Agent) {
  const { server } = agent;
  const { id: action } = await agent.planned();
  const { id: sequence_id } = await newSequence(server);
  const contact = await newContact(server);
  const sequence = (await server.operator("approve_sequence", { sequence_id, contact_ids: [contact.id] })).id;
  const card = await newCard(server, DOCUMENT_ITEM);
  const post = await newPost(server, POST_ITEM);
  const publish = await newPost(server, POST_ITEM, { output_kind: "social_post", body: "Ready." });
  await server.operator("decide_post", { post_id: publish, decision: "approve" });
  return { ids: { action, sequence, card, post, publish } as Record<ReviewKind, string>, sequence_id };
}

async function start(t: TestContext) {
  const agent = await withAgent(t);
  const { server } = agent;
  const made = await waiting(agent);
  const browser = await asMember(server, APPROVER);
  const at = (path: string) => `/console/w/${server.workspaceId}/review${path}`;
  return { agent, server, browser, at, ...made };
}

/** The fields of the form with this id, as the page would send them. */
function formOf(page: Page, id: string): Record<string, string> {
  const form = new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, "s").exec(page.text)?.[1];
  assert.ok(form, `no form ${id}`);
  const inputs = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')]));
}

async function statusOf(server: TestServer, kind: ReviewKind, id: string): Promise<string> {
  const { action, card, post, approval } = await server.operator("get_review", { kind, id });
  return (action ?? card ?? post ?? approval).status;
}

test("the queue holds everything that needs review, with counts, and an open item is shown in full", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const queue = await browser.open(at(""));
  assert.equal(queue.status, 200);
  for (const [kind, id] of Object.entries(ids)) {
    assert.ok(queue.text.includes(at(`/${kind}/${id}`)), kind);
    const page = await browser.get(at(`/${kind}/${id}`));
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /aria-current="true"/);
  }
  const { text } = await browser.get(at(`/action/${ids.action}`));
  assert.match(text, /Hello\./);
  assert.match(text, /After an approval, Ada's agent sends this message once, at its next check-in/);
  assert.match((await browser.get(at(`/card/${ids.card}?view=raw`))).text, /characters, \d+ bytes/);
  assert.match(queue.text, /data-count="\/review">5</);
  assert.equal((await server.operator("list_review", {})).length, 5);
  assert.equal((await browser.get(at("/nonsense/1"))).status, 404);
  const alone = await browser.get(at("/sequence"));
  assert.equal(alone.status, 404);
  assert.match(alone.text, /You can't approve these together\. Open one from Review\./);
  assert.match((await browser.get(at("/nonsense"))).text, /This page doesn't exist\. Check the address\./);
});

const APPROVED = {
  action: "approved",
  sequence: "applied",
  card: "approved",
  post: "approved",
} as const;

for (const [kind, status] of Object.entries(APPROVED) as [keyof typeof APPROVED, string][]) {
  test(`${kind}: approving is pinned to what was shown, and the next item opens at once`, async (t) => {
    const { browser, at, ids, server } = await start(t);
    const path = at(`/${kind}/${ids[kind]}`);
    const form = formOf(await browser.get(path), "approve");
    const pin = Object.keys(form).find((name) => name.endsWith("_hash")) ?? "";
    const stale = await browser.post(path, { ...form, [pin]: "0".repeat(32), _token: "another" });
    assert.equal(stale.status, 409);
    assert.match(stale.text, /class="fault"/);
    assert.notEqual(await statusOf(server, kind, ids[kind]), status);
    const done = await browser.post(path, form);
    assert.equal(done.status, 303, done.text);
    assert.equal(await statusOf(server, kind, ids[kind]), status);
    const next = await browser.get(done.location ?? "");
    assert.match(next.text, /<h1 id="one"[^>]* autofocus/i, "the keyboard focus is on the next item");
    const told = /id="told".*?<\/(?:p|span)>/s.exec(next.text)?.[0] ?? "";
    assert.ok(told.includes(`<a href="${path}"`), `what was decided is linked: ${told}`);
    assert.match(told, kind === "sequence" ? /activated/ : /approved/);
    const queue = /<nav class="queue".*?<\/nav>/s.exec(next.text)?.[0] ?? "";
    assert.ok(!queue.includes(`${path}"`), "what is decided stands in the queue no more");
    const again = await browser.post(path, { ...form, _token: "a third" });
    assert.ok(kind === "sequence" ? again.status === 303 : again.status === 409, "what is decided stays so");
  });
}

test("the approve button names its effect, for each kind", async (t) => {
  const { browser, at, ids } = await start(t);
  const says = {
    action: "Approve and send",
    sequence: "Activate audience",
    card: "Approve document",
    post: "Approve post",
    publish: "Mark as published",
  };
  for (const [kind, words] of Object.entries(says)) {
    const { text } = await browser.get(at(`/${kind}/${ids[kind as ReviewKind]}`));
    // Publishing is no approval, so it has a key of its own.
    const key = kind === "publish" ? "p" : "a";
    assert.match(
      text,
      new RegExp(
        `<button[^>]*data-key="${key}"[^>]*>${words} <span class="key" aria-hidden="true">${key}</span></button>`,
      ),
      kind,
    );
  }
});

test("the effect of approving depends on the planner and on what the server sends, and names can't alter the text", async (t) => {
  const { server, browser, at, ids } = await start(t);
  const { account_id, contact_id } = await server.operator("get_planned_action", { action_id: ids.action });
  await server.operator("update_socialnet_account", {
    account_id,
    windows: [{ days: [1], from: "09:00", to: "17:00" }],
  });
  await server.operator("update_contact", { id: contact_id, last_name: "Lee \u202egro.live" });
  const { text } = await browser.get(at(`/action/${ids.action}`));
  assert.match(text, /once, at its next check-in\./);
  assert.doesNotMatch(text, /between 09:00/);
  assert.doesNotMatch(text, /\u202e/);
  assert.match(text, /Lee \[U\+202E\]gro\.live/);
});

test("a text edited after it was shown is not approved, and the new one is shown", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const path = at(`/action/${ids.action}`);
  const form = formOf(await browser.get(path), "approve");
  await server.operator("edit_socialnet_action", { action_id: ids.action, copy: "Something else." });
  const refused = await browser.post(path, form);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Something else\./);
  assert.equal(await statusOf(server, "action", ids.action), "planned");
});

test("actions are returned, rejected, put on hold, edited, withdrawn and published, each by its form", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const post = async (kind: ReviewKind, id: string, more: Record<string, string> = {}) => {
    const path = at(`/${kind}/${ids[kind]}`);
    return (await browser.post(path, { ...formOf(await browser.get(path), id), ...more })).status;
  };
  assert.equal(await post("card", "change", { note: "" }), 400, "a change needs its note");
  assert.equal(await post("card", "change", { note: "Shorter." }), 303);
  assert.equal(await statusOf(server, "card", ids.card), "change_requested");
  await submit(server, DOCUMENT_ITEM, { ...DOCUMENT, body: "Ada answers." });
  const [redo] = await server.operator("list_review", { kind: "card" });
  const diff = await browser.get(at(`/card/${redo.id}?view=diff`));
  assert.match(diff.text, /<del>[^<]*Grace stands in/);
  assert.match(diff.text, /Shorter\./);
  assert.equal(await post("post", "deny"), 303);
  assert.equal(await statusOf(server, "post", ids.post), "declined");
  assert.equal(await post("publish", "published"), 303);
  assert.equal(await statusOf(server, "publish", ids.publish), "published");
  assert.equal(await post("sequence", "withdraw_sequence_approval"), 303);
  assert.equal(await statusOf(server, "sequence", ids.sequence), "voided");
  const applied = await server
    .operator("apply_sequence_approval", { approval_id: ids.sequence })
    .catch((error) => error);
  assert.equal(applied.code, "version_conflict", "what is withdrawn is applied by nobody");
  const editor = at(`/action/${ids.action}?view=edit`);
  const edited = { ...formOf(await browser.get(editor), "edit_socialnet_action"), copy: "Good morning." };
  assert.equal((await browser.post(editor, edited)).status, 303);
  assert.match((await browser.get(at(`/action/${ids.action}`))).text, /Good morning\./);
  assert.equal(await post("action", "hold_socialnet_action", { note: "Later." }), 303);
  assert.equal(await statusOf(server, "action", ids.action), "held");
  assert.equal(await post("action", "release_socialnet_action"), 303);
  assert.equal(await post("action", "cancel_socialnet_action"), 303);
  assert.equal(await statusOf(server, "action", ids.action), "cancelled");
});

test("a decision is confirmed by name and outcome, read from the record: the cookie holds only its id", async (t) => {
  const { browser, at, ids } = await start(t);
  const decide = async (kind: ReviewKind, id: string, more: Record<string, string> = {}) => {
    const path = at(`/${kind}/${ids[kind]}`);
    const { location } = await browser.post(path, { ...formOf(await browser.get(path), id), ...more });
    return location ?? "";
  };
  const sentBack = await decide("card", "change", { note: "Name a stand-in." });
  assert.equal(browser.cookies.get("rostrum_said"), `decide_card.${ids.card}`);
  const page = await browser.get(sentBack);
  assert.ok(page.text.includes(`<strong>${DOCUMENT.title}</strong>: changes requested with your note.`), page.text);
  assert.equal(browser.cookies.has("rostrum_said"), false, "it is told once");
  assert.match((await browser.get(await decide("post", "deny"))).text, /<strong>[^<]+<\/strong>: rejected\./);
  const held = await browser.get(await decide("action", "hold_socialnet_action", { note: "Later." }));
  assert.match(
    held.text,
    /<strong>Message to [^<]+<\/strong>: put on hold\. The agent can't send it until a teammate releases it\./,
  );
  // The record that a cookie names is read with the visitor's permissions; the cookie's own text is not shown.
  for (const said of [
    `decide_card.${ids.action}`,
    "decide_card.<b>",
    "toString.0190bbbb-0000-7000-8000-000000000002",
    "<b>",
  ]) {
    browser.cookies.set("rostrum_said", encodeURIComponent(said));
    const { status, text } = await browser.open(at(""));
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<b>|undefined/);
    assert.doesNotMatch(text, /id="told"[^>]*><strong>/);
  }
});

test("recent decisions have a page, linked from the queue and from its empty state", async (t) => {
  const { browser, at, ids, server } = await start(t);
  await server.operator("decide_card", { card_id: ids.card, decision: "deny", note: "Not <b>this</b>." });
  const queue = await browser.open(at(""));
  assert.ok(queue.text.includes(`href="${at("/decided")}"`));
  const { status, text } = await browser.get(at("/decided"));
  assert.equal(status, 200);
  assert.ok(text.includes(`<a href="${at(`/card/${ids.card}`)}">${DOCUMENT.title}</a>`));
  assert.match(text, /Rejected<\/span><\/td><td[^>]*><span class="quiet">“Not &lt;b(>|&gt;)this&lt;\/b(>|&gt;)\.”/);
  for (const [operation, input] of [
    ["cancel_socialnet_action", { action_id: ids.action }],
    ["withdraw_sequence_approval", { approval_id: ids.sequence }],
    ["decide_post", { post_id: ids.post, decision: "deny" }],
    ["mark_post", { post_id: ids.publish, status: "cancelled" }],
  ] as const) {
    await server.operator(operation, input);
  }
  const empty = await browser.open(at(""));
  assert.match(empty.text, /You're all caught up/);
  assert.ok(empty.text.includes(`href="${at("/decided")}"`));
});

test("a rejection applies to this version, and a new submission says that the last was rejected", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const first = await browser.get(at(`/card/${ids.card}`));
  assert.match(first.text, new RegExp(`This version won't be used[^<]*${DOCUMENT_ITEM}`));
  assert.doesNotMatch(first.text, /for good/);
  const path = at(`/card/${ids.card}`);
  await browser.post(path, { ...formOf(first, "deny"), note: "We have one." });
  const again = await newCard(server, DOCUMENT_ITEM);
  const { text } = await browser.get(at(`/card/${again}`));
  assert.match(
    text,
    /Earlier rejections<\/dt><dd><span class="chip needs">.*?1<\/span>[^<]*\. Rejected by Grace, <time.*?“We have one\.”/s,
  );
  assert.ok(text.includes(`href="${path}"`));
});

test("a document's Markdown is rendered, a post's is not, and the exact characters are one tab away", async (t) => {
  const { browser, at, server } = await start(t);
  const body = "# Who speaks\n\n**Grace** stands in, [see](https://a.example).\n\n- one\n- two\n\n<!-- kept -->";
  const card = (await submit(server, OTHER_ITEM, { ...DOCUMENT, body })).body.data.card_id;
  const { text } = await browser.get(at(`/card/${card}`));
  assert.match(
    text,
    /<h3>Who speaks<\/h3><p><strong>Grace<\/strong> stands in, <u>see<\/u> \(<code>https:\/\/a\.example/,
  );
  assert.match(text, /<ul><li>one<\/li><li>two<\/li><\/ul><p>&lt;!-- kept -->/, "nothing of the text is left out");
  assert.doesNotMatch(text, /href="https:\/\/a\.example/, "an agent's link can't be followed");
  const raw = (await browser.get(at(`/card/${card}?view=raw`))).text;
  assert.ok(raw.includes("# Who speaks\n\n**Grace** stands in"), "as it was written");
  assert.match(raw, /An approval covers exactly this text \(fingerprint/);
  const post = await newPost(server, POST_ITEM, { output_kind: "social_post", body, platform: "x" });
  const posted = (await browser.get(at(`/post/${post}`))).text;
  assert.ok(posted.includes("# Who speaks\n\n**Grace** stands in"), "as the network shows it");
  assert.match(posted, /Markdown isn't rendered here/);
});

test("earlier rejections of the same item, and cancellations for the same contact, are shown", async (t) => {
  const { agent, ids, server } = await start(t);
  const deniedBefore = async (kind: ReviewKind, id: string) =>
    (await server.operator("get_review", { kind, id })).denied_before;
  for (const kind of ["action", "card", "post", "publish"] as const) {
    assert.equal(await deniedBefore(kind, ids[kind]), null, kind);
  }
  const owner = member(server, { approveOutbound: true });
  const deny = { decision: "deny", note: "Not this." };
  await callAs(server, owner, "decide_card", { card_id: ids.card, ...deny });
  await callAs(server, owner, "decide_post", { post_id: ids.post, ...deny });
  const again = { card: await newCard(server, DOCUMENT_ITEM), post: await newPost(server, POST_ITEM) };
  for (const kind of ["card", "post"] as const) {
    const { decided_at, decided_by, ...told } = await deniedBefore(kind, again[kind]);
    assert.deepEqual(told, { count: 1, id: ids[kind], note: "Not this." });
    assert.equal(decided_by, owner.name);
    assert.ok(decided_at);
    assert.equal(await deniedBefore(kind, ids[kind]), null, "what waits no longer has nothing to be told");
  }

  const contact = await agent.contact();
  const plan = { account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const planned = async () => (await server.operator("plan_socialnet_action", plan)).id;
  for (const note of ["Too early.", "Still too early."]) {
    await server.operator("cancel_socialnet_action", { action_id: await planned(), note });
    agent.clock.advance(1_000);
  }
  const { count, note } = await deniedBefore("action", await planned());
  assert.deepEqual({ count, note }, { count: 2, note: "Still too early." });
});

test("recent decisions of all kinds are listed newest first, including bulk approvals", async (t) => {
  const { agent, ids, server } = await start(t);
  const [made] = await server.operator("list_decided_reviews", {});
  assert.deepEqual([made.kind, made.id, made.status], ["post", ids.publish, "approved"]);
  const { content_hash: version } = (await server.operator("get_review", { kind: "card", id: ids.card })).card;
  const decisions = [
    ["hold_socialnet_action", { action_id: ids.action, note: "Later." }, "action", "held"],
    ["release_socialnet_action", { action_id: ids.action }, "action", "planned"],
    ["cancel_socialnet_action", { action_id: ids.action }, "action", "cancelled"],
    ["apply_sequence_approval", { approval_id: ids.sequence }, "sequence", "applied"],
    ["approve_review", { kind: "card", items: [{ id: ids.card, version }] }, "card", "approved"],
    ["decide_post", { post_id: ids.post, decision: "deny" }, "post", "declined"],
    ["mark_post", { post_id: ids.publish, status: "cancelled" }, "publish", "cancelled"],
  ] as const;
  for (const [operation, input, kind, status] of decisions) {
    agent.clock.advance(1_000);
    await server.operator(operation, input);
    const [last] = await server.operator("list_decided_reviews", {});
    assert.deepEqual([last.operation, last.kind, last.id, last.status], [operation, kind, ids[kind], status]);
    assert.ok(last.title, operation);
    assert.deepEqual(
      [last.about === null, last.account_label === null],
      [kind === "sequence", kind !== "action"],
      kind,
    );
  }
  const all = await server.operator("list_decided_reviews", { limit: 50 });
  assert.equal(all.length, decisions.length + 1);
  assert.equal(all.at(-2).note, "Later.");
  assert.equal((await server.operator("list_decided_reviews", { limit: 2 })).length, 2);
});

test("an approval can be undone for ten seconds, while no agent has claimed it", async (t) => {
  const { agent, browser, at, ids, server } = await start(t);
  const path = at(`/action/${ids.action}`);
  const done = await browser.post(path, formOf(await browser.get(path), "approve"));
  const next = await browser.get(done.location ?? "");
  const undo = formOf(next, "undo");
  agent.clock.advance(11_000);
  assert.doesNotMatch((await browser.get(done.location ?? "")).text, /id="undo"/);
  assert.equal((await browser.post(done.location ?? "", undo)).status, 303);
  assert.equal(await statusOf(server, "action", ids.action), "planned");
  const claimed = await agent.command("claim", { actionId: ids.action });
  assert.equal(claimed.status, 409, "its agent does not get it");
});

test("approving your own proposal is marked on the page, by the server and in the audit log", async (t) => {
  const { agent, browser, at, server } = await start(t);
  const [me] = (await server.operator("list_members", {})).filter((one: any) => one.name === "Grace");
  const contact = await agent.contact();
  const planned = { account_id: agent.account.id, contact_id: contact.id, kind: "message", copy: "Mine." };
  const by = {
    kind: "member",
    id: me.id,
    name: me.name,
    workspaceId: server.workspaceId,
    role: "rep",
    approveOutbound: true,
  } as const;
  const { id } = (await callAs(server, by, "plan_socialnet_action", planned)).body.data;
  const path = at(`/action/${id}`);
  const page = await browser.get(path);
  assert.match(page.text, /Your proposal/);
  const form = formOf(page, "approve");
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const refused = await browser.post(path, form);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Ask (?:another|a) teammate/);
  await server.operator("set_own_proposals", { own_proposals: "allowed" });
  assert.equal((await browser.post(path, { ...form, _token: "said" })).status, 303);
  const [row] = await audited(server, "approve_socialnet_action");
  assert.equal(row.after.own_proposal, true);

  // A key created by the member, and the agent of their account, count as theirs too.
  await server.operator("set_member", { member_id: me.id, role: "admin" });
  const admin = { ...by, role: "admin" } as const;
  const { key } = (await callAs(server, admin, "create_key", { name: "mine", scopes: ["social_checklist.submit"] }))
    .body.data;
  const card_id = (await submit(server, OTHER_ITEM, DOCUMENT, { key })).body.data.card_id;
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const own = await callAs(server, admin, "decide_card", { card_id, decision: "approve" });
  assert.deepEqual([own.status, own.body.code], [409, "own_proposal"]);
  const denied = await callAs(server, admin, "decide_card", { card_id, decision: "deny" });
  assert.equal(denied.status, 200, "denying one's own needs no word");
  await server.operator("update_socialnet_account", { account_id: agent.account.id, owner_member_id: me.id });
  const post_id = (await submit(server, POST_ITEM, { output_kind: "social_post", body: "x" }, { key: agent.key })).body
    .data.post_id;
  assert.equal(
    (await callAs(server, admin, "decide_post", { post_id, decision: "approve" })).body.code,
    "own_proposal",
  );
  await server.operator("set_own_proposals", { own_proposals: "allowed" });
  assert.equal((await callAs(server, admin, "decide_post", { post_id, decision: "approve" })).status, 200);
  assert.equal((await audited(server, "decide_post"))[0].after.own_proposal, true);
});

test("where another teammate must approve, no page offers to approve your own proposal", async (t) => {
  const { agent, browser, at, ids, server } = await start(t);
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const edited = at(`/action/${ids.action}`);
  const form = formOf(await browser.get(`${edited}?view=edit`), "edit_socialnet_action");
  assert.equal((await browser.post(`${edited}?view=edit`, { ...form, copy: "Mine." })).status, 303);
  const own = { sequence_id: (await newSequence(server)).id, contact_ids: [(await newContact(server)).id] };
  const [grace] = (await server.operator("list_members", {})).filter(({ name }: { name: string }) => name === "Grace");
  const by = member(server, { id: grace.id, approveOutbound: true });
  const sequence = (await callAs(server, by, "approve_sequence", own)).body.data.id;
  const asked = /You can('|&#39;)t approve your own proposal|so you can('|&#39;)t activate it in this workspace/;
  const account = `/console/w/${server.workspaceId}/agents/${agent.account.id}/actions/${ids.action}`;
  const pages = [
    edited,
    at(`/sequence/${sequence}`),
    account,
    `/console/w/${server.workspaceId}/sequences/${own.sequence_id}`,
  ];
  for (const path of pages) {
    const { text } = await browser.get(path);
    assert.match(text, asked, path);
    assert.doesNotMatch(
      text,
      /name="_do" value="(approve_socialnet_action|apply_sequence_approval)"|>Activate audience…/,
      path,
    );
  }
  const { text } = await browser.get(edited);
  assert.match(
    text,
    /Proposed by<\/dt><dd><span class="initials server little"[^>]*><svg.*?<\/svg><\/span> Server admin \([^<]*<time[^<]*<\/time> <\/dd>/,
    "the server admin's proposal",
  );
  assert.match(text, /Text edited by<\/dt><dd>Grace <span class="chip needs">.*?<\/svg>Your proposal</);

  // Several at once: only the others can be selected.
  const other = (await agent.planned()).id;
  const several = await browser.get(at("/action"));
  assert.match(several.text, asked);
  const [box, ...more] = several.text.matchAll(/<input type="checkbox" name="(items\.\d)\.read:flag"/g);
  assert.equal(more.length, 0);
  const fields = formOf(several, "approve_review");
  assert.equal(fields[`${box?.[1]}.id`], other);
  const approved = await browser.post(at("/action"), { ...fields, [`${box?.[1]}.read:flag`]: "true" });
  assert.equal(approved.status, 303, approved.text);
  assert.equal(await statusOf(server, "action", other), "approved");
  assert.equal(await statusOf(server, "action", ids.action), "planned");

  // On an automatic account, releasing an action approves it. Sending one again approves it too.
  await callAs(server, by, "hold_socialnet_action", { action_id: ids.action });
  await server.operator("update_socialnet_account", { account_id: agent.account.id, automation_mode: "automatic" });
  for (const path of [edited, account]) {
    const held = (await browser.get(path)).text;
    assert.match(held, asked, path);
    assert.doesNotMatch(held, /value="release_socialnet_action"/, path);
  }
});

test("the fingerprint says what an approval covers, also after the decision", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const raw = async (kind: ReviewKind) => (await browser.get(at(`/${kind}/${ids[kind]}?view=raw`))).text;
  for (const kind of ["action", "card", "post"] as const) assert.match(await raw(kind), />An approval covers/);
  for (const kind of ["sequence", "publish"] as const) assert.match(await raw(kind), />The approval covers/);
  await server.operator("decide_card", { card_id: ids.card, decision: "deny" });
  await server.operator("cancel_socialnet_action", { action_id: ids.action });
  for (const kind of ["action", "card"] as const) {
    assert.match(await raw(kind), />Fingerprint of this text: /);
    assert.doesNotMatch(await raw(kind), /approval covers/);
  }
});

test("the member who edits a text becomes its author: it is their own proposal", async (t) => {
  const { ids, server } = await start(t);
  const editor = member(server, { approveOutbound: true });
  await callAs(server, editor, "edit_socialnet_action", { action_id: ids.action, copy: "Other words." });
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const own = await callAs(server, editor, "approve_socialnet_action", { action_id: ids.action });
  assert.deepEqual([own.status, own.body.code], [409, "own_proposal"]);
  const other = member(server, { id: "0190bbbb-0000-7000-8000-000000000002", approveOutbound: true });
  assert.equal((await callAs(server, other, "approve_socialnet_action", { action_id: ids.action })).status, 200);
});

test("of several items each has its subject as the label of its checkbox, and what they have in common is said once", async (t) => {
  const { agent, browser, at } = await start(t);
  await agent.planned();
  const { text } = await browser.get(at("/action"));
  assert.equal(text.split("sends this message once, at its next check-in").length, 2);
  const labels = [...text.matchAll(/<label><input type="checkbox" name="items\.\d\.read:flag".*?<\/label>/gs)];
  assert.equal(labels.length, 2);
  for (const [label] of labels)
    assert.match(label, /<strong>Message to [^<]+<\/strong>.*I've read this and approve it/);
  assert.match(
    text,
    /class="decide"><button type="submit" class="primary" data-needs-checked="true">Approve selected<\/button><span class="ticked/,
  );
});

test("the heading of a review is its object, and names its recipient once", async (t) => {
  const { browser, at, ids } = await start(t);
  const { text } = await browser.get(at(`/action/${ids.action}`));
  const [, object] = /<h1 id="one"[^>]*>([^<]+)<\/h1>/.exec(text) ?? [];
  assert.match(object ?? "", /^Message to /);
  assert.equal(text.split("<dt>To</dt>").length, 2);
  assert.equal(text.split(`>${object}<`).length, 2);
  const kind = /<h1[^>]*>[^<]+<\/h1><span class="chip plain">Document<\/span>/;
  assert.match((await browser.get(at(`/card/${ids.card}`))).text, kind);
});

test("several items that were read are approved together, and none if one has changed since", async (t) => {
  const { agent, browser, at, ids, server } = await start(t);
  agent.clock.advance(1_000);
  const second = (await agent.planned()).id;
  const page = await browser.get(at("/action"));
  const form = formOf(page, "approve_review");
  const unread = await browser.post(at("/action"), form);
  assert.equal(unread.status, 400, "what was not ticked is not approved");
  assert.match(unread.text, />Select at least one entry that you have read\.</);
  const ticked = { ...form, "items.0.read:flag": "true", "items.1.read:flag": "true" };
  await server.operator("edit_socialnet_action", { action_id: second, copy: "Changed." });
  const refused = await browser.post(at("/action"), { ...ticked, _token: "b" });
  assert.equal(refused.status, 409);
  assert.match(
    refused.text,
    /Nothing was approved, because one of the selected items can't be approved\. This item changed after you opened this page/,
  );
  for (const id of [ids.action, second]) assert.equal(await statusOf(server, "action", id), "planned");
  const boxes = [
    ...refused.text.matchAll(/<input type="checkbox" name="items\.(\d)\.read:flag" value="true"( checked)?/g),
  ];
  assert.deepEqual(
    boxes.map(([, i, on]) => [i, on !== undefined]),
    [
      ["0", true],
      ["1", false],
    ],
    "what changed is to be read anew",
  );
  const fresh = { ...formOf(refused, "approve_review"), "items.0.read:flag": "true", "items.1.read:flag": "true" };
  assert.equal((await browser.post(at("/action"), fresh)).status, 303);
  for (const id of [ids.action, second]) assert.equal(await statusOf(server, "action", id), "approved");
});

test("viewers see the queue without decisions; without the approval permission, only decisions on documents are shown", async (t) => {
  const { at, ids, server } = await start(t);
  const viewer = await asMember(server, { email: "v@b.example", name: "V", role: "viewer" });
  const rep = await asMember(server, { email: "r@b.example", name: "R", role: "rep" });
  for (const kind of Object.keys(ids) as ReviewKind[]) {
    const path = at(`/${kind}/${ids[kind]}`);
    const reads = (await viewer.get(path)).text;
    assert.doesNotMatch(reads, /name="_do" value="(?!pause)/, kind);
    assert.match(reads, /Your role \(viewer\) is read-only here\. Ask [a-z ]+ to review this item\./, kind);
    const approves = /id="approve"|id="published"/.test((await rep.get(path)).text);
    assert.equal(approves, kind !== "action" && kind !== "sequence", kind);
    assert.equal(
      /You can't approve this\. Ask a teammate who can approve outbound messages/.test((await rep.get(path)).text),
      !approves,
      kind,
    );
  }
  const token = Browser.hidden(await rep.open(at("")), "_token");
  const [{ copy_hash: version }] = await server.operator("list_planned_actions", {});
  const forced = await rep.post(at("/action"), {
    _do: "approve_review",
    _token: token,
    kind: "action",
    "items.0.id": ids.action,
    "items.0.version": version,
    "items.0.read:flag": "true",
  });
  assert.equal(forced.status, 403);
  assert.equal(await statusOf(server, "action", ids.action), "planned");
});

test("Today shows what needs review, what is in progress, and what happened since the last visit", async (t) => {
  const { agent, browser, server, ids } = await start(t);
  const path = `/console/w/${server.workspaceId}`;
  const first = await browser.get(path);
  assert.match(first.text, /Message to [^<]+ needs review</);
  assert.match(first.text, /Last 7 days/);
  agent.clock.advance(3_600_000);
  await browser.get(path);
  agent.clock.advance(1_000);
  await server.operator("approve_socialnet_action", { action_id: ids.action });
  const admin = await asMember(server, { email: "a@b.example", name: "A", role: "admin" });
  agent.clock.advance(3_600_000);
  const later = await browser.get(path);
  assert.match(later.text, /Since your last visit/);
  assert.doesNotMatch(later.text, /Message to [^<]+ needs review/);
  assert.match((await admin.get(path)).text, /action approved/);
  assert.doesNotMatch(later.text, /action approved/, "the audit is for administrators");
});

test("only members with the approval permission can grant it, and only they are offered that", async (t) => {
  const { server } = await start(t);
  const admin = await asMember(server, { email: "a@b.example", name: "A", role: "admin" });
  const path = `/console/w/${server.workspaceId}/settings`;
  const page = await admin.get(path);
  assert.doesNotMatch(formFor(page, "invite_member"), /approve_outbound/);
  const second = await server.operator("invite_member", { email: "a2@b.example", name: "A again", role: "rep" });
  const granted = await admin.post(path, { _do: "set_member", member_id: second.id, "approve_outbound:flag": "true" });
  assert.equal(granted.status, 403);
  const holder = await asMember(server, { email: "h@b.example", name: "H", role: "admin", approve_outbound: true });
  assert.match(formFor(await holder.get(path), "invite_member"), /approve_outbound/);
  assert.equal(
    (await holder.post(path, { _do: "set_member", member_id: second.id, "approve_outbound:flag": "true" })).status,
    303,
  );
});

const formFor = (page: Page, id: string) =>
  new RegExp(`<form[^>]* id="${id}".*?</form>`, "s").exec(page.text)?.[0] ?? "";

test("approving an action warns if its contact may have opted out under another address", async (t) => {
  const { agent, server, browser, at } = await start(t);
  await server.rest("POST", "/suppression", { body: { email: "ada@x.example" } });
  const warning = /May have opted out<\/span> ada@x\.example is on the do-not-contact list/;
  for (const [i, kind] of (["message", "connection_request"] as const).entries()) {
    const contact = await agent.contact({ email: `ada+${i}@x.example` });
    const { id } = await agent.planned({ contact, kind });
    const paths = [
      at(`/action/${id}`),
      at("/action"),
      `/console/w/${server.workspaceId}/agents/${agent.account.id}/actions/${id}`,
    ];
    for (const path of paths) assert.match((await browser.get(path)).text, warning, path);
  }
  const { id } = await agent.planned({ contact: await agent.contact({ email: "grace@x.example" }) });
  assert.doesNotMatch((await browser.get(at(`/action/${id}`))).text, /May have opted out/);
});

test("a long gap in a submission does not hide its end from the reviewer", async (t) => {
  const { server, browser, at } = await start(t);
  const body = `All is well.${"\n \u00A0".repeat(200)}\nPay at evil.example.`;
  const id = await newPost(server, POST_ITEM, { output_kind: "social_post", body });
  for (const path of [`/post/${id}`, `/post/${id}?view=raw`, "/post"]) {
    assert.match(
      (await browser.get(at(path))).text,
      /All is well\.\n\[200 empty lines\]\nPay at evil\.example\./,
      path,
    );
  }
  assert.equal((await server.operator("get_review", { kind: "post", id })).post.body, body, "and stays as it is");
});

test("a contact's words as reported by an agent are marked as the agent's", async (t) => {
  const { agent, server, browser, at } = await start(t);
  const contact = await agent.contact({});
  const { id } = await agent.planned({ contact });
  const said = async () => /Last reply<\/dt><dd>(.*?)<\/dd>/s.exec((await browser.get(at(`/action/${id}`))).text)?.[1];
  const body = `Yes, send it. ${"x".repeat(300)}`;
  const call = { id: contact.id, type: "call_received", subject: "Call", body };
  await server.operator("log_activity", call);
  assert.match((await said()) ?? "", /: Yes, send it\. x{286}…$/);
  const { id: _, ...logged } = call;
  assert.equal((await server.rest("POST", `/contacts/${contact.id}/activities`, { body: logged })).status, 201);
  assert.match((await said()) ?? "", /class="chip plain">Agent<\/span>$/);
});

test("a reply is shown at any age, beside what was logged since and for another contact with the profile", async (t) => {
  const { agent, server, browser, at } = await start(t);
  const { clock } = agent;
  const contact = await agent.contact();
  const excerpt = "Never write to me again.";
  const seen = { kind: "reply", profileUrl: contact.socialnet_url, observedAt: new Date(clock.now()).toISOString() };
  await agent.done("sync", { observations: [{ ...seen, externalKey: "k", excerpt }] });
  const twin = await agent.contact({ socialnet_url: `${contact.socialnet_url}/` });
  const said = async (to: typeof contact) => {
    const { id } = await agent.planned({ contact: to });
    const { text } = await browser.get(at(`/action/${id}`));
    return /Last reply<\/dt><dd>(.*?)<\/dd>/s.exec(text)?.[1] ?? "";
  };
  clock.advance(60_000);
  const log = (body: object) => server.rest("POST", `/contacts/${contact.id}/activities`, { body });
  for (let i = 0; i < 20; i += 1) await log({ type: "note_added", body: `Note ${i}` });
  const agents = '<span class="chip plain">Agent</span>';
  assert.ok((await said(contact)).endsWith(`: ${excerpt} ${agents}`));
  await log({ type: "call_received", subject: "Call", body: "Yes, send it." });
  const [call, reply, ...more] = (await said(contact)).split(/<br ?\/?>/);
  assert.ok(call?.endsWith(`: Yes, send it. ${agents}`));
  assert.ok(reply?.endsWith(`: ${excerpt} ${agents}`));
  assert.deepEqual(more, []);
  assert.match(await said(twin), new RegExp(`: ${excerpt} \\(<a href="[^"]*/contacts/${contact.id}">another contact`));
  const { id } = await agent.planned({ contact: twin });
  const page = await browser.get(`/console/w/${server.workspaceId}/agents/${agent.account.id}/actions/${id}`);
  assert.ok(page.text.includes(`: ${excerpt} (`));
});

test("a long queue is paged by kind, and an item of a later page opens beside its page", async (t) => {
  const { server, browser, at, ids } = await start(t);
  const later: string[] = [];
  for (let i = 0; i < 27; i += 1) {
    later.push(await newPost(server, POST_ITEM, { output_kind: "social_post", title: `Draft ${i}`, body: "Words." }));
  }
  const entries = ({ text }: Page) => {
    const queue = /<nav class="queue".*?<\/nav>/s.exec(text)?.[0] ?? "";
    return [...queue.matchAll(/\/review\/post\/([\da-f-]{36})/g)].map(([, id]) => id);
  };
  const first = await browser.open(at(""));
  assert.deepEqual(entries(first), [ids.post, ...later.slice(0, 24)]);
  const link = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await browser.open(link);
  assert.deepEqual(entries(second), later.slice(24));
  assert.ok(!second.text.includes(`/review/card/${ids.card}`), "only this kind");
  const entry = new RegExp(`href="([^"]*/review/post/${later[26]}[^"]*)"`).exec(second.text)?.[1] ?? "";
  const opened = await browser.get(entry.replaceAll("&amp;", "&"));
  assert.match(opened.text, /<h1 id="one"[^>]*>Draft 26/);
  assert.deepEqual(entries(opened), later.slice(24));
  for (const odd of ["queue=post&from=1000", "queue=post&from=-1", "queue=nothing&from=x"]) {
    assert.equal((await browser.open(at(`?${odd}`))).status, 200, odd);
  }
});

test("a list of many drafts holds at most the first words of their texts; the page that opens one does", async (t) => {
  const { server, browser, at } = await start(t);
  const body = `Only here. ${"[".repeat(19_000)}`;
  const id = await newPost(server, POST_ITEM, { output_kind: "social_post", title: "A draft", body });
  for (const path of ["/checklist/posts", `/checklist/${POST_ITEM}`]) {
    const { status, text } = await browser.get(`/console/w/${server.workspaceId}${path}`);
    assert.equal(status, 200);
    assert.ok(text.includes(id) && !text.includes("Only here."), path);
  }
  const queue = /<nav class="queue".*?<\/nav>/s.exec((await browser.open(at(""))).text)?.[0] ?? "";
  assert.match(queue, /Only here\. \[{100,120}</);
  assert.ok((await browser.get(at(`/post/${id}`))).text.includes(body));
});

/** The visible text of a page, without its markup. */
const read = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, " ");

test("every view with the approve button shows everything that is sent, and to whom", async (t) => {
  const { browser, at, ids, server } = await start(t);
  const shows = async (kind: ReviewKind, id: string, view: string, ...parts: (string | null)[]) => {
    const page = await browser.get(at(`/${kind}/${id}?view=${view}`));
    formOf(page, "approve");
    for (const part of parts) assert.ok(part !== null && read(page).includes(part), `${kind}, ${view}: ${part}`);
  };
  const { action } = await server.operator("get_review", { kind: "action", id: ids.action });
  const { audience } = await server.operator("get_review", { kind: "sequence", id: ids.sequence });
  for (const view of ["read", "raw", "diff"]) {
    await shows("action", ids.action, view, action.copy, action.recipient_url);
    const values = audience.flatMap((contact: any) => contact.values.flatMap(({ value }: any) => value ?? []));
    await shows("sequence", ids.sequence, view, ...values);
  }

  const post = { output_kind: "social_post", title: "What we learned", platform: "socialnet", body: "Much." };
  const first = await newPost(server, POST_ITEM, post);
  await server.operator("decide_post", { post_id: first, decision: "request_change", note: "Less." });
  const redone = await newPost(server, POST_ITEM, { ...post, body: "Little." });
  const document = { ...DOCUMENT, summary: "In a line." };
  await server.operator("decide_card", { card_id: ids.card, decision: "request_change", note: "Shorter." });
  const card = await newCard(server, DOCUMENT_ITEM, { ...document, body: "Ada." });
  await server.operator("decide_card", { card_id: card, decision: "request_change", note: "Longer." });
  const longer = await newCard(server, DOCUMENT_ITEM, { ...document, body: "Ada answers." });
  for (const view of ["read", "raw", "diff"]) {
    await shows("post", redone, view, post.title, "Post on the professional network", "Little");
    await shows("card", longer, view, document.title, document.summary, "answers");
  }
});

test("a member without the approval permission can't change the sender of an account without a new review", async (t) => {
  const { agent, browser, at, ids, server } = await start(t);
  const profile_url = "https://socialnet.example/in/mallory";
  const admin = member(server, { role: "admin" });
  const input = { account_id: agent.account.id, profile_url };
  assert.equal((await callAs(server, admin, "update_socialnet_account", input)).status, 200);
  const own = at("").replace(/review$/, `agents/${agent.account.id}/actions/${ids.action}`);
  for (const path of [at(`/action/${ids.action}`), own])
    assert.ok(read(await browser.get(path)).includes(profile_url), path);
  await agent.planned();
  const together = await browser.get(at("/action"));
  assert.equal(read(together).split(profile_url).length, 3, "each of several");
});

test("a decision on an outdated text is refused in words of the page, also after the queue has advanced", async (t) => {
  const { server, browser, at, ids } = await start(t);
  const card_id = await newCard(server, OTHER_ITEM);
  const form = { _do: "decide_card", card_id, decision: "approve", content_hash: "0".repeat(64) };
  const refused = await browser.post(at(`/card/${ids.card}`), form);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Not saved\.<\/strong> The text changed after you opened this page\./);
  assert.doesNotMatch(refused.text, /content_hash is/);
});

test("an edit is saved as it was typed when another action has taken the place of the one it is about", async (t) => {
  const agent = await withAgent(t);
  const first = await agent.planned({ copy: "For the first." });
  agent.clock.advance(1_000);
  const next = await agent.planned({ copy: "For the next." });
  const browser = await asMember(agent.server, APPROVER);
  const page = `/console/w/${agent.server.workspaceId}/review/action/${first.id}?view=edit`;
  const form = formOf(await browser.get(page), "edit_socialnet_action");
  assert.equal(form.action_id, first.id);
  await agent.person("approve_socialnet_action", { action_id: first.id });
  assert.equal((await browser.post(page, { ...form, copy: "For the first." })).status, 303);
  assert.equal((await agent.look(first)).copy, "For the first.");
  assert.equal((await agent.look(next)).copy, "For the next.");
});

test("Review opens its oldest item at an address of its own, which keeps the message of the last decision", async (t) => {
  const agent = await withAgent(t);
  const first = await agent.planned();
  agent.clock.advance(1_000);
  const next = await agent.planned();
  const browser = await asMember(agent.server, APPROVER);
  const at = (path: string) => `/console/w/${agent.server.workspaceId}/review${path}`;
  assert.equal((await browser.get(at("?from=0"))).location, at(`/action/${first.id}?from=0`));
  const cancel = { _do: "cancel_socialnet_action", _then: "review", action_id: first.id };
  const { location } = await browser.post(at(`/action/${first.id}`), cancel);
  const shown = await browser.open(location ?? "");
  assert.match(shown.text, /id="told"/);
  assert.ok(shown.text.includes(`value="${next.id}"`));
});

test("recent decisions say what became of each approved message, and are filtered by type", async (t) => {
  const { agent, browser, at, ids, server } = await start(t);
  const outcomes = {
    completed: "Sent",
    failed: "Failed",
    needs_review: "Unconfirmed",
    approved: "Waiting to be sent",
  };
  const made: [string, string][] = [];
  for (const [status, label] of Object.entries(outcomes)) {
    made.push([(await agent.at(status as keyof typeof outcomes)).id, label]);
    agent.clock.advance(1_000);
  }
  const { id: withdrawn } = await agent.approved();
  agent.clock.advance(1_000);
  await server.operator("withdraw_socialnet_action", { action_id: withdrawn });
  agent.clock.advance(1_000);
  await server.operator("cancel_socialnet_action", { action_id: ids.action });
  agent.clock.advance(1_000);
  await server.operator("decide_card", { card_id: ids.card, decision: "deny" });
  agent.clock.advance(1_000);
  await server.operator("decide_post", { post_id: ids.post, decision: "request_change", note: "Shorter." });
  const { text } = await browser.get(at("/decided"));
  const rowsOf = (id: string) =>
    [...text.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).filter((row) => row.includes(id));
  for (const [id, label] of made) {
    const [row = ""] = rowsOf(id);
    assert.match(row, /class="chip done">.*?Approved/s);
    assert.match(row, new RegExp(`data-label="Outcome"><span class="chip[^>]*>.*?${label}`, "s"), label);
  }
  for (const row of rowsOf(withdrawn)) assert.doesNotMatch(row, /data-label="Outcome"><span/);
  const toneOf = (id: string) => /data-label="Decision"><span class="chip (\w+)"/.exec(rowsOf(id)[0] ?? "")?.[1];
  assert.deepEqual([ids.action, ids.card, ids.post].map(toneOf), ["plain", "stopped", "needs"]);
  const cards = (await browser.get(at("/decided?kind=card"))).text;
  assert.ok(cards.includes(ids.card) && !cards.includes(ids.post) && !cards.includes(withdrawn));
  assert.match(cards, /aria-current="true">Documents/);
  const kinds = await server.operator("list_decided_reviews", { kind: "action" });
  assert.ok(kinds.every(({ kind }: { kind: string }) => kind === "action") && kinds.length > 5);
});

test("an item shows its position in the queue, which leads to the list", async (t) => {
  const { browser, at, ids } = await start(t);
  const order = [ids.action, ids.sequence, ids.card, ids.post, ids.publish];
  for (const [i, kind] of (["action", "sequence", "card", "post", "publish"] as const).entries()) {
    const { text } = await browser.get(at(`/${kind}/${order[i]}`));
    assert.match(text, new RegExp(`href="#queue">${i + 1} of 5<`));
    assert.match(text, /<nav class="queue" id="queue"/);
  }
  const only = await browser.get(`${at(`/card/${ids.card}`)}?queue=card`);
  assert.match(only.text, /href="#queue">1 of 1</);
});

test("the checkbox of an item is beside its words, and its form marks the button that needs one", async (t) => {
  const { agent, browser, at } = await start(t);
  await agent.planned();
  const { text } = await browser.get(at("/action"));
  assert.match(
    text,
    /<label><input type="checkbox"[^>]*><strong>[^<]*<\/strong><span class="quiet small">I(&#39;|')ve read/,
  );
  assert.match(text, /<button type="submit" class="primary" data-needs-checked="true">Approve selected/);
});
