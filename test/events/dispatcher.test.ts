import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { attempted, deliveriesOf, rowsOf, signersOf } from "../support/outbox.ts";
import { type Received, Receiver, type Respond } from "../support/receiver.ts";
import { answering, withSubscriber } from "../support/subscriber.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR];

test("a failing event is tried six times on schedule, and is then a dead letter", async (t) => {
  const { clock, server, receiver, id, lookedAgain, delivery, settled, attempt } = await withSubscriber(t);
  receiver.respond = answering(500);
  await attempt();
  for (const [i, wait] of WAITS.entries()) {
    const { next_attempt_at: due, attempts, status, lease, last_error } = delivery();
    assert.deepEqual([attempts, status, lease, last_error], [i + 1, "pending", null, "http_5xx"]);
    const spread = (due - clock.now()) / wait;
    assert.ok(spread >= 0.8 && spread <= 1.2, `wait ${i + 1} is ${due - clock.now()} ms`);
    clock.advance(due - 1 - clock.now());
    await lookedAgain();
    assert.equal(receiver.deliveries.length, i + 1, "not a millisecond early");
    clock.advance(1);
    await settled(i + 2);
  }
  const { status, next_attempt_at, attempts } = delivery();
  assert.deepEqual([status, next_attempt_at, attempts], ["dead", null, 6]);
  clock.advance(24 * HOUR);
  await lookedAgain();
  assert.equal(receiver.deliveries.length, 6);

  const sent = receiver.deliveries;
  const one = (of: (received: Received) => unknown) => new Set(sent.map(of)).size;
  assert.equal(
    one(({ headers }) => headers["webhook-id"]),
    1,
  );
  assert.equal(
    one(({ text }) => text),
    1,
    "the bytes never change",
  );
  assert.equal(
    one(({ headers }) => headers["webhook-timestamp"]),
    6,
  );
  assert.equal(
    one(({ headers }) => headers["webhook-signature"]),
    6,
  );
  for (const received of sent) {
    assert.deepEqual(signersOf(received, { own: receiver.secret }), ["own"]);
    assert.equal(received.headers["x-mcp-subscription-id"], id);
  }
  const [listed] = await deliveriesOf(server, { status: "dead" });
  const stamps = sent.map(({ headers }) => Number(headers["webhook-timestamp"]));
  assert.deepEqual(
    listed.attempts.map(({ at, outcome }: { at: string; outcome: string }) => [
      Math.floor(Date.parse(at) / 1_000),
      outcome,
    ]),
    stamps.map((stamp) => [stamp, "5xx"]),
  );
  for (const { duration_ms } of listed.attempts) assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0);
});

const VERDICTS: { answer: string; respond: Respond; status: string; error: string | null; wait?: [number, number] }[] =
  [
    { answer: "410", respond: answering(410), status: "given_up", error: "http_4xx" },
    { answer: "413", respond: answering(413), status: "given_up", error: "http_4xx" },
    { answer: "200 with a body", respond: answering(200), status: "delivered", error: null },
    { answer: "404", respond: answering(404), status: "pending", error: "http_4xx", wait: [4, 6] },
    {
      answer: "429 that names an hour",
      respond: answering(429, { "retry-after": "3600" }),
      status: "pending",
      error: "http_4xx",
      wait: [3_600, 3_600],
    },
    {
      answer: "503 that names a day",
      respond: answering(503, { "retry-after": "86400" }),
      status: "pending",
      error: "http_5xx",
      wait: [7_200, 7_200],
    },
    {
      answer: "503 that names a date",
      respond: answering(503, { "retry-after": new Date(Date.UTC(2026, 10, 20, 9, 10)).toUTCString() }),
      status: "pending",
      error: "http_5xx",
      wait: [600, 600],
    },
    {
      answer: "503 that names an hour, with a space after it",
      respond: answering(503, { "retry-after": "3600 " }),
      status: "pending",
      error: "http_5xx",
      wait: [3_600, 3_600],
    },
    {
      answer: "503 that names a second",
      respond: answering(503, { "retry-after": "1" }),
      status: "pending",
      error: "http_5xx",
      wait: [4, 6],
    },
    {
      answer: "503 that names nonsense",
      respond: answering(503, { "retry-after": "soon" }),
      status: "pending",
      error: "http_5xx",
      wait: [4, 6],
    },
    {
      answer: "500 that names an hour",
      respond: answering(500, { "retry-after": "3600" }),
      status: "pending",
      error: "http_5xx",
      wait: [4, 6],
    },
  ];

test("the endpoint's response decides: delivered, failed for this event, or retried later", async (t) => {
  const { clock, receiver, refresh, delivery, attempt } = await withSubscriber(t);
  for (const { answer, respond, status, error, wait } of VERDICTS) {
    receiver.respond = respond;
    await attempt();
    const row = delivery();
    assert.deepEqual([row.status, row.last_error, row.lease, row.attempts], [status, error, null, 1], answer);
    if (wait === undefined) assert.equal(row.next_attempt_at, null, answer);
    else {
      const seconds = (row.next_attempt_at - clock.now()) / SECOND;
      assert.ok(seconds >= wait[0] && seconds <= wait[1], `${answer}: ${seconds} s`);
    }
    assert.equal((await refresh()).deliveryStatus.lastError, error, `${answer}: the subscription lives`);
  }
});

