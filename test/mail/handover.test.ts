import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Handover } from "../../src/mail/handover.ts";

test("a message is whole once its connection has read its end, and a part of it until then", async () => {
  const handover = new Handover(async () => {});
  assert.equal(handover.state, "nothing");
  const composed = Readable.from([Buffer.from("Subject: Engines")]);
  const held = handover.watch(composed);
  assert.equal(handover.state, "nothing");
  held.read(0);
  await once(composed, "end");
  assert.equal(handover.state, "part");
  assert.equal(String(held.read()), "Subject: Engines");
  held.read();
  await once(held, "end");
  assert.equal(handover.state, "whole");
});
