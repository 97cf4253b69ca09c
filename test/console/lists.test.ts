import assert from "node:assert/strict";
import { test } from "node:test";
import { callAsOperator } from "../../src/cli/operator.ts";
import { asMember, asOwner } from "../support/http-browser.ts";
import { armed, authorise, enroll, newContact, newSequence, UNKNOWN } from "../support/sequences.ts";
import { FakeClock, startServer, type TestServer } from "../support/server.ts";

const OPEN = { ROSTRUM_OUTBOUND_GATE: "open" };
const names = (rows: any[]) => rows.map(({ first_name }) => first_name);
const refused = (server: TestServer, name: string, input: object) =>
  server.operator(name, input).then(
    () => assert.fail(`${name} was taken`),
    (error: { code?: string }) => error.code,
  );

/** The pages of a cursor-based list, from the newest. */
async function pages(server: TestServer, name: string, input: object): Promise<any[][]> {
  const found: any[][] = [];
  for (let before: string | null | undefined; before !== null && found.length < 50; ) {
    const { body } = await callAsOperator(server.running, name, server.workspaceId, {
      ...input,
      ...(before && { before }),
    });
    const page = JSON.parse(body);
    found.push(page.data);
    before = page.meta.next;
  }
  return found;
}

test("contacts are filtered by stage, tag, company, source and account combined, newest first, each once", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  const acme = await server.operator("create_account", { name: "Acme" });
  for (let i = 0; i < 7; i++) {
    clock.advance(1);
    const { id } = await newContact(server, { first_name: `P${i}`, company: i % 2 ? "Acme" : "Apex" });
    if (i > 2) await server.operator("add_contact_tags", { id, tags: ["vip", `n${i}`] });
    if (i > 3) await server.operator("update_contact", { id, account_id: acme.id });
    if (i === 6) {
      await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-11-19" });
      await server.operator("update_contact", { id, lifecycle: "lead" });
    }
    if (i === 4) await server.operator("archive_contact", { contact_id: id });
  }
  const all = await pages(server, "filter_contacts", { limit: 2 });
  assert.deepEqual(all.map(names), [
    ["P6", "P5"],
    ["P3", "P2"],
    ["P1", "P0"],
  ]);
  const found = async (filter: object) => names(await server.operator("filter_contacts", filter));
  assert.deepEqual(await found({ tag: "vip" }), ["P6", "P5", "P3"]);
  assert.deepEqual(await found({ tag: "vip", company: "Acme" }), ["P5", "P3"]);
  assert.deepEqual(await found({ stage: "lead" }), ["P6"]);
  assert.deepEqual(await found({ stage: "lead", tag: "n5" }), []);
  assert.deepEqual(await found({ account_id: acme.id, stage: "prospect" }), ["P5"]);
  assert.deepEqual(await found({ source: "public_api", company: "Apex" }), ["P6", "P2", "P0"]);
  assert.deepEqual(await pages(server, "filter_contacts", { tag: "vip", limit: 1 }).then((p) => p.map(names)), [
    ...[["P6"], ["P5"], ["P3"]],
  ]);
  assert.deepEqual(await server.operator("list_contact_tags", {}), ["n3", "n5", "n6", "vip"], "none of archived ones");
  assert.equal(await refused(server, "filter_contacts", { before: "x' OR 1" }), "validation_failed");
});

test("a timeline can be read to its beginning page by page, and another workspace's is not found", async (t) => {
  const server = await startServer(t);
  const { id } = await newContact(server);
  for (let i = 0; i < 5; i++) {
    await server.operator("log_activity", { id, type: "note_added", body: `Note ${i}` });
  }
  const bodies = (await pages(server, "list_activities", { contact_id: id, limit: 2 })).map((page) =>
    page.map(({ body }) => body),
  );
  assert.deepEqual(bodies, [["Note 4", "Note 3"], ["Note 2", "Note 1"], ["Note 0"]]);
  assert.equal(await refused(server, "list_activities", { contact_id: UNKNOWN }), "contact_not_found");
});

