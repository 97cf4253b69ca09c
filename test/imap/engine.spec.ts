import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { databaseFile } from "../../src/lib/data-folder.ts";
import { answerTo, bounceOf, DEADLINE_MS, onTheWay, startSending, theEnrollment, told } from "../support/engine.ts";
import type { TestServer } from "../support/server.ts";
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

test("an answer and a bounce that come into the mailbox stop what a running server sends", async (t) => {
  const dovecot = await Dovecot.start(t);
  const { host, port, login } = dovecot.server;
  const env = { IMAP_URL: `imap://${login?.user}:${login?.pass}@${host}:${port}` };
  const { server, taken } = await startSending(t, { env });
  const first = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const second = await onTheWay(server, [MAIL, { ...MAIL, delay_days: 1 }]);
  const statusOf = async ({ contact }: typeof first) => (await theEnrollment(server, contact.id)).status;
  await until(() => taken.length === 2, DEADLINE_MS);
  const to = ({ contact }: typeof first) => taken.find((message) => message.to.includes(contact.email)) as never;
  // The mailbox is read from where it stood when it was first seen.
  await until(() => cursors(server) > 0, DEADLINE_MS);
  await dovecot.deliver(answerTo(to(first)), bounceOf(to(second), "5.1.1", "550 5.1.1 user unknown"));
  await until(async () => (await statusOf(first)) === "stopped_replied", DEADLINE_MS);
  await until(async () => (await statusOf(second)) !== "active", DEADLINE_MS);
  assert.deepEqual(await told(server, first.contact.id), ["email_sent", "email_reply"]);
  assert.deepEqual(await told(server, second.contact.id), ["email_sent", "email_bounced", "suppressed"]);
});
