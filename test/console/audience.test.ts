import assert from "node:assert/strict";
import { test } from "node:test";
import { previewAudience } from "../../src/tools/outreach/preview-audience.ts";
import { asMember, formOf, type Page } from "../support/http-browser.ts";
import { newReply } from "../support/inbox.ts";
import { audited, authorise, newContact, newSequence } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";

const APPROVER = { email: "ap@b.example", name: "Grace", role: "rep", approve_outbound: true };
const STEP = { type: "email", subject: "Hi {{first_name}}", body: "{{job_title}} of {{company}}", delay_days: 0 };

async function start(t: Parameters<typeof startServer>[0]) {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const sequence = await newSequence(server, { steps: [STEP] });
  const browser = await asMember(server, APPROVER);
  const at = `/console/w/${server.workspaceId}/sequences/${sequence.id}/audience`;
  return { server, sequence, browser, at };
}

test("the audience shows every value of every contact, with its marks, and hidden characters by number", async (t) => {
  const { server, browser, at } = await start(t);
  const job_title = `Call 0800 555 0199 or see http://evil.example ${"x".repeat(300)}`;
  await newContact(server, { first_name: "Ada\u202E", last_name: "Lovelace", job_title });
  const { text } = await browser.get(at);
  assert.ok(text.includes(job_title), "in full");
  for (const mark of ["Agent", "Long", "Link", "Phone number", "Hidden characters"])
    assert.ok(text.includes(mark), mark);
  assert.match(text, /Ada\[U\+202E\] Lovelace/);
  assert.match(text, /From address/);
});

test("the form approves what it showed: a change in between is refused, shown, and can then be approved", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, { job_title: "Countess" });
  const approvals = async () => (await server.operator("get_sequence", { sequence_id: sequence.id })).approvals;
  const send = (page: Page) => browser.post(at, { "contact_ids:list": [ada.id], ...formOf(page, "approve_sequence") });
  const read = await browser.get(at);
  await server.rest("PATCH", `/contacts/${ada.id}`, { body: { job_title: "Call 0800 555 0199" } });
  const refused = await send(read);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /changed while you reviewed them/);
  assert.match(refused.text, /Some contacts changed after you opened this page\. Review them again\./);
  assert.doesNotMatch(refused.text, /Copy hashes/);
  assert.match(refused.text, /<del>Countess<\/del>/);
  assert.deepEqual(await approvals(), []);
  const done = await send(refused);
  assert.equal(done.status, 303, done.text);
  assert.equal((await approvals()).length, 1);
});

test("a changed contact is shown however long the others are, and is no longer selected", async (t) => {
  const { server, browser, at } = await start(t);
  const ada = await newContact(server, { job_title: "Countess" });
  const bulky = { job_title: "ü".repeat(500), company: "ü".repeat(500), last_name: "ü".repeat(500) };
  for (let i = 0; i < 30; i += 1) await newContact(server, bulky);
  const eve = await newContact(server, { job_title: "Baroness" });
  const read = await browser.get(at);
  for (const { id } of [ada, eve])
    await server.rest("PATCH", `/contacts/${id}`, { body: { job_title: "Evil genius" } });
  const form = formOf(read, "approve_sequence");
  const refused = await browser.post(at, {
    ...form,
    "contact_ids:list": [ada.id, eve.id, "", ...others(read, [ada, eve])],
  });
  assert.equal(refused.status, 409);
  const card = refused.text.split('id="changed"')[1]?.split("<fieldset")[0] ?? "";
  assert.match(card, /<del>Baroness<\/del>/, "with what it was");
  assert.equal(card.split("Evil genius").length, 3, "and the one whose values did not fit, as it is now");
  const ticked = [...refused.text.matchAll(/name="contact_ids:list" value="([^"]+)" checked/g)].map(([, id]) => id);
  assert.equal(ticked.length, 30);
  assert.ok(!ticked.includes(ada.id) && !ticked.includes(eve.id));
});

