import assert from "node:assert/strict";
import { test } from "node:test";
import { asMember, asOwner, formOf } from "../support/http-browser.ts";
import { armed, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { FakeClock, startServer } from "../support/server.ts";

const MAIL = { type: "email", subject: "Hi {{first_name}}", body: "About {{company}}", delay_days: 1 };
const OPEN = { ROSTRUM_OUTBOUND_GATE: "open", ROSTRUM_WORKERS: "off" };

/** The text of a page or a part of it, without tags. */
const said = (html: string) =>
  html
    .replaceAll(/<svg.*?<\/svg>|<[^>]*>/gs, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

test("a contact on hold has one cause and one way out, for who may take it", async (t) => {
  const clock = new FakeClock();
  const server = await startServer(t, { env: OPEN, clock });
  const { contact, sequence, ids } = await armed(server, { sequence: { steps: [MAIL] } });
  clock.advance(1_000);
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "new@x.example", first_name: "Augusta" } });
  await enroll(server, ids);
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/${sequence.id}`;
  const { text } = await owner.get(path);
  const cause =
    "Email address and first name changed on Nov 20, after the approval. To continue, approve this contact again.";
  assert.equal(said(text).split(cause).length, 3, "in the list of holds, and in the row");
  const row = text.slice(text.indexOf('id="enrollments"'));
  assert.ok(row.includes(`href="${path}/audience?ids=${contact.id}"`), "leads to the contact, selected");
  assert.match(row, />Approve again</);
  assert.doesNotMatch(row, /Release…|or a newer approval replaced it/);
  assert.match(said(row), /After a new audience is activated/);
  const rep = await asMember(server, { email: "r@b.example", name: "R", role: "rep" });
  const asked = (await rep.get(path)).text;
  assert.match(said(asked), /a teammate who can approve outbound messages must approve this contact again\./);
  assert.doesNotMatch(asked, />Approve again</);

  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: contact.email, first_name: "Ada" } });
  const back = (await owner.get(path)).text;
  assert.match(said(back), /This contact is in an activated audience now\. Release this contact to continue\./);
  assert.match(back, />Release…</);
  assert.doesNotMatch(back, />Approve again</);
});

test("an opt-out leaves no way but out of the sequence", async (t) => {
  const server = await startServer(t, { env: OPEN, clock: new FakeClock() });
  const { contact, sequence, ids } = await armed(server, { sequence: { steps: [MAIL] } });
  await enroll(server, ids);
  await server.operator("add_suppression", { email: contact.email });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "new@x.example" } });
  await enroll(server, ids);
  const owner = await asOwner(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/sequences/${sequence.id}?show=held`);
  assert.match(
    said(text),
    /This contact opted out on Nov 20, after the approval\. Remove this contact from the sequence\./,
  );
  assert.match(text, />Remove…</);
  assert.doesNotMatch(text, />Release…<|>Approve again</);
});

test("the list and the page count enrollments, and each filter has its number", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  await newSequence(server, { name: "Empty", steps: [MAIL] });
  const contacts = [];
  for (let i = 0; i < 4; i += 1) contacts.push(await newContact(server, { first_name: `N${i}` }));
  await authorise(
    server,
    sequence_id,
    contacts.map(({ id }) => id),
  );
  await server.rest("PATCH", `/contacts/${contacts[0].id}`, { body: { first_name: "Augusta" } });
  for (const { id } of contacts.slice(0, 3)) await enroll(server, { sequence_id, contact_id: id });
  const [, second] = await server.operator("list_enrollments", { sequence_id });
  await server.operator("stop_enrollment", { enrollment_id: second.id });

  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}/sequences`;
  const list = (await owner.get(at)).text;
  const cells = (name: string) => {
    const row = list.split("<tr").find((one) => one.includes(`>${name}</a>`)) ?? "";
    return [...row.matchAll(/<td class="figure[^"]*"[^>]*data-label="([^"]+)"[^>]*>(\d*)</g)].map(
      ([, of, n]) => `${of} ${n}`,
    );
  };
  assert.deepEqual(cells("Welcome"), ["Enrolled 3", "Active 1", "On hold 1", "Stopped by a reply 0", "Finished 0"]);
  assert.deepEqual(cells("Empty"), ["Enrolled 0", "Active 0", "On hold 0", "Stopped by a reply 0", "Finished 0"]);

  const { text } = await owner.get(`${at}/${sequence_id}`);
  assert.match(said(text), /Enrolled 3 Active 1 On hold 1 Stopped by a reply 0 Finished 0/);
  const filters = said(/<nav class="filters".*?<\/nav>/s.exec(text)?.[0] ?? "");
  assert.match(
    filters,
    /^All 3 On hold 1 Active or on hold 2 Waiting for agent 0 Finished 0 Stopped by a reply 0 Opted out 0 Removed 1/,
  );
  assert.match(text, /<a[^>]*aria-current="true"[^>]*>All/, "all of them, unless a filter is asked for");
});

test("an audience shows its way: approved, activated, and how many of its contacts are enrolled", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  const contacts = [];
  for (let i = 0; i < 3; i += 1) contacts.push(await newContact(server));
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/${sequence_id}`;
  const way = async () => said(/<ol class="stages">.*?<\/ol>/s.exec((await owner.get(path)).text)?.[0] ?? "");
  const contact_ids = contacts.map(({ id }) => id);
  const { id: approval_id } = await server.operator("approve_sequence", { sequence_id, contact_ids });
  assert.match(await way(), /^Approved , done .* Activate Enroll$/);
  await server.operator("apply_sequence_approval", { approval_id });
  await server.operator("set_sequence_status", { sequence_id, status: "active", delivery: "files" });
  await enroll(server, { sequence_id, contact_id: contact_ids[0] });
  assert.match(await way(), /Activated , done .* 1 of 3 enrolled Enroll 2… /);
  await server.operator("add_suppression", { email: contacts[1].email });
  await server.operator("enroll_audience", { approval_id });
  const done = await way();
  assert.match(
    done,
    /2 of 3 enrolled , done 1 contact can't be enrolled, because the contact is archived, on the do-not-contact list,/,
  );
  assert.doesNotMatch(done, /Enroll \d/);
});

