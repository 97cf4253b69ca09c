import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnrollmentRow, Enrollments } from "../../../src/store/enrollments.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "../conformance.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { addSequence, approve } from "./sequences.ts";

const ALL = { limit: 100, offset: 0 };

let made = 0x40_0000;
const newId = () => idOf(made++);

/** A sequence, an approval of it and a contact, and the enrollment that they make. */
export async function parts(store: Store) {
  const { id: sequenceId } = await addSequence(store);
  const { contact } = await insert(store, { first_name: "Ada" });
  const approvalId = (await approve(store, sequenceId, [])) as string;
  return { sequenceId, contactId: contact.id, approvalId };
}

export function enrollment(of: Awaited<ReturnType<typeof parts>>, changes: Partial<EnrollmentRow> = {}): EnrollmentRow {
  return {
    ...{ id: newId(), ...of, status: "active", heldReason: null, currentStep: 0 },
    ...{ dueAt: NOON + 5, enrolledAt: NOON, endedAt: null },
    ...changes,
  };
}

const add = (store: Store, row: EnrollmentRow) => store.write(W1, ({ enrollments }) => enrollments.insert(row));

export function enrollmentsConform(open: OpenStore): void {
  test("an enrollment is read back as it was written, by its own workspace alone", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { heldReason: "contact_changed", currentStep: 3, dueAt: null });
    assert.equal(await add(store, row), true);
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), row);
    assert.equal(await store.read(W2).enrollments.find(row.id), undefined);
    assert.deepEqual(await store.read(W2).enrollments.list({}, ALL), { rows: [], total: 0 });
  });

  test("a contact is on its way through a sequence once at a time, and can begin anew after the end", async (t) => {
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

  test("stopping ends an open enrollment once, and leaves one that has ended as it was", async (t) => {
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

  test("stopping a contact ends what is open of it in every sequence, and of nobody else", async (t) => {
    const store = await found(await open(t));
    const one = await parts(store);
    const elsewhere = { ...(await parts(store)), contactId: one.contactId };
    const other = await parts(store);
    const completed = enrollment(one, { status: "completed", dueAt: null, endedAt: NOON });
    const open_ = [enrollment(one), enrollment(elsewhere, { status: "waiting_on_action" })];
    const bystander = enrollment(other);
    for (const row of [completed, ...open_, bystander]) await add(store, row);
    const stopAll = (workspaceId: string) =>
      store.write(workspaceId, (bound) => bound.enrollments.stopAll(one.contactId, "stopped_suppressed", NOON + 7));
    assert.equal(await stopAll(W2), 0);
    assert.equal(await stopAll(W1), 2);
    assert.equal(await stopAll(W1), 0);
    const find = (id: string) => store.read(W1).enrollments.find(id);
    for (const row of open_) {
      assert.deepEqual(await find(row.id), { ...row, status: "stopped_suppressed", dueAt: null, endedAt: NOON + 7 });
    }
    for (const row of [completed, bystander]) assert.deepEqual(await find(row.id), row);
  });

  test("an enrollment goes on from the step it waits at alone, once, in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { status: "waiting_on_action", currentStep: 2, dueAt: null });
    await add(store, row);
    const next = { status: "active", dueAt: NOON + 9 } as const;
    const advance = (step: number, to: Parameters<Enrollments["advance"]>[2] = next, workspaceId = W1) =>
      store.write(workspaceId, ({ enrollments }) => enrollments.advance(row.id, step, to, NOON + 3));
    for (const step of [0, 1, 3]) assert.equal(await advance(step), false, `${step}`);
    assert.equal(await advance(2, next, W2), false);
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), row);
    assert.equal(await advance(2), true);
    const on = { ...row, ...next, currentStep: 3 };
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), on);
    for (const step of [2, 3]) assert.equal(await advance(step), false, "one that is active waits for no action");
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), on);
  });

  test("an enrollment that goes on after its last step is completed, and one that has ended goes nowhere", async (t) => {
    const store = await found(await open(t));
    const row = enrollment(await parts(store), { status: "waiting_on_action", currentStep: 2 });
    await add(store, row);
    const end = { status: "completed", dueAt: null } as const;
    const advance = (id: string, step: number) =>
      store.write(W1, ({ enrollments }) => enrollments.advance(id, step, end, NOON + 3));
    assert.equal(await advance(row.id, 2), true);
    const ended = { ...row, ...end, currentStep: 3, endedAt: NOON + 3 };
    assert.deepEqual(await store.read(W1).enrollments.find(row.id), ended);
    for (const step of [2, 3]) assert.equal(await advance(row.id, step), false);
    for (const status of ["stopped_replied", "stopped_suppressed", "stopped_by_member", "failed"] as const) {
      const stopped = enrollment(await parts(store), { status, dueAt: null, endedAt: NOON });
      await add(store, stopped);
      assert.equal(await advance(stopped.id, 0), false, status);
      assert.deepEqual(await store.read(W1).enrollments.find(stopped.id), stopped);
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
