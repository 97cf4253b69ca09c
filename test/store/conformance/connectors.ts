import assert from "node:assert/strict";
import { test } from "node:test";
import type { Grant, KeyRow } from "../../../src/store/access.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";

const DAY_MS = 86_400_000;
const CLIENT = { name: "Client", redirectUris: ["https://client.example/cb"], createdAt: NOON };
const hash = (of: string) => Buffer.from(of.padEnd(32, "."));

let made = 0;

async function addMember(store: Store, workspaceId = W1): Promise<string> {
  made += 1;
  const id = idOf(0x60_0000 + made);
  const row = { id, email: `c${made}@b.example`, name: "Ada", role: "rep" as const, approveOutbound: true };
  await store.write(workspaceId, ({ members }) => members.insert({ ...row, createdAt: NOON, removedAt: null }));
  return id;
}

function grantOf(memberId: string, changes: Partial<Grant> = {}): Grant {
  made += 1;
  return {
    keyId: idOf(0x70_0000 + made),
    memberId,
    clientId: "https://client.example/id",
    connectorName: "Client",
    redirectUri: "https://client.example/cb",
    resource: "https://r.example",
    challenge: "c".repeat(43),
    socialnetAccountId: idOf(1),
    createdAt: NOON,
    expiresAt: NOON + 60_000,
    ...changes,
  };
}

/** Exchanges a code, and stores the key created from it. */
function redeem(store: Store, code: string, workspaceId = W1): Promise<Grant | undefined> {
  return store.write(workspaceId, async ({ connectors, keys }) => {
    const grant = await connectors.take(hash(code));
    if (grant === undefined) return undefined;
    const key: KeyRow = {
      id: grant.keyId,
      name: "Client",
      prefix: "ros_live_aaaaa",
      scopes: ["socialnet.read"],
      creator: "Ada",
      creatorId: null,
      createdAt: NOON,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      connectorName: "Client",
      socialnetAccountId: grant.socialnetAccountId,
    };
    await keys.insert(key, hash(grant.keyId));
    await connectors.minted(grant, hash(code));
    return grant;
  });
}

const approve = (store: Store, grant: Grant, code: string, registered = false) =>
  store.write(W1, ({ connectors }) => connectors.approve(grant, hash(code), registered));
const prune = (store: Store, before: { now?: number; unused?: number; revoked?: number }) =>
  store.clients.pruneClients({ now: 0, unused: 0, revoked: 0, ...before });

