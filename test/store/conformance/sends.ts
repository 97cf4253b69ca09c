import assert from "node:assert/strict";
import { test } from "node:test";
import { SEND_STATUSES, type SendStatus } from "../../../src/domain/outreach/sending.ts";
import type { SendRow } from "../../../src/store/outreach.ts";
import type { Store } from "../../../src/store/store.ts";
import { sendRow } from "../../support/sends.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { addSequence, approve } from "./sequences.ts";

const ALL = { limit: 100, offset: 0 };
const STATUSES = Object.keys(SEND_STATUSES) as SendStatus[];

let made = 0x60_0000;

/** An enrollment for messages. */
async function enrolled(store: Store, changes: object = {}) {
  const { id: sequenceId } = await addSequence(store);
  const { contact } = await insert(store, { first_name: "Ada" });
  const approvalId = (await approve(store, sequenceId, [])) as string;
  const enrollmentId = idOf(made++);
  await store.write(W1, ({ enrollments }) =>
    enrollments.insert({
      id: enrollmentId,
      sequenceId,
      contactId: contact.id,
      approvalId,
      status: "active",
      currentStep: 0,
      heldReason: null,
      heldDetail: null,
      postponedReason: null,
      endedAt: null,
      endedReason: null,
      dueAt: NOON,
      enrolledAt: NOON,
      ...changes,
    }),
  );
  return { enrollmentId, sequenceId, contactId: contact.id };
}

const add = (store: Store, row: SendRow) => store.write(W1, ({ sends }) => sends.insert(row));

