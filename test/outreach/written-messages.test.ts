import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { senderText } from "../../src/lib/mail-server.ts";
import { DEADLINE_MS, FROM, onTheWay, theEnrollment, theSend, timeline } from "../support/engine.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const env = { ROSTRUM_OUTBOUND_GATE: "open" };

test("without a mail server each message is a file, marked as not sent, and the sequence continues", async (t) => {
  const server = await startServer(t, { env, clock: new FakeClock() });
  const { contact } = await onTheWay(server, [MAIL]);
  await until(async () => (await theEnrollment(server)).status === "completed", DEADLINE_MS);
  const { status, detail } = await theSend(server);
  assert.equal(status, "written");
  const folder = join(server.folder, "mail");
  const [file] = readdirSync(folder) as [string];
  assert.ok(detail.endsWith(file));
  assert.match(readFileSync(join(folder, file), "utf8"), /^Subject: Hello Ada\r?$/m);
  const [activity] = await timeline(server, contact.id);
  assert.deepEqual([activity.type, activity.metadata.not_sent], ["email_not_sent", true]);
});

test("a server with its workers off answers calls and does not send; another on the same data does", async (t) => {
  const clock = new FakeClock();
  const off = await startServer(t, { env: { ...env, ROSTRUM_WORKERS: "off" }, clock });
  await off.running.store.recordMailFrom(senderText(FROM), clock.now());
  await onTheWay(off, [MAIL]);
  // Longer than two checks of the engine's own clock take.
  const looks = performance.now() + 2_500;
  await until(() => performance.now() > looks, DEADLINE_MS);
  assert.equal(await theSend(off), undefined);
  await startServer(t, { env: { ...env, MAIL_FROM: "Robin <sales@acme.example>" }, clock, folder: off.folder });
  await until(async () => (await theSend(off))?.status === "written", DEADLINE_MS);
});
