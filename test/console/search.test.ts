import assert from "node:assert/strict";
import { test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { newPost, POST, startChecklist } from "../support/checklist.ts";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";

const found = async (server: TestServer, text: string, limit?: number) =>
  (await server.operator("find_records", { text, ...(limit && { limit }) })).map(
    ({ kind, title }: { kind: string; title: string }) => `${kind}: ${title}`,
  );

test("records of every kind are found by the beginnings of their words, in any order", async (t) => {
  const server = await startChecklist(t);
  const ada = await newContact(server, { first_name: "Ada", last_name: "Lovelace", company: "Engines", email: null });
  await newContact(server, { first_name: "Mary", last_name: "Engström", company: null, email: "mary@b.example" });
  await server.operator("create_account", { name: "Analytical Engines", domain: "engines.example" });
  await server.operator("create_deal", { contact_id: ada.id, title: "Engine room", value: 5, currency: "EUR" });
  await newSequence(server, { name: "Q3: engineers" });
  await newPost(server, "ON-01", { ...POST, title: "An engine for everyone" });
  assert.deepEqual(await found(server, "eng"), [
    "contact: Mary Engström",
    "contact: Ada Lovelace",
    "account: Analytical Engines",
    "deal: Engine room",
    "sequence: Q3: engineers",
    "post: An engine for everyone",
  ]);
  assert.deepEqual(await found(server, "LOVE a"), ["contact: Ada Lovelace"]);
  assert.deepEqual(await found(server, "engstrom"), ["contact: Mary Engström"]);
  assert.deepEqual(await found(server, "room eng"), ["deal: Engine room"]);
  assert.deepEqual(await found(server, "ngine"), []);
  assert.deepEqual(await found(server, "&"), []);
  assert.equal((await found(server, "eng", 1)).length, 5, "of each kind one");
  const [deal] = await server.operator("find_records", { text: "room" });
  assert.deepEqual(
    [deal.detail, deal.status, deal.parent_id],
    ["Ada Lovelace", "prospecting", ada.id],
    JSON.stringify(deal),
  );
  await server.operator("update_deal", { deal_id: deal.id, title: "Boiler hall" });
  assert.deepEqual(await found(server, "hall"), ["deal: Boiler hall"]);
  assert.deepEqual(await found(server, "room"), []);
  await server.operator("archive_contact", { contact_id: ada.id });
  assert.deepEqual(await found(server, "love"), []);
  assert.deepEqual(await found(server, "hall"), [], "nor the deals of an archived contact");
});

test("a contact whose name begins with the text comes before newer ones of such a company", async (t) => {
  const server = await startServer(t);
  await newContact(server, { first_name: "Amber", last_name: "Smith", company: null });
  for (const first_name of ["Bao", "Caro"]) await newContact(server, { first_name, company: "Amber Labs" });
  assert.deepEqual(await found(server, "amber", 2), ["contact: Amber Smith", "contact: Caro"]);
});

test("nothing is found in another workspace", async (t) => {
  const server = await startServer(t);
  const other = await server.operator("create_workspace", { name: "Other" });
  await callAsOperator(server.running, "create_account", other.id, { name: "Foreign Engines" });
  await callAsOperator(server.running, "create_contact", other.id, { first_name: "Foreign", email: "f@b.example" });
  assert.deepEqual(await found(server, "foreign"), []);
  const { body } = await callAsOperator(server.running, "find_records", other.id, { text: "foreign" });
  assert.equal(JSON.parse(body).data.length, 2);
});

test("the page lists records, pages and actions that the member's role allows", async (t) => {
  const server = await startServer(t);
  const at = `/console/w/${server.workspaceId}/search`;
  const { id } = await newContact(server, { first_name: "<b>Ada", last_name: "Keys" });
  const owner = await asOwner(server);
  const page = (await owner.get(`${at}?q=key`)).text;
  assert.match(page, new RegExp(`href="/console/w/${server.workspaceId}/contacts/${id}"[^>]*>&lt;b>Ada Keys`));
  assert.match(page, /settings\/keys"[^>]*>API keys/);
  assert.match(page, /settings\/keys#create"[^>]*>Create API key/);
  const viewer = await asMember(server, { name: "Vic", email: "vic@b.example", role: "viewer" });
  const theirs = (await viewer.get(`${at}?q=key`)).text;
  assert.match(theirs, /Ada Keys/);
  assert.doesNotMatch(theirs, /API key/);
  const empty = (await viewer.get(at)).text;
  assert.doesNotMatch(empty, /Pause outreach|Add contact|Invite/);
  assert.match(empty, /<h2[^>]*>Pages/);
  assert.match((await viewer.get(`${at}?q=zzz`)).text, /No matches/);
  const part = await owner.get(`${at}?q=key&part=results`);
  assert.doesNotMatch(part.text, /<main|<html/);
  assert.match(part.text, /role="option"[^>]*href="[^"]*\/settings\/keys#create"/);
});

test("outreach is paused and resumed from the results, without scripts", async (t) => {
  const server = await startServer(t);
  const at = `/console/w/${server.workspaceId}/search`;
  const owner = await asOwner(server);
  const form = formOf(await owner.get(`${at}?q=pause`), "pause-found") ?? {};
  assert.equal((await owner.post(`${at}?q=pause`, form)).status, 303);
  const page = (await owner.get(`${at}?q=outreach`)).text;
  assert.match(page, /id="resume-found"/);
  assert.doesNotMatch(page, /id="pause-found"/);
});
