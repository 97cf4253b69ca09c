import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeForm, writeSnapshot } from "../../src/console/app/form-merge.ts";
import { asOwner, formOf as fieldsOf, type Page } from "../support/http-browser.ts";
import { authorise, newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

const drawn = { phone: ["1"], "windows.0.from": ["09:00"], "windows.0.to": ["17:00"], "on:flag": ["false"] };
const formOf = (typed: Record<string, string[]>) =>
  new Map(Object.entries({ _seen: [writeSnapshot(new Map(Object.entries(drawn)))], ...drawn, ...typed }));
const merge = (typed: Record<string, string[]>, now: Record<string, string[]>) =>
  Object.fromEntries([...mergeForm(formOf(typed), new Map(Object.entries({ ...drawn, ...now }))).form].slice(1));

test("a change made only by a teammate is merged, and one made only by the sender stays", () => {
  assert.deepEqual(merge({ phone: ["2"] }, { "on:flag": ["false", "true"] }), {
    ...drawn,
    phone: ["2"],
    "on:flag": ["false", "true"],
  });
  assert.deepEqual(merge({}, {}), drawn);
  assert.deepEqual(merge({ phone: ["3"] }, { phone: ["3"] }), { ...drawn, phone: ["3"] });
});

test("a field that both changed is refused by name, with its current value", () => {
  assert.throws(() => merge({ phone: ["2"] }, { phone: ["5"] }), {
    code: "validation_failed",
    message: /^phone:? was changed by a teammate to “5”\./,
  });
});

test("a list whose rows were added, removed or changed merges as a whole", () => {
  const added = { "windows.1.from": ["18:00"], "windows.1.to": ["19:00"] };
  assert.deepEqual(merge({}, added), { ...drawn, ...added });
  assert.deepEqual(merge(added, {}), { ...drawn, ...added });
  assert.throws(() => merge({ "windows.0.from": ["08:00"] }, added), {
    message: /^windows\.0\.from was changed by a teammate/,
  });
  assert.throws(() => merge(added, { "windows.0.to": ["16:00"] }), { message: /^windows/ });
});

test("an operation that leaves alone what it isn't given gets only what the sender changed", () => {
  const now = new Map(Object.entries({ ...drawn, phone: ["5"] }));
  const partial = (typed: Record<string, string[]>) =>
    Object.fromEntries([...mergeForm(formOf(typed), now, { isPartial: true }).form].slice(1));
  assert.deepEqual(partial({ "on:flag": ["false", "true"] }), { "on:flag": ["false", "true"] });
  assert.deepEqual(partial({ "windows.0.to": ["16:00"] }), { "windows.0.from": ["09:00"], "windows.0.to": ["16:00"] });
});

test("a form in which the sender changed nothing writes nothing, if its operation leaves alone what it isn't given", () => {
  const now = new Map(Object.entries({ ...drawn, phone: ["5"] }));
  const isUnchanged = (form: Map<string, string[]>, isPartial: boolean) =>
    mergeForm(form, now, { isPartial }).isUnchanged;
  assert.equal(isUnchanged(formOf({}), true), true);
  assert.equal(isUnchanged(formOf({}), false), false);
  assert.equal(isUnchanged(formOf({ "on:flag": ["false", "true"] }), true), false);
  const withoutFields = new Map([["lifecycle", ["lead"]]]);
  assert.equal(mergeForm(withoutFields, new Map(), { isPartial: true }).isUnchanged, false);
});

test("the form's own description of itself is parsed defensively", () => {
  for (const text of ["", "{", "null", "[1]", '{"phone":1}', '"x"']) {
    const form = new Map(Object.entries({ _seen: [text], phone: ["1"] }));
    assert.throws(() => mergeForm(form, new Map([["phone", ["2"]]])), { code: "validation_failed" });
    assert.deepEqual(mergeForm(form, new Map([["phone", ["1"]]])).form, form);
  }
});

const seenIn = (text: string, form: string) => {
  const [, at = ""] = new RegExp(`<form[^>]*id="${form}"(.*?)</form>`, "s").exec(text) ?? [];
  return (/name="_seen" value="([^"]*)"/.exec(at)?.[1] ?? "").replaceAll("&quot;", '"');
};

test("two people edit one contact: different fields merge, the same field is reported, and resending resolves it", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const { id } = body.data;
  const path = `/console/w/${server.workspaceId}/contacts/${id}`;
  const seen = seenIn((await owner.get(path)).text, "update_contact");
  assert.match(seen, /"phone":/);
  const empty = { last_name: "", job_title: "", website: "", socialnet_url: "" };
  const form = { _do: "update_contact", _form: "update_contact", _seen: seen, id, ...empty };
  await server.operator("update_contact", { id, phone: "+49 30 1" });
  const mine = { ...form, email: "a@x.example", first_name: "Adele", phone: "" };
  const saved = await owner.post(path, mine);
  assert.equal(saved.status, 303);
  const after = (await server.rest("GET", `/contacts/${id}`)).body.data;
  assert.deepEqual([after.first_name, after.phone], ["Adele", "+49 30 1"]);
  const refused = await owner.post(path, { ...mine, first_name: "Ada B." });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /changed by a teammate to “Adele”/);
  const again = { ...mine, first_name: "Ada B.", phone: "+49 30 1", _seen: seenIn(refused.text, "update_contact") };
  assert.equal((await owner.post(path, again)).status, 303);
  assert.equal((await server.rest("GET", `/contacts/${id}`)).body.data.first_name, "Ada B.");
});

