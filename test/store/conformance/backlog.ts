import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRow } from "../../support/sends.ts";
import { addCard, addPost } from "./checklist.ts";
import { enrollment, parts } from "./enrollments.ts";
import { addKey, claimOne, send, settlement, subscribe } from "./event-fixtures.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, NOON, W1, W2 } from "./fixtures.ts";
import { ledger } from "./socialnet-fixtures.ts";

export function backlogConforms(open: OpenStore): void {
  test("the backlog is empty if nothing waits, and counts deliveries in all workspaces", async (t) => {
    const store = await found(await open(t));
    const empty = {
      oldestPendingDeliveryMs: 0,
      deadDeliveries: 0,
      dueSteps: 0,
      unconfirmedSends: 0,
      waitingReviews: 0,
      oldestReviewMs: 0,
    };
    assert.deepEqual(await store.backlog(NOON), empty);
    const mine = await subscribe(store, { principal: { keyId: await addKey(store) } });
    const theirs = await subscribe(store, {
      principal: { keyId: await addKey(store, {}, W2) },
      url: "https://b.example/hook",
      workspaceId: W2,
    });
    await send(store, mine, { now: NOON - 5_000 });
    await send(store, theirs, { now: NOON - 3_000, workspaceId: W2 });
    assert.deepEqual(await store.backlog(NOON), { ...empty, oldestPendingDeliveryMs: 5_000 });
    const claimed = await claimOne(store, "a.example");
    await store.outbox.settle([settlement(claimed.seq, { status: "dead", nextAttemptAt: null })]);
    const left = { ...empty, oldestPendingDeliveryMs: 3_000, deadDeliveries: 1 };
    assert.deepEqual(await store.backlog(NOON), left);
    assert.equal((await store.backlog(NOON - 9_000)).oldestPendingDeliveryMs, 0, "never below zero");
  });

  test("the backlog counts due steps, as the engine finds them, and unconfirmed messages", async (t) => {
    const store = await found(await open(t));
    const of = await parts(store);
    const row = enrollment(of, { dueAt: NOON });
    await store.write(W1, async ({ enrollments, sends, sequences }) => {
      await sequences.update(of.sequenceId, { status: "active", now: NOON });
      await enrollments.insert(row);
      const message = { enrollmentId: row.id, sequenceId: of.sequenceId, contactId: of.contactId };
      await sends.insert(sendRow({ ...message, step: 0, status: "unknown" }));
      await sends.insert(sendRow({ ...message, step: 1, status: "sent" }));
    });
    const counts = async (now: number) => {
      const { dueSteps, unconfirmedSends } = await store.backlog(now);
      return [dueSteps, unconfirmedSends];
    };
    assert.deepEqual(await counts(NOON), [1, 1]);
    assert.deepEqual(await counts(NOON - 1), [0, 1], "not due yet");
    const wait = (dueAt: number, postponedReason: "mail_server_unavailable" | "outside_window") =>
      store.write(W1, ({ enrollments }) => enrollments.wait(row.id, 0, { dueAt, postponedReason }));
    await wait(NOON + 300_000, "mail_server_unavailable");
    assert.deepEqual(await counts(NOON), [1, 1], "it waits for the mail server");
    await wait(NOON + 300_000, "outside_window");
    assert.deepEqual(await counts(NOON), [0, 1], "it waits for the sending hours");
    await wait(NOON, "mail_server_unavailable");
    assert.deepEqual(await counts(NOON), [1, 1], "it is due again, and counted once");
    await store.write(W1, ({ enrollments }) => enrollments.stop(row.id, "stopped_replied", NOON));
    assert.deepEqual(await counts(NOON), [0, 1]);
  });

  test("the backlog counts proposals of every kind in all workspaces, and the age of the oldest", async (t) => {
    const store = await found(await open(t));
    const reviews = async () => {
      const { waitingReviews, oldestReviewMs } = await store.backlog(NOON);
      return [waitingReviews, oldestReviewMs];
    };
    assert.deepEqual(await reviews(), [0, 0]);
    await addPost(store, { submittedAt: NOON - 1_000 });
    assert.deepEqual(await reviews(), [1, 1_000]);
    const card = await addCard(store, { submittedAt: NOON - 9_000 }, W2);
    const { add } = await ledger(store);
    const planned = await add({ createdAt: NOON - 5_000 });
    await add({ status: "completed" });
    // With an approval that is not activated.
    await parts(store);
    assert.deepEqual(await reviews(), [4, 9_000]);
    const deciding = { byId: "m1", byName: "Grace", now: NOON, note: null };
    await store.write(W2, ({ cards }) => cards.decide(card?.id ?? "", "approved", deciding));
    assert.deepEqual((await reviews())[1], 5_000);
    await store.write(W1, ({ socialnetActions }) => socialnetActions.move(planned.id, "cancel", NOON));
    assert.deepEqual(await reviews(), [2, 1_000]);
  });
}