/** The contacts of the form except some. */
const others = ({ text }: Page, but: { id: string }[]) =>
  [...text.matchAll(/name="contact_ids:list" value="([^"]+)"/g)]
    .map(([, id]) => id as string)
    .filter((id) => but.every((one) => one.id !== id));

test("the member who activates an audience also sees every value, and who has changed since", async (t) => {
  const { server, sequence, browser } = await start(t);
  const [ada, bob] = [await newContact(server, { job_title: "Countess" }), await newContact(server)];
  const { id } = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [ada.id, bob.id] });
  await server.rest("PATCH", `/contacts/${bob.id}`, { body: { job_title: "Evil genius" } });
  const { text } = await browser.get(`/console/w/${server.workspaceId}/review/sequence/${id}`);
  for (const value of ["Countess", "Evil genius", ada.email, bob.email]) assert.ok(text.includes(value), value);
  assert.equal(text.split("Needs a new approval").length, 2, "of one of them");
  await authorise(server, sequence.id, [ada.id]);
});

const PAGE = 100;

/** An approval by another caller for more contacts than a page shows. */
async function large(t: Parameters<typeof startServer>[0], count = PAGE + 2) {
  const { server, sequence, browser } = await start(t);
  const contacts: any[] = [];
  for (let i = 0; i < count; i += 1) contacts.push(await newContact(server, { job_title: `Title ${i}.` }));
  // The order of the pages: two contacts of the same millisecond have ids in any order.
  contacts.sort((a, b) => (a.id < b.id ? -1 : 1));
  const contact_ids = contacts.map(({ id }) => id);
  const { id } = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids });
  const at = `/console/w/${server.workspaceId}/review/sequence/${id}`;
  const send = (page: Page, path = at) => browser.post(path, formOf(page, "approve") ?? {});
  const ids = { sequence_id: sequence.id };
  const mayEnroll = async (contact: any) =>
    (await server.rest("POST", "/sequences/enroll", { body: { ...ids, contact_id: contact.id } })).status === 201;
  return { server, sequence, browser, contacts, id, at, send, mayEnroll };
}

test("every contact of a large audience can be read before it is approved, page by page", async (t) => {
  const { browser, contacts, at } = await large(t);
  const [first, second] = [await browser.get(at), await browser.get(`${at}?offset=${PAGE}`)];
  for (const [i, { email, job_title }] of contacts.entries()) {
    const { text } = i < PAGE ? first : second;
    assert.ok(text.includes(email) && text.includes(job_title), `contact ${i}`);
  }
  assert.match(first.text, /Contacts 1–100 of 102/);
  assert.match(first.text, new RegExp(`<a[^>]* href="[^"]*\\?offset=${PAGE}"[^>]*>Next contacts</a>`));
  assert.match(second.text, /Contacts 101–102 of 102/);
  assert.match(second.text, />Previous contacts</);
});

test("a click approves only the contacts that its page showed", async (t) => {
  const { server, sequence, browser, contacts, at, send, mayEnroll } = await large(t, PAGE + 3);
  const approvals = async () => {
    const { approvals } = await server.operator("get_sequence", { sequence_id: sequence.id });
    return approvals.map(({ status, contact_count }: any) => `${contact_count} ${status}`).sort();
  };
  const second = `${at}?offset=${PAGE}`;
  const page = await browser.get(second);
  assert.match(page.text, /Activate 3 contacts/);
  await server.operator("archive_contact", { contact_id: contacts[PAGE].id });
  const refused = await send(page, second);
  assert.equal(refused.status, 409, "one of them is archived since");
  assert.match(refused.text, /Activate 2 contacts/);
  const done = await send(refused, second);
  assert.equal(done.status, 303, done.text);
  assert.equal(done.location, at, "the others are next");
  assert.deepEqual(await approvals(), ["101 approved", "2 applied"]);
  assert.deepEqual([await mayEnroll(contacts[0]), await mayEnroll(contacts[PAGE + 2])], [false, true]);

  const empty = await browser.get(second);
  assert.doesNotMatch(empty.text, /id="approve"/, "a page without contacts approves nobody");
  const last = await send(await browser.get(at));
  assert.equal(last.status, 303, last.text);
  assert.deepEqual(await approvals(), ["101 applied", "2 applied"], "of this page all but an archived one were left");
  assert.equal(await mayEnroll(contacts[0]), true);
});

