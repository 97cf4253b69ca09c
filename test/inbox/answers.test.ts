import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import PostalMime from "postal-mime";
import type { AsSystem } from "../../src/core/context.ts";
import type { AnswerRow } from "../../src/store/inbox.ts";
import {
  answerTo,
  bounceOf,
  driveEngine,
  HOUR_MS,
  headerOf,
  onTheWay,
  runOut,
  type SendingOptions,
  theSend,
  told,
} from "../support/engine.ts";
import { callAs, member } from "../support/member.ts";

const MAIL = { type: "email", subject: "Hello", body: "Hi.", delay_days: 0 };
const LATER = { ...MAIL, subject: "Again", delay_days: 3 };
const BODY = "Great. Does Tuesday work?\n\nRobin";

const REP = { approveOutbound: false };

/** A contact who answered the first email of a sequence. */
async function replied(t: TestContext, options: SendingOptions = {}, headers: Record<string, string> = {}) {
  const driven = await driveEngine(t, options);
  const made = await onTheWay(driven.server, [MAIL, LATER]);
  await driven.run();
  const taken = driven.taken[0] as never;
  driven.clock.advance(HOUR_MS);
  await driven.receive(answerTo(taken, headers));
  const { server, clock, run } = driven;
  const { id: contact_id } = made.contact;
  const answer = (more: object = {}) => server.operator("answer_by_email", { contact_id, body: BODY, ...more });
  const propose = async (more: object = {}) =>
    (await callAs(server, member(server, REP), "answer_by_email", { contact_id, body: BODY, ...more })).body
      .data as any;
  const read = async () => (await server.operator("get_conversation", { contact_id })).answers[0];
  const leave = async () => {
    clock.advance(10_000);
    await run();
  };
  return { ...driven, ...made, contact_id, taken: driven.taken, first: taken, answer, propose, read, leave };
}

const whole = async ({ raw }: any) => PostalMime.parse(raw);

test("an answer of an approver leaves after ten seconds, once, in the thread of the reply", async (t) => {
  const { server, contact_id, taken, first, answer, read, leave, run, receive } = await replied(
    t,
    {},
    {
      References: "<theirs@x.example>",
    },
  );
  const { id, status, sends_at } = await answer();
  assert.deepEqual([status, sends_at === null], ["approved", false]);
  await run();
  assert.equal(taken.length, 1, "it can still be taken back");
  await leave();
  await leave();
  assert.equal(taken.length, 2);
  const sent = taken[1] as never;
  const [reply] = (await server.operator("get_conversation", { contact_id })).messages.filter(
    ({ type }: any) => type === "email_reply",
  );
  assert.equal(headerOf(sent, "subject"), "Re: Hello");
  assert.match(headerOf(sent, "in-reply-to") ?? "", /^<answer-\d+@x\.example>$/);
  const references = headerOf(sent, "references") ?? "";
  assert.deepEqual(references.split(/\s+/), [
    "<theirs@x.example>",
    headerOf(first, "message-id"),
    headerOf(sent, "in-reply-to"),
  ]);
  assert.match(headerOf(sent, "message-id") ?? "", /^<rostrum\.[0-9a-f-]{36}@acme\.example>$/);
  assert.ok(headerOf(sent, "list-unsubscribe"));
  assert.equal((await whole(sent)).text?.trim(), BODY, "a person's answer has no footer");
  assert.deepEqual([(await read()).status, (await theSend(server)).answer_id], ["sent", id]);
  assert.deepEqual(await told(server, contact_id), ["email_sent", "email_reply", "email_sent"]);
  assert.equal(reply.body, "Sounds good, call me.");
  await receive(answerTo(sent, {}, "Tuesday it is."));
  const { conversation } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual([conversation.status, conversation.unread], ["open", true]);
  assert.equal(conversation.last_reply.excerpt, "Tuesday it is.");
});

test("an answer can be taken back until it leaves, and its conversation is open again", async (t) => {
  const { server, contact_id, taken, answer, leave } = await replied(t);
  const { id } = await answer();
  const status = async () => (await server.operator("get_conversation", { contact_id })).conversation.status;
  assert.equal(await status(), "done");
  await server.operator("cancel_answer", { answer_id: id });
  assert.equal(await status(), "open");
  await leave();
  assert.equal(taken.length, 1);
  await assert.rejects(server.operator("cancel_answer", { answer_id: id }), { code: "answer_not_open" });
});