export function sendsConform(open: OpenStore): void {
  test("a message reads back as written, by its id and its step, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = sendRow({ ...(await enrolled(store)), step: 3, detail: "250 ok" });
    await add(store, row);
    const mine = store.read(W1).sends;
    assert.deepEqual([await mine.find(row.id), await mine.ofStep(row.enrollmentId, 3)], [row, row]);
    assert.equal(await mine.ofStep(row.enrollmentId, 2), undefined);
    const theirs = store.read(W2).sends;
    assert.deepEqual(
      [await theirs.find(row.id), await theirs.ofStep(row.enrollmentId, 3), await theirs.thread(row.enrollmentId)],
      [undefined, undefined, []],
    );
    assert.deepEqual([await theirs.countSince(0), await theirs.list({}, ALL)], [0, { rows: [], total: 0 }]);
    await assert.rejects(add(store, sendRow({ ...row, id: idOf(made++) })), "a step has one message");
  });

  test("a message moves only from its expected status, once among racers, and its lease ends unless renewed", async (t) => {
    const store = await found(await open(t));
    const row = sendRow(await enrolled(store));
    await add(store, row);
    const move = (from: SendStatus[], to: SendStatus, patch = {}, workspaceId = W1) =>
      store.write(workspaceId, ({ sends }) => sends.move(row.id, from, to, NOON + 5, patch));
    assert.equal(await move(["sending"], "sent", {}, W2), undefined);
    assert.equal(await move(["retry", "unknown"], "sent"), undefined);
    const kept = await move(["sending"], "sending", { leaseUntil: NOON + 9 });
    assert.deepEqual(kept, { ...row, leaseUntil: NOON + 9, updatedAt: NOON + 5 });
    const racers = await Promise.all(Array.from({ length: 10 }, () => move(["sending"], "sent", { detail: "ok" })));
    assert.deepEqual(racers.filter(Boolean), [
      { ...row, status: "sent", detail: "ok", leaseUntil: null, updatedAt: NOON + 5 },
    ]);
  });

  test("a lease is renewed only for its own attempt, and a dead process's messages are stale at once", async (t) => {
    const store = await found(await open(t));
    const mine = { leaseUntil: NOON + 1, leasedBy: "dead", lastAttemptAt: NOON };
    const rows = await Promise.all(
      (["queued", "sending", "sent"] as const).map(async (status) =>
        sendRow({ ...(await enrolled(store)), ...mine, status }),
      ),
    );
    rows.push(sendRow({ ...(await enrolled(store)), ...mine, leasedBy: "alive", status: "queued" }));
    for (const row of rows) await add(store, row);
    const renew = (id: string, attemptAt: number) =>
      store.write(W1, ({ sends }) => sends.renew(id, NOON + 9, attemptAt));
    for (const { id } of rows) {
      await renew(id, NOON - 1);
      assert.equal((await store.read(W1).sends.find(id))?.leaseUntil, NOON + 1, "of another attempt");
      await renew(id, NOON);
    }
    const leases = async () =>
      Promise.all(rows.map(async ({ id }) => (await store.read(W1).sends.find(id))?.leaseUntil));
    assert.deepEqual(await leases(), [NOON + 9, NOON + 9, NOON + 1, NOON + 9]);
    await store.leases.releaseOf("dead", NOON, 0);
    const stale = (await store.engineDue.stale(NOON, 9)).map(({ id }) => id);
    assert.deepEqual(
      stale.toSorted(),
      rows
        .slice(0, 2)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test("unconfirmed messages are listed up to a time, oldest first, for all sequences or one", async (t) => {
    const store = await found(await open(t));
    const [one, other] = [await enrolled(store), await enrolled(store)];
    const unknown = (of: typeof one, step: number, updatedAt: number) =>
      sendRow({ ...of, step, status: "unknown", createdAt: NOON - step, updatedAt });
    const rows = [unknown(one, 0, NOON), unknown(one, 1, NOON + 5), unknown(one, 2, NOON), unknown(other, 3, NOON)];
    for (const row of [...rows, sendRow({ ...one, step: 9, status: "sent" })]) await add(store, row);
    const { sends } = store.read(W1);
    const steps = async (filter: { sequenceId?: string; until: number }, limit = 9) =>
      (await sends.unknown(filter, limit)).map(({ step }) => step);
    assert.deepEqual(await steps({ until: NOON + 5 }), [3, 2, 1, 0]);
    assert.deepEqual(await steps({ until: NOON }), [3, 2, 0]);
    assert.deepEqual(await steps({ until: NOON + 5, sequenceId: one.sequenceId }), [2, 1, 0]);
    assert.deepEqual(await steps({ until: NOON + 5 }, 2), [3, 2]);
    assert.deepEqual(await store.read(W2).sends.unknown({ until: NOON + 5 }, 9), []);
  });

  test("a thread is an enrollment's sent messages in step order", async (t) => {
    const store = await found(await open(t));
    const of = await enrolled(store);
    const rows = STATUSES.map((status, i) => sendRow({ ...of, status, step: STATUSES.length - i }));
    rows.push(sendRow({ ...of, status: "sent", step: 0 }));
    for (const row of rows) await add(store, row);
    const sent = rows.filter(({ status }) => status === "sent").toSorted((a, b) => a.step - b.step);
    const wanted = sent.map(({ messageId }) => messageId);
    assert.deepEqual([wanted.length, await store.read(W1).sends.thread(of.enrollmentId)], [2, wanted]);
  });

  test("messages are counted by their last attempt, and listed newest first with ties by id, all, by status or by sequence", async (t) => {
    const store = await found(await open(t));
    const of = await enrolled(store);
    const rows = STATUSES.map((status, step) =>
      sendRow({ ...of, status, step, createdAt: NOON + (step % 3), lastAttemptAt: NOON + step }),
    );
    for (const row of rows) await add(store, row);
    const { sends } = store.read(W1);
    for (const step of [0, 3, STATUSES.length]) {
      assert.equal(await sends.countSince(NOON + step), STATUSES.length - step);
    }
    rows.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    assert.deepEqual(await sends.list({}, ALL), { rows, total: rows.length });
    assert.deepEqual((await sends.list({}, { limit: 2, offset: 1 })).rows, rows.slice(1, 3));
    for (const status of STATUSES) {
      const wanted = rows.filter((row) => row.status === status);
      assert.deepEqual(await sends.list({ status }, ALL), { rows: wanted, total: 1 });
    }
    const other = sendRow({ ...(await enrolled(store)), status: "sent" });
    await add(store, other);
    const { sequenceId } = other;
    assert.deepEqual(await sends.list({ sequenceId }, ALL), { rows: [other], total: 1 });
    assert.deepEqual(await sends.list({ sequenceId, status: "retry" }, ALL), { rows: [], total: 0 });
    assert.deepEqual(await sends.list({ sequenceId: of.sequenceId }, ALL), { rows, total: rows.length });
  });

  test("a mailbox message counts once per send of a workspace", async (t) => {
    const store = await found(await open(t));
    const receive = (workspaceId: string, sendId = "s1") =>
      store.write(workspaceId, ({ sends }) => sends.receive("<a@b>", sendId, NOON));
    assert.deepEqual([await receive(W1), await receive(W1), await receive(W2)], [true, false, true]);
    assert.deepEqual([await receive(W1, "s2"), await receive(W1, "s2")], [true, false], "of another send, too");
  });

  test("a mailbox cursor is stored as last set, separately for each mailbox", async (t) => {
    const { engineDue } = await open(t);
    assert.equal(await engineDue.cursor("a"), undefined);
    for (const uid of [1, 7]) await engineDue.keepCursor("a", { uidValidity: "9", uid }, NOON);
    await engineDue.keepCursor("b", { uidValidity: "10", uid: 2 }, NOON);
    assert.deepEqual(await engineDue.cursor("a"), { uidValidity: "9", uid: 7 });
    assert.deepEqual(await engineDue.cursor("b"), { uidValidity: "10", uid: 2 });
  });

  test("due means active, not on hold and due by time, longest first, in active sequences that are not paused", async (t) => {
    const store = await found(await open(t));
    const { engineDue } = store;
    const late = await enrolled(store, { dueAt: NOON - 5 });
    const other = await enrolled(store, { dueAt: NOON });
    for (const changes of [
      { dueAt: NOON + 1 },
      { dueAt: null },
      { status: "waiting_on_action" },
      { status: "completed", dueAt: null },
      { heldReason: "unfilled" },
    ]) {
      const { sequenceId } = await enrolled(store, changes);
      assert.deepEqual(await engineDue.enrollments(sequenceId, NOON, 10), [], JSON.stringify(changes));
    }
    const activate = (id: string) =>
      store.write(W1, ({ sequences }) => sequences.update(id, { status: "active", now: NOON }));
    assert.deepEqual(await engineDue.sequences(NOON), []);
    for (const { sequenceId } of [other, late]) await activate(sequenceId);
    const all = [late, other].map(({ sequenceId }) => ({ workspaceId: W1, sequenceId }));
    assert.deepEqual(
      await engineDue.sequences(NOON),
      all.toSorted((a, b) => (a.sequenceId < b.sequenceId ? -1 : 1)),
    );
    assert.deepEqual(await engineDue.sequences(NOON - 1), [all[0]]);
    assert.deepEqual(await engineDue.enrollments(late.sequenceId, NOON, 10), [late.enrollmentId]);
    assert.deepEqual(await engineDue.enrollments(late.sequenceId, NOON, 0), []);
    await store.write(W1, ({ workspace }) => workspace.pauseOutreach("x", NOON));
    assert.deepEqual(await engineDue.sequences(NOON), []);
  });

  test("stale means being sent by a process that was silent until its lease expired", async (t) => {
    const store = await found(await open(t));
    const of = await enrolled(store);
    const rows = [NOON, NOON - 1, NOON + 1].map((leaseUntil, step) => sendRow({ ...of, step, leaseUntil }));
    rows.push(sendRow({ ...of, step: 9, status: "sent", leaseUntil: NOON - 9 }));
    for (const row of rows) await add(store, row);
    const stale = (most: number) => store.engineDue.stale(NOON, most);
    const wanted = [rows[1], rows[0]].map((row) => ({ workspaceId: W1, id: row?.id }));
    assert.deepEqual([await stale(10), await stale(1)], [wanted, wanted.slice(0, 1)]);
  });

  test("a message finds its workspace by its id and by its Message-ID", async (t) => {
    const store = await found(await open(t));
    const row = sendRow({ ...(await enrolled(store)), messageId: "<theirs@outlook.example>" });
    await add(store, row);
    const place = { workspaceId: W1, id: row.id };
    const { engineDue } = store;
    assert.deepEqual(await engineDue.workspaceOf({ id: row.id }), place);
    assert.deepEqual(await engineDue.workspaceOf({ messageId: row.messageId }), place);
    assert.equal(await engineDue.workspaceOf({ messageId: "<x@y>" }), undefined);
    assert.equal(await engineDue.workspaceOf({ id: idOf(1) }), undefined);
  });
}
