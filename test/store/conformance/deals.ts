import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NewDeal } from "../../../src/store/contacts.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";

export const deal = (contactId: string, changes: Partial<NewDeal> = {}): NewDeal => ({
  id: idOf(1),
  contactId,
  title: "Engine",
  value: 19.99,
  currency: "EUR",
  stage: "prospecting",
  probability: null,
  expectedCloseDate: null,
  now: NOON,
  ...changes,
});

export function dealsConform(open: OpenStore): void {
  test("a deal reads back as written, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const given = deal(contact.id, { probability: 12.5, expectedCloseDate: "2027-02-28" });
    const made = await store.write(W1, ({ deals }) => deals.insert(given));
    assert.deepEqual(made, {
      id: idOf(1),
      contact_id: contact.id,
      workspace_id: W1,
      title: "Engine",
      value: 19.99,
      currency: "EUR",
      stage: "prospecting",
      probability: 12.5,
      expected_close_date: "2027-02-28",
      created_at: "2026-11-20T12:00:00.000Z",
    });
    assert.deepEqual(await store.read(W1).deals.find(made.id), made);
    assert.equal(await store.read(W2).deals.find(made.id), undefined);
  });

  test("deals at a stage are listed newest first with their contacts, only for the workspace", async (t) => {
    const store = await found(await open(t));
    const ada = await insert(store, { first_name: "Ada", company: "Engines" });
    const other = await insert(store, { first_name: "Eve" }, { workspaceId: W2 });
    const add = (changes: Partial<NewDeal>, contactId = ada.contact.id, workspaceId = W1) =>
      store.write(workspaceId, ({ deals }) => deals.insert(deal(contactId, changes)));
    const old = await add({ id: idOf(1) });
    const young = await add({ id: idOf(2), now: NOON + 1 });
    await add({ id: idOf(3), stage: "closed_won" });
    await add({ id: idOf(4) }, other.contact.id, W2);
    const { deals } = store.read(W1);
    const contact = { first_name: "Ada", last_name: null, email: null, company: "Engines" };
    const all = await deals.list({ stage: "prospecting" }, { limit: 10, offset: 0 });
    assert.deepEqual(all, { rows: [young, old].map((row) => ({ deal: row, contact, ownerId: null })), total: 2 });
    const second = await deals.list({ stage: "prospecting" }, { limit: 1, offset: 1 });
    assert.deepEqual([second.rows.map(({ deal: { id } }) => id), second.total], [[old.id], 2]);
    assert.equal((await deals.list({ stage: "proposal" }, { limit: 10, offset: 0 })).total, 0);
  });

  test("every value is stored bit for bit", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    let made = 1;
    const double = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(double, async (value) => {
        const id = idOf(made++);
        await store.write(W1, ({ deals }) => deals.insert(deal(contact.id, { id, value, probability: value })));
        const read = await store.read(W1).deals.find(id);
        assert.deepEqual([read?.value, read?.probability], [value, value]);
      }),
      { numRuns: 200, examples: [[0.1 + 0.2], [Number.MAX_SAFE_INTEGER], [1e300], [5e-324], [Number.MAX_VALUE]] },
    );
  });

  test("a deal moves only in its own workspace, and counts as won for its contact while it is won", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const made = await store.write(W1, ({ deals }) => deals.insert(deal(contact.id)));
    const move = (stage: NewDeal["stage"], workspaceId = W1) =>
      store.write(workspaceId, ({ deals }) =>
        deals.change(made.id, { stage, probability: 100, expectedCloseDate: "2026-11-20", by: "m", now: NOON + 1 }),
      );
    const won = async () => (await store.read(W1).contacts.confirmations(contact.id)).wonDeal;
    assert.equal(await move("closed_won", W2), undefined);
    assert.deepEqual(await store.read(W1).deals.find(made.id), made);
    const moved = { ...made, stage: "closed_won", probability: 100, expected_close_date: "2026-11-20" };
    assert.deepEqual(await move("closed_won"), moved);
    assert.deepEqual(await store.read(W1).deals.find(made.id), moved);
    assert.equal(await won(), true);
    await move("negotiation");
    assert.equal(await won(), false);
  });

  test("deals are listed and summed by their owner, and a member who leaves owns none, only in the workspace", async (t) => {
    const store = await found(await open(t));
    const ada = await insert(store, { first_name: "Ada" });
    const eve = await insert(store, { first_name: "Eve" }, { workspaceId: W2 });
    const add = (changes: Partial<NewDeal>, contactId = ada.contact.id, workspaceId = W1) =>
      store.write(workspaceId, ({ deals }) => deals.insert(deal(contactId, { value: 2, ...changes })));
    await add({ id: idOf(1), ownerId: "grace" });
    await add({ id: idOf(2), ownerId: "grace", now: NOON + 1 });
    await add({ id: idOf(3), ownerId: "linus" });
    await add({ id: idOf(4) });
    await add({ id: idOf(5), ownerId: "grace", stage: "proposal" });
    await add({ id: idOf(6), ownerId: "grace" }, eve.contact.id, W2);
    const { deals } = store.read(W1);
    const of = { stage: "prospecting", ownerId: "grace" } as const;
    const listed = await deals.list(of, { limit: 1, offset: 0 });
    assert.deepEqual([listed.rows.map((row) => [row.deal.id, row.ownerId]), listed.total], [[[idOf(2), "grace"]], 2]);
    assert.deepEqual(await deals.totals(of), [{ stage: "prospecting", currency: "EUR", deals: 2, value: 4 }]);
    assert.equal((await deals.totals({ ownerId: "grace" })).length, 2);
    const edit = { title: "Engine", value: 2, currency: "EUR", probability: null, expectedCloseDate: null };
    await store.write(W1, ({ deals }) => deals.edit(idOf(4), { ...edit, ownerId: "grace" }));
    assert.equal(await deals.ownerOf(idOf(4)), "grace");
    assert.equal(await store.read(W2).deals.ownerOf(idOf(4)), null);
    await store.write(W1, ({ deals }) => deals.unassign("grace"));
    const owners = await Promise.all([1, 2, 3, 4, 5].map((i) => deals.ownerOf(idOf(i))));
    assert.deepEqual(owners, [null, null, "linus", null, null]);
    assert.equal(await store.read(W2).deals.ownerOf(idOf(6)), "grace");
  });

  test("a deal without a contact is refused", async (t) => {
    const store = await found(await open(t));
    await assert.rejects(store.write(W1, ({ deals }) => deals.insert(deal(idOf(9)))));
  });
}
