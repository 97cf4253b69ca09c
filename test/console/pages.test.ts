import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { findOperation } from "../../src/cli/operator.ts";
import { screens } from "../../src/console/pages/index.ts";
import { permissionFor } from "../../src/core/policy.ts";
import { memberMay, ROLES, type Role } from "../../src/domain/access/roles.ts";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { openBeside } from "../support/beside.ts";
import { newCard, newPost } from "../support/checklist.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { RECONNECT, startLocal } from "../support/events.ts";
import { asMember, asOwner, Browser, formOf, type Page } from "../support/http-browser.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { ROOT } from "../support/program.ts";
import { Receiver } from "../support/receiver.ts";
import { sendRow, unknownSend } from "../support/sends.ts";
import { armed, authorise, enroll, newContact } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

const may = (role: Role, approves: boolean, operation: string) =>
  memberMay(role, approves, permissionFor(findOperation(operation)));

const ITEM = "ON-14";

/** A contact whose deal only an agent reported as won. */
async function wonByAgent(server: TestServer): Promise<string> {
  const { id } = await newContact(server);
  const no = { confirmed: false };
  await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-01-05" });
  await server.operator("confirm_bant", { contact_id: id, budget: no, authority: no, need: no, timeline: no });
  for (const lifecycle of ["lead", "opportunity"]) await server.operator("update_contact", { id, lifecycle });
  await server.rest("POST", "/deals", { body: { contact_id: id, title: "Engine", stage: "closed_won" } });
  return id;
}

/** A workspace with a record of every kind, and each screen's path in it. */
async function furnished(t: TestContext) {
  const server = await startLocal(t, { env: ON });
  const agent = await Agent.of(server, new FakeClock());
  const { contact, sequence, ids } = await armed(server);
  await unknownSend(server, (await enroll(server, ids)).body.data);
  // Two of them are also settled together.
  await unknownSend(server, (await enroll(server, (await armed(server)).ids)).body.data);
  const changed = await newContact(server, { email: "changed@b.example" });
  // One needs a new approval, one a release, and one can still be enrolled.
  const lacking = await newContact(server, { email: "lacking@b.example" });
  const waiting = await newContact(server, { email: "waiting@b.example" });
  await authorise(server, sequence.id, [changed.id, lacking.id, waiting.id]);
  await server.operator("update_contact", { id: changed.id, first_name: "Grace" });
  await enroll(server, { ...ids, contact_id: changed.id });
  const { id: held } = (await enroll(server, { ...ids, contact_id: lacking.id })).body.data;
  const hold = { dueAt: Date.now(), heldReason: "unfilled" } as const;
  await server.running.store.write(server.workspaceId, ({ enrollments }) => enrollments.wait(held, 0, hold));
  const next = await newContact(server, { company: "Acme", email: "next@b.example" });
  await server.operator("approve_sequence", { sequence_id: sequence.id, contact_ids: [next.id] });
  const deal = (await server.rest("POST", "/deals", { body: { contact_id: contact.id, title: "Engine" } })).body.data;
  const nearlyCustomer = await wonByAgent(server);
  const account = await server.operator("create_account", { name: "Acme" });
  const receiver = await Receiver.start(t);
  await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
  await server.operator("invite_member", { email: "other@b.example", name: "Other", role: "viewer" });
  await server.operator("invite_member", { email: "second@b.example", name: "Second", role: "viewer" });
  // The last use of a key is recorded later. Then the setup guide is done, and no longer shown.
  await until(async () => (await server.operator("get_setup_guide", {})).done);
  // For a checklist item, one record in every state that has a form.
  await newCard(server, "OT-02");
  const publish = await newPost(server, ITEM);
  await server.operator("decide_post", { post_id: publish, decision: "approve" });
  await server.operator("mark_checklist_item", { item_id: ITEM, status: "in_progress" });
  const documents = shippedCatalog().items.filter((item) => acceptedOutputKinds(item).includes("document"));
  const card = await newCard(server, documents[0]?.id);
  const approvedItem = documents[1]?.id ?? "";
  const approvedCard = await newCard(server, approvedItem);
  await server.operator("decide_card", { card_id: approvedCard, decision: "approve" });
  const post = await newPost(server, ITEM);
  const [approval] = await server.operator("list_review", { kind: "sequence" });
  await agent.heartbeat();
  const actions = {
    planned: await agent.at("planned"),
    held: await agent.at("held"),
    unknown: await agent.at("needs_review"),
    approved: await agent.at("approved"),
  };
  const replied = await newConversation(server, { email: "replied@b.example" });
  const answer = await newAnswer(server, replied.id);
  const sent = await server.operator("answer_by_email", { contact_id: replied.id, body: "Hello.", delivery: "files" });
  const done = await newConversation(server, { email: "done@b.example" });
  await server.operator("mark_conversation", { contact_id: done.id, as: "done" });
  const reachable = await newConversation(server, { socialnet_url: "https://socialnet.example/in/reachable" });
  const records = {
    inbox: replied.id,
    contacts: contact.id,
    accounts: account.id,
    deals: deal.id,
    checklist: ITEM,
    agents: agent.account.id,
    review: card,
  };
  const pathOf = (path: string) => {
    const id = records[path.split("/")[1] as keyof typeof records] ?? sequence.id;
    const ids = { ":id": id, ":kind": "card", ":stage": "proposal", ":action": actions.planned.id };
    const named = path.replace(/:\w+/g, (name) => ids[name as keyof typeof ids]);
    return `/console/w/${server.workspaceId}${path === "/" ? "" : named}`;
  };
  /** Records in states that the screens' own paths do not show. */
  const review = (kind: string, id: string) => ({ path: `/review/${kind}/${id}`, on: "/review/:kind/:id" });
  const more = [
    { path: `/agents/:id/plan?contact=${actions.planned.contact.id}`, on: "/agents/:id/plan" },
    { path: `/agents/:id/actions/${actions.held.id}`, on: "/agents/:id/actions/:action" },
    { path: `/agents/:id/actions/${actions.unknown.id}`, on: "/agents/:id/actions/:action" },
    { path: `/agents/:id/actions/${actions.approved.id}`, on: "/agents/:id/actions/:action" },
    { path: `/checklist/${approvedItem}`, on: "/checklist/:id" },
    { path: `/contacts/${nearlyCustomer}`, on: "/contacts/:id" },
    ...[review("sequence", approval.id), review("post", post), review("publish", publish)],
    ...[review("answer", answer.id), review("answer", `${answer.id}?view=edit`), review("answer", sent.id)],
    review("action", `${actions.planned.id}?view=edit`),
    { path: `/deals/new?contact=${contact.id}`, on: "/deals/new" },
    ...[done.id, reachable.id].map((id) => ({ path: `/inbox/${id}`, on: "/inbox/:id" })),
    ...[review("action", actions.planned.id), review("action", actions.held.id)],
    ...[review("action", actions.approved.id), review("card", approvedCard)],
  ];
  return { server, pathOf, more };
}

