import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Handover } from "../../src/mail/handover.ts";

test("a message is held back until its hand-over is recorded, and is whole once its connection has read its end", async () => {
  let record = () => {};
  const handover = new Handover(() => new Promise((resolve) => (record = resolve)));
  assert.equal(handover.state, "nothing");
  const message = Buffer.from("Subject: Engines\r\n".repeat(8_000));
  const stream = handover.stream(message);
  assert.equal(stream.read(), null);
  assert.equal(handover.state, "nothing");
  record();
  await once(stream, "readable");
  const first = stream.read() as Buffer;
  assert.ok(first.length > 0 && first.length < message.length);
  assert.equal(handover.state, "part");
  const rest = Buffer.concat(await stream.toArray());
  assert.equal(handover.state, "whole");
  assert.ok(Buffer.concat([first, rest]).equals(message));
});

test("what another connection takes over is asked about again, and the first one passes nothing on", async () => {
  const asked: (() => void)[] = [];
  const handover = new Handover(() => new Promise((resolve) => asked.push(resolve)));
  const [first, second] = [handover.stream(Buffer.from("engines")), handover.stream(Buffer.from("engines"))];
  for (const stream of [first, second]) stream.read();
  assert.equal(asked.length, 2);
  asked[0]?.();
  asked[1]?.();
  assert.equal(String(Buffer.concat(await second.toArray())), "engines");
  assert.deepEqual([first.readableDidRead, first.readableLength], [false, 0]);
});

test("a message that may not leave ends its connection's stream with the reason", async () => {
  const reason = new Error("paused");
  const handover = new Handover(async () => {
    throw reason;
  });
  const stream = handover.stream(Buffer.from("engines"));
  stream.read();
  const [error] = await once(stream, "error");
  assert.equal(error, reason);
  assert.deepEqual([handover.refused, handover.state], [{ error: reason }, "nothing"]);
});

test("a refusal for one connection says nothing of the next one", async () => {
  const asked: { record: () => void; refuse: (error: Error) => void }[] = [];
  const handover = new Handover(() => new Promise((record, refuse) => asked.push({ record, refuse })));
  const first = handover.stream(Buffer.from("engines"));
  first.read();
  asked[0]?.refuse(new Error("the database is away"));
  await once(first, "error");
  const second = handover.stream(Buffer.from("engines"));
  second.read();
  asked[1]?.record();
  assert.equal(String(Buffer.concat(await second.toArray())), "engines");
  assert.deepEqual([handover.refused, handover.state], [undefined, "whole"]);
});

test("nothing is passed on to a connection that ended while the hand-over was recorded", async () => {
  let record = () => {};
  const handover = new Handover(() => new Promise((resolve) => (record = resolve)));
  const stream = handover.stream(Buffer.from("engines"));
  stream.read();
  stream.destroy();
  record();
  await once(stream, "close");
  assert.deepEqual([stream.readableLength, handover.state], [0, "nothing"]);
});
