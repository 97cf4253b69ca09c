import assert from "node:assert/strict";
import { test } from "node:test";
import { driveEngine, onTheWay, runOut, theEnrollment, theSend } from "../support/engine.ts";
import { asMember, formOf } from "../support/http-browser.ts";
import { audited, authorise, enroll, newContact, newSequence } from "../support/sequences.ts";
import { startServer, type TestServer } from "../support/server.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const WAIT = { type: "wait", days: 1 };
const REFUSED = { code: "mail_not_configured", status: 409 };

const setStatus = (server: TestServer, id: string, status: string, delivery?: string) =>
  server.operator("set_sequence_status", { sequence_id: id, status, ...(delivery && { delivery }) });

test("without a mail server, a sequence with emails becomes active only if they go to files", async (t) => {
  const server = await startServer(t, { files: false });
  const { id } = await newSequence(server, { steps: [WAIT, MAIL] });
  await assert.rejects(setStatus(server, id, "active"), REFUSED);
  await assert.rejects(setStatus(server, id, "active", "send"), REFUSED);
  await assert.rejects(setStatus(server, id, "paused", "files"), { code: "validation_failed" });
  const active = await setStatus(server, id, "active", "files");
  assert.deepEqual([active.status, active.delivery], ["active", "files"]);
  const [row] = await audited(server, "set_sequence_status");
  assert.deepEqual(row.after, { status: "active", delivery: "files" });
  await setStatus(server, id, "paused");
  await assert.rejects(setStatus(server, id, "active"), REFUSED);
  const quiet = await newSequence(server, { steps: [WAIT] });
  assert.equal((await setStatus(server, quiet.id, "active")).delivery, "send");
});

test("without a mail server, emails are added to an active sequence only if they go to files", async (t) => {
  const server = await startServer(t, { files: false });
  const { id } = await newSequence(server, { steps: [WAIT] });
  await setStatus(server, id, "active");
  const update = (steps: object[], delivery?: string) =>
    server.operator("update_sequence", { sequence_id: id, steps, ...(delivery && { delivery }) });
  await assert.rejects(update([WAIT, MAIL]), REFUSED);
  assert.equal((await update([WAIT, MAIL], "files")).delivery, "files");
  await assert.rejects(update([WAIT, MAIL, MAIL]), REFUSED);
  assert.equal((await update([{ ...WAIT, days: 2 }, MAIL])).delivery, "files");
  await setStatus(server, id, "draft");
  assert.equal((await update([WAIT, MAIL, MAIL])).steps.length, 3);
});

test("emails added to an active sequence that saves to files are saved too, until a member has them sent", async (t) => {
  const server = await startServer(t, { files: false });
  const { id } = await newSequence(server, { steps: [MAIL] });
  await setStatus(server, id, "active", "files");
  await server.running.store.recordHasMailServer(true, Date.now());
  const update = (steps: object[], delivery?: string) =>
    server.operator("update_sequence", { sequence_id: id, steps, ...(delivery && { delivery }) });
  assert.equal((await update([MAIL, MAIL])).delivery, "files");
  assert.equal((await update([MAIL, MAIL, MAIL], "send")).delivery, "send");
});

test("on a demo server, files are the default", async (t) => {
  const server = await startServer(t);
  const { id } = await newSequence(server, { steps: [MAIL] });
  assert.equal((await setStatus(server, id, "active")).delivery, "files");
});

test("emails of a sequence that saves to files never reach the mail server", async (t) => {
  const { server, run, taken } = await driveEngine(t);
  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await authorise(server, id, [contact.id]);
  assert.equal((await enroll(server, { sequence_id: id, contact_id: contact.id })).status, 201);
  await setStatus(server, id, "active", "files");
  await run();
  assert.equal((await theSend(server)).status, "written");
  assert.equal(taken.length, 0);
});

test("emails wait for a mail server and say so, and go out once there is one", async (t) => {
  const { server, clock, another, engine, taken } = await driveEngine(t);
  const { store } = server.running;
  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await authorise(server, id, [contact.id]);
  await setStatus(server, id, "active");
  assert.equal((await enroll(server, { sequence_id: id, contact_id: contact.id })).status, 201);
  await store.recordHasMailServer(false, clock.now());
  const status = await server.operator("get_workspace_status", {});
  assert.deepEqual(status.unsent, { saved_to_files: 0, waiting: 1 });
  const serverless = await another({ mailer: undefined });
  await runOut(server, clock, serverless);
  const { waits, held_reason, status: enrolled } = await theEnrollment(server, contact.id);
  assert.deepEqual([waits.reason, held_reason, enrolled], ["mail_not_configured", null, "active"]);

  const admin = await asMember(server, { email: "a@b.example", name: "A", role: "super_admin" });
  const home = `/console/w/${server.workspaceId}`;
  assert.match((await admin.get(home)).text, /Emails in 1 active sequence wait for a mail server/);
  const page = await admin.get(`${home}/sequences/${id}`);
  assert.match(page.text, /Emails wait/);
  assert.match((await admin.get(`${home}/contacts/${contact.id}`)).text, /No mail server is connected/);

  await store.recordHasMailServer(true, clock.now());
  clock.advance(15 * 60_000);
  await runOut(server, clock, engine);
  assert.equal(taken.length, 1);
});

