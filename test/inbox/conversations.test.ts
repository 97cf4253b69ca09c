import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerTo,
  DAY_MS,
  type Driven,
  driveEngine,
  HOUR_MS,
  onTheWay,
  theEnrollment,
  told,
} from "../support/engine.ts";
import { asOwner } from "../support/http-browser.ts";
import { callAs, member } from "../support/member.ts";
import { authorise, enroll, newSequence, UNKNOWN } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const LATER = { ...MAIL, subject: "Again", delay_days: 3 };

/** A contact of an active sequence who got its first email and replied. */
async function replied(driven: Driven, contact: object = {}, body = "Sounds good, call me.\n\nAda") {
  const made = await onTheWay(driven.server, [MAIL, LATER], contact);
  await driven.run();
  const taken = driven.taken.at(-1) as never;
  driven.clock.advance(HOUR_MS);
  await driven.receive(answerTo(taken, {}, body));
  return { ...made, taken };
}

const list = async ({ server }: Driven, view = "open", by = member(server)) => {
  const { body } = await callAs(server, by, "list_conversations", { view });
  return {
    ids: (body.data as any[]).map(({ contact_id }) => contact_id),
    counts: (body.meta as any).counts,
    data: body.data as any[],
  };
};

test("a reply opens a conversation: unread ones come first, then the newest", async (t) => {
  const driven = await driveEngine(t);
  const one = await replied(driven);
  const two = await replied(driven);
  const three = await replied(driven);
  assert.deepEqual(
    (await list(driven)).ids,
    [three, two, one].map(({ contact }) => contact.id),
  );
  await driven.server.operator("mark_conversation", { contact_id: three.contact.id, as: "read" });
  const { ids, counts, data } = await list(driven);
  assert.deepEqual(
    ids,
    [two, one, three].map(({ contact }) => contact.id),
  );
  assert.deepEqual(counts, { to_answer: 3, open: 3, mine: 0, unassigned: 3, snoozed: 0, done: 0, unread: 2 });
  assert.deepEqual(data[0].last_reply.excerpt, "Sounds good, call me. Ada");
  const { open_conversations } = await driven.server.operator("get_workspace_status", {});
  assert.deepEqual(open_conversations, [{ assignee_id: null, count: 3 }], "read or not");
});

test("done, snoozed and assigned conversations are in their own lists, and a new reply opens them again", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock } = driven;
  const { contact, taken } = await replied(driven);
  const contact_id = contact.id;
  const ada = await server.operator("invite_member", { email: "ada@b.example", name: "Ada", role: "rep" });
  const me = member(server, { id: ada.id });
  const views = async () => {
    const { counts } = await list(driven, "open", me);
    return ["open", "mine", "unread", "snoozed", "done"].filter((view) => counts[view] > 0);
  };
  await server.operator("assign_conversation", { contact_id, member_id: ada.id });
  assert.deepEqual(await views(), ["open", "mine", "unread"]);
  await server.operator("snooze_conversation", { contact_id, until: new Date(clock.now() + DAY_MS).toISOString() });
  assert.deepEqual(await views(), ["snoozed"]);
  clock.advance(DAY_MS);
  assert.deepEqual(await views(), ["open", "mine", "unread"], "it comes back unread");
  await server.operator("mark_conversation", { contact_id, as: "done" });
  assert.deepEqual(await views(), ["done"]);
  await driven.receive(answerTo(taken));
  assert.deepEqual(await views(), ["open", "mine", "unread"], "the teammate stays");
  await server.operator("archive_contact", { contact_id });
  assert.deepEqual(await views(), []);
  await assert.rejects(server.operator("get_conversation", { contact_id }), { code: "conversation_not_found" });
  await assert.rejects(server.operator("assign_conversation", { contact_id: UNKNOWN, member_id: null }), {
    code: "conversation_not_found",
  });
});

test("an automatic reply opens no conversation, a message on the network does", async (t) => {
  const driven = await driveEngine(t);
  await onTheWay(driven.server, [MAIL, LATER]);
  await driven.run();
  await driven.receive(answerTo(driven.taken[0] as never, { "Auto-Submitted": "auto-replied" }, "On holiday."));
  assert.deepEqual((await list(driven)).ids, []);
});

test("not interested stops everything planned and approved for the contact, and is logged once", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const { contact } = await replied(driven);
  const contact_id = contact.id;
  const second = await newSequence(server, { name: "Second", steps: [LATER] });
  await authorise(server, second.id, [contact_id]);
  await enroll(server, { sequence_id: second.id, contact_id });
  const third = await newSequence(server, { name: "Third", steps: [LATER] });
  await authorise(server, third.id, [contact_id]);
  const answered = await server.operator("mark_not_interested", { contact_id });
  await server.operator("mark_not_interested", { contact_id });
  assert.deepEqual([answered.status, answered.unread, answered.mark], ["done", false, "not_interested"]);
  const statuses = (await server.operator("list_enrollments", { contact_id })).map(({ status }: any) => status);
  assert.deepEqual(statuses, ["stopped_by_member", "stopped_replied"]);
  driven.clock.advance(HOUR_MS);
  const again = (await enroll(server, { sequence_id: third.id, contact_id })).body.data;
  assert.equal((await theEnrollment(server, contact_id)).held_reason, "contact_changed", again.id);
  assert.deepEqual((await told(server, contact_id)).filter((type) => type === "not_interested").length, 1);
  assert.deepEqual(await server.operator("list_suppressions", {}), [], "they did not opt out");
});

