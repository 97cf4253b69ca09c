import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ADMINISTRATORS, ROLES, type Role } from "../../../src/domain/access/roles.ts";
import { MemberExists, type MemberRow } from "../../../src/store/access.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";

const ALL = { limit: 100, offset: 0 };

let made = 0;

async function add(store: Store, changes: Partial<MemberRow> = {}, workspaceId = W1): Promise<MemberRow> {
  const number = made++;
  const row: MemberRow = {
    id: idOf(0x30_0000 + number),
    email: `Member${number}@B.example`,
    name: "Ada",
    role: "rep",
    approveOutbound: false,
    createdAt: NOON,
    removedAt: null,
    ...changes,
  };
  await store.write(workspaceId, ({ members }) => members.insert(row));
  return row;
}

const update = (store: Store, row: MemberRow, changes: Partial<MemberRow>, workspaceId = W1) =>
  store.write(workspaceId, ({ members }) => members.update(row.id, { ...row, ...changes }));
const remove = (store: Store, { id }: MemberRow, workspaceId = W1) =>
  store.write(workspaceId, ({ members }) => members.remove(id, NOON + 1));

export function membersConform(open: OpenStore): void {
  test("a member reads back as written, by id and by address ignoring case, only in their own workspace", async (t) => {
    const store = await found(await open(t));
    const row = await add(store, { email: "Ada@B.example", approveOutbound: true, role: "owner" });
    const { members } = store.read(W1);
    assert.deepEqual(await members.find(row.id), row);
    assert.deepEqual(await members.findByEmail("aDA@b.EXAMPLE"), row);
    assert.equal(await store.read(W2).members.find(row.id), undefined);
    assert.equal(await store.read(W2).members.findByEmail(row.email), undefined);
  });

  test("a member's access is their current role and permission, in their own workspace, until removed", async (t) => {
    const store = await found(await open(t));
    const row = await add(store, { role: "rep", approveOutbound: true });
    const seat = (workspaceId = W1) => store.read(workspaceId).members.seat(row.id);
    assert.deepEqual(await seat(), { role: "rep", approveOutbound: true });
    assert.equal(await seat(W2), undefined);
    await update(store, row, { role: "viewer", approveOutbound: false });
    assert.deepEqual(await seat(), { role: "viewer", approveOutbound: false });
    await remove(store, row);
    assert.equal(await seat(), undefined);
  });

  test("a member hides the setup guide for themselves alone, until they show it again", async (t) => {
    const store = await found(await open(t));
    const [row, other] = [await add(store), await add(store, { email: "grace@b.example" })];
    const hide = (at: number | null, workspaceId = W1) =>
      store.write(workspaceId, ({ members }) => members.hideGuide(row.id, at));
    const hides = (id: string) => store.read(W1).members.hidesGuide(id);
    await hide(NOON, W2);
    assert.equal(await hides(row.id), false);
    await hide(NOON);
    assert.deepEqual([await hides(row.id), await hides(other.id)], [true, false]);
    assert.equal(await store.read(W2).members.hidesGuide(row.id), false);
    await hide(null);
    assert.equal(await hides(row.id), false);
  });

  test("an address belongs to one live member of a workspace; a removed member frees it and is no longer visible", async (t) => {
    const store = await found(await open(t));
    const row = await add(store, { email: "ada@b.example" });
    await assert.rejects(add(store, { email: "ADA@b.example" }), MemberExists);
    await add(store, { email: "ada@b.example" }, W2);
    assert.equal(await remove(store, row, W2), false);
    assert.equal(await remove(store, row), true);
    assert.equal(await remove(store, row), false);
    assert.equal(await update(store, row, { name: "x" }), false);
    assert.equal(await store.read(W1).members.find(row.id), undefined);
    const again = await add(store, { email: "ADA@b.example" });
    assert.deepEqual(await store.read(W1).members.findByEmail("ada@b.example"), again);
  });

  test("live members are listed newest first, only for the workspace", async (t) => {
    const store = await found(await open(t));
    const old = await add(store, { createdAt: NOON - 5 });
    const young = await add(store, { createdAt: NOON + 5 });
    await add(store, {}, W2);
    await remove(store, await add(store));
    assert.deepEqual(await store.read(W1).members.list(ALL), { rows: [young, old], total: 2 });
    assert.deepEqual(await store.read(W1).members.list({ limit: 1, offset: 1 }), { rows: [old], total: 2 });
  });

  test("changing a member writes name, role and permission, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const row = await add(store);
    const changes = { name: "Grace", role: "viewer", approveOutbound: true } as const;
    assert.equal(await update(store, row, changes, W2), false);
    assert.equal(await update(store, row, changes), true);
    assert.deepEqual(await store.read(W1).members.find(row.id), { ...row, ...changes });
  });

  test("the last administrator can't be removed: another workspace's, a removed one and a rep don't count", async (t) => {
    const store = await found(await open(t));
    const admin = await add(store, { role: "admin" });
    await add(store, { role: "owner" }, W2);
    await add(store);
    const gone = await add(store, { role: "owner" });
    assert.equal(await remove(store, gone), true);
    assert.equal(await update(store, admin, { role: "rep" }), false);
    assert.equal(await remove(store, admin), false);
    assert.deepEqual(await store.read(W1).members.find(admin.id), admin);
    assert.equal(await update(store, admin, { role: "owner", name: "Grace" }), true);
    await add(store, { role: "org_admin" });
    assert.equal(await update(store, admin, { role: "rep" }), true);
  });

  test("racing changes and removals leave a workspace at least one administrator", async (t) => {
    const store = await found(await open(t));
    const change = fc.record({
      index: fc.nat(2),
      role: fc.option(fc.constantFrom<Role>(...ROLES, "rep", "viewer"), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const workspaceId = idOf(0x40_0000 + made);
        await store.write(workspaceId, ({ workspace }) => workspace.create("run", NOON));
        const rows: MemberRow[] = [];
        for (const role of ["admin", "owner", "rep"] as const) rows.push(await add(store, { role }, workspaceId));
        await Promise.all(
          changes.map(({ index, role }) => {
            const row = rows[index] as MemberRow;
            return role === null ? remove(store, row, workspaceId) : update(store, row, { role }, workspaceId);
          }),
        );
        const { rows: left } = await store.read(workspaceId).members.list(ALL);
        assert.ok(left.some(({ role }) => ADMINISTRATORS.includes(role)));
      }),
      { numRuns: 40 },
    );
  });
}
