import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../src/store/store.ts";
import { keepReading } from "../../src/workers/mailbox.ts";
import { deadPort } from "../http-client/receiver.ts";
import { keptLog } from "../support/log.ts";
import { FakeClock, startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

test("every reason why a mailbox can't be read is reported and retried, including the database", async () => {
  let asked = 0;
  const cursor = async () => {
    asked += 1;
    throw new Error("database is locked");
  };
  const stop = new AbortController();
  const told: boolean[] = [];
  const { log, text } = keptLog();
  const ended = keepReading(
    {
      server: { host: "127.0.0.1", port: 1, secure: false, local: true, login: undefined },
      mailbox: "inbox",
      log,
      clock: new FakeClock(),
      againMs: 5,
      store: { engineDue: { cursor, firstSendAt: async () => undefined } } as unknown as Store,
      asSystem: () => assert.fail(),
      readToken: () => undefined,
      unsubscribe: async () => {},
      mailboxReads: (reads) => told.push(reads),
      mailboxSetAside: () => assert.fail(),
    },
    stop.signal,
  );
  await until(() => asked >= 3);
  stop.abort();
  await ended;
  assert.deepEqual([...new Set(told)], [false]);
  assert.match(text(), /database is locked/);
});

test("a server whose mailbox can't be read is ready, and reports it to monitoring", async (t) => {
  const imap = { IMAP_URL: `imap://sales:secret@127.0.0.1:${await deadPort()}`, MAIL_FROM: "sales@acme.example" };
  const env = { ...imap, ROSTRUM_METRICS_PORT: "0" };
  const server = await startServer(t, { env });
  const ready = async () => {
    const reply = await fetch(`${server.listening}/readyz`);
    return [reply.status, await reply.text()];
  };
  await until(async () => (await ready())[1] !== "ready\n", 10_000);
  assert.deepEqual(await ready(), [200, "ready\nthe mailbox cannot be read\n"]);
  const metrics = async () => (await fetch(server.running.metricsUrl ?? "")).text();
  assert.match(await metrics(), /^rostrum_mailbox_up\{mailbox="inbox"\} 0$/m);
  assert.match(await metrics(), /^rostrum_mailbox_set_aside_total 0$/m);
});