test("deals are summed by stage, separately for each currency", async (t) => {
  const server = await startServer(t);
  const { id: contact_id } = await newContact(server);
  const deal = (value: number, currency: string, stage = "proposal") =>
    server.operator("create_deal", { contact_id, title: "D", value, currency, stage });
  await deal(10, "EUR");
  await deal(2.5, "EUR");
  await deal(7, "USD");
  const { id } = await deal(1, "USD", "negotiation");
  await server.operator("set_deal_stage", { deal_id: id, stage: "closed_won" });
  assert.deepEqual(
    (await server.operator("list_deal_totals", {})).sort((a: any, b: any) => a.value - b.value),
    [
      { stage: "closed_won", currency: "USD", deals: 1, value: 1 },
      { stage: "proposal", currency: "USD", deals: 1, value: 7 },
      { stage: "proposal", currency: "EUR", deals: 2, value: 12.5 },
    ],
  );
  const won = await server.operator("list_deal_totals", { stage: "closed_won" });
  assert.deepEqual(won, [{ stage: "closed_won", currency: "USD", deals: 1, value: 1 }]);
  for (let i = 0; i < 2; i++) await deal(Number.MAX_VALUE, "JPY", "qualification");
  const totals = await server.operator("list_deal_totals", {});
  assert.deepEqual(
    totals.find(({ currency }: { currency: string }) => currency === "JPY"),
    { stage: "qualification", currency: "JPY", deals: 2, value: null },
  );
});

test("accounts are found by the start of their name or domain, ignoring case", async (t) => {
  const server = await startServer(t);
  await server.operator("create_account", { name: "Acme Ltd", domain: "zeta.example" });
  await server.operator("create_account", { name: "Zeta" });
  const found = async (text: string) =>
    (await server.operator("search_accounts", { text })).map(({ name }: any) => name);
  assert.deepEqual(await found("ACME"), ["Acme Ltd"]);
  assert.deepEqual(await found("zet"), ["Acme Ltd", "Zeta"]);
  assert.deepEqual(await found("cme"), []);
});

test("a preview reads as the message will, says where a person is needed, and can't be used to unsubscribe", async (t) => {
  const server = await startServer(t);
  await server.operator("set_sending_policy", { time_zone: "UTC", sender_name: "Robin", windows: [], daily_cap: null });
  const { id: sequence_id } = await newSequence(server);
  const ada = await newContact(server, { email: "ada@x.example", company: "A & B" });
  const [email, wait, message] = (await server.operator("preview_sequence", { sequence_id, contact_id: ada.id })).steps;
  assert.deepEqual(
    [email.subject, email.to, email.held_reason, email.unfilled],
    ["Hello Ada", "ada@x.example", null, []],
  );
  assert.match(email.text, /^From Robin to A & B\n\n--\n.*\nhttp.*\/unsubscribe\/added-when-sent\n$/);
  assert.match(email.html, /<p>From Robin to A &amp; B<\/p>[\s\S]*<a href="http[^"]*\/unsubscribe\/added-when-sent">/);
  assert.deepEqual([wait.type, wait.text], ["wait", null]);
  assert.deepEqual([message.held_reason, message.text], ["no_profile", "Still there?"]);
  const nobody = await newContact(server, { email: "b@x.example", first_name: "B", company: null });
  const [lacking] = (await server.operator("preview_sequence", { sequence_id, contact_id: nobody.id })).steps;
  assert.deepEqual([lacking.held_reason, lacking.unfilled], ["unfilled", ["company"]]);
  assert.match(lacking.text, /to \{\{company\}\}/);
  assert.equal(await refused(server, "preview_sequence", { sequence_id, contact_id: UNKNOWN }), "contact_not_found");
});

test("an audience is enrolled once, skipping contacts already enrolled, suppressed, archived or without a company; changed ones are on hold", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { id } = await newSequence(server);
  const people = [];
  for (const company of ["A", "A", "A", "A", "", "A"]) people.push(await newContact(server, { company }));
  const [on, suppressed, archived, changed, , fine] = people;
  const approval = await authorise(
    server,
    id,
    people.map((person) => person.id),
  );
  await enroll(server, { sequence_id: id, contact_id: on.id });
  await server.operator("add_suppression", { email: suppressed.email });
  await server.operator("archive_contact", { contact_id: archived.id });
  await server.operator("update_contact", { id: changed.id, first_name: "Grace" });
  const first = await server.operator("enroll_audience", { approval_id: approval.id });
  assert.deepEqual([first.enrolled, first.left], [2, 0]);
  const rows = await server.operator("list_enrollments", { sequence_id: id });
  const held = Object.fromEntries(rows.map((row: any) => [row.contact_id, row.held_reason]));
  const names = () => Object.fromEntries(rows.map((row: any) => [row.contact_id, row.contact?.email]));
  assert.deepEqual(names(), { [on.id]: on.email, [changed.id]: changed.email, [fine.id]: fine.email });
  assert.deepEqual(held, { [on.id]: null, [changed.id]: "contact_changed", [fine.id]: null });
  assert.deepEqual(
    (await server.operator("list_enrollments", { sequence_id: id, held: true })).map((row: any) => row.contact_id),
    [changed.id],
  );
  assert.equal((await server.operator("enroll_audience", { approval_id: approval.id })).enrolled, 0);
});