export function connectorsConform(open: OpenStore): void {
  test("of all exchanges of a code one gets its grant, which is then found by its key", async (t) => {
    const store = await found(await open(t));
    const grant = grantOf(await addMember(store));
    assert.equal(await approve(store, grant, "a"), true);
    assert.equal(await store.clients.workspaceOf(hash("a")), W1);
    assert.equal(await store.write(W2, ({ connectors }) => connectors.take(hash("a"))), undefined, "another workspace");
    const taken = await Promise.all(Array.from({ length: 8 }, () => redeem(store, "a")));
    assert.deepEqual(
      taken.filter((one) => one !== undefined),
      [grant],
    );
    assert.equal(await store.clients.workspaceOf(hash("a")), W1);
    assert.equal(await store.clients.workspaceOf(hash("b")), undefined);
    const { connectors } = store.read(W1);
    assert.deepEqual(
      [await connectors.keyOf(hash("a")), await connectors.keyOf(hash("b")), await connectors.clientOf(grant.keyId)],
      [grant.keyId, undefined, grant.clientId],
    );
    const elsewhere = store.read(W2).connectors;
    assert.deepEqual([await elsewhere.keyOf(hash("a")), await elsewhere.clientOf(grant.keyId)], [undefined, undefined]);
  });

  test("a removed member's approved keys and codes end once", async (t) => {
    const store = await found(await open(t));
    const [ada, grace] = [await addMember(store), await addMember(store)];
    const [first, second, others] = [grantOf(ada), grantOf(ada), grantOf(grace)];
    for (const [grant, code] of [
      [first, "a"],
      [second, "b"],
      [others, "c"],
    ] as const) {
      await approve(store, grant, code);
      await redeem(store, code);
    }
    await approve(store, grantOf(ada), "d");
    await store.write(W1, ({ keys }) => keys.revoke(second.keyId, NOON));
    const end = (workspaceId = W1) => store.write(workspaceId, ({ connectors }) => connectors.endOf(ada, NOON + 1));
    assert.deepEqual(await end(W2), []);
    const [ended, ...rest] = await end();
    assert.deepEqual([ended?.id, ended?.revokedAt, ended?.scopes, rest], [first.keyId, null, ["socialnet.read"], []]);
    assert.deepEqual(await end(), []);
    assert.equal(await redeem(store, "d"), undefined);
    const { keys } = store.read(W1);
    const revokedAt = async (id: string) => (await keys.find(id))?.revokedAt;
    assert.deepEqual(
      [await revokedAt(first.keyId), await revokedAt(second.keyId), await revokedAt(others.keyId)],
      [NOON + 1, NOON, null],
    );
  });

  test("ending what a member approved for one account keeps what they approved for others", async (t) => {
    const store = await found(await open(t));
    const ada = await addMember(store);
    const [lost, kept] = [grantOf(ada), grantOf(ada, { socialnetAccountId: idOf(2) })];
    await approve(store, lost, "a");
    await approve(store, kept, "b");
    for (const code of ["a", "b"]) await redeem(store, code);
    await approve(store, grantOf(ada), "c");
    await approve(store, grantOf(ada, { socialnetAccountId: idOf(2) }), "d");
    const ended = await store.write(W1, ({ connectors }) => connectors.endOf(ada, NOON + 1, idOf(1)));
    assert.deepEqual(
      ended.map(({ id }) => id),
      [lost.keyId],
    );
    assert.equal((await store.read(W1).keys.find(kept.keyId))?.revokedAt, null);
    assert.equal(await redeem(store, "c"), undefined);
    assert.notEqual(await redeem(store, "d"), undefined);
  });

  test("keys are listed by how they were created", async (t) => {
    const store = await found(await open(t));
    const grant = grantOf(await addMember(store));
    await approve(store, grant, "a");
    await redeem(store, "a");
    const list = async (mintedBy?: "settings" | "sign_in") => {
      const { rows, total } = await store.read(W1).keys.list({ limit: 10, offset: 0 }, mintedBy);
      return [rows.map(({ id }) => id), total];
    };
    assert.deepEqual(await list("sign_in"), [[grant.keyId], 1]);
    assert.deepEqual(await list("settings"), [[], 0]);
    assert.deepEqual(await list(), [[grant.keyId], 1]);
  });

  test("registrations are accepted up to a limit, and kept once something is approved for them", async (t) => {
    const store = await found(await open(t));
    const register = (id: string) => store.clients.register({ id, ...CLIENT }, 2);
    assert.deepEqual([await register("a"), await register("b"), await register("c")], [true, true, false]);
    assert.deepEqual(await store.clients.find("a"), { id: "a", ...CLIENT });
    const member = await addMember(store);
    assert.equal(await approve(store, grantOf(member, { clientId: "a" }), "a", true), true);
    assert.equal(await register("c"), true, "what is used does not count");
    await prune(store, { unused: NOON });
    assert.deepEqual(
      [await store.clients.find("a"), await store.clients.find("b")],
      [{ id: "a", ...CLIENT }, undefined],
    );
    assert.equal(await approve(store, grantOf(member, { clientId: "b" }), "b", true), false, "it is gone");
    assert.equal(await redeem(store, "b"), undefined);
  });

  test("expired codes are deleted, and so are a key's grant long after its revocation, and then its client", async (t) => {
    const store = await found(await open(t));
    await store.clients.register({ id: "a", ...CLIENT }, 9);
    const member = await addMember(store);
    const [live, revoked] = [grantOf(member, { clientId: "a" }), grantOf(member, { clientId: "a" })];
    for (const [grant, code] of [
      [live, "a"],
      [revoked, "b"],
    ] as const) {
      await approve(store, grant, code, true);
      await redeem(store, code);
    }
    await approve(store, grantOf(member), "c");
    await prune(store, { now: NOON + 59_999 });
    assert.equal(await store.clients.workspaceOf(hash("c")), W1);
    await prune(store, { now: NOON + 60_000 });
    assert.equal(await store.clients.workspaceOf(hash("c")), undefined);

    await store.write(W1, ({ keys }) => keys.revoke(revoked.keyId, NOON + 5));
    await prune(store, { revoked: NOON + 4 });
    assert.equal(await store.clients.workspaceOf(hash("b")), W1);
    await prune(store, { revoked: NOON + 5 });
    assert.equal(await store.clients.workspaceOf(hash("b")), undefined);
    assert.notEqual(await store.clients.find("a"), undefined, "a live key is of it");
    await store.write(W1, ({ keys }) => keys.revoke(live.keyId, NOON + 6));
    await prune(store, { revoked: NOON + DAY_MS });
    assert.equal(await store.clients.find("a"), undefined);
  });
}
