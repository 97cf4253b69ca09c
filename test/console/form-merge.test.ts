import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeForm, writeSnapshot } from "../../src/console/app/form-merge.ts";
import { asOwner, formOf as fieldsOf, type Page } from "../support/http-browser.ts";
import { authorise, newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

const drawn = { phone: ["1"], "windows.0.from": ["09:00"], "windows.0.to": ["17:00"], "on:flag": ["false"] };
const formOf = (typed: Record<string, string[]>) =>
  new Map(Object.entries({ _seen: [writeSnapshot(new Map(Object.entries(drawn)))], ...drawn, ...typed }));
const merged = (typed: Record<string, string[]>, now: Record<string, string[]>) =>
  mergeForm(formOf(typed), new Map(Object.entries({ ...drawn, ...now })));
const merge = (typed: Record<string, string[]>, now: Record<string, string[]>) => {
  const { form, conflict } = merged(typed, now);
  assert.equal(conflict, undefined);
  return Object.fromEntries([...form].slice(1));
};

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
  const { form, conflict } = merged({ phone: ["2"] }, { phone: ["5"], "on:flag": ["false", "true"] });
  assert.equal(conflict?.code, "validation_failed");
  assert.match(conflict.message, /^phone:? changed to “5” after you opened this page\./);
  const again = { ...drawn, phone: ["2"], "on:flag": ["false", "true"] };
  assert.deepEqual(Object.fromEntries([...form].slice(1)), again, "what is shown again");
});

test("each field that both changed is reported", () => {
  const { conflict } = merged({ phone: ["2"], "on:flag": ["false", "true"] }, { phone: ["5"], "on:flag": ["true"] });
  assert.deepEqual(
    conflict?.faults.map((fault) => /^\w+/.exec(fault)?.[0]),
    ["phone", "on"],
  );
});

test("a conflict names a choice by its label, and shows no value of a checkbox or of several fields", () => {
  const before: [string, string[]][] = [
    ["role", ["rep"]],
    ["on:flag", ["false"]],
    ["week:week", ["9-17", "9-17"]],
  ];
  const typed: [string, string[]][] = [
    ["role", ["viewer"]],
    ["on:flag", ["false", "true"]],
    ["week:week", ["", ""]],
  ];
  const form = new Map([["_seen", [writeSnapshot(new Map(before))]], ...typed] as [string, string[]][]);
  const now = new Map([
    ["role", ["org_admin"]],
    ["on:flag", ["true"]],
    ["week:week", ["8-12", "9-17"]],
  ]);
  const choiceLabels = new Map([["role", "Org admin"]]);
  const after = "after you opened this page. Submit again to overwrite the change.";
  assert.deepEqual(mergeForm(form, now, { choiceLabels }).conflict?.faults, [
    `role: changed to “Org admin” ${after}`,
    `on: changed ${after}`,
    `week: changed ${after}`,
  ]);
});

test("a list whose rows were added, removed or changed merges as a whole", () => {
  const added = { "windows.1.from": ["18:00"], "windows.1.to": ["19:00"] };
  assert.deepEqual(merge({}, added), { ...drawn, ...added });
  assert.deepEqual(merge(added, {}), { ...drawn, ...added });
  const moved = merged({ "windows.0.from": ["08:00"] }, added).conflict;
  assert.match(moved?.message ?? "", /^windows changed after you opened this page/);
  assert.match(merged(added, { "windows.0.to": ["16:00"] }).conflict?.message ?? "", /^windows/);
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
    assert.equal(mergeForm(form, new Map([["phone", ["2"]]])).conflict?.code, "validation_failed");
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
  assert.match(refused.text, /changed to “Adele” after you opened this page/);
  const again = { ...mine, first_name: "Ada B.", phone: "+49 30 1", _seen: seenIn(refused.text, "update_contact") };
  assert.equal((await owner.post(path, again)).status, 303);
  assert.equal((await server.rest("GET", `/contacts/${id}`)).body.data.first_name, "Ada B.");
});

test("a value that an agent writes at the same time is not recorded as the member's", async (t) => {
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
  assert.match(refused.text, /changed to “Evil” after you opened this page/);
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

/** What a browser would send of a page's form without fields that have choices. */
function fieldsIn({ text }: Page, id: string): Record<string, string[]> {
  const form = new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, "s").exec(text)?.[1] ?? "";
  const fields: Record<string, string[]> = {};
  const add = (name = "", value = "") => {
    fields[name] = [...(fields[name] ?? []), value.replaceAll("&quot;", '"')];
  };
  for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag)) continue;
    add(/ name="([^"]*)"/.exec(tag)?.[1], / value="([^"]*)"/.exec(tag)?.[1]);
  }
  for (const [, name, value] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)<\/textarea>/gs))
    add(name, value);
  return fields;
}