test("pages that one member activates in a row are one approval; after another member's page a new one begins", async (t) => {
  const { server, browser, contacts, at } = await large(t, 5);
  const other = await asMember(server, { ...APPROVER, email: "eve@b.example", name: "Eve" });
  const read = (await browser.get(at)).text;
  const apply = async (by: typeof browser, index: number) => {
    const { id } = contacts[index];
    const hash = new RegExp(`value="${id} ([0-9a-f]+)"`).exec(read)?.[1];
    const form = formOf(await by.get(at), "approve") ?? {};
    const field = Object.keys(form).find((name) => name.startsWith("copy_hashes")) ?? "";
    const done = await by.post(at, { ...form, [field]: [`${id} ${hash}`] });
    assert.equal(done.status, 303, done.text);
    const [{ after }] = await audited(server, "apply_sequence_approval");
    return after.id;
  };
  const first = await apply(browser, 0);
  assert.equal(await apply(browser, 1), first);
  const second = await apply(other, 2);
  const third = await apply(browser, 3);
  assert.equal(new Set([first, second, third]).size, 3);
});

test("a contact who changes between page and click is not approved, and the page shows the change", async (t) => {
  const { server, sequence, browser } = await start(t);
  const [ada, bob] = [await newContact(server, { job_title: "Countess" }), await newContact(server)];
  const { id } = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [ada.id, bob.id] });
  const at = `/console/w/${server.workspaceId}/review/sequence/${id}`;
  const read = await browser.get(at);
  await server.rest("PATCH", `/contacts/${ada.id}`, { body: { job_title: "Call 0800 555 0199" } });
  const refused = await browser.post(at, formOf(read, "approve") ?? {});
  assert.equal(refused.status, 409);
  assert.match(refused.text, /<del>Countess<\/del>/);
  assert.equal((await server.operator("get_review", { kind: "sequence", id })).approval.status, "approved");
});

test("the sequence's page links to activation in Review, which shows every contact", async (t) => {
  const { server, sequence, browser } = await start(t);
  const contact = await newContact(server);
  const { id } = await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [contact.id] });
  const { text } = await browser.get(`/console/w/${server.workspaceId}/sequences/${sequence.id}`);
  assert.doesNotMatch(text, /value="apply_sequence_approval"/);
  assert.ok(text.includes(`href="/console/w/${server.workspaceId}/review/sequence/${id}?from=sequence"`));
});

test("the form pins the steps that its page shows, even if a teammate edits them afterward", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server);
  const { handler } = previewAudience;
  t.mock.method(previewAudience, "handler", async (...given: Parameters<typeof handler>) => {
    const steps = [{ ...STEP, subject: "What nobody saw" }];
    await server.operator("update_sequence", { sequence_id: sequence.id, steps });
    return handler(...given);
  });
  const page = await browser.get(at);
  assert.ok(page.text.includes(STEP.subject));
  const sent = await browser.post(at, { "contact_ids:list": [ada.id], ...formOf(page, "approve_sequence") });
  assert.equal(sent.status, 409);
  assert.deepEqual((await server.operator("get_sequence", { sequence_id: sequence.id })).approvals, []);
});

test("a search keeps to the stage and the tag that are selected", async (t) => {
  const { server, browser, at } = await start(t);
  const tagged = await newContact(server, { first_name: "Acmea" });
  await server.rest("POST", `/contacts/${tagged.id}/tags`, { body: { tags: ["fair"] } });
  const other = await newContact(server, { first_name: "Acmeb" });
  const found = async (query: string) => {
    const { text } = await browser.get(`${at}?q=Acme${query}`);
    return [tagged, other].map(({ id }) => text.includes(id));
  };
  assert.deepEqual(await found(""), [true, true]);
  assert.deepEqual(await found("&tag=fair"), [true, false]);
  assert.deepEqual(await found("&stage=customer"), [false, false]);
  assert.deepEqual(await found("&stage=prospect&tag=fair"), [true, false]);
});