test("an audience is not enrolled while outreach is paused, before its approval is activated, after the steps changed, or in an archived sequence", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { approval, sequence, contact } = await armed(server);
  const ask = { approval_id: approval.id };
  await server.operator("pause_outreach", {});
  assert.equal(await refused(server, "enroll_audience", ask), "WORKSPACE_PAUSED");
  await server.operator("resume_outreach", {});
  const approve = { sequence_id: sequence.id, contact_ids: [contact.id] };
  const waiting = await server.operator("approve_sequence", approve);
  assert.equal(await refused(server, "enroll_audience", { approval_id: waiting.id }), "sequence_not_authorized");
  await server.operator("update_sequence", { sequence_id: sequence.id, steps: [{ type: "wait", days: 1 }] });
  assert.equal(await refused(server, "enroll_audience", ask), "sequence_not_authorized");
  assert.equal(await refused(server, "enroll_audience", { approval_id: UNKNOWN }), "approval_not_found");
  await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "archived" });
  await assert.rejects(server.operator("enroll_audience", ask), { message: /archived\. Set its status to draft/ });
  assert.deepEqual(await server.operator("list_enrollments", {}), []);
});

test("the audit is filtered by action, actor and time", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { clock });
  await newSequence(server, { name: "One" });
  const between = new Date(clock.now()).toISOString();
  clock.advance(60_000);
  await newSequence(server, { name: "Two" });
  await server.operator("create_account", { name: "Acme" });
  const read = async (filter: object) =>
    (await server.operator("list_audit", filter)).map(({ after }: any) => after.name);
  assert.deepEqual(await read({ action: "create_sequence" }), ["Two", "One"]);
  assert.deepEqual(await read({ action: "create_sequence", until: between }), ["One"]);
  const [{ actor_id }] = await server.operator("list_audit", {});
  assert.deepEqual(await read({ actor_id, action: "create_account" }), ["Acme"]);
  assert.deepEqual(await read({ actor_id: "nobody" }), []);
});

test("a sequence's page says what an action changed, and how to enroll the first contacts", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { approval, sequence } = await armed(server);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/${sequence.id}`;
  const look = async () => (await owner.get(path)).text;
  await look();
  const done = async (at: string, form: Record<string, string>) => {
    const { status, location, text } = await owner.post(at, form);
    assert.equal(status, 303, text);
    return (await owner.get(location ?? "")).text;
  };
  assert.match(await look(), /Enroll the contacts of the activated audience above\./);
  const enrolls = { _do: "enroll_audience", approval_id: approval.id };
  assert.match(await done(path, enrolls), />1 contact enrolled\.</);
  assert.match(await done(path, enrolls), />No contacts enrolled\. None are eligible\.</);
  assert.match(await owner.get(`${path}?show=active`).then(({ text }) => text), /aria-current[^>]*>Active or on hold</);
  const update = { _do: "update_sequence", _then: `sequences/${sequence.id}`, sequence_id: sequence.id };
  assert.match(await done(`${path}/edit`, { ...update, name: "Later" }), />Sequence updated\.</);
  const step = {
    "steps.0.type": "email",
    "steps.0.subject": "Hi",
    "steps.0.body": "x",
    "steps.0.delay_days:number": "0",
  };
  assert.match(await done(`${path}/edit`, { ...update, ...step }), />Sequence updated\. 1 approval was canceled\.</);

  const { id } = await newSequence(server);
  const other = `/console/w/${server.workspaceId}/sequences/${id}`;
  assert.match((await owner.get(`${other}/edit`)).text, /Days after enrollment<(?=.*Days after the previous step<)/s);
  assert.match((await owner.get(other)).text, /Approve and activate an audience above/);
  const rep = await asMember(server, { email: "r@b.example", name: "R", role: "rep" });
  assert.match(
    (await rep.get(other)).text,
    /after a teammate who can approve outbound messages activates an audience\./,
  );
  await server.operator("set_sequence_status", { sequence_id: id, status: "archived" });
  assert.match((await owner.get(other)).text, /This sequence is archived, so no one can be enrolled\./);
});