test("a sequence that a teammate changed in between is overwritten by the second submission, with what was typed", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const email = (body: string) => ({ type: "email", subject: "Hi", body, delay_days: 0 });
  const first = { name: "Spring", description: "For leads", steps: [email("One")] };
  const { id: sequence_id } = await newSequence(server, first);
  const path = `/console/w/${server.workspaceId}/sequences/${sequence_id}/edit`;
  const stored = async () => {
    const { name, description, steps } = await server.operator("get_sequence", { sequence_id });
    return { name, description, steps };
  };
  const teammate = (changes: object) => server.operator("update_sequence", { sequence_id, ...changes });
  const open = async () => fieldsIn(await owner.get(path), "update_sequence");

  const cases = [
    { typed: { name: "Mine" }, theirs: { name: "Theirs" }, saved: { name: "Mine" } },
    { typed: { description: "Mine" }, theirs: { description: "Theirs" }, saved: { description: "Mine" } },
    { typed: { "steps.0.body": "Mine" }, theirs: { steps: [email("Theirs")] }, saved: { steps: [email("Mine")] } },
    {
      typed: { "steps.0.body": "Mine" },
      theirs: { steps: [{ type: "wait", days: 2 }, email("Theirs")] },
      saved: { steps: [email("Mine")] },
    },
  ];
  for (const { typed, theirs, saved } of cases) {
    await teammate(first);
    const form = await open();
    await teammate(theirs);
    const refused = await owner.post(path, { ...form, ...typed });
    assert.equal(refused.status, 400, JSON.stringify(typed));
    assert.match(refused.text, /changed.* after you opened this page\. Submit again to overwrite the change\./);
    const again = fieldsIn(refused, "update_sequence");
    assert.equal((await owner.post(path, again)).status, 303);
    assert.deepEqual(await stored(), { ...first, ...saved });
  }

  // A change after the page that showed the conflict is a conflict of its own.
  await teammate(first);
  const form = await open();
  await teammate({ name: "Theirs" });
  const refused = await owner.post(path, { ...form, name: "Mine" });
  await teammate({ name: "Newest" });
  const newer = await owner.post(path, fieldsIn(refused, "update_sequence"));
  assert.equal(newer.status, 400);
  assert.match(newer.text, /changed to “Newest” after you opened this page/);
});

test("a conflict names the choice of a teammate by its label", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/settings`;
  const { id: member_id } = await server.operator("invite_member", { email: "r@x.example", name: "Rep", role: "rep" });
  const form = fieldsIn(await owner.get(path), `set-${member_id}`);
  await server.operator("set_member", { member_id, role: "org_admin" });
  const refused = await owner.post(path, { ...form, role: "viewer" });
  assert.match(refused.text, /role="alert"[^>]*>Role changed to “Org admin” after you opened this page\./);
});

test("the second submission overwrites only what the sender changed", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const step = { type: "socialnet_message", body: "One", delay_days: 0 };
  const { id: sequence_id } = await newSequence(server, { name: "Spring", description: null, steps: [step] });
  const path = `/console/w/${server.workspaceId}/sequences/${sequence_id}/edit`;
  const form = fieldsIn(await owner.get(path), "update_sequence");
  const theirs = { name: "Theirs", description: "Theirs", steps: [{ type: "wait", days: 2 }, step] };
  await server.operator("update_sequence", { sequence_id, ...theirs });
  const refused = await owner.post(path, { ...form, name: "Mine" });
  assert.match(refused.text, /Name changed to “Theirs” after you opened this page/);
  assert.equal((await owner.post(path, fieldsIn(refused, "update_sequence"))).status, 303);
  const { name, description, steps } = await server.operator("get_sequence", { sequence_id });
  assert.deepEqual({ name, description, steps }, { ...theirs, name: "Mine" });
});

test("sending hours that a teammate changed in between are overwritten by the second submission", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/settings/workspace`;
  const hours = (to: string) => ({ days: [1, 2], from: "09:00", to });
  const set = (changes: object) => server.operator("set_sending_policy", changes);
  const stored = async () => (await server.operator("get_workspace", {})).sending_policy;
  for (const theirs of [[hours("16:00")], [hours("17:00"), hours("18:00")], []]) {
    await set({ windows: [hours("17:00")], daily_cap: 5 });
    const form = fieldsIn(await owner.get(path), "set_sending_policy");
    await set({ windows: theirs, daily_cap: 7 });
    const refused = await owner.post(path, { ...form, "windows.0.to": "12:00" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /changed after you opened this page\. Submit again to overwrite the change\./);
    assert.equal((await owner.post(path, fieldsIn(refused, "set_sending_policy"))).status, 303);
    const { windows, daily_cap } = await stored();
    assert.deepEqual([windows, daily_cap], [[hours("12:00")], 7]);
  }

  // Without hours of its own, the form still merges those of a teammate.
  await set({ windows: [] });
  const form = fieldsIn(await owner.get(path), "set_sending_policy");
  await set({ windows: [hours("16:00")] });
  assert.equal((await owner.post(path, { ...form, "daily_cap:limit": "9" })).status, 303);
  const { windows, daily_cap } = await stored();
  assert.deepEqual([windows, daily_cap], [[hours("16:00")], 9]);
});