test("the console says what is not sent, and activates to files on purpose", async (t) => {
  const server = await startServer(t, { files: false, env: { ROSTRUM_OUTBOUND_GATE: "open" } });
  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await authorise(server, id, [contact.id]);
  await enroll(server, { sequence_id: id, contact_id: contact.id });
  const owner = await asMember(server, { email: "o@b.example", name: "O", role: "owner" });
  const path = `/console/w/${server.workspaceId}/sequences/${id}`;
  const draft = await owner.get(path);
  assert.match(draft.text, /No mail server/);
  assert.match(draft.text, /Ask a super admin or your server admin to connect a mail server/);
  const form = formOf(draft, "activate");
  assert.deepEqual(form?.delivery, ["files"]);
  assert.equal((await owner.post(path, form ?? {})).status, 303);
  const active = await owner.get(path);
  assert.match(active.text, /Emails in this sequence are saved to files/);
  const status = await server.operator("get_workspace_status", {});
  assert.deepEqual(status.unsent, { saved_to_files: 1, waiting: 0 });
  assert.match(
    (await owner.get(`/console/w/${server.workspaceId}`)).text,
    /Emails in 1 active sequence are saved to files/,
  );
});

test("while sending is off, the console says that emails will be saved to files, and counts that as one thing to know", async (t) => {
  const server = await startServer(t, { files: false, env: { ROSTRUM_OUTBOUND_GATE: "closed" } });
  const owner = await asMember(server, { email: "o@b.example", name: "O", role: "owner" });
  const home = `/console/w/${server.workspaceId}`;
  for (let i = 0; i < 2; i += 1) {
    const contact = await newContact(server, { email: `p${i}@b.example` });
    const { id } = await newSequence(server, { steps: [MAIL] });
    await authorise(server, id, [contact.id]);
    await setStatus(server, id, "active", "files");
    const { text } = await owner.get(`${home}/sequences/${id}`);
    assert.match(text, /Once sending is on, emails in this sequence will be saved to files/);
  }
  const { text } = await owner.get(home);
  assert.match(text, /Emails in 2 active sequences will be saved to files instead of being sent/);
  assert.match(text, /FYI <span class="hint">1</);
});

test("the console says that a sequence whose emails were saved to files sends them once it is active again", async (t) => {
  const server = await startServer(t, { files: false });
  const { store } = server.running;
  const contact = await newContact(server);
  const { id } = await newSequence(server, { steps: [MAIL] });
  await authorise(server, id, [contact.id]);
  await setStatus(server, id, "active", "files");
  await setStatus(server, id, "paused");
  const owner = await asMember(server, { email: "o@b.example", name: "O", role: "owner" });
  const path = `/console/w/${server.workspaceId}/sequences/${id}`;
  const SAYS = /were saved to files\. A mail server is connected\s+now, so the next due emails are\s+sent/;
  assert.doesNotMatch((await owner.get(path)).text, SAYS);
  await store.recordHasMailServer(true, Date.now());
  const { text } = await owner.get(path);
  const forms = [...text.matchAll(/<form[^>]*>.*?<\/form>/gs)].map(([form]) => form);
  const activating = forms.filter((form) => /value="active"/.test(form));
  assert.deepEqual([activating.length > 0, activating.filter((form) => !SAYS.test(form))], [true, []]);
  assert.equal((await setStatus(server, id, "active")).delivery, "send");
  assert.doesNotMatch((await owner.get(path)).text, SAYS);
});

test("a sequence whose emails are saved to files from now on hands nothing more to the mail server", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, asSystem, another, taken } = driven;
  const { sequence } = await onTheWay(server, [MAIL]);
  let happened = false;
  const between: typeof asSystem = async (workspaceId, name, job) => {
    const result = await asSystem(workspaceId, name, job);
    if (name === "take_step" && !happened) {
      happened = true;
      await server.operator("set_sequence_status", { sequence_id: sequence.id, status: "active", delivery: "files" });
    }
    return result;
  };
  await runOut(server, clock, await another({ asSystem: between }));
  assert.deepEqual([happened, taken.length], [true, 0]);
});