test("an active sequence whose messages are not sent is not shown as if they were", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const connect = { type: "socialnet_connect", note: "", delay_days: 0 };
  const named = async (name: string, steps: object[]) => {
    const { id } = await newSequence(server, { name, steps });
    await server.operator("set_sequence_status", { sequence_id: id, status: "active", delivery: "files" });
    return id;
  };
  const id = await named("Files", [MAIL]);
  await named("Both", [MAIL, connect]);
  await named("Waits", [{ type: "wait", days: 1 }]);
  const owner = await asOwner(server);
  const at = `/console/w/${server.workspaceId}/sequences`;
  const chips = async (path = at) =>
    [...(await owner.get(path)).text.matchAll(/<span class="chip (\w+)">(?:<svg.*?<\/svg>)?(Active[^<]*)</gs)].map(
      ([, tone, label]) => `${tone}: ${label}`,
    );
  assert.deepEqual(await chips(), ["done: Active", "needs: Active, not sending", "needs: Active, not sending"]);
  assert.deepEqual(await chips(`${at}/${id}`), ["needs: Active, not sending"]);
  const social = await startServer(t, { env: { ...OPEN, ROSTRUM_SOCIALNET_EXECUTION: "on" } });
  const { id: both } = await newSequence(social, { steps: [MAIL, connect] });
  await social.operator("set_sequence_status", { sequence_id: both, status: "active", delivery: "files" });
  const other = await asOwner(social);
  const page = async () => (await other.get(`/console/w/${social.workspaceId}/sequences`)).text;
  assert.match(await page(), />Active, emails not sent</);
  await social.operator("pause_outreach", {});
  assert.match(await page(), />Active, not sending</);
});

test("the editor says what an edit of a step costs before it is saved, and nothing of it where nothing is approved", async (t) => {
  const server = await startServer(t, { env: OPEN });
  const { id: sequence_id } = await newSequence(server, { steps: [MAIL] });
  const owner = await asOwner(server);
  const path = `/console/w/${server.workspaceId}/sequences/${sequence_id}`;
  const edit = async () => (await owner.get(`${path}/edit`)).text;
  const cost = /Editing a step cancels the approval of 2 contacts\./g;
  for (const text of [await edit(), (await owner.get(path.replace(sequence_id, "new"))).text]) {
    assert.doesNotMatch(text, /cancels|cancel approvals/);
    assert.match(text, />Cancel<\/a>/);
  }
  const contacts = [await newContact(server), await newContact(server)];
  await authorise(
    server,
    sequence_id,
    contacts.map(({ id }) => id),
  );
  const text = await edit();
  assert.equal(text.match(cost)?.length, 2, "at the top, and beside the button");
  assert.match(said(text), /2 contacts, approved by \S+ .*?, activated/);
  assert.match(text, /data-when-edited="Save and cancel approvals"[^>]*>Save sequence</);
  assert.ok(text.includes(`<a class="button" href="${path}">Cancel</a>`));
  // Without a script, the page that adds a step says it.
  const form = { ...formOf({ text } as never, "update_sequence") };
  const fields = { "steps.0.subject": MAIL.subject, "steps.0.body": MAIL.body, "steps.0.delay_days:number": "1" };
  const post = async (more: object) =>
    (await owner.post(`${path}/edit`, { ...form, ...fields, ...more } as never)).text;
  assert.match(await post({ _again: "add.wait" }), />Save and cancel approvals<\/button>/);
  assert.match(await post({ _again: "up.0" }), />Save sequence<\/button>/, "as it is saved");
});

test("a preview begins with a contact who may be contacted", async (t) => {
  const server = await startServer(t);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await newContact(server, { first_name: "May" });
  const barred = await newContact(server, { first_name: "Barred" });
  await server.operator("add_suppression", { email: barred.email });
  const owner = await asOwner(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/sequences/${id}/preview`);
  assert.match(text, /Messages to May</);
  assert.ok(text.lastIndexOf(">May<") < text.lastIndexOf(">Barred<"), "those who may not be are last in the list");
});

test("a simulation is in the time zone of the workspace, which its sending hours are in", async (t) => {
  const server = await startServer(t, { clock: new FakeClock() });
  await server.operator("set_sending_policy", {
    time_zone: "Asia/Tokyo",
    windows: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" }],
  });
  const { id } = await newSequence(server, { steps: [MAIL] });
  await newContact(server);
  const owner = await asOwner(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/sequences/${id}/simulate`);
  assert.match(text, />When \(Asia\/Tokyo\)</);
  assert.match(text, /<time[^>]*>Mon 9:00</);
});
