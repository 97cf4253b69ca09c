import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type FetchedMessage,
  type MailboxCursor,
  type MailboxWatch,
  verifyMailbox,
  watchMailbox,
} from "../../src/mail/mailbox.ts";
import { keptLog } from "../support/log.ts";
import { FakeClock } from "../support/server.ts";
import { until } from "../support/until.ts";
import { Dovecot } from "./dovecot.ts";

const mail = (subject: string) => `From: ada@lovelace.example\nTo: sales@acme.example\nSubject: ${subject}\n\nHello\n`;
const subjectOf = ({ header }: FetchedMessage) => /^Subject: (.*)\r$/m.exec(header.toString())?.[1];

/** A watch, the messages it took, and how to stop it. */
function watch(t: TestContext, given: Pick<MailboxWatch, "server"> & Partial<MailboxWatch>) {
  const stop = new AbortController();
  const { log, text } = keptLog();
  const taken: FetchedMessage[] = [];
  const cursors: MailboxCursor[] = [];
  const ended = watchMailbox({
    cursor: undefined,
    begin: async (cursor) => void cursors.push(cursor),
    take: async (message, cursor) => {
      taken.push(message);
      cursors.push(cursor);
    },
    signal: stop.signal,
    clock: new FakeClock(Date.now()),
    log,
    backoff: { firstMs: 10, mostMs: 100 },
    ...given,
  });
  const end = async () => {
    stop.abort();
    await ended;
  };
  t.after(end);
  return { taken, cursors, subjects: () => taken.map(subjectOf), end, logged: text };
}

test("existing mail is ignored, and new mail is read within moments, in order, and left unmarked", async (t) => {
  const dovecot = await Dovecot.start(t);
  await dovecot.deliver(mail("old"));
  const { subjects, cursors, taken, end } = watch(t, dovecot);
  await until(() => cursors.length === 1);
  const from = Date.now() - 60_000;
  await dovecot.deliver(mail("one"), mail("two"));
  await until(() => cursors.length === 3);
  await dovecot.deliver(mail("three"));
  await until(() => cursors.length === 4);
  assert.deepEqual(subjects(), ["one", "two", "three"]);
  assert.deepEqual(
    cursors.map(({ uid }) => uid),
    [1, 2, 3, 4],
  );
  assert.ok(taken.every(({ receivedAt }) => receivedAt > from && receivedAt <= Date.now() + 1_000));
  await end();
  const left = await dovecot.as((client) => client.fetchAll("1:*", { flags: true }));
  assert.deepEqual(
    left.map(({ flags }) => [...(flags ?? [])].filter((flag) => flag !== "\\Recent")),
    [[], [], [], []],
  );
});

test("a later start continues after its cursor, and misses no mail that arrived in between", async (t) => {
  const dovecot = await Dovecot.start(t);
  const first = watch(t, dovecot);
  await until(() => first.cursors.length === 1);
  await dovecot.deliver(mail("one"));
  await until(() => first.cursors.length === 2);
  await first.end();
  await dovecot.deliver(mail("two"), mail("three"));
  await dovecot.as((client) => client.messageDelete("2", { uid: true }));
  const second = watch(t, { ...dovecot, server: dovecot.server, cursor: first.cursors.at(-1) });
  await until(() => second.cursors.length === 1);
  assert.deepEqual(second.subjects(), ["three"]);
});

test("at the first read, mail since our first message is read, but nothing older than a month", async (t) => {
  const dovecot = await Dovecot.start(t);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await dovecot.as(async (client) => {
    for (const days of [50, 20, 3]) await client.append("INBOX", mail(`${days} days ago`), [], daysAgo(days));
  });
  const since = async (days: number) => {
    const { taken, subjects, cursors, end } = watch(t, { ...dovecot, server: dovecot.server, since: +daysAgo(days) });
    await until(() => cursors.some(({ uid }) => uid === 3));
    await end();
    assert.ok(taken.every(({ receivedAt }) => receivedAt > 0));
    return subjects();
  };
  assert.deepEqual(await since(1), []);
  assert.deepEqual(await since(10), ["3 days ago"]);
  assert.deepEqual(await since(400), ["20 days ago", "3 days ago"]);
});

test("a message that always fails is skipped after a few tries and reported without its content, and later mail is read", async (t) => {
  const dovecot = await Dovecot.start(t);
  const seen: (string | undefined)[] = [];
  const told: boolean[] = [];
  let down = true;
  let refused = 0;
  let aside = 0;
  const { logged, cursors } = watch(t, {
    server: dovecot.server,
    begin: async (cursor) => {
      // While the store accepts nothing at all, no message is at fault.
      if (refused > 0 && refused < 8 && down) throw new Error("the store is down");
      cursors.push(cursor);
    },
    take: async (message, cursor) => {
      const subject = subjectOf(message);
      if (subject === "poison") {
        refused += 1;
        throw new TypeError(`cannot read ${message.header}`);
      }
      seen.push(subject);
      cursors.push(cursor);
    },
    reads: (reads) => told.push(reads),
    setAside: () => {
      aside += 1;
    },
  });
  await until(() => cursors.length === 1);
  await dovecot.deliver(mail("one"), mail("poison"), mail("three"));
  await until(() => refused >= 8, 20_000);
  down = false;
  await until(() => seen.length === 2, 20_000);
  assert.deepEqual([seen, aside, refused], [["one", "three"], 1, 12]);
  await until(() => told.at(-1) === true);
  assert.ok(told.includes(false));
  const line =
    logged()
      .split("\n")
      .find((one) => one.includes("was skipped")) ?? "";
  assert.match(line, /"uid":2,"fault":"TypeError"/);
  assert.ok(!line.includes("lovelace"));
});