test("an answer of another member goes to review, and leaves as it was approved", async (t) => {
  const { server, taken, propose, read, leave } = await replied(t);
  const { id, status } = await propose();
  assert.equal(status, "needs_review");
  await leave();
  assert.equal(taken.length, 1, "nothing leaves without an approval");
  const review = await server.operator("list_review", { kind: "answer" });
  assert.deepEqual([review[0].id, review[0].proposed_by], [id, "Grace"]);
  const { version, answer, waiting } = await server.operator("get_review", { kind: "answer", id });
  assert.deepEqual([answer.body, waiting], [BODY, true]);
  await server.operator("edit_answer", { answer_id: id, subject: "Re: Hello", body: "Shorter." });
  const approve = (copy_hash: string) => server.operator("approve_answer", { answer_id: id, copy_hash });
  await assert.rejects(approve(version), { code: "version_conflict" });
  await approve((await read()).copy_hash);
  await leave();
  assert.equal((await whole(taken[1])).text?.trim(), "Shorter.");
  await assert.rejects(approve((await read()).copy_hash), { code: "answer_not_open" });
});

test("where own proposals are forbidden, an approver's answer goes to review too, and to another approver", async (t) => {
  const { server, contact_id } = await replied(t);
  await server.operator("set_own_proposals", { own_proposals: "forbidden" });
  const approver = member(server, { approveOutbound: true });
  const { body } = await callAs(server, approver, "answer_by_email", { contact_id, body: BODY });
  const { id, status } = body.data as any;
  assert.equal(status, "needs_review");
  const refused = await callAs(server, approver, "approve_answer", { answer_id: id });
  assert.equal(refused.body.code, "own_proposal");
  await server.operator("approve_answer", { answer_id: id });
});

test("what changes after the approval keeps the answer for a person: sender, address, a new reply", async (t) => {
  for (const change of ["sender", "address", "reply"] as const) {
    const { server, contact_id, taken, first, answer, read, leave, receive } = await replied(t);
    await answer();
    if (change === "sender") await server.operator("set_sending_policy", { sender_name: "Somebody" });
    if (change === "address") {
      await server.rest("PATCH", `/contacts/${contact_id}`, { body: { email: "other@x.example" } });
    }
    if (change === "reply") await receive(answerTo(first, {}, "Sorry, no."));
    await leave();
    assert.equal(taken.length, 1, change);
    assert.equal((await read()).status, "needs_review", change);
  }
});

test("an opt-out cancels an answer, whether it waits for review or for the mail server", async (t) => {
  for (const direct of [true, false]) {
    const { server, contact, taken, answer, propose, read, leave } = await replied(t);
    await (direct ? answer() : propose());
    await server.rest("POST", "/suppression", { body: { email: contact.email } });
    await leave();
    assert.deepEqual([taken.length, (await read()).status], [1, "cancelled"]);
    await assert.rejects(answer(), { code: "contact_suppressed" });
  }
});

test("what happens between the claim of an answer and its first byte stops it", async (t) => {
  for (const [what, happens, status] of [
    [
      "an opt-out",
      ({ server, contact }) => server.rest("POST", "/suppression", { body: { email: contact.email } }),
      "cancelled",
    ],
    ["a pause", ({ server }) => server.operator("pause_outreach", { reason: "stop" }), "approved"],
    ["an undo", ({ server, id }) => server.operator("cancel_answer", { answer_id: id }), "cancelled"],
    ["another sender", ({ server }) => server.operator("set_sending_policy", { sender_name: "Eve" }), "needs_review"],
  ] as [string, (of: any) => Promise<unknown>, string][]) {
    const made = await replied(t);
    const { server, asSystem, another, clock, taken, answer, read } = made;
    const { id } = await answer();
    clock.advance(10_000);
    let happened = false;
    const between: AsSystem = async (workspaceId, name, job) => {
      const result = await asSystem(workspaceId, name, job);
      if (name === "take_answer" && !happened) {
        happened = true;
        await happens({ ...made, id });
      }
      return result;
    };
    await runOut(server, clock, await another({ asSystem: between }));
    assert.ok(happened, what);
    assert.deepEqual([taken.length, (await read()).status], [1, status], what);
  }
});

test("while outreach is paused, nothing is sent, and the answer leaves once it resumes", async (t) => {
  const { server, taken, answer, read, leave } = await replied(t);
  await answer();
  await server.operator("pause_outreach", { reason: "Holiday" });
  await leave();
  assert.deepEqual([taken.length, (await read()).status], [1, "approved"]);
  await server.operator("resume_outreach", { reason: "Back" });
  await leave();
  assert.deepEqual([taken.length, (await read()).status], [2, "sent"]);
});

test("an answer goes to the contact, or to the address that wrote, and nowhere else", async (t) => {
  const { server, contact, contact_id, taken, answer, leave } = await replied(t, {}, { From: "boss@x.example" });
  const { email } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual(email.to, [contact.email, "boss@x.example"]);
  await assert.rejects(answer({ to: "evil@x.example" }), { code: "validation_failed" });
  await answer({ to: "BOSS@x.example" });
  await leave();
  assert.deepEqual((taken[1] as any).to, ["boss@x.example"]);
});