const offered = ({ text }: Page) => [...text.matchAll(/name="_do" value="(\w+)"/g)].map(([, name]) => name as string);

/** Every role, with and without the approval permission. */
const WHO = ROLES.flatMap((role) =>
  [false, true].map((approves) => ({ role, approves, name: approves ? `${role} who approves` : role })),
);
type Who = (typeof WHO)[number];

const browserOf = (server: TestServer, { role, approves, name }: Who) =>
  asMember(server, { email: `${role}-${approves}@b.example`, name, role, approve_outbound: approves });

const ANYWHERE = ["pause_outreach", "resume_outreach"];

test("each page opens only for the roles that can read it, and each form is offered only to those who can use it", async (t) => {
  const { server, pathOf, more } = await furnished(t);
  const seen = new Map<string, Set<string>>();
  const note = (form: string, name: string) => seen.set(form, (seen.get(form) ?? new Set()).add(name));
  const browsers = new Map<string, Browser>();
  for (const who of WHO) {
    const { role, approves, name } = who;
    const browser = await browserOf(server, who);
    browsers.set(name, browser);
    for (const { path, needs } of screens) {
      const page = await browser.open(pathOf(path));
      assert.equal(page.status, may(role, approves, needs) ? 200 : 403, `${name} ${path}`);
      for (const form of offered(page)) note(`${form} on ${path}`, name);
      for (const [, href = ""] of page.text.matchAll(/<a[^>]* href="(\/console\/w\/[^"?#]*)/g)) {
        const at = href.slice(`/console/w/${server.workspaceId}`.length) || "/";
        const led = screens.find((screen) => screen.path === at);
        if (led) assert.ok(may(role, approves, led.needs), `${name} is led from ${path} to ${at}`);
      }
    }
  }
  await server.operator("pause_outreach", {});
  for (const [name, browser] of browsers) {
    for (const form of offered(await browser.get(pathOf("/")))) note(`${form} on /`, name);
    for (const { path, on } of more) {
      for (const form of offered(await browser.get(pathOf(path)))) note(`${form} on ${on}`, name);
    }
  }
  for (const { path, needs, forms = [] } of screens) {
    for (const operation of [...ANYWHERE, ...forms]) {
      const to = seen.get(`${operation} on ${path}`);
      // Forms that the records here don't trigger are listed below. Pausing needs none.
      assert.ok(to !== undefined || operation !== "pause_outreach", `nobody is offered to pause on ${path}`);
      if (to === undefined) continue;
      for (const { role, approves, name } of WHO) {
        // A refused page also has the frame.
        const opens = ANYWHERE.includes(operation) || may(role, approves, needs);
        const meant = opens && may(role, approves, operation);
        await t.test(`${operation} on ${path} is ${meant ? "" : "not "}offered to ${name}`, () => {
          assert.equal(to.has(name), meant);
        });
      }
    }
  }
  const found = new Set([...seen.keys()].map((form) => form.split(" ")[0]));
  // Needs a record that these tests can't create, a finished delivery; or another engine.
  // The test message needs a mail server, samples those that were added, and the guide a workspace that lacks something.
  const guide = ["add_sample_contacts", "remove_sample_contacts", "send_test_email", "set_setup_guide"];
  const rare = [...(isPostgres ? ["back_up_server"] : []), "resend_delivery", ...guide].sort();
  const all = new Set([...ANYWHERE, ...screens.flatMap(({ forms = [] }) => forms)]);
  assert.deepEqual([...all].filter((name) => !found.has(name)).sort(), rare);
});

test("a forged call that a role can't make is refused and changes nothing", async (t) => {
  const { server, pathOf } = await furnished(t);
  const audit = async () => JSON.stringify(await server.operator("list_audit", { limit: 100 }));
  for (const who of WHO) {
    const { role, approves, name } = who;
    const browser = await browserOf(server, who);
    const before = await audit();
    for (const { path, forms = [] } of screens) {
      for (const operation of [...forms, ...ANYWHERE]) {
        if (may(role, approves, operation)) continue;
        await t.test(`${name} calls ${operation} on ${path}`, async () => {
          const form = { _do: operation, _token: `${name} ${path} ${operation}` };
          assert.equal((await browser.post(pathOf(path), form)).status, 403);
        });
      }
    }
    assert.equal(await audit(), before);
  }
});

test("a page calls only the operations that its forms name", async (t) => {
  const { server, pathOf } = await furnished(t);
  const browser = await asOwner(server);
  for (const name of ["set_billing", "create_workspace", "no_such_operation", "__proto__", ""]) {
    assert.equal((await browser.post(pathOf("/contacts"), { _do: name, state: "delinquent" })).status, 404, name);
  }
});

test("a form that is sent twice runs once, and both requests get the same answer", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/settings/keys`;
  const token = Browser.hidden(await browser.get(path), "_token");
  const form = { _do: "create_key", _token: token, name: "twice", "scopes:list": ["contacts.read"] };
  const [one, two] = await Promise.all([browser.post(path, form), browser.post(path, form)]);
  assert.equal(one.status, 200);
  assert.equal(one.text, two.text);
  const key = /ros_live_[\w-]{43}/.exec(one.text)?.[0] ?? "";
  assert.equal((await server.rest("GET", "/contacts", { key })).status, 200, "the key that is shown works");
  assert.equal(one.headers.get("cache-control"), "no-store");
  const keys = (await server.operator("list_keys", {})) as { name: string }[];
  assert.equal(keys.filter(({ name }) => name === "twice").length, 1);
  assert.ok(!(await browser.get(path)).text.includes(key), "it is not shown again");
  const changed = await browser.post(path, { ...form, name: "another" });
  assert.ok(!changed.text.includes(key), "somebody who goes back and changes it sends another form");
});

test("a refused form keeps the typed text, names the field, and focuses it", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/contacts`;
  const form = { _do: "create_contact", _form: "create_contact", first_name: "<Ada>", email: "no address" };
  const page = await browser.post(path, form);
  assert.equal(page.status, 400);
  assert.match(page.text, /Email is invalid\. Use the form name@example\.com\./);
  assert.match(
    page.text,
    /<input(?=[^>]*name="email")(?=[^>]*autofocus)(?=[^>]*aria-invalid="true")(?=[^>]*value="no address")/,
  );
  assert.match(page.text, /name="first_name"[^>]*value="&lt;Ada>"/);
  assert.match(page.text, /aria-describedby="create_contact-fault"/);
  const taken = await browser.post(path, { ...form, email: "ada@b.example", _then: "contacts/{id}" });
  assert.equal(taken.status, 303);
  assert.match(taken.location ?? "", new RegExp(`^${path}/[0-9a-f-]{36}$`));
  assert.match((await browser.get(taken.location ?? "")).text, /role="status">Contact added/);
  assert.doesNotMatch((await browser.get(taken.location ?? "")).text, /role="status">/, "said once");
});

