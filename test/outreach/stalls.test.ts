import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MailReader } from "../../src/mail/reader.ts";
import { newPost, startChecklist } from "../support/checklist.ts";
import {
  answerTo,
  type Driven,
  driveEngine,
  onTheWay,
  runOut,
  theEnrollment,
  theSend,
  told,
} from "../support/engine.ts";
import { asOwner } from "../support/http-browser.ts";
import { longestTurn } from "../support/longest-turn.ts";

/** Limit for a turn of the event loop, which blocks everything else. */
const MOST_MS = 250;

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };

async function assertNoStall(t: TestContext, what: string, job: () => Promise<unknown>): Promise<void> {
  const longest = await longestTurn(job);
  t.diagnostic(`${what}: the longest turn took ${longest.toFixed(0)} ms`);
  assert.ok(longest < MOST_MS, `${what}: ${longest.toFixed(0)} ms`);
}

test("ten drafts of 20,000 brackets stall neither submitting nor reviewing", async (t) => {
  const server = await startChecklist(t);
  const item = "ON-01";
  const draft = (body: string) => newPost(server, item, { output_kind: "social_post", body });
  await draft("What is loaded at first use is loaded by this one.");
  const browser = await asOwner(server);
  const open = async (path: string) => {
    const page = await browser.open(`/console/w/${server.workspaceId}${path}`);
    assert.equal(page.status, 200, path);
    return page;
  };
  const pages = ["/review", "/review/post", "/checklist/posts", `/checklist/${item}`];
  for (const path of pages) await open(path);
  const ids: string[] = [];
  await assertNoStall(t, "submitting", async () => {
    for (let i = 0; i < 10; i += 1) ids.push(await draft("[".repeat(20_000)));
  });
  for (const path of [...pages, `/review/post/${ids[0]}`, `/review/post/${ids[0]}?view=raw`]) {
    await assertNoStall(t, path, () => open(path));
  }
});

test("a step of 19,000 closing brackets behind a link is sent without a stall", async (t) => {
  const { server, run, taken } = await driveEngine(t);
  await onTheWay(server, [MAIL]);
  await run();
  await onTheWay(server, [{ ...MAIL, body: `https://a.example/${")".repeat(19_000)}` }]);
  await assertNoStall(t, "sending", run);
  assert.equal(taken.length, 2);
});

test("a simulation with 100 contacts whose company is 500 hyphens does not stall", async (t) => {
  const { server } = await driveEngine(t);
  const { id: sequence_id } = await server.operator("create_sequence", { name: "S", steps: [MAIL, MAIL, MAIL, MAIL] });
  const rows = Array.from({ length: 100 }, (_, i) => ({
    email: `n${i}@x.example`,
    company: "-".repeat(500),
    first_name: "a.-".repeat(66),
  }));
  await server.operator("import_contacts", {
    fingerprint: "a".repeat(64),
    from_row: 0,
    rows: rows.slice(0, 1),
    last: true,
  });
  await server.operator("simulate_sequence", { sequence_id, contacts: 1 });
  await server.operator("import_contacts", {
    fingerprint: "b".repeat(64),
    from_row: 0,
    rows: rows.slice(1),
    last: true,
  });
  let simulated: any;
  await assertNoStall(t, "simulating", async () => {
    simulated = await server.operator("simulate_sequence", { sequence_id, contacts: 100 });
  });
  assert.equal(simulated.contacts, 100);
});

const PARTS = { "Content-Type": 'multipart/mixed; boundary="b"' };
/** Inputs that are slow to parse: nested parts, countless boundaries, unclosed tags. */
const HOSTILE: Record<string, [headers: Record<string, string>, body: string]> = {
  "messages within messages": [PARTS, "--b\nContent-Type: message/rfc822\n\n".repeat(20_000)],
  "thousands of boundaries": [
    PARTS,
    Array.from({ length: 4_900 }, (_, i) => `--b\nContent-Type: multipart/mixed; boundary=${i}${"-".repeat(80)}`).join(
      "\n\n",
    ),
  ],
  "tags that never end": [{ "Content-Type": "text/html" }, "<a <".repeat(200_000)],
  "a thread without end": [{ References: "<a@b".repeat(15_000) }, "Yes."],
  "a long way down": [{ "Content-Type": "text/html" }, "<div><table><tr><td>".repeat(10_000)],
};

