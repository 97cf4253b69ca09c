import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActivityType } from "../../../src/domain/contacts/activity.ts";
import type { NewActivity } from "../../../src/store/contacts.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";

const call = (contactId: string): NewActivity => ({
  id: idOf(1),
  contactId,
  type: "call_made",
  subject: "Intro",
  body: null,
  now: NOON,
  metadata: { minutes: 0.1 + 0.2, who: { name: "Ada \u{1f469}" }, none: null },
});

export function activitiesConform(open: OpenStore): void {
  test("an activity is answered as it was given, bound to its workspace", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const activity = call(contact.id);
    assert.deepEqual(await store.write(W1, ({ activities }) => activities.insert(activity)), {
      id: idOf(1),
      contact_id: contact.id,
      workspace_id: W1,
      type: "call_made",
      subject: "Intro",
      body: null,
      metadata: activity.metadata,
      created_at: "2026-11-20T12:00:00.000Z",
    });
  });

  test("an activity of nobody is refused", async (t) => {
    const store = await found(await open(t));
    await assert.rejects(store.write(W1, ({ activities }) => activities.insert(call(idOf(9)))));
  });

  test("the newest activity of a type is found in a contact's timeline, and in no other", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const newest = (type: ActivityType, workspaceId = W1) =>
      store.read(workspaceId).activities.newest(contact.id, type);
    assert.equal(await newest("call_made"), undefined);
    for (const [n, type] of (["call_made", "call_made", "note_added"] as const).entries()) {
      const activity = { ...call(contact.id), id: idOf(n + 1), type };
      await store.write(W1, ({ activities }) => activities.insert(activity));
    }
    assert.equal((await newest("call_made"))?.id, idOf(2));
    assert.deepEqual((await newest("note_added"))?.metadata, call(contact.id).metadata);
    assert.equal(await newest("suppressed"), undefined);
    assert.equal(await newest("call_made", W2), undefined);
  });

  test("the last contact never goes back, is no update, and is out of another workspace's reach", async (t) => {
    const store = await found(await open(t));
    const { contact, lastContactedAt } = await insert(store, { first_name: "Ada" });
    assert.equal(lastContactedAt, null);
    const advance = (at: number, workspaceId = W1) =>
      store.write(workspaceId, ({ activities }) => activities.advanceLastContacted(contact.id, at));
    for (const [at, expected] of [
      [NOON + 5, NOON + 5],
      [NOON + 3, NOON + 5],
      [NOON + 7, NOON + 7],
    ] as const) {
      await advance(at);
      const record = await store.read(W1).contacts.find(contact.id);
      assert.deepEqual([record?.lastContactedAt, record?.contact], [expected, contact]);
    }
    await advance(NOON + 9, W2);
    assert.equal((await store.read(W1).contacts.find(contact.id))?.lastContactedAt, NOON + 7);
  });
}