test("changed steps are refused in words of the page, without the name of a hidden field", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, {});
  const read = await browser.get(at);
  await server.operator("update_sequence", { sequence_id: sequence.id, steps: [{ ...STEP, body: "Another text." }] });
  const refused = await browser.post(at, { ...formOf(read, "approve_sequence"), "contact_ids:list": [ada.id] });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /The steps or the sender changed after you opened this page\. Review them again\./);
  assert.doesNotMatch(refused.text, /Steps hash/);
});

test("the page says when the search was cut, when more pages follow, and when social steps have no account", async (t) => {
  const { server, browser, at } = await start(t);
  for (let i = 0; i < 50; i += 1) await newContact(server, { first_name: "Acme" });
  const cut = /The list shows at most the 50 newest matches of the search/;
  const pages = /You approve one page at a time/;
  const noAccount = /Social account<\/dt><dd>Not set\. Contacts are put on hold at social steps\./;
  assert.match((await browser.get(`${at}?q=Acme`)).text, cut);
  const one = (await browser.get(at)).text;
  for (const hint of [cut, pages, noAccount]) assert.doesNotMatch(one, hint);
  for (let i = 0; i < 51; i += 1) await newContact(server);
  assert.match((await browser.get(at)).text, pages);
  const social = await newSequence(server);
  assert.match((await browser.get(`/console/w/${server.workspaceId}/sequences/${social.id}/audience`)).text, noAccount);
});

const searched = { _q: "", _stage: "", _tag: "", _again: "find" };

test("contacts stay selected when others are searched, also those that no longer match", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada" });
  const grace = await newContact(server, { first_name: "Grace" });
  const first = await browser.get(`${at}?q=Ada`);
  assert.match(first.text, /<input type="search"[^>]* form="approve_sequence" name="_q"[^>]* value="Ada"/);
  const again = { ...formOf(first, "approve_sequence"), "contact_ids:list": ["", ada.id], ...searched, _q: "Grace" };
  const found = await browser.post(`${at}?q=Ada`, again);
  assert.equal(found.status, 303, found.text);
  assert.ok(found.location?.includes(`q=Grace&ids=${ada.id}`), found.location ?? "");
  const page = await browser.get(found.location ?? "");
  const box = (id: string) =>
    new RegExp(`<input type="checkbox"[^>]* value="${id}"[^>]*>`).exec(page.text)?.[0] ?? "none";
  assert.match(box(ada.id), /checked/);
  assert.doesNotMatch(box(grace.id), /checked|none/);
  assert.deepEqual((await server.operator("get_sequence", { sequence_id: sequence.id })).approvals, []);
  const both = { ...formOf(page, "approve_sequence"), "contact_ids:list": ["", ada.id, grace.id] };
  assert.equal((await browser.post(found.location ?? "", both)).status, 303);
  const [approval] = (await server.operator("get_sequence", { sequence_id: sequence.id })).approvals;
  assert.equal(approval.contact_count, 2);
});