test("text from people and agents is escaped on every page", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const body = {
    first_name: evil,
    last_name: evil,
    company: evil,
    job_title: evil,
    website: evil,
  };
  const { id } = (await server.rest("POST", "/contacts", { body })).body.data;
  // The API refuses this one, but an older row may have it.
  const db = openBeside(server.folder);
  t.after(() => db.close());
  db.prepare("UPDATE contacts SET website = ? WHERE id = ?").run(`javascript:alert(1)//${evil}`, id);
  await server.rest("POST", `/contacts/${id}/activities`, { body: { type: "note_added", body: evil } });
  await server.operator("create_key", { name: evil, scopes: ["contacts.read"] });
  for (const path of ["", "/contacts", `/contacts/${id}`, "/contacts?q=%22%3E%3Cscript", "/settings/keys", "/audit"]) {
    const { text, headers } = await browser.get(`/console/w/${server.workspaceId}${path}`);
    assert.doesNotMatch(text, /<script>|<img src=x|href="javascript:/, path);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none';script-src 'self';style-src 'self'/);
    assert.doesNotMatch(text, / style="| on\w+="/);
  }
});

test("one workspace's pages show nothing of another, and another's ids are not found", async (t) => {
  const server = await startServer(t);
  const browser = await asMember(server, { email: "g@b.example", name: "G", role: "admin" });
  const other = await server.neighbour();
  const { id } = (await server.rest("POST", "/contacts", { key: other.key, body: { first_name: "Hidden" } })).body.data;
  assert.equal((await browser.get(`/console/w/${other.workspaceId}/contacts`)).status, 404);
  const missing = await browser.get(`/console/w/${server.workspaceId}/contacts/${id}`);
  assert.equal(missing.status, 404);
  assert.match(missing.text, /This contact doesn't exist or was archived\./);
  for (const path of [`/inbox/${id}`, `/review/answer/${id}`, `/deals/${id}`, `/accounts/${id}`, "/checklist/OT-99"]) {
    const { status, text } = await browser.get(`/console/w/${server.workspaceId}${path}`);
    const said = /<div class="empty">.*?<\/p>/s.exec(text)?.[0] ?? "";
    assert.deepEqual([status, /doesn't exist/.test(said), /\w+_\w+/.test(said)], [404, true, false], said);
  }
  assert.doesNotMatch(
    (await browser.get(`/console/w/${server.workspaceId}/contacts?q=Hidden`)).text,
    /contacts\/[0-9a-f]/,
  );
});

test("steps of a sequence are added, moved and removed without a script, and only saving saves them", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/new`;
  const typed = {
    _do: "create_sequence",
    name: "Hello",
    "steps.0.type": "email",
    "steps.0.subject": "Hi {{first_name}}",
    "steps.0.body": "Text",
    "steps.0.delay_days:number": "0",
  };
  const grown = await browser.post(path, { ...typed, _again: "add.wait" });
  assert.equal(grown.status, 200);
  assert.match(grown.text, /value="Hi {{first_name}}"/);
  assert.match(grown.text, /name="steps.1.days:number"/);
  const moved = await browser.post(path, {
    ...typed,
    "steps.1.type": "wait",
    "steps.1.days:number": "3",
    _again: "up.1",
  });
  assert.match(moved.text, /name="steps.1.subject"/);
  assert.equal((await server.operator("list_sequences", {})).length, 0);
  const saved = await browser.post(path, {
    ...typed,
    "steps.1.type": "wait",
    "steps.1.days:number": "3",
    _then: "sequences/{id}",
  });
  assert.equal(saved.status, 303);
  const [{ id }] = await server.operator("list_sequences", {});
  assert.equal(saved.location, `/console/w/${server.workspaceId}/sequences/${id}`);
  assert.deepEqual(
    (await server.operator("get_sequence", { sequence_id: id })).steps.map(({ type }: any) => type),
    ["email", "wait"],
  );
});

test("every JSX file names its own runtime, since no configuration is found when the command runs", () => {
  const root = `${ROOT}src/console/`;
  const files = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".tsx"));
  assert.ok(files.length > 20);
  for (const name of files) {
    const text = readFileSync(root + name, "utf8");
    assert.ok(text.startsWith("/** @jsxRuntime automatic @jsxImportSource preact */\n"), name);
  }
});

test("files of the console are public, with their type, and cached forever", async (t) => {
  const server: TestServer = await startServer(t);
  const page = await fetch(`${server.listening}/console/sign-in`);
  const [, styles = ""] = /href="(\/console\/static\/styles[^"]+)"/.exec(await page.text()) ?? [];
  const sent = await fetch(server.listening + styles);
  assert.deepEqual([sent.status, sent.headers.get("content-type")], [200, "text/css; charset=utf-8"]);
  assert.match(sent.headers.get("cache-control") ?? "", /immutable/);
  for (const name of ["console.ts", "..%2fconsole.ts", "styles.css/..", "toString"]) {
    assert.equal((await fetch(`${server.listening}/console/static/${name}`)).status, 404, name);
  }
});

test("the approved steps are shown on the page with their hidden characters, and no others are approved", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const contact = await newContact(server, { email: "ada@b.example" });
  const email = (subject: string, body: string) => ({ type: "email", subject, body, delay_days: 0 });
  const write = { name: "Hello", steps: [email("A \u202Esubject", "A zero\u200Bwidth <b>body</b>")] };
  const { id } = await server.operator("create_sequence", write);
  const path = `/console/w/${server.workspaceId}/sequences/${id}`;
  for (const page of [await browser.get(path), await browser.get(`${path}/audience`)]) {
    assert.ok(page.text.includes("A [U+202E]subject"), page.text);
    assert.ok(page.text.includes("A zero[U+200B]width &lt;b>body&lt;/b>"), page.text);
    assert.doesNotMatch(page.text, /[\u202E\u200B]/);
  }
  const drawn = await browser.get(`${path}/audience`);
  const form = (page: Page) => ({
    _do: "approve_sequence",
    sequence_id: id,
    steps_hash: Browser.hidden(page, "steps_hash"),
    "contact_ids:list": contact.id,
  });
  await server.operator("update_sequence", { sequence_id: id, steps: [email("Another", "one")] });
  const refused = await browser.post(`${path}/audience`, form(drawn));
  assert.equal(refused.status, 409);
  assert.match(refused.text, /Another/, "what it reads now is drawn");
  assert.deepEqual((await server.operator("get_sequence", { sequence_id: id })).approvals, []);
  assert.equal((await browser.post(`${path}/audience`, form(refused))).status, 303);
});

test("a simulation is downloaded as a file without formulas", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id: contact } = await newContact(server, { first_name: "=HYPERLINK(1)", last_name: null });
  const steps = [{ type: "email", subject: "Hello", body: "Text", delay_days: 0 }];
  const { id } = await server.operator("create_sequence", { name: "S", steps });
  const path = `/console/w/${server.workspaceId}/sequences/${id}/simulate`;
  const file = await browser.get(`${path}?as=csv&contact=${contact}`);
  assert.equal(file.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(file.headers.get("content-disposition") ?? "", /^attachment; filename="simulation-[\da-f-]+\.csv"$/);
  const [head, first] = file.text.split("\n");
  assert.equal(head, "at,contact_id,contact,step,type,what");
  assert.match(first ?? "", new RegExp(`,${contact},'=HYPERLINK\\(1\\),1,email,Hello$`));
  const { text } = await browser.get(path);
  assert.match(text, /Simulated events/);
  assert.match(text, />Finished</, "as on the contact's enrollment");
});

test("the timeline says once that a contact was added to the do-not-contact list", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id, email } = await newContact(server);
  await server.operator("add_suppression", { email });
  const { text } = await browser.get(`/console/w/${server.workspaceId}/contacts/${id}`);
  assert.match(text, /<strong>Added to the do-not-contact list<\/strong>/);
  assert.doesNotMatch(text, /Suppressed/);
  assert.match(text, /Do not contact: added manually, </, "not the reason's code");
});

