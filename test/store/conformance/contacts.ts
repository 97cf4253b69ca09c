import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ContactRecord, EmailTaken } from "../../../src/store/contacts.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, EVERYTHING, found, idOf, insert, NOON, update, W1, W2 } from "./fixtures.ts";
import { ledger } from "./socialnet-fixtures.ts";

export function contactsConform(open: OpenStore): void {
  test("every field of a contact reads back as written, in every kind of read", async (t) => {
    const store = await found(await open(t));
    const id = idOf(1);
    const { seq, contact } = await insert(store, EVERYTHING, { id, source: "import", now: NOON });
    const time = "2026-11-20T12:00:00.000Z";
    const whole = { id, ...EVERYTHING, lifecycle: "prospect", source: "import", tags: null };
    assert.deepEqual(contact, { ...whole, created_at: time, updated_at: time });
    const { contacts } = store.read(W1);
    const nothing = { accountId: null, lastContactedAt: null, socialStatus: "none" };
    const record = { seq, lifecycle: "prospect", ...nothing, contact };
    assert.deepEqual(await contacts.find(id), record);
    assert.deepEqual(await contacts.findByEmail("aDA@lovelace.example"), record);
    assert.deepEqual(await contacts.findByProfile("http://socialnet.example/in/Ada"), record);
    assert.deepEqual((await contacts.json(id))?.parse(), contact);
    assert.deepEqual((await contacts.list({ limit: 10, offset: 0 })).rows.parse(), [contact]);
    const query = { filter: {}, sort: "created_at", direction: "asc", limit: 10, offset: 0 } as const;
    assert.deepEqual((await contacts.query(query)).rows.parse(), [contact]);
  });

  test("names of live contacts are found by id, only in their own workspace", async (t) => {
    const store = await found(await open(t));
    const ada = (await insert(store, { first_name: "Ada", email: "ada@x.example", company: "Engines" })).contact.id;
    const gone = (await insert(store, { last_name: "Gone" })).contact.id;
    await archive(store, gone);
    const { contacts } = store.read(W1);
    const name = { first_name: "Ada", last_name: null, email: "ada@x.example" };
    assert.deepEqual([...(await contacts.names([ada, gone, ada, idOf(99)]))], [[ada, name]]);
    assert.equal((await store.read(W2).contacts.names([ada])).size, 0);
  });

  test("the JSON of a read has its fields in a fixed order, and null for missing values", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { last_name: "Hopper" });
    const text = (await store.read(W1).contacts.json(contact.id))?.text ?? "";
    assert.equal(text, JSON.stringify(contact));
  });

  test("times keep their milliseconds", async (t) => {
    const store = await found(await open(t));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: Date.UTC(2200, 0) }), async (now) => {
        const { contact } = await insert(store, { first_name: "Now" }, { now });
        assert.equal((await store.read(W1).contacts.json(contact.id))?.parse().created_at, new Date(now).toISOString());
      }),
      { numRuns: 200 },
    );
  });

  test("an update changes only the fields in the patch", async (t) => {
    const store = await found(await open(t));
    const record = await insert(store, EVERYTHING);
    const { contact } = record;
    const later = NOON + 1;
    const changed = await update(store, record, {
      fields: { company: null, phone: "1" },
      tags: ["a", "b"],
      now: later,
    });
    const expected = {
      ...contact,
      company: null,
      phone: "1",
      tags: ["a", "b"],
      updated_at: "2026-11-20T12:00:00.001Z",
    };
    assert.deepEqual(changed, expected);
    assert.deepEqual((await store.read(W1).contacts.find(contact.id))?.contact, expected);
    await update(store, record, { lifecycle: "lead" });
    assert.equal((await store.read(W1).contacts.find(contact.id))?.lifecycle, "lead");
  });

  test("a changed address or profile is found only by its new value", async (t) => {
    const store = await found(await open(t));
    const record = await insert(store, EVERYTHING);
    const { contact } = record;
    await update(store, record, { fields: { email: "New@x.example", socialnet_url: "https://other.example/ada" } });
    const { contacts } = store.read(W1);
    assert.equal((await contacts.findByEmail("new@x.example"))?.contact.id, contact.id);
    assert.equal(await contacts.findByEmail("ada@lovelace.example"), undefined);
    assert.equal((await contacts.findByProfile("other.example/ada/"))?.contact.id, contact.id);
    assert.equal(await contacts.findByProfile(EVERYTHING.socialnet_url ?? ""), undefined);
    await update(store, record, { fields: { email: null, socialnet_url: null } });
    assert.equal(await contacts.findByEmail("new@x.example"), undefined);
    assert.equal(await contacts.findByProfile("other.example/ada"), undefined);
  });

  test("an address has one live contact per workspace, ignoring case", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { email: "a@x.example" });
    const record = await insert(store, { email: "b@x.example" });
    await assert.rejects(insert(store, { email: "A@X.example" }), EmailTaken);
    await assert.rejects(update(store, record, { fields: { email: "A@x.EXAMPLE" } }), EmailTaken);
    await insert(store, { email: "a@x.example" }, { workspaceId: W2 });
    await insert(store, { first_name: "No address" });
    await insert(store, { first_name: "None either" });
    assert.equal(await archive(store, contact.id), true);
    await update(store, record, { fields: { email: "A@x.EXAMPLE" } });
    assert.equal(await store.read(W1).contacts.count(), 3);
  });

  test("an archived contact is not found by anything, and can be archived once", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, EVERYTHING);
    assert.equal(await archive(store, contact.id), true);
    assert.equal(await archive(store, contact.id), false);
    const { contacts } = store.read(W1);
    assert.equal(await contacts.find(contact.id), undefined);
    assert.equal(await contacts.json(contact.id), undefined);
    assert.equal(await contacts.findByEmail(EVERYTHING.email ?? ""), undefined);
    assert.equal(await contacts.findByProfile(EVERYTHING.socialnet_url ?? ""), undefined);
    assert.equal(await contacts.count(), 0);
    assert.equal((await contacts.list({ limit: 10, offset: 0 })).total, 0);
  });

  test("a workspace can't see or change another's contacts", async (t) => {
    const store = await found(await open(t));
    const record = await insert(store, EVERYTHING);
    const { contact } = record;
    const { contacts } = store.read(W2);
    assert.equal(await contacts.find(contact.id), undefined);
    assert.equal(await contacts.json(contact.id), undefined);
    assert.equal(await contacts.findByEmail(EVERYTHING.email ?? ""), undefined);
    assert.equal(await contacts.findByProfile(EVERYTHING.socialnet_url ?? ""), undefined);
    assert.equal(await contacts.count(), 0);
    assert.equal((await contacts.list({ limit: 10, offset: 0 })).count, 0);
    assert.equal(await archive(store, contact.id, W2), false);
    await assert.rejects(update(store, record, { fields: { first_name: "Mine" } }, W2));
    assert.deepEqual((await store.read(W1).contacts.find(contact.id))?.contact, contact);
  });

  test("of many contacts with one profile, those with open work are found first", async (t) => {
    const store = await found(await open(t));
    const socialnet_url = "https://socialnet.example/in/many";
    const { contact: acted, add } = await ledger(store);
    await store.write(W1, async ({ contacts }) => {
      await contacts.update((await contacts.find(acted.id)) as ContactRecord, { fields: { socialnet_url }, now: NOON });
    });
    await add({ contactId: acted.id, status: "planned" });
    for (let i = 0; i < 60; i += 1) await insert(store, { first_name: `${i}`, socialnet_url });
    await insert(store, { first_name: "Other", socialnet_url }, { workspaceId: W2 });
    const ids = await store.read(W1).contacts.allByProfile(`${socialnet_url}/`);
    assert.equal(ids.length, 50);
    assert.equal(ids[0], acted.id);
    const { contact: gone } = await insert(store, { first_name: "Gone", socialnet_url });
    await store.write(W1, ({ contacts }) => contacts.archive(gone.id, NOON));
    assert.deepEqual(await store.read(W1).contacts.samePerson(gone.id, 0), ids, "of an archived contact too");
    assert.deepEqual(await store.read(W2).contacts.samePerson(gone.id, 0), []);
    assert.ok(!(await store.read(W1).contacts.samePerson(acted.id, 0)).includes(acted.id));
  });

  test("of contacts with one page, those with the query and fragment that are asked for are found first", async (t) => {
    const store = await found(await open(t));
    const page = "https://socialnet.example/in/ada";
    const ids: Record<string, string> = {};
    for (const tail of ["?id=1", "?id=2", "", "#id=3", "?id=1#top"])
      ids[tail] = (await insert(store, { socialnet_url: `${page}${tail}` })).contact.id;
    const { contacts } = store.read(W1);
    for (const [tail, id] of Object.entries(ids)) {
      const all = await contacts.allByProfile(`http://www.socialnet.example/in/ada${tail}`);
      assert.deepEqual([all[0], all.length, new Set(all).size], [id, 5, 5], tail);
    }
    assert.equal((await contacts.samePerson(ids["?id=2"] as string, 0)).length, 4);
  });

  test("a person is known by a profile or an address that another contact had, since a time", async (t) => {
    const store = await found(await open(t));
    const [old, next] = ["https://socialnet.example/in/old", "https://socialnet.example/in/next"];
    const made = async (fields: object) => (await insert(store, fields)).contact.id;
    const change = (id: string, fields: object, now: number) =>
      store.write(W1, async ({ contacts }) => {
        await contacts.update((await contacts.find(id)) as ContactRecord, { fields, now });
      });
    const ada = await made({ email: "ada@a.example", socialnet_url: old });
    const twin = await made({ email: "twin@a.example", socialnet_url: old });
    const changed = await made({ socialnet_url: old });
    await change(ada, { socialnet_url: next, email: "ada2@a.example" }, NOON);
    await change(changed, { socialnet_url: null }, NOON + 2);
    const owner = await made({ email: "ada@a.example" });
    const { contacts } = store.read(W1);
    const person = async (id: string, at: number) => (await contacts.samePerson(id, at)).sort();
    assert.deepEqual(await person(ada, NOON - 1), [twin, changed, owner].sort());
    assert.deepEqual(await person(ada, NOON), [owner], "the profile was replaced by then");
    assert.deepEqual(await person(twin, NOON + 1), [changed]);
    assert.deepEqual(await person(twin, NOON + 2), []);
    assert.deepEqual(await store.read(W2).contacts.samePerson(ada, 0), []);
    await change(ada, { socialnet_url: old }, NOON + 3);
    await change(ada, { socialnet_url: next }, NOON + 4);
    assert.deepEqual(await person(twin, NOON + 3), [ada], "the last time counts");
  });

  test("of two contacts with one profile the newer is found", async (t) => {
    const store = await found(await open(t));
    await insert(store, { first_name: "Old", socialnet_url: "https://socialnet.example/in/a" });
    const { contact } = await insert(store, { first_name: "New", socialnet_url: "http://www.socialnet.example/in/a/" });
    assert.equal((await store.read(W1).contacts.findByProfile("socialnet.example/in/a"))?.contact.id, contact.id);
    assert.equal(await store.read(W1).contacts.findByProfile("no address at all"), undefined);
  });

  test("of the contacts whose profiles differ by the query, the one with this query is found, else the newest", async (t) => {
    const store = await found(await open(t));
    const ids: string[] = [];
    for (const tail of ["?id=1", "?id=2", "?id=1", "?id=3"]) {
      const { contact } = await insert(store, {
        first_name: "Ada",
        socialnet_url: `https://net.example/profile${tail}`,
      });
      ids.push(contact.id);
    }
    const find = async (tail: string) =>
      (await store.read(W1).contacts.findByProfile(`http://www.net.example/profile/${tail}`))?.contact.id;
    assert.equal(await find("?id=1"), ids[2], "the newer of two");
    assert.equal(await find("?id=2"), ids[1]);
    assert.equal(await find("?id=9"), ids[3]);
    assert.equal(await find(""), ids[3]);
  });
}