test("a redirect is never followed, and is a failure like any other", async (t) => {
  const { server, receiver, emit, delivery, settled } = await withSubscriber(t);
  const elsewhere = await Receiver.start(t);
  for (const [i, status] of [301, 302, 303, 307, 308].entries()) {
    receiver.respond = answering(status, { location: elsewhere.url });
    await emit();
    await settled(i + 1);
    assert.deepEqual([delivery().status, delivery().last_error], ["pending", "http_4xx"]);
  }
  assert.deepEqual([elsewhere.deliveries, elsewhere.challenges], [[], []]);
  const outcomes = rowsOf(server, "SELECT DISTINCT outcome FROM delivery_attempts");
  assert.deepEqual(outcomes, [{ outcome: "3xx" }]);
});

test("a 500, then a 204: delivered at the second attempt with the same id and bytes, and never sent again", async (t) => {
  const { clock, receiver, refresh, lookedAgain, delivery, next, attempt } = await withSubscriber(t);
  receiver.respond = answering(500);
  await attempt();
  const failing = (await refresh()).deliveryStatus;
  assert.deepEqual([failing.active, failing.lastDeliveryAt, failing.lastError], [true, null, "http_5xx"]);
  assert.equal(Date.parse(failing.failedSince), clock.now());
  receiver.respond = answering(204);
  await next();
  const [first, second] = receiver.deliveries as [Received, Received];
  assert.deepEqual([second.text, second.headers["webhook-id"]], [first.text, first.headers["webhook-id"]]);
  assert.notEqual(second.headers["webhook-signature"], first.headers["webhook-signature"]);
  assert.deepEqual([delivery().status, delivery().attempts, delivery().last_error], ["delivered", 2, null]);
  const { failedSince, ...well } = (await refresh()).deliveryStatus;
  assert.deepEqual(well, { active: true, lastDeliveryAt: new Date(clock.now()).toISOString(), lastError: null });
  assert.equal(failedSince, undefined);
  clock.advance(24 * HOUR);
  await lookedAgain();
  assert.equal(receiver.deliveries.length, 2);
});

test("each event is retried separately, and a failing one delays no other", async (t) => {
  const { server, receiver, emit, settled, attempt } = await withSubscriber(t);
  let poison: unknown;
  receiver.respond = ({ body }, response) => {
    poison ??= body.eventId;
    response.writeHead(body.eventId === poison ? 500 : 204).end();
  };
  await attempt();
  for (let i = 0; i < 4; i++) await emit();
  await settled(5);
  const rows = rowsOf(server, `SELECT status FROM deliveries WHERE url = '${receiver.url}' ORDER BY seq`);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["pending", "delivered", "delivered", "delivered", "delivered"],
  );
});

test("an attempt records how it ended and how long it took, and nothing of the response", async (t) => {
  const { server, receiver, attempt } = await withSubscriber(t);
  for (const status of [200, 301, 404, 500, 503]) {
    receiver.respond = (_, response) =>
      void response.writeHead(status, "its own words", { "x-own": "its own words" }).end("its own words");
    await attempt();
  }
  await attempted(server, 5);
  const written = ["deliveries", "delivery_attempts", "subscriptions"].map((table) =>
    JSON.stringify(rowsOf(server, `SELECT * FROM ${table}`)),
  );
  assert.ok(!written.join().includes("its own words"));
  const outcomes = rowsOf(server, "SELECT outcome FROM delivery_attempts ORDER BY id").map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["2xx", "3xx", "4xx", "5xx", "5xx"]);
});

test("an internal error counts as an attempt, but not as the endpoint's failure", async (t) => {
  const { clock, server, receiver, emit, id, delivery, settled, attempt } = await withSubscriber(t);
  receiver.respond = answering(204);
  await attempt();
  const said = () =>
    rowsOf(
      server,
      `SELECT last_delivery_at, last_error, failed_since, suspended_at FROM subscriptions WHERE id = '${id}'`,
    );
  const before = said();
  const db = openBeside(server.folder);
  db.exec("UPDATE subscriptions SET secret = substr(secret, 1, 20)");
  db.close();
  await emit();
  for (let attempt = 1; attempt <= 6; attempt++) {
    await settled(1 + attempt);
    assert.deepEqual([delivery().last_error, said()], [null, before]);
    clock.advance(3 * HOUR);
  }
  assert.deepEqual([delivery().status, delivery().attempts, receiver.deliveries.length], ["dead", 6, 1]);
  const outcomes = rowsOf(server, `SELECT outcome FROM delivery_attempts WHERE delivery_seq = ${delivery().seq}`);
  assert.deepEqual(outcomes, Array(6).fill({ outcome: "internal" }));
});