test("a snoozed conversation says when the snooze ends", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id: contact_id } = await newConversation(server);
  const until = new Date(Date.now() + 2 * DAY_MS + HOUR_MS).toISOString();
  await server.operator("snooze_conversation", { contact_id, until });
  for (const path of ["?view=snoozed", `/${contact_id}`]) {
    const { text } = await browser.get(`/console/w/${server.workspaceId}/inbox${path}`);
    assert.match(text, /Snoozed, ends <time[^>]*>in 2 days</, path);
  }
});

test("a deal is moved from the board and from its column, the sums follow, and an unknown column is not found", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id: contact_id } = await newContact(server);
  const at = `/console/w/${server.workspaceId}/deals`;
  const form = { _do: "add_deal", contact_id, title: "Engine", "value:number": "1200", "currency:optional": "EUR" };
  assert.equal((await browser.post(`${at}/new?contact=${contact_id}`, { ...form, stage: "proposal" })).status, 303);
  assert.match((await browser.get(`${at}/stage/proposal`)).text, /<h1>Deals: Proposal<[\s\S]*€1,200\.00/);
  const [{ id }] = await server.operator("list_deals", { stage: "proposal" });
  const moved = await browser.post(at, { _do: "set_deal_stage", deal_id: id, stage: "closed_won" });
  assert.equal(moved.status, 303);
  assert.match((await browser.get(`${at}/stage/proposal`)).text, /No deals at this stage/);
  assert.match((await browser.get(`${at}/stage/closed_won`)).text, /Engine/);
  assert.equal((await browser.get(`${at}/stage/nowhere`)).status, 404);
});

