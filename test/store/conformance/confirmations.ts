import assert from "node:assert/strict";
import { test } from "node:test";
import type { BantAssessment, Meeting } from "../../../src/store/contacts.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";

const booked = (id: string, contactId: string, createdAt = NOON): Meeting => ({
  id,
  contactId,
  activityId: idOf(99),
  heldOn: null,
  note: null,
  confirmedBy: null,
  confirmedAt: null,
  createdAt,
});
const WORD = { heldOn: "2026-11-19", note: "went well", confirmedBy: "grace", now: NOON + 5 };

const book = (store: Store, meeting: Meeting) => store.write(W1, ({ meetings }) => meetings.insert(meeting));
const confirm = (store: Store, contactId: string, workspaceId = W1) =>
  store.write(workspaceId, ({ meetings }) => meetings.confirmNewest(contactId, WORD));

export function confirmationsConform(open: OpenStore): void {
  test("meetings are confirmed newest first, each once, only for the contact and its workspace", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const other = await insert(store, { first_name: "Grace" });
    await book(store, booked(idOf(2), contact.id, NOON + 1));
    await book(store, booked(idOf(3), contact.id, NOON));
    await book(store, booked(idOf(4), other.contact.id, NOON + 2));
    assert.equal(await confirm(store, contact.id, W2), undefined);
    assert.equal((await store.read(W1).contacts.confirmations(contact.id)).meeting, false, "booked is not held");

    const { now: confirmedAt, ...word } = WORD;
    const first = await confirm(store, contact.id);
    assert.deepEqual(first, { ...booked(idOf(2), contact.id, NOON + 1), ...word, confirmedAt });
    assert.equal((await confirm(store, contact.id))?.id, idOf(3));
    assert.equal(await confirm(store, contact.id), undefined);
    assert.equal((await store.read(W1).contacts.confirmations(contact.id)).meeting, true);
    assert.equal((await store.read(W1).contacts.confirmations(other.contact.id)).meeting, false);
  });

  test("confirmed meetings are found by the time of their confirmation, booked ones since a moment", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const other = await insert(store, { first_name: "Grace" });
    await book(store, booked(idOf(2), contact.id, NOON));
    await book(store, booked(idOf(3), contact.id, NOON + 2));
    await book(store, booked(idOf(4), other.contact.id, NOON + 3));
    const waiting = async (since: number, limit = 9, workspaceId = W1) =>
      (await store.read(workspaceId).meetings.booked(since, limit)).map(({ id }) => id);
    assert.deepEqual(await waiting(NOON), [idOf(4), idOf(3), idOf(2)]);
    assert.deepEqual(await waiting(NOON + 1, 1), [idOf(4)]);
    assert.deepEqual(await waiting(NOON, 9, W2), []);
    await confirm(store, contact.id);
    assert.deepEqual(await waiting(NOON), [idOf(4), idOf(2)]);
    const held = async (ids: string[], from: number, until: number, workspaceId = W1) =>
      (await store.read(workspaceId).brain.confirmedMeetings(ids, { from, until })).map(({ id }) => id);
    const both = [contact.id, other.contact.id];
    assert.deepEqual(await held(both, NOON + 5, NOON + 6), [idOf(3)]);
    assert.deepEqual(await held(both, NOON, NOON + 5), []);
    assert.deepEqual(await held([other.contact.id], 0, NOON + 9), []);
    assert.deepEqual(await held(both, 0, NOON + 9, W2), []);
  });

  test("of meetings booked at the same moment one is taken, whichever confirmations race", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    for (const id of [2, 3, 4]) await book(store, booked(idOf(id), contact.id));
    const taken = await Promise.all(Array.from({ length: 5 }, () => confirm(store, contact.id)));
    assert.deepEqual(
      taken.map((meeting) => meeting?.id),
      [idOf(4), idOf(3), idOf(2), undefined, undefined],
    );
  });

  test("a BANT assessment counts once a member confirms it, whatever its answers", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const answer = { confirmed: false, note: "unknown" };
    const unconfirmed: BantAssessment = {
      id: idOf(2),
      contactId: contact.id,
      confirmedBy: null,
      confirmedAt: null,
      createdAt: NOON,
      answers: { budget: answer, authority: answer, need: answer, timeline: answer },
    };
    const assess = (assessment: BantAssessment) => store.write(W1, ({ bant }) => bant.insert(assessment));
    const confirmed = async () => (await store.read(W1).contacts.confirmations(contact.id)).bant;
    await assess(unconfirmed);
    assert.equal(await confirmed(), false);
    await assess({ ...unconfirmed, id: idOf(3), confirmedBy: "grace", confirmedAt: NOON });
    assert.equal(await confirmed(), true);
    assert.equal((await store.read(W2).contacts.confirmations(contact.id)).bant, false);
    await archive(store, contact.id);
    assert.equal(await confirmed(), false);
  });
}
