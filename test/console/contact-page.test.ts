import assert from "node:assert/strict";
import { test } from "node:test";
import { newAccount } from "../support/events.ts";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const primary = (text: string) =>
  [...text.matchAll(/<(?:summary|a) class="button primary"[^>]*>\s*([^<]*[^<\s])/g)].map(([, says]) => says);

test("a contact's page has one primary action: what the next stage needs", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id } = await newContact(server);
  const page = async () => (await browser.get(`/console/w/${server.workspaceId}/contacts/${id}`)).text;
  assert.deepEqual(primary(await page()), ["Confirm meeting…"]);
  await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-11-19" });
  assert.deepEqual(primary(await page()), []);
  assert.match(await page(), /Move to Lead/);
  await server.operator("update_contact", { id, lifecycle: "lead" });
  assert.deepEqual(primary(await page()), ["Confirm BANT…"]);
  assert.match(await page(), /<details class="add">/, "the timeline's form is closed until somebody asks for it");
});

test("a company that an agent added is confirmed, and one that counts already is edited", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example", company: "Engines" } });
  const page = async () => (await browser.get(`/console/w/${server.workspaceId}/contacts/${body.data.id}`)).text;
  assert.match(await page(), /An agent added this company\..*>\s*Confirm company\s*</s);
  await server.operator("confirm_company", { contact_id: body.data.id, company: "Engines" });
  assert.match(await page(), />\s*Save company\s*</);
  assert.doesNotMatch(await page(), /An agent added|Confirm company/);
});

test("a row in the contact list is one line, and filters are expanded if one is set", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id } = await newContact(server);
  await server.operator("add_contact_tags", { id, tags: ["one", "two", "three"] });
  const page = async (query = "") => (await browser.get(`/console/w/${server.workspaceId}/contacts${query}`)).text;
  assert.match(await page(), /<span title="(\w+), (\w+), \w+">\1, \2<span class="quiet"> \+1/);
  assert.match(await page(), /<details class="fold"><summary/);
  assert.match(await page("?tag=one"), /<details class="fold" open><summary/);
});

test("a contact on the do-not-contact list has its mark in the list, in a search and in the pickers", async (t) => {
  const server = await startServer(t);
  const account = await newAccount(server);
  const browser = await asOwner(server);
  const { id } = await newContact(server, { email: "gone@b.example", first_name: "Gone" });
  await newContact(server, { email: "here@b.example", first_name: "Here" });
  await server.operator("add_suppression", { email: "gone@b.example" });
  const marked = (text: string) =>
    [...text.matchAll(/<(?:tr|li)>(?:(?!<\/(?:tr|li)>).)*?Do not contact/gs)].map(([row]) => row);
  for (const path of ["/contacts", "/contacts?q=b.example", `/agents/${account.id}/plan`, "/deals/new"]) {
    const { text } = await browser.get(`/console/w/${server.workspaceId}${path}`);
    assert.equal(marked(text).length, 1, path);
    assert.ok(marked(text)[0]?.includes(id), path);
  }
});

test("a message that needs review is above everything on the pages of its contact and company, with the way to decide", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const account = await server.operator("create_account", { name: "Acme Ltd" });
  const action = await agent.planned({ copy: "Shall we talk?" });
  await server.operator("update_contact", { id: action.contact.id, account_id: account.id });
  const at = `/console/w/${server.workspaceId}`;
  const strip = (text: string) => /<ul class="waiting".*?<\/ul>/s.exec(text)?.[0] ?? "";
  const owner = await asOwner(server, agent.clock.now());
  const viewer = await asMember(server, { email: "v@b.example", name: "Vera", role: "viewer" });
  for (const path of [`${at}/contacts/${action.contact.id}`, `${at}/accounts/${account.id}`]) {
    const { text } = await owner.get(path);
    assert.match(strip(text), /needs review.*Shall we talk\?/s, path);
    assert.match(strip(text), /from [^<]+(?:'|&#39;)s account, proposed by [^<]+, needs review/, path);
    assert.ok(strip(text).includes(`href="${at}/review/action/${action.id}"`), path);
    assert.ok(text.indexOf('class="waiting"') < text.indexOf("<h2>"), path);
    assert.match(strip((await viewer.get(path)).text), /Shall we talk\?/);
  }
  await server.operator("cancel_socialnet_action", { action_id: action.id });
  assert.equal(strip((await owner.get(`${at}/contacts/${action.contact.id}`)).text), "");
});

test("the next step names its action beside it, and what is done rarely is behind More, which stays open on an error", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id } = await newContact(server);
  const path = `/console/w/${server.workspaceId}/contacts/${id}`;
  const page = await browser.get(path);
  assert.match(page.text, /Next step<\/strong> To move to Lead, confirm a meeting\.<\/p><details class="confirm/);
  const more = (text: string) =>
    /<details class="menu actions"(.*?)<div class="list">(.*?)<\/section>/s.exec(text) ?? [];
  const [, closed = "", inMenu = ""] = more(page.text);
  assert.doesNotMatch(closed, /open/);
  assert.match(inMenu, /Add to do-not-contact list….*Archive…/s);
  const form = { ...formOf(page, "add_suppression"), "reason:optional": "x".repeat(5_000) };
  const refused = await browser.post(path, form);
  assert.equal(refused.status, 400, refused.text);
  assert.match(more(refused.text)[1] ?? "", /^ open/);
});
