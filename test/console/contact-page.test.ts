import assert from "node:assert/strict";
import { test } from "node:test";
import { asOwner } from "../support/http-browser.ts";
import { newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

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
