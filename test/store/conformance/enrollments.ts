import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnrollmentRow, Enrollments } from "../../../src/store/outreach.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { addSequence, approve } from "./sequences.ts";

const ALL = { limit: 100, offset: 0 };

let made = 0x40_0000;
const newId = () => idOf(made++);

/** A sequence, an approval of it, a contact, and their enrollment. */
export async function parts(store: Store) {
  const { id: sequenceId } = await addSequence(store);
  const { contact } = await insert(store, { first_name: "Ada" });
  const approvalId = (await approve(store, sequenceId, [])) as string;
  return { sequenceId, contactId: contact.id, approvalId };
}

export function enrollment(of: Awaited<ReturnType<typeof parts>>, changes: Partial<EnrollmentRow> = {}): EnrollmentRow {
  return {
    id: newId(),
    ...of,
    status: "active",
    heldReason: null,
    heldDetail: null,
    postponedReason: null,
    currentStep: 0,
    dueAt: NOON + 5,
    enrolledAt: NOON,
    endedAt: null,
    endedReason: null,
    ...changes,
  };
}

const add = (store: Store, row: EnrollmentRow) => store.write(W1, ({ enrollments }) => enrollments.insert(row));

export function enrollmentsConform(open: OpenStore): void {
  test("an enrollment reads back as written, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { heldReason: "contact_changed", currentStep: 3, dueAt: null });
    assert.equal(await add(store, row), true);
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), row);
    assert.equal(await store.read(W2).enrollments.find(row.id), undefined);
    assert.deepEqual(await store.read(W2).enrollments.list({}, ALL), { rows: [], total: 0 });
  });

  test("the enrollments that come next are those of the sequence by their due time, without held and ended ones", async (t) => {
    const store = await found(await open(t));
    const of = await parts(store);
    const contactId = async () => (await insert(store, { first_name: "x" })).contact.id;
    const rows = [
      enrollment(of, { dueAt: NOON + 9 }),
      enrollment({ ...of, contactId: await contactId() }, { dueAt: NOON + 3 }),
      enrollment({ ...of, contactId: await contactId() }, { dueAt: NOON, heldReason: "contact_changed" }),
      enrollment({ ...of, contactId: await contactId() }, { dueAt: null, status: "completed", endedAt: NOON }),
      enrollment({ ...of, contactId: await contactId() }, { dueAt: NOON, status: "waiting_on_action" }),
      enrollment(await parts(store), { dueAt: NOON }),
    ];
    for (const row of rows) await add(store, row);
    const { enrollments } = store.read(W1);
    assert.deepEqual(await enrollments.upcoming(of.sequenceId, 9), [rows[1], rows[0]]);
    assert.deepEqual(await enrollments.upcoming(of.sequenceId, 1), [rows[1]]);
    assert.deepEqual(await store.read(W2).enrollments.upcoming(of.sequenceId, 9), []);
  });

  test("enrollments are counted for each sequence, and listed for some contacts, only in their own workspace", async (t) => {
    const store = await found(await open(t));
    const [of, other] = [await parts(store), await parts(store)];
    const { contact } = await insert(store, { first_name: "x" });
    const rows = [
      enrollment(of, { status: "completed", endedAt: NOON, enrolledAt: NOON - 1 }),
      enrollment(of, { heldReason: "contact_changed" }),
      enrollment({ ...of, contactId: contact.id }, { status: "waiting_on_action", dueAt: null }),
      enrollment(other),
    ];
    for (const row of rows) await add(store, row);
    const { enrollments } = store.read(W1);
    const ids = [of.sequenceId, other.sequenceId, idOf(9)];
    const counts = await enrollments.counts(ids);
    assert.deepEqual([...counts.keys()].sort(), ids.slice(0, 2).sort());
    const byStatus = { completed: 1, active: 1, waiting_on_action: 1 };
    assert.deepEqual(counts.get(of.sequenceId), { byStatus, held: 1 });
    assert.deepEqual(counts.get(other.sequenceId), { byStatus: { active: 1 }, held: 0 });
    const listed = await enrollments.ofContacts(of.sequenceId, [of.contactId, other.contactId]);
    assert.deepEqual(listed.map(({ status, heldReason, endedAt }) => [status, heldReason, endedAt]).sort(), [
      ["active", "contact_changed", null],
      ["completed", null, NOON],
    ]);
    assert.equal((await store.read(W2).enrollments.counts(ids)).size, 0);
    assert.deepEqual(await store.read(W2).enrollments.ofContacts(of.sequenceId, [of.contactId]), []);
    assert.deepEqual(await enrollments.ofContacts(of.sequenceId, []), []);
    assert.equal((await enrollments.counts([])).size, 0);
  });

  test("a contact is active in a sequence once at a time, and can start again after the end", async (t) => {
    const store = await found(await open(t));
    const of = await parts(store);
    for (const status of ["active", "waiting_on_action"] as const) {
      const first = enrollment(of, { status });
      assert.equal(await add(store, first), true);
      assert.equal(await add(store, enrollment(of)), false);
      assert.equal(await add(store, enrollment(of, { status: "waiting_on_action" })), false);
      await store.write(W1, ({ enrollments }) => enrollments.stop(first.id, "stopped_replied", NOON));
    }
    const racers = Array.from({ length: 20 }, () => add(store, enrollment(of)));
    assert.equal((await Promise.all(racers)).filter(Boolean).length, 1);
    assert.equal((await store.read(W1).enrollments.list({ status: "active" }, ALL)).total, 1);
  });

  test("stopping ends an open enrollment once, and leaves a finished one unchanged", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { status: "waiting_on_action" });
    await add(store, row);
    const stop = (now: number, workspaceId = W1) =>
      store.write(workspaceId, ({ enrollments }) => enrollments.stop(row.id, "stopped_by_member", now));
    assert.equal(await stop(NOON, W2), undefined);
    const ended = { ...row, status: "stopped_by_member", dueAt: null, endedAt: NOON + 1 };
    assert.deepEqual(await stop(NOON + 1), ended);
    assert.equal(await stop(NOON + 2), undefined);
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), ended);
  });

  test("stopping a contact ends its open enrollments in every sequence, and no others", async (t) => {
    const store = await found(await open(t));
    const one = await parts(store);
    const elsewhere = { ...(await parts(store)), contactId: one.contactId };
    const other = await parts(store);
    const completed = enrollment(one, { status: "completed", dueAt: null, endedAt: NOON });
    const open_ = [enrollment(one), enrollment(elsewhere, { status: "waiting_on_action" })];
    const bystander = enrollment(other);
    for (const row of [completed, ...open_, bystander]) await add(store, row);
    const stopAll = (workspaceId: string, begunBy = NOON + 9) =>
      store.write(workspaceId, ({ enrollments }) =>
        enrollments.stopAll(one.contactId, "stopped_suppressed", NOON + 7, begunBy),
      );
    assert.equal(await stopAll(W2), 0);
    assert.equal(await stopAll(W1, 0), 0, "none of them began so early");
    assert.equal(await stopAll(W1), 2);
    assert.equal(await stopAll(W1), 0);
    const find = (id: string) => store.read(W1).enrollments.find(id);
    for (const row of open_) {
      assert.deepEqual(await find(row.id), { ...row, status: "stopped_suppressed", dueAt: null, endedAt: NOON + 7 });
    }
    for (const row of [completed, bystander]) assert.deepEqual(await find(row.id), row);
  });

  test("a stopped enrollment has a reason only if one was given", async (t) => {
    const store = await found(await open(t));
    for (const reason of ["bounced", null]) {
      const row = enrollment(await parts(store));
      await add(store, row);
      const stopped = await store.write(W1, ({ enrollments }) => enrollments.stop(row.id, "failed", NOON, reason));
      assert.equal(stopped?.endedReason, reason);
    }
  });

  test("a lasting hold outlives its step and every other hold, until it is released or the enrollment ends", async (t) => {
    const store = await found(await open(t));
    const lasting = { heldReason: "came_back", heldDetail: "550" } as const;
    const row = enrollment(await parts(store), lasting);
    await add(store, row);
    const write = <T>(job: (enrollments: Enrollments) => Promise<T>) =>
      store.write(W1, ({ enrollments }) => job(enrollments));
    const find = () => store.read(W1).enrollments.find(row.id);
    await write((all) => all.wait(row.id, 0, { dueAt: NOON + 1 }));
    assert.deepEqual(await find(), { ...row, dueAt: NOON + 1 });
    await write((all) => all.wait(row.id, 0, { dueAt: NOON + 1, heldReason: "send_unknown", heldDetail: "x" }));
    assert.deepEqual(await find(), { ...row, dueAt: NOON + 1 });
    await write((all) => all.advance(row.id, 0, { status: "active", dueAt: NOON + 2 }, NOON));
    assert.deepEqual(await find(), { ...row, currentStep: 1, dueAt: NOON + 2 });
    await write((all) => all.unhold(row.id, NOON));
    assert.equal((await find())?.heldReason, null);
    await write((all) => all.wait(row.id, 1, { dueAt: NOON + 2, ...lasting }));
    await write((all) => all.advance(row.id, 1, { status: "completed", dueAt: null }, NOON));
    assert.equal((await find())?.heldReason, null);
  });

  test("an open enrollment advances, waits and is released at its step, in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { currentStep: 2 });
    await add(store, row);
    const write = <T>(job: (enrollments: Enrollments) => Promise<T>, workspaceId = W1) =>
      store.write(workspaceId, ({ enrollments }) => job(enrollments));
    const find = () => store.read(W1).enrollments.find(row.id);
    const wait = (step: number, workspaceId = W1) =>
      write((all) => all.wait(row.id, step, { dueAt: null, heldReason: "unsendable", heldDetail: "x" }), workspaceId);
    assert.deepEqual([await wait(1), await wait(2, W2), await wait(2)], [false, false, true]);
    const held = { ...row, dueAt: null, heldReason: "unsendable" as const, heldDetail: "x" };
    assert.deepEqual(await find(), held);
    const unhold = (workspaceId = W1) => write((all) => all.unhold(row.id, NOON + 1), workspaceId);
    assert.equal(await unhold(W2), undefined);
    assert.deepEqual(await unhold(), { ...row, dueAt: NOON + 1 });
    assert.equal(await unhold(), undefined, "it is not held");
    await write((all) => all.wait(row.id, 2, { dueAt: NOON + 50, heldReason: "unfilled" }));
    assert.equal((await unhold())?.dueAt, NOON + 50, "its day stays");
    await write((all) => all.wait(row.id, 2, { dueAt: NOON + 60, postponedReason: "daily_cap" }));
    const next = { status: "active", dueAt: NOON + 70 } as const;
    const advance = (step: number, to: { status: "active" | "completed"; dueAt: number | null } = next, id = W1) =>
      write((all) => all.advance(row.id, step, to, NOON + 9), id);
    assert.deepEqual([await advance(1), await advance(2, next, W2), await advance(2)], [false, false, true]);
    assert.deepEqual(await find(), { ...row, currentStep: 3, dueAt: NOON + 70 });
    assert.equal(await advance(3, { status: "completed", dueAt: null }), true);
    assert.deepEqual(await find(), { ...row, status: "completed", currentStep: 4, dueAt: null, endedAt: NOON + 9 });
    assert.deepEqual([await advance(4), await wait(4)], [false, false], "it is over");
  });

  test("enrollments postponed for hours or a limit are brought forward, in one workspace only", async (t) => {
    const store = await found(await open(t));
    const later = { dueAt: NOON + 50 };
    const put: Partial<EnrollmentRow>[] = [
      { ...later, postponedReason: "outside_window" },
      { ...later, postponedReason: "daily_cap" },
      { ...later, postponedReason: "delivery_delayed" },
      { ...later, postponedReason: "daily_cap", heldReason: "unfilled" },
      later,
    ];
    const rows: EnrollmentRow[] = [];
    for (const changes of put) rows.push(enrollment(await parts(store), changes));
    for (const row of rows) await add(store, row);
    const hasten = (workspaceId: string) => store.write(workspaceId, ({ enrollments }) => enrollments.hasten(NOON));
    assert.deepEqual([await hasten(W2), await hasten(W1), await hasten(W1)], [0, 2, 0]);
    for (const [i, row] of rows.entries()) {
      const wanted = i < 2 ? { ...row, dueAt: NOON, postponedReason: null } : row;
      assert.deepEqual(await store.read(W1).enrollments.find(row.id), wanted);
    }
  });

  test("enrollments are listed newest first with ties by id, by every combination of filters", async (t) => {
    const store = await found(await open(t));
    const [a, b] = [await parts(store), await parts(store)];
    const rows: EnrollmentRow[] = [];
    for (const of of [a, b, { ...a, contactId: b.contactId }]) {
      for (const status of ["completed", "failed", "active"] as const) {
        const row = enrollment(of, { status, enrolledAt: NOON + (rows.length % 4) });
        assert.equal(await add(store, row), true);
        rows.push(row);
      }
    }
    rows.sort((x, y) => y.enrolledAt - x.enrolledAt || (x.id < y.id ? 1 : -1));
    for (const sequenceId of [undefined, a.sequenceId])
      for (const contactId of [undefined, b.contactId])
        for (const status of [undefined, "failed" as const, "stopped_replied" as const]) {
          const filter = { sequenceId, contactId, status };
          const wanted = rows.filter((row) =>
            Object.entries(filter).every(([name, value]) => value === undefined || row[name as "id"] === value),
          );
          const list = (page: typeof ALL) => store.read(W1).enrollments.list(filter, page);
          assert.deepEqual(await list(ALL), { rows: wanted, total: wanted.length });
          assert.deepEqual((await list({ limit: 1, offset: 1 })).rows, wanted.slice(1, 2));
        }
  });
}