test("an answer to a reply that was not read is refused", async (t) => {
  const { server, contact_id, first, answer, receive } = await replied(t);
  const read = (await server.operator("get_conversation", { contact_id })).conversation.last_reply.id;
  await receive(answerTo(first, {}, "One more thing."));
  await assert.rejects(answer({ read_reply_id: read }), { code: "version_conflict" });
});

test("a bounce of an answer fails it and opens the conversation, and leaves the sequence's email as it was", async (t) => {
  const { server, contact_id, taken, answer, read, leave, receive } = await replied(t);
  await answer();
  await leave();
  await receive(bounceOf(taken[1] as never, "5.1.1", "550 5.1.1 user unknown"));
  const statuses = (await server.operator("list_sends", {})).map(({ status }: any) => status);
  assert.deepEqual([statuses, (await read()).status], [["failed", "sent"], "failed"]);
  const { conversation } = await server.operator("get_conversation", { contact_id });
  assert.deepEqual([conversation.status, conversation.unread], ["open", true]);
  assert.equal((await server.operator("list_suppressions", {})).length, 1, "the address is dead");
});

test("an answer whose outcome is unknown waits for a person, who can have it sent again", async (t) => {
  const { server, taken, answer, read, leave, run, clock } = await replied(t);
  const { id } = await answer();
  // As a process that dies while it hands the message over leaves it.
  const { store } = server.running;
  await store.write(server.workspaceId, async ({ emailAnswers, sends }) => {
    const { contactId, address, subject } = (await emailAnswers.find(id)) as AnswerRow;
    const of = { enrollmentId: null, sequenceId: null, step: null, answerId: id, contactId } as const;
    const tried = { attempts: 1, lastAttemptAt: clock.now(), leaseUntil: 0, leasedBy: "gone", detail: null };
    const at = { createdAt: clock.now(), updatedAt: clock.now() };
    const own = { id, messageId: `<rostrum.${id}@acme.example>`, address, subject, status: "sending" } as const;
    await sends.insert({ ...of, ...own, ...tried, ...at });
    await emailAnswers.wait(id, null, clock.now());
  });
  await leave();
  assert.deepEqual([taken.length, (await theSend(server)).status, (await read()).status], [1, "unknown", "approved"]);
  await assert.rejects(server.operator("cancel_answer", { answer_id: id }), { code: "answer_not_open" });
  await server.operator("settle_send", { send_id: id, outcome: "retry" });
  await run();
  await leave();
  assert.deepEqual([taken.length, (await read()).status], [2, "sent"]);
});

test("an address that the mail server refuses fails the answer, a busy server delays it", async (t) => {
  let answers = ["", "450 4.2.1 busy", ""];
  const options = {
    smtp: {
      answer: () => {
        const text = answers.shift() ?? "";
        if (text !== "") throw Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) });
        return undefined;
      },
    },
  };
  const { taken, answer, read, leave, clock, run } = await replied(t, options);
  await answer();
  await leave();
  assert.deepEqual([taken.length, (await read()).status, (await read()).sends_at === null], [1, "approved", false]);
  clock.advance(HOUR_MS);
  await run();
  await run();
  assert.deepEqual([taken.length, (await read()).status], [2, "sent"]);
  answers = ["550 5.1.1 no such user"];
  await answer({ body: "And one more." });
  await leave();
  assert.equal((await read()).status, "failed");
});

test("without a mail server, an answer is refused, or saved to a file if the caller says so", async (t) => {
  const { server, contact_id, leave, read, taken } = await replied(t, { files: false });
  const { store } = server.running;
  await store.recordHasMailServer(false, 1);
  const { email } = await server.operator("get_conversation", { contact_id });
  assert.equal(email.delivery, "files");
  const input = { contact_id, body: BODY };
  await assert.rejects(server.operator("answer_by_email", input), { code: "mail_not_configured" });
  await server.operator("answer_by_email", { ...input, delivery: "files" });
  await leave();
  assert.deepEqual([taken.length, (await read()).status], [1, "written"]);
});

test("an approved answer waits while the mail server is removed, and is not saved to a file", async (t) => {
  const { server, answer, propose, another, clock, read, run, taken } = await replied(t, { files: false });
  const { store } = server.running;
  await answer();
  const engine = await another({ mailer: undefined });
  clock.advance(10_000);
  await runOut(server, clock, engine);
  const { status, sends_at, note } = await read();
  assert.deepEqual([taken.length, status, sends_at === null], [1, "approved", false]);
  assert.match(note, /^No mail server is connected\./);
  clock.advance(60_000);
  await run();
  assert.deepEqual([taken.length, (await read()).status], [2, "sent"]);
  const { id: answer_id } = await propose();
  await store.recordHasMailServer(false, clock.now());
  await assert.rejects(server.operator("approve_answer", { answer_id }), { code: "mail_not_configured" });
  await store.recordHasMailServer(true, clock.now());
  assert.equal((await server.operator("approve_answer", { answer_id })).status, "approved");
});
