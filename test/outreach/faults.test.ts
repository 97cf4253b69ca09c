import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createMailer } from "../../src/mail/mailer.ts";
import type { EngineParts } from "../../src/workers/engine.ts";
import type { MailTransport } from "../../src/workers/mail-transport.ts";
import { deadPort } from "../http-client/receiver.ts";
import { driveEngine, manyOnTheWay, onTheWay, runOut, theEnrollment, theSend, told } from "../support/engine.ts";
import { sendRow } from "../support/sends.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };

test("a step that a server error blocks is postponed, and delays no other", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const { contacts } = await manyOnTheWay(server, [MAIL], 60);
  const { store } = server.running;
  // An impossible state: the step of the first 55 is due, and its message was sent.
  for (const { id } of contacts.slice(0, 55)) {
    const enrollment = await theEnrollment(server, id);
    const { id: enrollmentId, sequence_id: sequenceId } = enrollment;
    const row = sendRow({ enrollmentId, sequenceId, contactId: id, status: "sent", leaseUntil: null });
    await store.write(server.workspaceId, ({ sends }) => sends.insert(row));
  }
  await run();
  assert.equal(taken.length, 5);
  const { status, due_at } = await theEnrollment(server, contacts[0].id);
  assert.deepEqual([status, due_at], ["active", new Date(clock.now() + 300_000).toISOString()]);
});

test("an outcome that the database rejects at first is recorded as soon as possible", async (t) => {
  const { server, clock, taken, another, asSystem } = await driveEngine(t);
  let refusals = 2;
  const engine = await another({
    asSystem: async (workspaceId, name, job) => {
      if (name === "send_mail" && refusals > 0) {
        refusals -= 1;
        throw new Error("database is locked");
      }
      return asSystem(workspaceId, name, job);
    },
  });
  const { contact } = await onTheWay(server, [MAIL]);
  await runOut(server, clock, engine);
  assert.deepEqual([refusals, taken.length, (await theSend(server)).status], [0, 1, "sent"]);
  assert.deepEqual(await told(server, contact.id), ["email_sent"]);
});

test("a stop finishes the message in progress, and starts no other", async (t) => {
  let stopping = (): void => {};
  const { server, taken, engine } = await driveEngine(t, {
    smtp: {
      async answer() {
        stopping();
        return undefined;
      },
    },
  });
  await manyOnTheWay(server, [MAIL], 60);
  const abort = new AbortController();
  stopping = () => abort.abort();
  await engine.run(abort.signal);
  await engine.stop();
  const by = async (status: string) => (await server.operator("list_sends", { status, limit: 100 })).length;
  assert.deepEqual([await by("sending"), await by("unknown")], [0, 0], "nothing is left open");
  assert.equal(await by("sent"), taken.length);
  assert.ok(taken.length < 60);
  // Messages without a connection were returned: they are due at once, and keep all attempts.
  const given = (await by("retry")) + (await by("dropped"));
  assert.equal((await by("sent")) + given, (await server.operator("list_sends", { limit: 100 })).length);
  assert.ok(given > 0);
});

test("a server error before hand-over leaves no unconfirmed message: it is retried, without using an attempt", async (t) => {
  const { server, clock, taken, run, another } = await driveEngine(t);
  const nobody = { host: "127.0.0.1", port: await deadPort(), secure: false, local: true, login: undefined };
  const full = join(server.folder, "full");
  writeFileSync(full, "in the way of a folder");
  const mailers = { "the disk": undefined, "the network": nobody } as const;
  const changes: Record<string, Partial<EngineParts & MailTransport>> = {
    "the message": {
      url() {
        throw new Error("no address");
      },
    },
  };
  for (const [what, to] of Object.entries(mailers)) {
    const mailer = await createMailer({ server: to, folder: join(full, "mail") });
    t.after(() => mailer.close(0));
    changes[what] = { mailer };
  }
  for (const [what, change] of Object.entries(changes)) {
    const { contact } = await onTheWay(server, [MAIL]);
    await runOut(server, clock, await another({ ...change, mailServer: what }));
    const { status, attempts } = await theSend(server);
    assert.deepEqual([status, attempts], ["retry", 0], what);
    const { waits, held_reason } = await theEnrollment(server, contact.id);
    const reason = what === "the message" ? "delivery_delayed" : "mail_server_unavailable";
    assert.deepEqual([waits.reason, held_reason], [reason, null], what);
    clock.advance(3_600_000);
    await run();
    assert.equal((await theEnrollment(server, contact.id)).status, "completed", what);
  }
  assert.equal(taken.length, 3);
});
