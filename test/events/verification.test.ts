import assert from "node:assert/strict";
import { test } from "node:test";
import type { Challenge } from "../../src/core/context.ts";
import { createCallbacks } from "../../src/events/challenge.ts";
import { createGuardedClient } from "../../src/lib/http-client/client.ts";
import { newAccount, startLocal, subscribe } from "../support/events.ts";
import { ERAS } from "../support/mcp.ts";
import { newSecret, requestReconnect, rowsOf, signersOf, unsubscribe } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import { FakeClock } from "../support/server.ts";

const WORK = "socialnet.work.available";
const DAY = 86_400_000;

type Answer = Receiver["challengeAnswer"];
const answer =
  (body: string, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status).end(body);
const echo =
  (of: (challenge: string) => unknown, status = 200): Answer =>
  ({ body }, response) =>
    response.writeHead(status).end(JSON.stringify(of(body.challenge)));

for (const era of ERAS) {
  test(`the challenge of the ${era} era is fresh each time, signed with its request's secret, with the future subscription's id`, async (t) => {
    const server = await startLocal(t);
    const receiver = await Receiver.start(t);
    const seen = new Set<string>();
    for (const round of [1, 2, 3]) {
      const secret = newSecret();
      const { result } = await subscribe(server, receiver, { era, delivery: { secret } });
      assert.equal(receiver.challenges.length, round, "it came before the answer");
      const challenge = receiver.challenges.at(-1) as Received;
      const { headers, body, text, path } = challenge;
      assert.match(body.challenge, /^[A-Za-z0-9_-]{32}$/, "24 bytes");
      assert.equal(text, `{"type":"verification","challenge":"${body.challenge}"}`);
      assert.match(headers["webhook-id"] as string, /^msg_verification_[0-9a-f]{32}$/);
      assert.match(headers["content-type"] ?? "", /^application\/json/);
      assert.ok(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1_000) < 10);
      assert.equal(headers["x-mcp-subscription-id"], result.id);
      assert.deepEqual(signersOf(challenge, { secret }), ["secret"]);
      assert.equal(path, "/hook?team=a%20b");
      seen.add(body.challenge).add(headers["webhook-id"] as string);
      await unsubscribe(server, receiver, { era });
    }
    assert.equal(seen.size, 6);
  });
}

test("any 2xx that repeats the challenge is accepted, whatever else it contains", async (t) => {
  const server = await startLocal(t);
  for (const challengeAnswer of [
    echo((challenge) => ({ challenge }), 201),
    echo((challenge) => ({ challenge, more: [1] })),
    echo((challenge) => ({ ok: true, challenge }), 299),
  ]) {
    const receiver = await Receiver.start(t);
    receiver.challengeAnswer = challengeAnswer;
    assert.ok((await subscribe(server, receiver)).result);
  }
});

/** Wrong answers of an endpoint, and the reason that the subscriber gets. */
const WRONG: readonly [label: string, challengeAnswer: Answer, reason: string][] = [
  ["another text", echo(() => ({ challenge: "x".repeat(32) })), "challenge_failed"],
  ["the text in capitals", echo((challenge) => ({ challenge: challenge.toUpperCase() })), "challenge_failed"],
  ["the text and more", echo((challenge) => ({ challenge: `${challenge} ` })), "challenge_failed"],
  ["half of it", echo((challenge) => ({ challenge: challenge.slice(0, 16) })), "challenge_failed"],
  ["an empty text", echo(() => ({ challenge: "" })), "challenge_failed"],
  ["a list of it", echo((challenge) => ({ challenge: [challenge] })), "challenge_failed"],
  ["another field", echo((verification) => ({ verification })), "challenge_failed"],
  ["the bare text", echo((challenge) => challenge), "challenge_failed"],
  ["null", answer("null"), "challenge_failed"],
  ["nothing", answer("", 204), "challenge_failed"],
  ["no JSON", answer("<html>"), "challenge_failed"],
  [
    "a whole page first",
    ({ body }, response) => void response.writeHead(200).end(`${" ".repeat(70_000)}${JSON.stringify(body)}`),
    "challenge_failed",
  ],
  ["500, though repeated", echo((challenge) => ({ challenge }), 500), "http_5xx"],
  ["503", answer("{}", 503), "http_5xx"],
  ["404, though repeated", echo((challenge) => ({ challenge }), 404), "http_4xx"],
  ["401", answer("{}", 401), "http_4xx"],
  ["no answer", (_, response) => void response.destroy(), "connection_refused"],
];

test("an endpoint that does not repeat the challenge is refused in one word, and nothing is stored", async (t) => {
  const server = await startLocal(t);
  for (const [label, challengeAnswer, reason] of WRONG) {
    const receiver = await Receiver.start(t);
    receiver.challengeAnswer = challengeAnswer;
    const { error } = await subscribe(server, receiver, { key: await server.mint(["socialnet.read"]) });
    assert.deepEqual([error?.code, error?.data], [-32015, { reason }], label);
    assert.equal(receiver.challenges.length, 1, `${label}: asked once`);
    assert.match(error.message, new RegExp(`\\(${reason}\\)`));
  }
  assert.deepEqual(rowsOf(server, "SELECT id FROM subscriptions"), []);
  assert.deepEqual(rowsOf(server, "SELECT id FROM operation_log WHERE operation = 'subscribe_events'"), []);
});