test("a selected contact who changes while others are searched is shown, and is no longer selected", async (t) => {
  const { server, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada", job_title: "Countess" });
  const same = await newContact(server, { first_name: "Adam" });
  const first = await browser.get(`${at}?q=Ada`);
  const chosen = { "contact_ids:list": ["", ada.id, same.id] };
  const again = { ...formOf(first, "approve_sequence"), ...chosen, ...searched, _q: "Grace" };
  const { location } = await browser.post(`${at}?q=Ada`, again);
  assert.equal((await browser.get(location ?? "")).text.includes('id="changed"'), false);
  await server.rest("PATCH", `/contacts/${ada.id}`, { body: { job_title: "Call 0800 555 0199" } });
  const page = await browser.get(location ?? "");
  const box = (id: string) =>
    new RegExp(`<input type="checkbox"[^>]* value="${id}"[^>]*>`).exec(page.text)?.[0] ?? "none";
  assert.match(page.text, /id="changed".*Call 0800 555 0199/s);
  assert.doesNotMatch(box(ada.id), /checked|none/);
  assert.match(box(same.id), /checked/);
  const both = { ...formOf(page, "approve_sequence"), ...chosen };
  assert.equal((await browser.post(location ?? "", both)).status, 303, "once they were read again");
});

test("a search says if the steps or the sender changed meanwhile, and selects no one", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada", job_title: "Countess" });
  const first = await browser.get(`${at}?q=Ada`);
  const again = { ...formOf(first, "approve_sequence"), "contact_ids:list": ["", ada.id], ...searched, _q: "Grace" };
  const find = async () => browser.get((await browser.post(`${at}?q=Ada`, again)).location ?? "");
  const checked = ({ text }: Page) =>
    new RegExp(`<input type="checkbox"[^>]* value="${ada.id}"[^>]*checked`).test(text);
  const same = await find();
  assert.deepEqual([checked(same), /steps or the sender changed/.test(same.text)], [true, false]);
  // With the same placeholders, the hash of the contact stays as it is.
  const steps = [{ ...STEP, body: "Wire it today, {{job_title}} of {{company}}" }];
  await server.operator("update_sequence", { sequence_id: sequence.id, steps });
  const other = await find();
  assert.deepEqual([checked(other), /steps or the sender changed/.test(other.text)], [false, true]);
});

test("the address of a search has nothing by which an agent could choose two values that look the same to it", async (t) => {
  const { server, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada", job_title: "Countess" });
  const first = await browser.get(`${at}?q=Ada`);
  const form = formOf(first, "approve_sequence") ?? {};
  const again = { ...form, "contact_ids:list": ["", ada.id], ...searched, _q: "Grace" };
  const { location } = await browser.post(`${at}?q=Ada`, again);
  const [, hash = ""] = form["copy_hashes:hashes"]?.[0]?.split(" ") ?? [];
  assert.match(location ?? "", new RegExp(`${ada.id}\\.[0-9a-f]{16}`));
  assert.ok(!location?.includes(hash.slice(0, 8)), location ?? "");
});

test("a search without matches keeps its form, and a contact archived in between is no longer selected", async (t) => {
  const { server, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada" });
  const none = await browser.get(`${at}?q=Nobody`);
  assert.match(none.text, /No matching contacts/);
  assert.ok(formOf(none, "approve_sequence"), "the search belongs to it");
  await server.operator("archive_contact", { contact_id: ada.id });
  const grace = await newContact(server, { first_name: "Grace" });
  const page = await browser.get(`${at}?ids=${ada.id}`);
  assert.equal(page.status, 200);
  assert.ok(page.text.includes(grace.id) && !page.text.includes(`value="${ada.id}"`));
});

test("a simulation is about the audience of the sequence, or about the newest contacts where there is none", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const ada = await newContact(server, { first_name: "Ada" });
  const simulate = at.replace(/audience$/, "simulate");
  const contacts = async (query = "") => {
    const { text } = await browser.get(`${simulate}${query}`);
    return [...new Set([...text.matchAll(/\?contact=[^"]*">([^<]*)</g)].map(([, name]) => name))];
  };
  assert.deepEqual(await contacts(), ["Ada"]);
  await authorise(server, sequence.id, [ada.id]);
  await newContact(server, { first_name: "Grace" });
  assert.deepEqual(await contacts(), ["Ada"]);
  assert.deepEqual((await contacts("?audience=newest")).sort(), ["Ada", "Grace"]);
  assert.match((await browser.get(simulate)).text, />Activated, 1 contact, \w+ \d+, \d+</);
  await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [ada.id] });
  assert.match((await browser.get(simulate)).text, />Approved, 1 contact, \w+ \d+, \d+</);
  const { id } = await newSequence(server, { name: "Other" });
  const [{ id: approval_id }] = (await server.operator("get_sequence", { sequence_id: sequence.id })).approvals;
  await assert.rejects(
    server.operator("simulate_sequence", { sequence_id: id, approval_id }),
    /approval_not_found|approval/,
  );
});

