import assert from "node:assert/strict";
import { test } from "node:test";
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
  test("an activity reads back as written, bound to its workspace", async (t) => {
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

  test("an activity without a contact is refused", async (t) => {
    const store = await found(await open(t));
    await assert.rejects(store.write(W1, ({ activities }) => activities.insert(call(idOf(9)))));
  });

  test("message texts are found by their sends, among the newest entries of each contact", async (t) => {
    const store = await found(await open(t));
    const ada = (await insert(store, { first_name: "Ada" })).contact.id;
    const eve = (await insert(store, { first_name: "Eve" })).contact.id;
    let made = 0x70_0000;
    const log = (contactId: string, type: NewActivity["type"], send: string, body: string | null) =>
      store.write(W1, ({ activities }) =>
        activities.insert({ ...call(contactId), id: idOf(made++), type, body, metadata: { send_id: send } }),
      );
    await log(ada, "email_sent", "s1", "First");
    await log(ada, "email_not_sent", "s2", "Second");
    await log(ada, "email_bounced", "s2", "No such mailbox");
    await log(ada, "email_sent", "s3", null);
    await log(eve, "email_sent", "s4", "To Eve");
    const texts = async (ids: string[], newest: number, workspaceId = W1) =>
      Object.fromEntries(await store.read(workspaceId).activities.messages(ids, newest));
    assert.deepEqual(await texts([ada, eve, ada], 4), { s1: "First", s2: "Second", s4: "To Eve" });
    assert.deepEqual(await texts([ada, eve], 3), { s2: "Second", s4: "To Eve" }, "the oldest of four is out of reach");
    assert.deepEqual(await texts([ada, eve], 4, W2), {});
  });

  test("the last contact date never goes back, is not an update, and can't be changed by another workspace", async (t) => {
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

  test("a contact's last reply counts for everyone with their profile at that time, only in its workspace", async (t) => {
    const store = await found(await open(t));
    const socialnet_url = "https://socialnet.example/in/replied";
    const { contact: replied, seq } = await insert(store, { first_name: "Ada", socialnet_url });
    const { contact: twin } = await insert(store, { first_name: "Twin", socialnet_url: `${socialnet_url}/` });
    const { contact: other } = await insert(store, { first_name: "Other" });
    const { contact: foreign } = await insert(store, { first_name: "Else", socialnet_url }, { workspaceId: W2 });
    const ids = [replied, twin, other, foreign].map(({ id }) => id);
    const last = async (workspaceId = W1) =>
      [...(await store.read(workspaceId).activities.lastReplies(ids))].sort(([one], [other]) => (one < other ? -1 : 1));
    const reply = { ...call(replied.id), type: "email_reply", metadata: {} } as const;
    await store.write(W1, async ({ activities, contacts }) => {
      await activities.insert(reply);
      await activities.insert({ ...reply, id: idOf(2), now: NOON + 5 });
      await activities.insert({ ...reply, id: idOf(3), type: "call_made", now: NOON + 9 });
      const fields = { socialnet_url: "https://socialnet.example/in/elsewhere" };
      await contacts.update({ seq, contact: replied }, { fields, now: NOON });
    });
    const both = [replied.id, twin.id].sort().map((id) => [id, { id: idOf(2), at: NOON + 5 }]);
    assert.deepEqual([await last(), await last(W2)], [both, []]);
    const newest = async (id: string, workspaceId = W1) => (await store.read(workspaceId).activities.lastReply(id))?.id;
    assert.deepEqual([await newest(replied.id), await newest(twin.id)], [idOf(2), idOf(2)]);
    const { activities } = store.read(W1);
    const otherAt = (at: number, id: string) => activities.hasOtherReplyAt(replied.id, at, id);
    assert.deepEqual(
      [await otherAt(NOON + 5, idOf(1)), await otherAt(NOON + 5, idOf(2)), await otherAt(NOON + 9, idOf(2))],
      [true, false, false],
    );
    assert.deepEqual(
      [await newest(other.id), await newest(replied.id, W2), await newest(foreign.id, W2)],
      [undefined, undefined, undefined],
    );
  });

  test("the last reply is the one that was recorded last, also if the clock was set back before it", async (t) => {
    const store = await found(await open(t));
    const socialnet_url = "https://socialnet.example/in/set-back";
    const { contact: replied } = await insert(store, { first_name: "Ada", socialnet_url });
    const { contact: twin } = await insert(store, { first_name: "Twin", socialnet_url });
    const { contact: named } = await insert(store, { first_name: "Named" });
    const reply = { ...call(replied.id), type: "email_reply", metadata: {} } as const;
    await store.write(W1, async ({ activities }) => {
      await activities.insert(reply);
      await activities.insert({ ...reply, id: idOf(2), now: NOON - 5 });
      await activities.countReply(idOf(2), named.id);
    });
    const { activities } = store.read(W1);
    const ids = [replied.id, twin.id, named.id];
    const last = await activities.lastReplies(ids);
    for (const id of ids) {
      assert.deepEqual(last.get(id), { id: idOf(2), at: NOON - 5 });
      assert.equal((await activities.lastReply(id))?.id, idOf(2));
    }
  });
}