test("a value that an agent writes meanwhile is not recorded as the member's", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example", first_name: "Ada" } });
  const { id } = body.data;
  const path = `/console/w/${server.workspaceId}/contacts/${id}`;
  const seen = seenIn((await owner.get(path)).text, "update_contact");
  const rest = {
    email: "a@x.example",
    first_name: "Ada",
    last_name: "",
    job_title: "",
    website: "",
    socialnet_url: "",
  };
  await server.rest("PATCH", `/contacts/${id}`, { body: { last_name: "Byron" } });
  const form = { _do: "update_contact", _form: "update_contact", _seen: seen, id, ...rest, phone: "+49 30 1" };
  assert.equal((await owner.post(path, form)).status, 303);
  const { contact, provenance } = await server.operator("get_contact_record", { id });
  assert.deepEqual([contact.last_name, contact.phone], ["Byron", "+49 30 1"]);
  assert.notEqual(provenance.last_name.source, "member");
  assert.equal(provenance.phone.source, "member");
});

test("saving a contact without a change writes nothing, and the page says so", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { body } = await server.rest("POST", "/contacts", { body: { email: "a@x.example", phone: "1" } });
  const { id } = body.data;
  const path = `/console/w/${server.workspaceId}/contacts/${id}`;
  const form = fieldsOf(await owner.get(path), "update_contact");
  const typed = { first_name: "", last_name: "", email: "a@x.example", job_title: "", phone: "1" };
  const unchanged = { ...form, ...typed, socialnet_url: "", website: "" };
  await server.rest("PATCH", `/contacts/${id}`, { body: { phone: "2" } });
  // The operation refuses every edit now, so an answer without a refusal means that it was not called.
  await server.operator("set_billing", { state: "delinquent" });
  const saved = await owner.post(path, unchanged);
  assert.equal(saved.status, 303, saved.text);
  assert.match((await owner.get(saved.location ?? "")).text, />No changes to save\.</);
  assert.equal((await owner.post(path, { ...unchanged, website: "https://x.example" })).status, 402);
  const { contact, provenance } = await server.operator("get_contact_record", { id });
  assert.deepEqual([contact.phone, provenance.phone.source], ["2", "public_api"]);
});

test("a sequence selected in a form is enrolled in, even if another is offered first by then", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_WORKERS: "off" } });
  const contact = await newContact(server);
  const offered = await newSequence(server, { name: "Offered" });
  await authorise(server, offered.id, [contact.id]);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/contacts/${contact.id}`;
  const form = fieldsOf(await owner.get(path), "enroll_contact");
  const newer = await newSequence(server, { name: "Newer" });
  await authorise(server, newer.id, [contact.id]);
  assert.equal((await owner.post(path, { ...form, sequence_id: offered.id })).status, 303);
  const enrolled = await server.operator("list_enrollments", { contact_id: contact.id });
  assert.deepEqual(
    enrolled.map(({ sequence_id }: any) => sequence_id),
    [offered.id],
  );
});

test("a member confirms only what they read: an agent's later write is refused, and nothing is confirmed", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const made = await server.rest("POST", "/contacts", { body: { first_name: "Ada", company: "Acme" } });
  const { id } = made.body.data;
  const path = `/console/w/${server.workspaceId}/contacts/${id}`;
  const send = async (page: Page, does: string, fields: Record<string, string>) =>
    owner.post(path, { ...(fieldsOf(page, does) as Record<string, string[]>), ...fields });
  const read = await owner.get(path);
  await server.rest("PATCH", `/contacts/${id}`, { body: { company: "Evil" } });
  const refused = await send(read, "confirm_company", { company: "Acme" });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /changed by a teammate to “Evil”/);
  const source = async () => (await server.operator("get_contact_record", { id })).provenance.company.source;
  assert.equal(await source(), "public_api");
  assert.equal((await send(refused, "confirm_company", { company: "Acme" })).status, 303);
  assert.equal((await server.rest("GET", `/contacts/${id}`)).body.data.company, "Acme");
  assert.equal(await source(), "member");
});

test("a form redrawn with another row or checked boxes is submitted as shown", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/settings/keys`;
  const typed = { _do: "create_key", _form: "create_key", name: "Claude" };
  const { text } = await owner.post(path, { ...typed, "scopes:list": "", _again: "everything" });
  assert.equal(seenIn(text, "create_key"), "");
  assert.match(text, /value="Claude"/);
  const made = await owner.post(path, { ...typed, "scopes:list": "contacts.read" });
  assert.equal(made.status, 200);
  assert.match(made.text, /ros_live_/);
});