test("a redirect is not followed, wherever it points", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const target = await Receiver.start(t);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.challengeAnswer = (_, response) => response.writeHead(status, { location: target.url }).end();
    const { error } = await subscribe(server, receiver);
    assert.deepEqual([error.code, error.data], [-32015, { reason: "http_4xx" }], `${status}`);
  }
  assert.deepEqual(target.challenges, []);
});

test("a closed port and a server without TLS are distinguished", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  const plain = { url: receiver.url.replace("http:", "https:") };
  assert.deepEqual((await subscribe(server, receiver, { delivery: plain })).error.data, { reason: "tls_error" });
  const nobody = { url: "http://127.0.0.1:1/hook" };
  assert.deepEqual((await subscribe(server, receiver, { delivery: nobody })).error.data, {
    reason: "connection_refused",
  });
});

test("an endpoint that delays its answer times out at the deadline", async (t) => {
  const receiver = await Receiver.start(t);
  const client = createGuardedClient({ allowPrivate: true, deadlineMs: 100 });
  t.after(() => client.close());
  const reach = { allowPrivate: true };
  const limits = { spend: async () => undefined };
  const callbacks = createCallbacks({ client, reach, limits, clock: new FakeClock() });
  const challenge: Challenge = {
    principal: "p",
    subscriptionId: "sub_1",
    url: new URL(receiver.url),
    secret: newSecret(),
  };
  for (const hang of [
    () => undefined,
    (_: unknown, response: Parameters<Answer>[1]) => void response.writeHead(200).write('{"challenge":'),
  ]) {
    receiver.challengeAnswer = hang;
    await assert.rejects(callbacks.verify(challenge), { code: "callback_failed", extra: { reason: "timeout" } });
  }
  assert.equal(receiver.challenges.length, 2);
});

test("an answered challenge is remembered for a day by key and url, across refreshes, secrets and events", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  const other = await server.mint();
  const challenged = async (options: object, times: number, label: string) => {
    receiver.challenges.length = 0;
    assert.ok((await subscribe(server, receiver, { ttlMs: null, ...options })).result, label);
    assert.equal(receiver.challenges.length, times, label);
  };
  const about = { arguments: { account_id: account.id } };
  await challenged({}, 1, "the first time");
  receiver.challengeAnswer = answer("{}", 500);
  clock.advance(DAY - 1);
  await challenged({}, 0, "a refresh");
  await challenged({ delivery: { secret: newSecret() } }, 0, "another secret");
  await challenged({ name: WORK }, 0, "another event");
  await challenged(about, 0, "other arguments");
  receiver.challengeAnswer = echo((challenge) => ({ challenge }));
  await challenged({ key: other }, 1, "another key");
  await challenged({ delivery: { url: `${receiver.url}&x` } }, 1, "another url");
  clock.advance(1);
  await challenged({}, 1, "a day after the answer, whatever was refreshed since");
  await challenged(about, 0, "and then for all of them");
});

test("a refresh that must be challenged again and fails leaves the subscription as it was", async (t) => {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  await subscribe(server, receiver, { ttlMs: null });
  const before = rowsOf(server, "SELECT * FROM subscriptions");
  clock.advance(DAY);
  receiver.challengeAnswer = answer("{}", 500);
  const { error } = await subscribe(server, receiver, { delivery: { secret: newSecret() } });
  assert.deepEqual(error.data, { reason: "http_5xx" });
  assert.deepEqual(rowsOf(server, "SELECT * FROM subscriptions"), before);
  await requestReconnect(server, account);
  const [delivery] = await receiver.waitFor(1);
  assert.deepEqual(signersOf(delivery as Received, { old: receiver.secret }), ["old"]);
});

test("a key can cause ten challenges a minute to a host; requests that send none do not count", async (t) => {
  const server = await startLocal(t);
  const receiver = await Receiver.start(t);
  receiver.challengeAnswer = answer("{}", 500);
  for (let i = 0; i < 12; i += 1) {
    for (const wrong of [
      { name: "no.such.event" },
      { delivery: { mode: "poll" } },
      { delivery: { secret: "short" } },
      { delivery: { url: `${receiver.url}#x` } },
      { arguments: { account_id: "nonsense" } },
      { arguments: { account_id: "0190aaaa-0000-7000-8000-00000000abcd" } },
    ]) {
      assert.ok((await subscribe(server, receiver, wrong)).error);
    }
  }
  assert.equal(receiver.challenges.length, 0);
  for (let i = 0; i < 10; i += 1) {
    const { error } = await subscribe(server, receiver, { delivery: { url: `${receiver.url}&n=${i}` } });
    assert.equal(error.code, -32015, `${i}`);
  }
  const elsewhere = await Receiver.start(t);
  for (const full of [receiver, elsewhere]) {
    const { error } = await subscribe(server, full);
    assert.deepEqual([error?.code, error?.data], [-32013, { limit: "challenges_per_minute", max: 10 }]);
  }
  assert.deepEqual([receiver.challenges.length, elsewhere.challenges.length], [10, 0], "whatever the port");
  const other = await subscribe(server, receiver, { key: await server.mint() });
  assert.equal(other.error.code, -32015, "another key has its own");
  assert.equal(receiver.challenges.length, 11);
});