test("the board shows who owns each deal and for how long it is at its stage, and can show only your own", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const browser = await asOwner(server);
  const { id: contact_id } = await newContact(server);
  const at = `/console/w/${server.workspaceId}/deals`;
  assert.match((await browser.get(`${at}?owner=mine`)).text, /You don't own any deals|You don&#39;t own any deals/);
  assert.match(
    (await browser.get(`${at}/stage/proposal?owner=mine`)).text,
    /You don('|&#39;)t own any deals at this stage/,
  );
  const [me] = await server.operator("list_members", {});
  const ada = await server.operator("invite_member", { email: "ada@b.example", name: "Ada", role: "rep" });
  const { text: form } = await browser.get(`${at}/new?contact=${contact_id}`);
  assert.match(form, new RegExp(`<option value="${me.id}" selected>`), "your own by default");
  await browser.post(`${at}/new?contact=${contact_id}`, {
    ...{ _do: "add_deal", contact_id, title: "Given engine", "value:number": "1", "currency:optional": "USD" },
    ...{ stage: "proposal", "owner_id:nullable": ada.id },
  });
  await browser.post(`/console/w/${server.workspaceId}/contacts/${contact_id}`, {
    ...{ _do: "create_deal", contact_id, title: "Own engine", "value:number": "1", "currency:optional": "USD" },
  });
  await server.rest("POST", "/deals", { body: { contact_id, title: "Agent's machine" } });
  const shown = async (path: string) => {
    const { text } = await browser.get(`${at}${path}`);
    return ["Given engine", "Own engine", "s machine"].filter((title) => text.includes(title));
  };
  assert.deepEqual(await shown(""), ["Given engine", "Own engine", "s machine"]);
  assert.deepEqual(await shown("?owner=mine"), ["Own engine"]);
  assert.deepEqual(await shown("/stage/proposal?owner=mine"), []);
  assert.deepEqual(await shown("/stage/prospecting?owner=mine"), ["Own engine"]);
  const mine = (await browser.get(`${at}?owner=mine`)).text;
  assert.ok(mine.includes(`href="${at}/stage/proposal?owner=mine"`), "a stage keeps the filter");
  const [given] = await server.operator("list_deals", { stage: "proposal" });
  clock.advance(2 * 86_400_000);
  const board = (await browser.get(at)).text;
  assert.match(board, /2 days in stage/);
  assert.match(board, /<\/span> Ada<\/span>/);
  assert.match(board, /No owner/);
  const page = await browser.get(`${at}/${given.id}`);
  assert.match(page.text, /<dt>Owner<\/dt>[\s\S]*?Ada/);
  const edit = { ...formOf(page, "edit-owner"), "owner_id:nullable": "" };
  assert.equal((await browser.post(`${at}/${given.id}`, edit)).status, 303);
  assert.equal((await server.operator("get_deal_record", { id: given.id })).owner, null);
});

test("a deal's page logs activity of its contact, and a conversation leads to a new deal", async (t) => {
  const server = await startServer(t);
  const browser = await asOwner(server);
  const { id: contact_id } = await newConversation(server);
  const at = `/console/w/${server.workspaceId}`;
  const side = async () => (await browser.get(`${at}/inbox/${contact_id}`)).text.split("<h2>Deals")[1] ?? "";
  assert.ok((await side()).includes(`href="${at}/deals/new?contact=${contact_id}"`));
  const { id } = await server.operator("create_deal", { contact_id, title: "Engine" });
  assert.ok((await side()).includes(`href="${at}/deals/${id}">Engine</a>`));
  const page = await browser.get(`${at}/deals/${id}`);
  assert.match(page.text, /Move to Qualification</);
  const form = { ...formOf(page, "log_activity"), type: "call_made", "subject:optional": "Asked for a date" };
  assert.equal((await browser.post(`${at}/deals/${id}`, form)).status, 303);
  assert.match((await browser.get(`${at}/deals/${id}`)).text, /Call made<\/strong>: Asked for a date/);
  const viewer = await asMember(server, { email: "v@b.example", name: "Vic", role: "viewer" });
  assert.doesNotMatch((await viewer.get(`${at}/inbox/${contact_id}`)).text, /deals\/new/);
});

test("a conversation says in one line what happens to an answer, and what each button does", async (t) => {
  const shown = async (env: Record<string, string>) => {
    const server = await startServer(t, { env });
    const { id } = await newConversation(server);
    const { text } = await (await asOwner(server)).get(`/console/w/${server.workspaceId}/inbox/${id}`);
    const [, form = ""] = /id="answer".*?(<form.*?<\/form>)/s.exec(text) ?? [];
    const [, note = ""] = /class="needs-note">(.*?)<\/p>/s.exec(form) ?? [];
    const [, button] = /class="primary">([^<]*)</.exec(form) ?? [];
    return { text, form, button, note: note.replace(/<[^>]*>/g, "").trim() };
  };
  const saved = "No mail server is connected, so your answer will be saved to a file.";
  const connect =
    "It won't be sent, even if a mail server is connected later. If it should be sent, don't submit it yet. Ask a super admin or your server admin to connect a mail server.";
  const off = await shown({});
  assert.equal(off.note, `${saved} It will be saved once your server admin turns sending on. ${connect}`);
  assert.equal(off.button, "Approve and save to file");
  assert.match(off.form, /class="hint">You can undo this until the answer is saved to the file\.</);
  assert.doesNotMatch(off.form, /Sent exactly/);
  assert.match(
    off.text,
    /Marks the conversation as done, stops this contact's sequences, and cancels their social actions that haven't started\. To enroll this contact again, a teammate must first approve and activate an audience that includes them\. Doesn't add the contact/,
  );
  assert.match(off.text, /Marks the conversation as done\. There is no sequence to resume\./);
  assert.match(off.text, /Professional network<\/dt><dd>Not connected to any of your accounts</);
  const open = await shown({ ROSTRUM_OUTBOUND_GATE: "open" });
  assert.deepEqual([open.note.replace(/ +/g, " "), open.button], [`${saved} ${connect}`, "Approve and save to file"]);
  const mail = { ROSTRUM_OUTBOUND_GATE: "open", SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "a@b.example" };
  const sent = await shown(mail);
  assert.deepEqual([sent.note, sent.button], ["", "Send"]);
  assert.match(sent.form, /Sent exactly as written, in the contact's thread\./);
});

test("every member with daily work marks an unconfirmed message; only those with the approval permission are offered a retry", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const { ids } = await armed(server);
  const send_id = await unknownSend(server, (await enroll(server, ids)).body.data);
  const path = `/console/w/${server.workspaceId}/sequences/sends?status=unknown`;
  const rep = await asMember(server, { email: "r@b.example", name: "R", role: "rep" });
  const page = await rep.get(path);
  assert.match(page.text, /value="not_sent"/);
  assert.doesNotMatch(page.text, /value="retry"/);
  assert.match((await (await asOwner(server)).get(path)).text, /value="retry"/);
  assert.equal((await rep.post(path, { _do: "settle_send", send_id, outcome: "retry" })).status, 403);
  assert.equal((await rep.post(path, { _do: "settle_send", send_id, outcome: "sent" })).status, 303);
  assert.equal((await server.operator("list_sends", {}))[0].status, "sent");
});

test("the outcome of an unconfirmed answer says nothing of a sequence, and an answer that was canceled can't be retried", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const contact = await newConversation(server);
  const { id } = await newAnswer(server, contact.id);
  const { version } = await server.operator("get_review", { kind: "answer", id });
  await server.operator("approve_answer", { answer_id: id, copy_hash: version });
  const none = { enrollmentId: null, sequenceId: null, step: null } as const;
  const send: any = sendRow({ ...none, contactId: contact.id, answerId: id, id, status: "unknown" } as never);
  await server.running.store.write(server.workspaceId, ({ sends }) => sends.insert({ ...send, leaseUntil: null }));
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/sends`;
  const optionsOf = (text: string, form: string) =>
    [...(new RegExp(`<form[^>]* id="${form}".*?</form>`, "s").exec(text)?.[0] ?? "").matchAll(/<option[^>]*>([^<]*)/g)]
      .map(([, label]) => label)
      .filter((label) => /^(?:Sent|Not sent)/.test(label ?? ""));
  const { text } = await owner.get(path);
  assert.deepEqual(optionsOf(text, `settle-${id}`), ["Sent", "Not sent: open the conversation again"]);
  const step = await unknownSend(server, (await enroll(server, (await armed(server)).ids)).body.data);
  const both = (await owner.get(path)).text;
  assert.deepEqual(optionsOf(both, `settle-${step}`), [
    "Sent: continue with the next step",
    "Not sent: stop the sequence for this contact",
  ]);
  assert.deepEqual(optionsOf(both, "settle-all"), [
    "Sent: sequences continue with the next step",
    "Not sent: sequences stop for these contacts, and conversations of answers open again",
  ]);
  await server.operator("archive_contact", { contact_id: contact.id });
  await assert.rejects(server.operator("settle_send", { send_id: id, outcome: "retry" }), {
    code: "enrollment_ended",
    message: /because the answer was canceled/,
  });
});

test("several unconfirmed messages are marked together: the selected ones, or all that the page listed", async (t) => {
  const server = await startServer(t, { env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const add = async () => unknownSend(server, (await enroll(server, (await armed(server)).ids)).body.data);
  const ids = [await add()];
  const path = `/console/w/${server.workspaceId}/sequences/sends`;
  const rep = await asMember(server, { email: "r@b.example", name: "R", role: "rep" });
  assert.doesNotMatch((await rep.get(path)).text, /settle_sends/, "one has its own form");
  ids.push(await add(), await add());
  const { text } = await rep.get(path);
  assert.match(text, /Set outcome for all 3…/);
  for (const id of ids)
    assert.match(text, new RegExp(`type="checkbox" name="send_ids:list" value="${id}" form="settle-selected"`));
  const selected = { _do: "settle_sends", _form: "settle-selected", outcome: "sent" };
  const none = await rep.post(path, { ...selected, "send_ids:list": "" });
  assert.deepEqual([none.status, /select at least one/.test(none.text)], [400, true]);
  assert.equal((await rep.post(path, { ...selected, "send_ids:list": ids[0] as string })).status, 303);
  const until = /name="until" value="([^"]+)"/.exec(text)?.[1] as string;
  const all = { _do: "settle_sends", "all:flag": "true", outcome: "not_sent" };
  assert.equal((await rep.post(path, { ...all, until: "2020-01-01T00:00:00Z" })).status, 303);
  const statuses = async () => {
    const rows: any[] = await server.operator("list_sends", {});
    return ids.map((id) => rows.find((row) => row.id === id).status);
  };
  assert.deepEqual(await statuses(), ["sent", "unknown", "unknown"], "what became unknown later is left alone");
  assert.equal((await rep.post(path, { ...all, until })).status, 303);
  assert.deepEqual(await statuses(), ["sent", "failed", "failed"]);
});

test("the audit names records by title and links to them, and a mistyped address links nowhere", async (t) => {
  const server = await startServer(t, { env: ON });
  const agent = await Agent.of(server, new FakeClock());
  const { id } = await agent.at("planned");
  const browser = await asOwner(server);
  const base = `/console/w/${server.workspaceId}`;
  const { text } = await browser.get(`${base}/audit`);
  assert.match(text, /Plan an action/);
  assert.match(text, new RegExp(`href="${base}/review/action/${id}">[\\w-]+</a>`));
  for (const path of ["/contacts/7", "/sequences/7", "/agents/7", "/checklist/7"]) {
    const page = await browser.get(base + path);
    assert.deepEqual([page.status, /This page doesn't exist/.test(page.text)], [404, true], path);
  }
});