test("contacts who replied or must not be contacted come last, in groups of their own, and the values of each stay open", async (t) => {
  const { server, browser, at } = await start(t);
  const grace = await newContact(server, { first_name: "Grace", job_title: "Rear admiral" });
  const mary = await newContact(server, { first_name: "Mary", job_title: "Mathematician" });
  const ada = await newContact(server, { first_name: "Ada", job_title: "Countess" });
  await newReply(server, ada, "Yes, please.");
  await server.operator("add_suppression", { email: mary.email });
  const { text } = await browser.get(at);
  const [, calm = "", flagged = "", barred = ""] = text.split('class="flagged"');
  assert.match(calm, /New \(1\).*data-tick="new"[^>]*>Select 1 contact</s);
  assert.match(
    flagged,
    /This contact replied, may have opted out, or has the same profile URL as a contact who replied or opted out\./,
  );
  const rows = (part: string) =>
    [...part.matchAll(/<input type="checkbox"[^>]* value="([^"]+)"([^>]*)/g)].map(([, id, more = ""]) => [
      id,
      more.includes("disabled"),
    ]);
  assert.deepEqual(rows(calm), [[grace.id, false]]);
  assert.deepEqual(rows(flagged), [[ada.id, false]]);
  assert.deepEqual(rows(barred), [[mary.id, true]], "no approval is given by accident");
  assert.match(barred, /1 contact can't be approved\..*Do not contact<.*Gets no emails or social messages\./s);
  assert.match(flagged, /They last replied <time/);
  const unfolded = text.replaceAll(/<details.*?<\/details>/gs, "");
  for (const { email, job_title } of [ada, grace, mary])
    assert.ok(unfolded.includes(email) && unfolded.includes(job_title), email);
});

test("contacts whom an approval covers are marked and can't be selected, those who need a new one can, and say why", async (t) => {
  const { server, sequence, browser, at } = await start(t);
  const names = ["Enrolled", "Changed", "Waiting", "Pending", "Before", "New"];
  const people: Record<string, any> = {};
  for (const first_name of names) people[first_name] = await newContact(server, { first_name, job_title: "Countess" });
  const ids = (...of: string[]) => of.map((name) => people[name].id);
  await authorise(server, sequence.id, ids("Enrolled", "Changed", "Before", "Waiting"));
  for (const name of ["Enrolled", "Changed", "Before"])
    await server.rest("POST", "/sequences/enroll", { body: { sequence_id: sequence.id, contact_id: people[name].id } });
  const [before] = await server.operator("list_enrollments", { contact_id: people.Before.id });
  await server.operator("stop_enrollment", { enrollment_id: before.id });
  await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: ids("Pending") });
  await server.rest("PATCH", `/contacts/${people.Changed.id}`, { body: { job_title: "Rear admiral" } });
  const { text } = await browser.get(`${at}?ids=${ids("Changed", "Enrolled").join()}`);
  const groups = (text.split('class="foot"')[0] ?? "").split('class="flagged"').slice(1);
  const shown = groups.map((group) =>
    [...group.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) => {
      const name = names.find((one) => box.includes(people[one].id));
      return [name, box.includes(" checked"), box.includes(" disabled")].filter(Boolean).join();
    }),
  );
  assert.deepEqual(shown[0], ["Changed,true"], "the way out of a hold is selected");
  assert.deepEqual(shown[1], ["New"]);
  assert.deepEqual(shown[2], ["Before"]);
  assert.deepEqual(shown[3]?.sort(), ["Enrolled,true", "Pending,true", "Waiting,true"], "disabled, and not selected");
  assert.match(
    groups[0] ?? "",
    /Approve again<.*1 contact needs a new approval.*The approval no longer covers this contact\./s,
  );
  assert.match(groups[2] ?? "", /In this sequence before \(1\)/);
  assert.match(groups[3] ?? "", /Already approved \(3\)/);
  for (const label of ["Enrolled", "Activated, not enrolled", "Approved, not activated"])
    assert.ok(groups[3]?.includes(`${label}<`), label);
  for (const name of ["Enrolled", "Pending", "Waiting"])
    assert.ok(!text.includes(`${people[name].id} `), "the form sends no hash of those who can't be selected");
});
