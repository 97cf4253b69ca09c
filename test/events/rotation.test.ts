import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newAccount, RECONNECT, startLocal, subscribe } from "../support/events.ts";
import { attempted, newSecret, requestReconnect, signersOf } from "../support/outbox.ts";
import { type Received, Receiver } from "../support/receiver.ts";
import { FakeClock } from "../support/server.ts";

const DAY = 86_400_000;
const secrets = { a: newSecret(), b: newSecret(24), c: newSecret(64) };
type Name = keyof typeof secrets;

/** A subscriber that sends any secret, and detects which one signed the next delivery. */
async function rotating(t: TestContext) {
  const clock = new FakeClock();
  const server = await startLocal(t, { clock });
  const receiver = await Receiver.start(t);
  const account = await newAccount(server);
  let sent = 0;
  return {
    clock,
    server,
    receiver,
    async send(name: Name) {
      const { result } = await subscribe(server, receiver, { ttlMs: null, delivery: { secret: secrets[name] } });
      assert.ok(result, name);
    },
    async signers(): Promise<string[]> {
      await requestReconnect(server, account);
      sent += 1;
      const delivery = (await receiver.waitFor(sent))[sent - 1] as Received;
      // Wait until it is recorded, or a clock that jumps past its lease sends it again.
      await attempted(server, sent);
      return signersOf(delivery, secrets);
    },
  };
}

test("a new secret signs first, with the old one beside it for a day, then alone", async (t) => {
  const { clock, send, signers } = await rotating(t);
  await send("a");
  assert.deepEqual(await signers(), ["a"]);
  await send("b");
  assert.deepEqual(await signers(), ["b", "a"]);
  clock.advance(DAY - 1);
  assert.deepEqual(await signers(), ["b", "a"]);
  clock.advance(1);
  assert.deepEqual(await signers(), ["b"]);
});

test("a refresh with the same secret neither duplicates it nor extends the old one's day", async (t) => {
  const { clock, send, signers } = await rotating(t);
  await send("a");
  await send("a");
  assert.deepEqual(await signers(), ["a"]);
  await send("b");
  clock.advance(DAY - 1);
  await send("b");
  assert.deepEqual(await signers(), ["b", "a"]);
  clock.advance(1);
  assert.deepEqual(await signers(), ["b"]);
  await send("b");
  assert.deepEqual(await signers(), ["b"]);
});

test("of three secrets the last two sign, and returning to the first is a rotation too", async (t) => {
  const { clock, send, signers } = await rotating(t);
  await send("a");
  await send("b");
  clock.advance(DAY / 2);
  await send("c");
  assert.deepEqual(await signers(), ["c", "b"]);
  clock.advance(DAY / 2);
  assert.deepEqual(await signers(), ["c", "b"], "its own day has begun with the last rotation");
  await send("a");
  assert.deepEqual(await signers(), ["a", "c"]);
});

test("a delivery pending before the rotation is signed by both when retried, with unchanged bytes", async (t) => {
  const { clock, receiver, send, signers } = await rotating(t);
  await send("a");
  receiver.respond = (_, response) => response.writeHead(500).end();
  assert.deepEqual(await signers(), ["a"]);
  receiver.respond = (_, response) => response.writeHead(204).end();
  await send("b");
  clock.advance(60_000);
  const [first, second] = await receiver.waitFor(2);
  assert.deepEqual(signersOf(second as Received, secrets), ["b", "a"]);
  assert.deepEqual([second?.text, second?.body.eventId], [first?.text, first?.body.eventId]);
  const seconds = (received?: Received) => Number(received?.headers["webhook-timestamp"]);
  assert.equal(seconds(second) - seconds(first), 60, "signed anew");
});

test("a webhook created again rotates the same way, and only the new secret signs its challenge", async (t) => {
  const { clock, server, receiver } = await rotating(t);
  const account = await newAccount(server);
  const create = async () =>
    (await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] })).secret;
  const made = { old: await create(), new: await create() };
  assert.deepEqual(
    receiver.challenges.map((challenge) => signersOf(challenge, made)),
    [["old"], ["new"]],
  );
  await requestReconnect(server, account);
  assert.deepEqual(signersOf((await receiver.waitFor(1))[0] as Received, made), ["new", "old"]);
  await attempted(server, 1);
  clock.advance(DAY);
  await requestReconnect(server, account);
  assert.deepEqual(signersOf((await receiver.waitFor(2))[1] as Received, made), ["new"]);
});
