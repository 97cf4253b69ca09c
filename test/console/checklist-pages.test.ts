import assert from "node:assert/strict";
import { test } from "node:test";
import { headingOf } from "../../src/console/pages/checklist/item.tsx";
import { withDates } from "../../src/console/ui/format.ts";
import { drafted, ITEMS, newCard, newPost, personal, record, SAW, startChecklist } from "../support/checklist.ts";
import { asMember, asOwner, type Browser, formOf } from "../support/http-browser.ts";
import type { TestServer } from "../support/server.ts";

const pathOf = ({ workspaceId }: TestServer, path: string) => `/console/w/${workspaceId}${path}`;

/** The ids of the items that a page links to, in page order. */
const linked = (text: string) =>
  [...text.matchAll(/href="\/console\/w\/[^"]*\/checklist\/((?:OT|ON)-\d\d)(?:#[^"]*)?"/g)].map(
    ([, id]) => id as string,
  );

/** The part of a page between two of its texts. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  assert.notEqual(start, -1, from);
  const end = text.indexOf(to, start + from.length);
  return text.slice(start, end === -1 ? undefined : end);
}

const rep = (server: TestServer): Promise<Browser> =>
  asMember(server, { email: "rep@b.example", name: "Rhea", role: "rep" });

test("the board shows each item once, by area and column, and each area's progress", async (t) => {
  const items = [...ITEMS.filter(({ id }) => id !== "OT-03"), { ...personal("OT-03", 10), area: "Crisis" }];
  const server = await startChecklist(t, { items });
  await newCard(server);
  await newPost(server, "ON-06");
  await newPost(server, "ON-06");
  await server.operator("mark_checklist_item", { item_id: "OT-03", status: "done" });
  await server.operator("mark_checklist_item", { item_id: "OT-02", status: "blocked" });
  const { text } = await (await asOwner(server)).get(pathOf(server, "/checklist"));
  assert.deepEqual(linked(text).sort(), items.map(({ id }) => id).sort());
  const ownership = between(text, "Ownership</h2>", "<h2");
  assert.match(ownership, /0 of 7 done, 2 need review/);
  assert.deepEqual(linked(between(ownership, "Needs review <span", "</section>")), ["OT-01", "ON-06"]);
  assert.match(ownership, /Document needs review/);
  assert.match(ownership, /2 posts need review/);
  assert.deepEqual(linked(between(ownership, "To do", "</section>")), ["OT-02", "OT-06", "ON-01", "ON-02", "ON-03"]);
  assert.match(between(ownership, "OT-02", "</li>"), /Blocked/);
  assert.deepEqual(linked(between(ownership, "not scheduled", "</ul>")).sort(), [
    "ON-04",
    "ON-05",
    "OT-04",
    "OT-05",
    "OT-07",
  ]);
  const crisis = between(text, "Crisis</h2>", "</main>");
  assert.match(crisis, /1 of 1 done/);
  assert.deepEqual(linked(between(crisis, "Done", "</section>")), ["OT-03"]);
  assert.match(text, /All items<\/strong>[\s\S]*1 of 8 done, 2 need review/);
});

test("the board is filtered by area, channel, frequency and executor, alone and combined", async (t) => {
  const on = (id: string, channels: unknown, changes = {}) => ({ ...personal(id, 1), channels, ...changes });
  const items = [
    on("OT-01", ["x", "blog"]),
    on("OT-02", "all", { area: "Crisis" }),
    on("OT-03", []),
    on("ON-01", ["youtube"], { frequency: "monthly" }),
    ...ITEMS.filter(({ id }) => id === "ON-02"),
  ];
  const server = await startChecklist(t, { items });
  const browser = await asOwner(server);
  const shown = async (query: string) => linked((await browser.get(pathOf(server, `/checklist?${query}`))).text).sort();
  assert.deepEqual(await shown("channel=x"), ["ON-02", "OT-01", "OT-02"]);
  assert.deepEqual(await shown("channel=youtube&executor=human_only"), ["ON-01", "OT-02"]);
  assert.deepEqual(await shown("area=Crisis"), ["OT-02"]);
  assert.deepEqual(await shown("frequency=monthly"), ["ON-01"]);
  assert.deepEqual(await shown("executor=auto.assistant"), ["ON-02"]);
  assert.deepEqual(await shown("channel=myspace&area=&frequency="), []);
  assert.match((await browser.get(pathOf(server, "/checklist?area=%3Cb%3E"))).text, /No matching items/);
});

test("due items are in the operation's order, with the reason and since when, and dependencies come first", async (t) => {
  const server = await startChecklist(t, {
    items: [
      ...ITEMS,
      personal("OT-08", 70),
      personal("OT-09", 71, { dependencies: ["OT-08"] }),
      personal("OT-10", 72, { dependencies: ["OT-09"] }),
      personal("ON-07", 73, { dependencies: ["OT-08"] }),
    ],
  });
  const card_id = await newCard(server, "ON-06");
  await server.operator("decide_card", { card_id, decision: "request_change", note: "Name the <deputy>." });
  await server.operator("mark_checklist_item", { item_id: "ON-02", status: "done", done_on: "2020-02-03" });
  const browser = await asOwner(server);
  const { text } = await browser.get(pathOf(server, "/checklist/due"));
  const due = (await server.operator("list_due_checklist_items", { limit: 100 })).map(({ id }: { id: string }) => id);
  const now = linked(between(text, "<h2>More ready items", "<h2>Waiting for"));
  const rest = due.filter((id: string) => !["ON-07", "ON-06", "OT-08", "OT-02"].includes(id));
  assert.deepEqual(now, rest, "what stands in Start here does not stand below once more");
  assert.ok(text.includes(`<h2>More ready items (${rest.length})`));
  assert.ok(text.includes(`<strong>${rest.length + 3} ready</strong>, 1 recurring item waiting for other items`));
  assert.match(text, new RegExp(`All areas<span class="quiet"> ${rest.length + 3}</span>`), "only what can be done");
  assert.match(text, /<h2>Waiting for other items \(1\)/);
  assert.match(text, /document was\s+rejected\s+isn't\s+done/);
  assert.deepEqual(linked(between(text, '<caption class="hidden">Waiting for other items', "</table>")), [
    "ON-07",
    "OT-08",
  ]);
  const first = between(text, "Start here", "<h2>More ready items");
  assert.deepEqual(linked(first), ["ON-06", "OT-08", "OT-02"]);
  assert.match(first, /and items that other items depend on\./, "one open item that depends on it is enough");
  assert.match(first, /Changes requested[\s\S]*Name the &lt;deputy>\./);
  assert.match(between(first, "OT-08", "</li>"), /3 open items depend on this, directly or indirectly\./);
  assert.match(text, /Overdue since <time[^>]*>Feb 10, 2020</);
  assert.match(between(text, "<h2>More ready items", "<h2>Waiting for"), /data-label="Status">Became ready <time/);
  const crisis = await browser.get(pathOf(server, "/checklist/due?area=Crisis"));
  assert.deepEqual(linked(between(crisis.text, 'aria-label="Areas"', "</main>")), []);
});

test("an item shows all catalog fields, who recorded what and when, and its related items", async (t) => {
  const server = await startChecklist(t);
  await record(server, "OT-02", { ...SAW, evidence: "<i>The banner</i>" });
  const browser = await asOwner(server);
  const { text } = await browser.get(pathOf(server, "/checklist/OT-02"));
  for (const says of [/Do what OT-02 asks\./, /Somebody has to\./, /A guide by name/, /&lt;i>The banner&lt;\/i>/]) {
    assert.match(text, says);
  }
  assert.match(text, /Recorded by all \(agent\), <time/);
  assert.match(text, /<h1>Do what OT-02 asks<\/h1>[\s\S]*OT-02[^·]*·/);
  assert.doesNotMatch(text, /record_checklist_evidence|needs review|Open in Review/);
  assert.deepEqual(linked(between(text, "<h3>Directly blocks", "</ul>")), ["OT-03"]);
  const other = await browser.get(pathOf(server, "/checklist/OT-03"));
  assert.deepEqual(linked(between(other.text, "<h3>Directly depends on", "</ul>")), ["OT-02"]);
  assert.match(other.text, /Nothing\. Only a teammate can mark/);
  assert.doesNotMatch(other.text, /No submissions yet|<h2>Submissions/);
  const replaced = await browser.get(pathOf(server, "/checklist/OT-05"));
  assert.match(replaced.text, /Replaced[\s\S]*OT-01/);
  assert.match(between(replaced.text, "<h2>Status", "</section>"), /Replaced by <a[^>]*>OT-01<\/a>\./);
  assert.doesNotMatch(replaced.text, /Auto-check|not done yet|Never done|No status recorded/);
  assert.equal((await browser.get(pathOf(server, "/checklist/OT-77"))).status, 404);
  assert.equal((await browser.get(pathOf(server, "/checklist/none"))).status, 404);
});

test("an item is named by the first part of its task, cut to fit a heading", () => {
  const all = "List every account the company has or once opened, on all ten channels";
  assert.equal(headingOf(`${all}. For each: who owns it.`), all);
  assert.equal(headingOf("Propose better titles: of five videos."), "Propose better titles");
  const long =
    "Open each kept profile in a browser that is not signed in and compare name, description and all of that";
  assert.equal(headingOf(long), "Open each kept profile in a browser that is not signed in and compare name…");
  const early = "In one document, write alternative text for the pictures of every post since the last such document.";
  const cut = "In one document, write alternative text for the pictures of every post since…";
  assert.equal(headingOf(early), cut, "not only the words before the comma");
  assert.equal(headingOf("word ".repeat(30)), `${"word ".repeat(16).trim()}…`);
});

test("the dates of the auto-check are written as on the rest of the page", async (t) => {
  assert.equal(withDates("No approval is recorded as of 2026-11-27."), "No approval is recorded as of Nov 27, 2026.");
  for (const kept of ["See https://blog.example/2026-11-27/launch.", "On 2026-99-99.", "Run 2026-11-27T09:00:00Z."]) {
    assert.equal(withDates(kept), kept);
  }
  const server = await startChecklist(t);
  await server.operator("run_assessment", {});
  await server.operator("mark_checklist_item", { item_id: "ON-01", status: "done" });
  const owner = await asOwner(server);
  assert.match((await owner.get(pathOf(server, "/checklist/OT-03"))).text, /as of [A-Z][a-z]{2} \d{1,2}, \d{4}\./);
  assert.match((await owner.get(pathOf(server, "/checklist/ON-01"))).text, /Due on [A-Z][a-z]{2} \d{1,2}, \d{4}\./);
});

test("an item's page counts the posts that need review", async (t) => {
  const server = await startChecklist(t);
  const owner = await asOwner(server);
  const noticeOf = async () =>
    between((await owner.get(pathOf(server, "/checklist/ON-06"))).text, "notice bar", "</p>");
  await newPost(server, "ON-06");
  assert.match(await noticeOf(), /A post needs review\./);
  await newPost(server, "ON-06");
  assert.match(await noticeOf(), /2 posts need review\./);
});

test("a long list of items that wait for one is collapsed under its count", async (t) => {
  const after = Array.from({ length: 6 }, (_, i) => personal(`OT-1${i}`, 1, { dependencies: ["OT-01"] }));
  const server = await startChecklist(t, { items: [drafted("OT-01", 20), ...after] });
  const { text } = await (await asOwner(server)).get(pathOf(server, "/checklist/OT-01"));
  assert.equal(linked(between(text, '<details class="more"><summary>Directly blocks', "</details>")).length, 6);
});

test("a manual status is set on the item's page, refused if contradictory, and cleared", async (t) => {
  const server = await startChecklist(t);
  const browser = await rep(server);
  const path = pathOf(server, "/checklist/OT-03");
  const form = { _do: "mark_checklist_item", _form: "mark_checklist_item", item_id: "OT-03" };
  const wrong = { ...form, status: "blocked", evidence: "No time.", "done_on:optional": "2026-01-02" };
  const refused = await browser.post(path, wrong);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Set a date only if the status is Done/);
  assert.match(refused.text, />\n?No time\.</);
  assert.equal((await browser.post(path, { ...wrong, "done_on:optional": "" })).status, 303);
  const after = await browser.get(path);
  assert.match(after.text, /Status updated/);
  assert.match(after.text, /Blocked[\s\S]*No time\.[\s\S]*Recorded by Rhea, <time/);
  const back = { _do: "mark_checklist_item", _form: "take-back", item_id: "OT-03", status: "not_assessed" };
  assert.match(after.text, /name="status" value="not_assessed"/);
  assert.match(
    after.text,
    /clears the date when the item was last done\.\s*<\/p>/,
    "no agent and no check sets this item",
  );
  assert.equal((await browser.post(path, back)).status, 303);
  assert.match((await browser.get(path)).text, /No status recorded yet/);
});

test("a submission shows its decision, links a redo to what it replaces, and shows hidden characters in its text", async (t) => {
  const server = await startChecklist(t);
  const first = await newCard(server, "OT-01", { output_kind: "document", title: "Names", body: "a‮b" });
  await server.operator("decide_card", { card_id: first, decision: "request_change", note: "Say who." });
  const second = await newCard(server, "OT-01");
  const browser = await asOwner(server);
  const path = pathOf(server, "/checklist/OT-01");
  const { text } = await browser.get(path);
  const answered = between(text, `id="${second}"`, "</article>");
  assert.match(answered, /Needs review/);
  assert.match(answered, new RegExp(`href="${path}#${first}"`));
  assert.match(answered, new RegExp(`href="${pathOf(server, `/review/card/${second}`)}"`));
  assert.match(
    between(text, "notice bar", "<h2>Task"),
    new RegExp(`A document needs review[\\s\\S]*href="${pathOf(server, `/review/card/${second}`)}"`),
  );
  const asked = between(text, `id="${first}"`, "</article>");
  assert.match(asked, /Changes requested by [^,]+, <time[\s\S]*“Say who\.”/);
  const opened = /class="button" href="([^"]+)"/.exec(asked)?.[1] ?? "";
  const { text: whole } = await browser.get(opened);
  assert.match(whole, /a\[U\+202E\]b/);
  assert.doesNotMatch(text + whole, /‮/);
});

test("a post is recorded as published from the list of posts, with place and time, and only once", async (t) => {
  const server = await startChecklist(t);
  const approved = await newPost(server, "ON-01");
  const waiting = await newPost(server, "ON-01");
  await server.operator("decide_post", { post_id: approved, decision: "approve" });
  const browser = await rep(server);
  const path = pathOf(server, "/checklist/posts");
  const forms = (text: string) => [...text.matchAll(/name="post_id" value="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(
    forms((await browser.get(path)).text),
    [approved, approved, approved],
    "published, cancelled or withdrawn",
  );
  const form = { _do: "mark_post", _form: `published-${approved}`, post_id: approved, status: "published" };
  const bad = await browser.post(path, { ...form, "url:optional": "javascript:alert(1)" });
  assert.equal(bad.status, 400);
  assert.match(bad.text, /URL must be a URL that starts with http/);
  const place = {
    "platform:optional": "bluesky",
    "published_at:moment": "2026-01-02T03:04",
    "url:optional": "https://b.example/1",
  };
  assert.equal((await browser.post(path, { ...form, ...place })).status, 303);
  const all = await server.operator("list_posts", {});
  const post = all.find(({ id }: { id: string }) => id === approved);
  assert.deepEqual(
    [post.status, post.platform, post.ended_at, post.published_url],
    ["published", "bluesky", "2026-01-02T03:04:00.000Z", "https://b.example/1"],
  );
  const { text } = await browser.get(path);
  assert.match(between(text, `id="${approved}"`, "</article>"), /on Bluesky[\s\S]*href="https:\/\/b\.example\/1"/);
  assert.equal((await browser.post(path, form)).status, 409);
  const published = await browser.get(`${path}?status=published`);
  assert.ok(published.text.includes(approved) && !published.text.includes(waiting));
  assert.match((await browser.get(`${path}?status=declined`)).text, /No posts with status “(Denied|Rejected)”/);
});

test("the board's counts add up: all items apply or are not scheduled", async (t) => {
  const server = await startChecklist(t);
  const { text } = await (await rep(server)).get(pathOf(server, "/checklist"));
  const [, all, todo, aside = "0"] =
    /(\d+) items: (\d+) active(?:<!-- -->)?(?:, (\d+) not scheduled)?/.exec(text) ?? [];
  assert.equal(Number(all), ITEMS.length);
  assert.equal(Number(todo) + Number(aside), ITEMS.length);
  assert.match(text, new RegExp(`of ${todo} done`));
});

test("a manual status must be chosen: done is not preselected", async (t) => {
  const server = await startChecklist(t);
  const browser = await rep(server);
  const path = pathOf(server, "/checklist/OT-03");
  const { text } = await browser.get(path);
  const select = between(text, '<select id="mark_checklist_item-status"', "</select>");
  assert.match(select, / required/);
  assert.match(select, /<option value selected>Choose…/);
  const form = { _do: "mark_checklist_item", item_id: "OT-03", status: "" };
  assert.equal((await browser.post(path, form)).status, 400);
});

test("a post without a title is named by its first words", async (t) => {
  const server = await startChecklist(t);
  const body =
    "Three things that we learned this week about lighthouses, and what they have to do with the sea\nAll of it.";
  await newPost(server, "ON-06", { output_kind: "social_post", body });
  const { text } = await (await rep(server)).get(pathOf(server, "/checklist/posts"));
  assert.match(text, /<h2[^>]*>Three things that we learned this week about lighthouses…<\/h2>/);
});

test("the board says when it was last assessed and what was found; only administrators can request an assessment", async (t) => {
  const server = await startChecklist(t);
  const owner = await asOwner(server);
  const reads = await rep(server);
  const path = pathOf(server, "/checklist");
  assert.match((await owner.get(path)).text, /No auto-check yet|last checked <time/);
  assert.doesNotMatch((await reads.get(path)).text, /value="run_assessment"/);
  assert.equal((await reads.post(path, { _do: "run_assessment" })).status, 403);
  assert.equal((await owner.post(path, { _do: "run_assessment" })).status, 303);
  const { states } = await server.operator("get_assessment", {});
  const { text } = await reads.get(path);
  assert.match(text, /last checked <time[\s\S]*checklist version 2026\.11/);
  assert.ok(text.includes(`${states.missing} not done, ${states.unknown} can't be checked`), JSON.stringify(states));
  assert.match((await reads.get(pathOf(server, "/checklist/OT-06"))).text, /No brand voice is saved\./);
});

test("a checklist of the maximum catalog size is complete on the board and in the due list", async (t) => {
  const items = Array.from({ length: 99 }, (_, i) => String(i + 1).padStart(2, "0")).flatMap((n) => [
    personal(`OT-${n}`, 1),
    personal(`ON-${n}`, 1),
  ]);
  const server = await startChecklist(t, { items });
  const browser = await asOwner(server);
  for (const path of ["/checklist", "/checklist/due"]) {
    assert.equal(new Set(linked((await browser.get(pathOf(server, path))).text)).size, 198, path);
  }
});

test("an item whose submission needs a decision has that status on its page and on pages of other items", async (t) => {
  const server = await startChecklist(t, {
    items: [...ITEMS, personal("OT-09", 71, { dependencies: ["OT-01"] })],
  });
  const browser = await asOwner(server);
  const statusOn = async (id: string) => {
    const { text } = await browser.get(pathOf(server, `/checklist/${id}`));
    return between(text, "<h2>Status</h2>", "</section>");
  };
  assert.match(await statusOn("OT-01"), /To do/);
  await newCard(server, "OT-01");
  const status = await statusOn("OT-01");
  assert.match(status, /Needs review.*A submission needs a decision\./s);
  assert.doesNotMatch(status, /To do|No status recorded/);
  const { text } = await browser.get(pathOf(server, "/checklist/OT-09"));
  assert.match(between(text, "<h3>Directly depends on", "</ul>"), /Needs review/);
});

test("a post to publish says when with weekday, date, time and zone before how far away that is", async (t) => {
  const server = await startChecklist(t);
  await server.operator("set_sending_policy", { time_zone: "Europe/London" });
  const post_id = await newPost(server, "ON-06");
  await server.operator("decide_post", {
    post_id,
    decision: "approve",
    scheduled_for: new Date(Date.now() + 400 * 86_400_000).toISOString(),
  });
  const browser = await asOwner(server);
  const when =
    /<time [^>]*>\w{3}, \w{3} \d+, \d{4}, \d+:\d\d \(Europe\/London\)<\/time><span class="quiet">, in 13 months/;
  for (const path of ["/checklist/posts", `/review/publish/${post_id}`]) {
    const { text } = await browser.get(pathOf(server, path));
    assert.match(text, new RegExp(`Publish time.{0,40}${when.source}`, "s"), path);
  }
  const { text } = await browser.get(pathOf(server, `/review/publish/${post_id}`));
  assert.match(between(text, 'id="queue"', "</nav>"), when);
});

test("a document completes a one-time item, and counts toward a recurring one with its own check", async (t) => {
  const server = await startChecklist(t, {
    items: [drafted("OT-01", 1), drafted("ON-01", 2, { detected_by: { check: "brand_voice_saved" } })],
  });
  const browser = await asOwner(server);
  const effects = [
    ["OT-01", "Approving completes OT-01. Nothing is sent.", "Its checklist item is done"],
    ["ON-01", "Approving counts toward ON-01. Nothing is sent.", "It counts toward its checklist item"],
  ] as const;
  for (const [item, before, after] of effects) {
    const path = pathOf(server, `/review/card/${await newCard(server, item)}`);
    const page = await browser.get(path);
    assert.ok(page.text.includes(before), page.text);
    const done = await browser.post(path, { ...formOf(page, "approve") });
    assert.equal(done.status, 303, done.text);
    assert.ok((await browser.get(done.location ?? "")).text.includes(after));
  }
});