const statusOf = async ({ server }: Driven) => (await theEnrollment(server)).status;

test("a hostile reply stalls nothing, and stops its sequence like any other", async (t) => {
  for (const [what, [headers, body]] of Object.entries(HOSTILE)) {
    const driven = await driveEngine(t);
    const { server, run, taken, receive } = driven;
    const reader = new MailReader();
    t.after(() => reader.close());
    const reading = { read: (source: Uint8Array) => reader.read(source) };
    const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 3 }]);
    await run();
    await receive("Subject: What is loaded at first use is loaded by this one.\n\nHello\n");
    const answer = answerTo(taken[0] as never, headers, body);
    await assertNoStall(t, what, () => receive(answer, undefined, reading));
    assert.equal(await statusOf(driven), "stopped_replied", what);
    assert.deepEqual(await told(server, contact.id), ["email_sent", "email_reply"], what);
  }
});

test("a reply that can't be parsed within limits is recorded as a reply, counted, and stops its sequence", async (t) => {
  for (const [headers, type, status] of [
    [{}, "email_reply", "stopped_replied"],
    [{ "Auto-Submitted": "auto-replied" }, "email_auto_reply", "active"],
    [{ "Content-Type": "multipart/report; report-type=delivery-status" }, "email_auto_reply", "active"],
  ] as const) {
    const driven = await driveEngine(t);
    const { server, run, taken, receive } = driven;
    const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 3 }]);
    await run();
    const reader = new MailReader(1);
    t.after(() => reader.close());
    let counted = 0;
    const answer = answerTo(taken[0] as never, headers);
    for (let i = 0; i < 2; i += 1) {
      await receive(answer, undefined, {
        read: (source) => reader.read(source),
        mailboxSetAside: () => (counted += 1),
      });
    }
    assert.deepEqual([await statusOf(driven), counted], [status, 2]);
    assert.deepEqual(await told(server, contact.id), ["email_sent", type], "once, however often it is read");
    const [latest] = await server.operator("list_activities", { contact_id: contact.id });
    assert.match(latest.body, /couldn't read this email/);
  }
});

test("only replies to our messages and possible reports on them are read below the header", async (t) => {
  const { server, run, taken, receive } = await driveEngine(t);
  await onTheWay(server, [MAIL]);
  await run();
  let read = 0;
  const reading = {
    read: async () => {
      read += 1;
      return undefined;
    },
  };
  const none = "<rostrum.0190aaaa-0000-7000-8000-00000000abcd@acme.example>";
  for (const id of ["", none, "<a@b.example>"]) {
    await receive(answerTo(taken[0] as never, { "In-Reply-To": id }), undefined, reading);
  }
  assert.equal(read, 0);
  const report = { From: "mailer-daemon@mx.example", Subject: "Undeliverable", "In-Reply-To": "" };
  await receive(answerTo(taken[0] as never, report), undefined, reading);
  assert.equal(read, 1);
});

test("the reader continues after a message that exceeded its limits", async (t) => {
  const reader = new MailReader();
  t.after(() => reader.close());
  const impatient = new MailReader(1);
  t.after(() => impatient.close());
  const source = Buffer.from("From: ada@x.example\r\nSubject: Hello\r\n\r\nHello\r\n");
  assert.equal(await impatient.read(source), undefined);
  for (let i = 0; i < 2; i += 1) assert.equal((await reader.read(source))?.subject, "Hello");
  // A message that can't be copied to the thread can't be read, and does not stop other reads.
  await reader.close();
  assert.equal((await reader.read(source))?.subject, "Hello");
});

test("a message that can't be composed puts its step on hold for a person, and is not retried", async (t) => {
  const { server, clock, another, run, taken } = await driveEngine(t);
  await onTheWay(server, [MAIL]);
  const broken = await another({ url: () => "http://an address with spaces" });
  await runOut(server, clock, broken);
  const held = await theEnrollment(server);
  assert.deepEqual([held.status, held.held_reason], ["active", "unsendable"]);
  assert.match(held.held_detail, /can't compose an email from this subject and text/);
  clock.advance(30 * 86_400_000);
  await runOut(server, clock, broken);
  assert.deepEqual([(await theSend(server)).attempts, taken.length], [1, 0]);
  await server.operator("release_enrollment", { enrollment_id: held.id });
  await run();
  assert.deepEqual([(await theEnrollment(server)).held_reason, taken.length], [null, 1]);
});
