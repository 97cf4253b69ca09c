import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountRow } from "../../../src/store/contacts.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";

function add(store: Store, number: number, changes: Partial<AccountRow> = {}, workspaceId = W1): Promise<AccountRow> {
  const at = { createdAt: NOON, updatedAt: NOON };
  const row = { id: idOf(number), name: "Acme", domain: null, website: null, industry: null, ...at, ...changes };
  return store.write(workspaceId, async ({ accounts }) => {
    await accounts.insert(row);
    return row;
  });
}

export function accountsConform(open: OpenStore): void {
  test("an account reads back as written, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const full = { domain: "acme.example", website: "https://acme.example/", industry: "O'\"Mills\\ %_" };
    const row = await add(store, 1, full);
    assert.deepEqual(await store.read(W1).accounts.find(row.id), row);
    assert.equal(await store.read(W1).accounts.exists(row.id), true);
    const other = store.read(W2).accounts;
    assert.deepEqual([await other.find(row.id), await other.exists(row.id)], [undefined, false]);
    assert.deepEqual(await other.byName("Acme", 10), []);
    assert.equal(await other.findByDomain("acme.example"), undefined);
    assert.deepEqual(await other.list({ limit: 10, offset: 0 }), { rows: [], total: 0 });
  });

  test("an account is found by its full name, otherwise by a prefix, ignoring case, and by domain", async (t) => {
    const store = await found(await open(t));
    const old = await add(store, 3, { name: "Café ÉTOILE", domain: "etoile.example", createdAt: NOON - 1 });
    const young = await add(store, 1, { name: "café étoile" });
    const { accounts } = store.read(W1);
    assert.deepEqual(await accounts.byName("CAFÉ Étoile", 10), [young, old], "newest first");
    assert.deepEqual(await accounts.byName("CAFÉ Étoile", 1), [young]);
    assert.deepEqual(await accounts.findByDomain("etoile.example"), old);
    const twin = await add(store, 2, { name: "Café étoile" });
    assert.deepEqual(await accounts.byName("café étoile", 2), [twin, young], "ties go by id");
    const longer = await add(store, 4, { name: "Café Étoile du Nord" });
    assert.deepEqual(await accounts.byName("café étoile", 10), [twin, young, old], "a whole name wins");
    assert.deepEqual(await accounts.byName("CAFÉ ÉTOILE D", 10), [longer]);
    assert.deepEqual(
      (await accounts.byName("café", 10)).map(({ id }) => id),
      [young, twin, old, longer].map(({ id }) => id),
    );
    assert.equal((await accounts.byName("café", 3)).length, 3);
    assert.deepEqual(await accounts.byName("étoile", 10), []);
    assert.deepEqual(await accounts.byName("%", 10), []);
  });

  test("an update writes every field and its search name, and can't change another workspace's account", async (t) => {
    const store = await found(await open(t));
    const { id } = await add(store, 1, { domain: "acme.example" });
    const fields = { name: "Globex", domain: null, website: "https://globex.example", industry: "Power" };
    const update = (workspaceId: string) =>
      store.write(workspaceId, ({ accounts }) => accounts.update(id, fields, NOON + 5));
    assert.equal(await update(W2), undefined);
    const row = { id, ...fields, createdAt: NOON, updatedAt: NOON + 5 };
    assert.deepEqual(await update(W1), row);
    const { accounts } = store.read(W1);
    assert.deepEqual(await accounts.byName("GLOBEX", 10), [row]);
    assert.deepEqual([await accounts.byName("acme", 10), await accounts.findByDomain("acme.example")], [[], undefined]);
  });

  test("accounts are listed newest first with their exact total", async (t) => {
    const store = await found(await open(t));
    const rows = [await add(store, 1), await add(store, 2, { createdAt: NOON + 1 }), await add(store, 3)];
    await add(store, 4, {}, W2);
    const [first, newest, last] = rows;
    const { accounts } = store.read(W1);
    assert.deepEqual(await accounts.list({ limit: 10, offset: 0 }), { rows: [newest, last, first], total: 3 });
    assert.deepEqual(await accounts.list({ limit: 1, offset: 1 }), { rows: [last], total: 3 });
  });
}