test("a message that failed is read again before any later one", async (t) => {
  const dovecot = await Dovecot.start(t);
  let refused = 0;
  const seen: (string | undefined)[] = [];
  const { cursors, logged } = watch(t, {
    server: dovecot.server,
    take: async (message, cursor) => {
      const subject = subjectOf(message);
      if (subject === "two" && ++refused <= 2) throw new Error("the store is busy");
      seen.push(subject);
      cursors.push(cursor);
    },
  });
  await until(() => cursors.length === 1);
  await dovecot.deliver(mail("one"), mail("two"), mail("three"));
  await until(() => seen.length === 3);
  assert.deepEqual([seen, refused], [["one", "two", "three"], 3]);
  assert.ok(logged().includes("the store is busy"));
});

test("reading continues after a server goes down and comes back", async (t) => {
  const dovecot = await Dovecot.start(t);
  const { subjects, cursors, logged } = watch(t, dovecot);
  await until(() => cursors.length === 1);
  await dovecot.stop();
  await until(() => logged().includes("can't be read"));
  await dovecot.run();
  await dovecot.deliver(mail("one"));
  await until(() => cursors.length === 2);
  assert.deepEqual(subjects(), ["one"]);
});

test("a recreated mailbox is read again, back to a week ago, under its new cursor", async (t) => {
  const dovecot = await Dovecot.start(t);
  const { subjects, cursors } = watch(t, dovecot);
  await until(() => cursors.length === 1);
  await dovecot.as((client) => client.append("INBOX", mail("ancient"), [], new Date(Date.now() - 30 * 86_400_000)));
  await dovecot.deliver(mail("one"));
  await until(() => cursors.length === 3);
  await dovecot.makeAnew();
  await until(() => cursors.length >= 5);
  assert.deepEqual(subjects().slice(0, 3), ["ancient", "one", "one"]);
  assert.notEqual(cursors[0]?.uidValidity, cursors.at(-1)?.uidValidity);
});

test("the header is fetched first, and the body on request; a very long one is truncated", async (t) => {
  const dovecot = await Dovecot.start(t);
  const sources: (Buffer | undefined)[] = [];
  const headers: Buffer[] = [];
  const { cursors } = watch(t, {
    server: dovecot.server,
    take: async ({ header, source }) => {
      headers.push(header);
      sources.push(await source());
    },
  });
  await until(() => cursors.length === 1);
  const longHeader = `X-Long: ${"x".repeat(70)}\n`.repeat(2_000);
  await dovecot.deliver(mail("long") + `${"x".repeat(70)}\n`.repeat(40_000), longHeader + mail("short"), mail("last"));
  await until(() => sources.length === 3);
  assert.deepEqual(
    headers.map((header) => [header.length > 64 * 1024, header.length === 64 * 1024, header.includes("Hello")]),
    [
      [false, false, false],
      [false, true, false],
      [false, false, false],
    ],
  );
  assert.equal(sources[0]?.length, 1024 * 1024);
  assert.match(String(sources[2]), /Subject: last[\s\S]*Hello/);
});

test("a wrong password is reported without the password, and a right one opens the inbox", async (t) => {
  const dovecot = await Dovecot.start(t);
  await verifyMailbox(dovecot.server);
  const login = { user: "sales", pass: "wrong_secret" };
  await assert.rejects(
    verifyMailbox({ ...dovecot.server, login }),
    (error: Error) => /authentication failed/i.test(error.message) && !error.message.includes("wrong_secret"),
  );
  const { logged } = watch(t, { server: { ...dovecot.server, login } });
  await until(() => logged().includes("can't be read"), 20_000);
  assert.ok(!logged().includes("wrong_secret"));
});

test("on another machine an untrusted certificate is refused before sign-in", async (t) => {
  const dovecot = await Dovecot.start(t);
  await assert.rejects(verifyMailbox({ ...dovecot.server, local: false }), /self-signed/i);
});

test("a stop takes effect immediately, even with work in progress", async (t) => {
  const nobody = watch(t, {
    server: { host: "127.0.0.1", port: 1, secure: false, local: true, login: undefined },
    backoff: { firstMs: 3_600_000, mostMs: 3_600_000 },
  });
  await until(() => nobody.logged().includes("can't be read"));
  await nobody.end();
  const dovecot = await Dovecot.start(t);
  const idle = watch(t, dovecot);
  await until(() => idle.cursors.length === 1);
  await idle.end();
});
