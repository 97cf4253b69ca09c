import assert from "node:assert/strict";
import net, { type AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/lib/data-folder.ts";
import {
  answerTo,
  bounceOf,
  DAY_MS,
  DEADLINE_MS,
  onTheWay,
  startSending,
  theEnrollment,
  told,
} from "../support/engine.ts";
import { FakeClock, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";
import { Dovecot } from "./dovecot.ts";

function cursors({ folder }: TestServer): number {
  const db = new Database(databaseFile(folder), { readonly: true });
  try {
    return db.prepare("SELECT count(*) FROM mail_cursors").pluck().get() as number;
  } finally {
    db.close();
  }
}

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };

test("a reply and a bounce in the mailbox stop what a running server sends", async (t) => {
  const dovecot = await Dovecot.start(t);
  const { host, port, login } = dovecot.server;
  const env = { IMAP_URL: `imap://${login?.user}:${login?.pass}@${host}:${port}` };
  const { server, taken } = await startSending(t, { env });
  const first = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const second = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const statusOf = async ({ contact }: typeof first) => (await theEnrollment(server, contact.id)).status;
  await until(() => taken.length === 2, DEADLINE_MS);
  const to = ({ contact }: typeof first) => taken.find((message) => message.to.includes(contact.email)) as never;
  // The mailbox is read from its state when it was first seen.
  await until(() => cursors(server) > 0, DEADLINE_MS);
  await dovecot.deliver(answerTo(to(first)), bounceOf(to(second), "5.1.1", "550 5.1.1 user unknown"));
  await until(async () => (await statusOf(first)) === "stopped_replied", DEADLINE_MS);
  await until(async () => (await statusOf(second)) !== "active", DEADLINE_MS);
  assert.deepEqual(await told(server, first.contact.id), ["email_sent", "email_reply"]);
  assert.deepEqual(await told(server, second.contact.id), ["email_sent", "email_bounced", "suppressed"]);
});

/** A connection to a server that is slow to greet. */
async function slowWay(t: TestContext, { host, port }: { host: string; port: number }, way: { delayMs: number }) {
  const proxy = net.createServer((client) => {
    client.on("error", () => {});
    setTimeout(() => {
      const server = net.connect(port, host);
      server.on("error", () => client.destroy());
      client.pipe(server).pipe(client);
    }, way.delayMs);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => proxy.close());
  return (proxy.address() as AddressInfo).port;
}

test("a reply that arrived while no server ran is read before anything is sent", async (t) => {
  const dovecot = await Dovecot.start(t);
  const way = { delayMs: 0 };
  const port = await slowWay(t, dovecot.server, way);
  const { login } = dovecot.server;
  const env = { IMAP_URL: `imap://${login?.user}:${login?.pass}@127.0.0.1:${port}` };
  const clock = new FakeClock();
  const folder = temporaryFolder(t);
  const { server, taken } = await startSending(t, { env, clock, folder });
  const { contact } = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 2 }]);
  await until(() => taken.length === 1, DEADLINE_MS);
  await until(() => cursors(server) > 0, DEADLINE_MS);
  await server.running.close();

  await dovecot.deliver(answerTo(taken[0] as never));
  clock.advance(3 * DAY_MS);
  way.delayMs = 3_000;
  const again = await startSending(t, { env, clock, folder });
  await until(async () => (await theEnrollment(again.server, contact.id)).status === "stopped_replied", DEADLINE_MS);
  assert.deepEqual(await told(again.server, contact.id), ["email_sent", "email_reply"]);
  assert.equal(again.taken.length, 0);
});