test("out of office continues what the reply stopped, at its step, once they are back", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run } = driven;
  const { contact } = await replied(driven, {}, "I am out until Monday.");
  const contact_id = contact.id;
  assert.equal((await theEnrollment(server, contact_id)).status, "stopped_replied");
  const owner = await asOwner(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/inbox/${contact_id}`);
  assert.match(text, /id="means-away">Marks the conversation as done\. Resumes “[^”]+” in 7 days\.</);
  assert.match(text, /<p>Marks the conversation as done, and resumes “[^”]+” after the time below\.</);
  const { body } = await callAs(server, member(server), "mark_out_of_office", { contact_id });
  assert.equal(body.code, "insufficient_scope", "it sends again, so it needs approve_outbound");
  const until = new Date(clock.now() + 5 * DAY_MS).toISOString();
  const marked = await server.operator("mark_out_of_office", { contact_id, until });
  assert.deepEqual([marked.status, marked.mark, marked.resumed.length], ["done", "out_of_office", 1]);
  assert.equal((await server.operator("mark_out_of_office", { contact_id, until })).resumed.length, 0);
  const page = await owner.get(`/console/w/${server.workspaceId}/contacts/${contact_id}`);
  assert.match(
    page.text,
    /<strong>Out of office until [A-Z][a-z]{2} \d{1,2}, \d{4}<\/strong>/,
    "once, without an ISO date",
  );
  const open = await theEnrollment(server, contact_id);
  assert.deepEqual([open.status, open.current_step, open.due_at], ["active", 1, until]);
  clock.advance(4 * DAY_MS);
  await run();
  assert.equal(driven.taken.length, 1, "not before");
  clock.advance(DAY_MS);
  await run();
  assert.equal(driven.taken.length, 2);
  assert.equal((await theEnrollment(server, contact_id)).status, "completed");
});

test("out of office resumes only what this reply stopped, and nothing that changed since goes out", async (t) => {
  const driven = await driveEngine(t);
  const { server, clock, run } = driven;
  const { contact, taken } = await replied(driven, {}, "First.");
  const contact_id = contact.id;
  clock.advance(HOUR_MS);
  await driven.receive(answerTo(taken, {}, "Second."));
  assert.deepEqual(
    (await server.operator("mark_out_of_office", { contact_id })).resumed,
    [],
    "the first reply stopped it",
  );
  const other = await replied(driven, {}, "I am out.");
  await server.operator("mark_out_of_office", { contact_id: other.contact.id });
  await server.rest("PATCH", `/contacts/${other.contact.id}`, { body: { company: "Changed" } });
  clock.advance(30 * DAY_MS);
  await run();
  assert.equal(driven.taken.length, 2, "an agent changed what was approved");
  assert.equal((await theEnrollment(server, other.contact.id)).held_reason, "contact_changed");
});

test("a conversation shows its last messages before anything that can be done, and the earlier ones on demand", async (t) => {
  const driven = await driveEngine(t);
  const { server } = driven;
  const { contact } = await replied(driven, {}, "The newest.");
  const texts = ["First", "Second", "Third", "Fourth", "Fifth"];
  for (const subject of texts)
    await server.rest("POST", `/contacts/${contact.id}/activities`, { body: { type: "call_made", subject } });
  const { text } = await (await asOwner(server)).get(`/console/w/${server.workspaceId}/inbox/${contact.id}`);
  const [head = "", ...after] = text.split('<ol class="messages">');
  const rest = after.join("");
  assert.match(head, /<h1>[^<]+<\/h1>.*>Done .*Snooze….*Assign….*>More<.*Mark as unread/s, "beside the name");
  assert.ok(rest.indexOf(">Not interested<") < rest.indexOf('id="answer"'), "one click, before the answer");
  assert.match(text, /Earlier messages \(2\)<\/summary>/);
  assert.ok(text.indexOf("Earlier messages") < text.indexOf("First<"), "folded above, and the newest is last");
  assert.ok(text.indexOf(">: First<") < text.indexOf(">: Fifth<"), "oldest first");
  assert.ok(text.lastIndexOf('<ol class="messages">') < text.indexOf('id="answer"'));
  assert.equal([...text.matchAll(/<button[^>]*class="primary"[^>]*>/g)].length - sheets(text), 1, "one main action");
});

/** The main buttons of forms that are closed. */
const sheets = (text: string) =>
  [...text.matchAll(/class="sheet"(?:(?!<\/form>).)*?<button type="submit" class="primary"/gs)].length;
