import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../src/lib/time.ts";
import { asMember, asOwner } from "../support/http-browser.ts";
import { newConversation } from "../support/inbox.ts";
import { FakeClock, startServer } from "../support/server.ts";

/** A workspace with a conversation for each name, the last of them the newest. */
async function start(t: Parameters<typeof startServer>[0], names: readonly string[]) {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const ids = new Map<string, string>();
  for (const first_name of names) {
    const { id } = await newConversation(server, { first_name, last_name: null, company: "Tide Mills" });
    ids.set(first_name, id);
    clock.advance(HOUR_MS);
  }
  const owner = await asOwner(server, clock.now());
  const at = `/console/w/${server.workspaceId}`;
  const idOf = (name: string) => ids.get(name) ?? "";
  return { server, owner, at, idOf };
}

/** The list beside a conversation. The open one has a `>` before its name, an unread one a `*`. */
function listIn(text: string) {
  const [, list = ""] = /<nav class="queue"(.*?<\/section>)<\/nav>/s.exec(text) ?? [];
  const rows = [...list.matchAll(/<li[ >].*?<\/li>/gs)].map(([row]) => {
    const name = /class="title">(?:<span class="dot">.*?<\/span><\/span>)?([^<]*)/s.exec(row)?.[1];
    return `${row.includes('aria-current="true"') ? ">" : ""}${row.includes("Unread") ? "*" : ""}${name}`;
  });
  return { list, rows, hrefs: [...list.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href) };
}

test("a conversation has the list of its view beside it, and every way on keeps the view", async (t) => {
  const { owner, at, idOf, server } = await start(t, ["Ada", "Grace", "Mary"]);
  const [ada, grace, mary] = ["Ada", "Grace", "Mary"].map(idOf);
  const { text } = await owner.get(`${at}/inbox/${grace}?view=unassigned`);
  const { rows, hrefs, list } = listIn(text);
  assert.deepEqual(rows, ["*Mary", ">Grace", "*Ada"], "it stays where it was opened, and is read");
  const to = (id: string | undefined) => `${at}/inbox/${id}?view=unassigned`;
  assert.deepEqual(hrefs, [`${at}/inbox?view=unassigned`, to(mary), to(grace), to(ada)]);
  assert.match(list, /Unassigned<\/a> <span class="count">3</);
  assert.match(list, /Tide Mills<\/span><span class="hint said">Re: Hello</);
  // The page above, the neighbors, and where the forms go on.
  assert.match(text, new RegExp(`aria-label="Breadcrumbs"><ol><li><a href="${at}/inbox\\?view=unassigned">Inbox<`));
  assert.match(text, new RegExp(`href="${at}/inbox\\?view=unassigned">2 of 3<`));
  assert.ok(text.includes(`href="${to(mary)}" data-key="k"`) && text.includes(`href="${to(ada)}" data-key="j"`));
  const then = [...text.matchAll(/name="_then" value="(inbox[^"]*)"/g)].map(([, value]) => value);
  assert.ok(then.length >= 4);
  assert.deepEqual(new Set(then), new Set([`inbox/${mary}?view=unassigned`, "inbox?view=unassigned"]));
  const done = { _do: "mark_conversation", _then: then[0] ?? "", contact_id: grace ?? "", as: "done" };
  const answer = await owner.post(`${at}/inbox/${grace}?view=unassigned`, done);
  assert.equal(answer.location, to(mary));
  assert.equal((await server.operator("get_conversation", { contact_id: grace })).conversation.status, "done");
  // From Today, the list is what is to answer. A conversation that is not in it marks no row.
  const other = await owner.get(`${at}/inbox/${grace}`);
  assert.deepEqual(listIn(other.text).rows, ["*Mary", "*Ada"]);
  assert.doesNotMatch(other.text, /\d of \d</);
});

test("the list beside a conversation is one page, and keeps its place in the address", async (t) => {
  const names = Array.from({ length: 27 }, (_, i) => `Reader${i}`);
  const { owner, at, idOf } = await start(t, names);
  const first = await owner.get(`${at}/inbox`);
  assert.ok(first.text.includes(`href="${at}/inbox/${idOf("Reader26")}"`));
  const second = (await owner.get(`${at}/inbox?offset=25`)).text;
  const opened = `${at}/inbox/${idOf("Reader1")}?offset=25`;
  assert.ok(second.includes(`href="${opened}"`));
  const { text } = await owner.get(opened);
  assert.deepEqual(listIn(text).rows, [">Reader1", "*Reader0"]);
  assert.ok(text.includes(`href="${at}/inbox?offset=25">26 of 27<`));
  const { rows, list } = listIn((await owner.get(`${at}/inbox/${idOf("Reader26")}`)).text);
  assert.deepEqual([rows.length, rows[0]], [25, ">Reader26"]);
  assert.ok(list.includes(`rel="next" href="${at}/inbox/${idOf("Reader26")}?offset=25"`));
});

test("the list marks nothing as read, and for a viewer an opened conversation stays unread", async (t) => {
  const { server, owner, at, idOf } = await start(t, ["Ada", "Grace"]);
  const unread = async () => (await server.operator("list_conversations", {})).filter((row: any) => row.unread).length;
  await owner.get(`${at}/inbox`);
  assert.equal(await unread(), 2);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  assert.deepEqual(listIn((await viewer.get(`${at}/inbox/${idOf("Ada")}`)).text).rows, ["*Grace", ">*Ada"]);
  assert.equal(await unread(), 2);
});
