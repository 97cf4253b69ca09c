import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import { asMember, asOwner, type Browser } from "../support/http-browser.ts";
import { newConversation, newReply } from "../support/inbox.ts";
import { newContact } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";

/** What Today lists of replies, the badge of the Inbox, and who its first page lists. */
async function seen(browser: Browser, at: string) {
  const { text } = await browser.get(at);
  const inbox = (await browser.get(`${at}/inbox`)).text;
  return {
    today: [...text.matchAll(/(\w+) replied: “/g)].map(([, name]) => name),
    badge: Number(/data-count="\/inbox"(?: hidden[^>]*)?>(\d+)</.exec(text)?.[1]),
    inbox: [...inbox.matchAll(/<span class="who"><strong>(\w+)/g)].map(([, name]) => name),
  };
}

test("a reply stays on Today, in the badge and in the Inbox until it is answered, done, snoozed or another teammate's", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const at = `/console/w/${server.workspaceId}`;
  const owner = await asOwner(server, clock.now());
  const people: Record<string, string> = {};
  for (const first_name of ["Ada", "Grace", "Mary", "Edith", "Joan"]) {
    people[first_name] = (await newConversation(server, { first_name })).id;
    clock.advance(HOUR_MS);
  }
  const all = ["Ada", "Grace", "Mary", "Edith", "Joan"];
  assert.deepEqual(await seen(owner, at), { today: all, badge: 5, inbox: all.toReversed() });
  for (const id of Object.values(people)) assert.equal((await owner.get(`${at}/inbox/${id}`)).status, 200);
  const read = await seen(owner, at);
  assert.deepEqual([read.today, read.badge], [all, 5], "an opened reply still waits for an answer");
  const { text } = await owner.get(at);
  assert.match(text, /Ada replied: “Sounds good\.”<\/a>.*?<time[^>]*>5 hours ago<\/time>.*?>Reply</s, "with its age");
  assert.doesNotMatch(text, /class="unread"/);

  const sam = await server.operator("invite_member", { email: "sam@b.example", name: "Sam", role: "rep" });
  const other = await asMember(server, { email: "kim@b.example", name: "Kim", role: "rep" });
  await server.operator("assign_conversation", { contact_id: people.Ada, member_id: sam.id });
  await server.operator("mark_conversation", { contact_id: people.Grace, as: "done" });
  const until = new Date(clock.now() + DAY_MS).toISOString();
  await server.operator("snooze_conversation", { contact_id: people.Mary, until });
  const answer = { contact_id: people.Edith, body: "Great.", delivery: "files" };
  await server.operator("answer_by_email", answer);
  assert.deepEqual(await seen(owner, at), { today: ["Joan"], badge: 1, inbox: ["Joan"] });
  assert.deepEqual((await seen(other, at)).today, ["Joan"]);
  assert.match((await owner.get(`${at}/inbox?view=open`)).text, />Ada</, "all open ones have their own list");
  // Who leaves handles nothing any more.
  await server.operator("remove_member", { member_id: sam.id });
  assert.deepEqual((await seen(owner, at)).today, ["Ada", "Joan"]);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  assert.deepEqual((await seen(viewer, at)).today, [], "a viewer answers nobody");
});

test("more replies than Today lists are counted, and an unread one is marked", async (t) => {
  const server = await startServer(t);
  const at = `/console/w/${server.workspaceId}`;
  const owner = await asOwner(server);
  for (let i = 0; i < 7; i += 1) await newConversation(server);
  const { text } = await owner.get(at);
  assert.match(text, /2 more replies to answer/);
  assert.match(text, /<h3>Decide <span class="hint">7</);
  assert.match(text, /<li class="unread"><a [^>]*><span class="hidden">Unread: <\/span>/);
});

test("a row of the Inbox has the company and the subject of an email", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const contact = await newContact(server, { first_name: "Ada", company: "Tide Mills" });
  await newReply(server, contact, "Call me.");
  const { text } = await owner.get(`/console/w/${server.workspaceId}/inbox`);
  assert.match(text, /Tide Mills<.*?class="subject">Re: Hello: <\/span>Call me\./s);
});
