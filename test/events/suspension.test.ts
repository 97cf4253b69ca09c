import assert from "node:assert/strict";
import { test } from "node:test";
import { openBeside } from "../support/beside.ts";
import { asOwner } from "../support/http-browser.ts";
import { rowsOf, watchSettlements } from "../support/outbox.ts";
import { answering, withSubscriber } from "../support/subscriber.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;

test("an endpoint that fails for a day is suspended at the next dead letter, with the reason, until it is renewed", async (t) => {
  const { clock, server, receiver, emit, refresh, id, attempts, delivery, next, lookedAgain, attempt } =
    await withSubscriber(t);
  receiver.respond = answering(500);
  const since = new Date(clock.now()).toISOString();
  const loseOne = async () => {
    await attempt();
    while (delivery().status === "pending") await next();
  };
  const subscription = () => rowsOf(server, `SELECT * FROM subscriptions WHERE id = '${id}'`)[0];
  await loseOne();
  assert.equal(subscription().suspended_at, null, "a dead letter alone suspends nothing");
  clock.advance(18 * HOUR);
  await loseOne();
  assert.equal(subscription().suspended_at, null, "nor one within the day");
  clock.advance(2 * HOUR);
  await attempt();
  const another = rowsOf(server, "SELECT id FROM deliveries WHERE status = 'pending'")[0].id;
  await loseOne();
  assert.equal(subscription().suspended_reason, `Every delivery has failed since ${since}: http_5xx.`);
  const owner = await asOwner(server, clock.now());
  const { text: page } = await owner.get(`/console/w/${server.workspaceId}/events/subscriptions`);
  assert.match(
    page,
    /Every delivery failed, starting <time [^>]*>[^<]+ ago<\/time>\. Last error: HTTP 5xx\. The agent/,
  );
  const [left] = rowsOf(server, `SELECT status, next_attempt_at FROM deliveries WHERE id = '${another}'`);
  assert.deepEqual(left, { status: "dead", next_attempt_at: null }, "what was on its way waits to be sent again");
  const before = attempts();
  await emit();
  clock.advance(3 * HOUR);
  await lookedAgain();
  assert.equal(attempts(), before, "nothing is sent to it any more");

  receiver.respond = answering(204);
  assert.equal((await refresh()).deliveryStatus.failedSince, since);
  await server.operator("resend_delivery", { delivery_id: another });
  await until(() => rowsOf(server, `SELECT status FROM deliveries WHERE id = '${another}'`)[0].status === "delivered");
  await emit();
  await receiver.waitFor(before + 2);
  assert.equal((await refresh()).deliveryStatus.failedSince, undefined);
});

test("one success restarts the day before suspension", async (t) => {
  const { clock, server, receiver, delivery, next, attempt } = await withSubscriber(t);
  const send = async (status: number) => {
    receiver.respond = answering(status);
    await attempt();
    while (delivery().status === "pending") await next();
  };
  await send(500);
  clock.advance(20 * HOUR);
  await send(204);
  clock.advance(20 * HOUR);
  await send(500);
  assert.deepEqual(rowsOf(server, "SELECT 1 FROM subscriptions WHERE suspended_at IS NOT NULL"), []);
});

test("internal errors suspend nothing, however long the endpoint has failed before", async (t) => {
  const { clock, server, receiver, emit, id, delivery, next, settled, attempt } = await withSubscriber(t);
  const subscription = () =>
    rowsOf(server, `SELECT last_error, failed_since, suspended_at FROM subscriptions WHERE id = '${id}'`)[0];
  receiver.respond = answering(500);
  await attempt();
  while (delivery().status === "pending") await next();
  const failing = subscription();
  assert.deepEqual([failing.last_error, failing.suspended_at], ["http_5xx", null]);
  clock.advance(30 * HOUR);
  const db = openBeside(server.folder);
  db.exec(`UPDATE subscriptions SET secret = substr(secret, 1, 20) WHERE id = '${id}'`);
  db.close();
  const asked: unknown[] = [];
  watchSettlements(server, ({ suspend }) => asked.push(suspend));
  await emit();
  await settled(7);
  while (delivery().status === "pending") await next();
  assert.deepEqual([delivery().status, subscription()], ["dead", failing]);
  assert.deepEqual(asked, Array(6).fill(null));
});
