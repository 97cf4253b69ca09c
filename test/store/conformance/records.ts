import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, idOf, insert, keyRow, NOON, W1, W2 } from "./fixtures.ts";

const ALL = { limit: 100, offset: 0 };

async function addKey(store: Store, changes = {}, workspaceId = W1) {
  const row = keyRow(changes);
  const hash = randomBytes(32);
  await store.write(workspaceId, ({ keys }) => keys.insert(row, hash));
  return { row, hash };
}

export function recordsConform(open: OpenStore): void {
  test("a key is found only by its hash, with what authentication needs", async (t) => {
    const store = await found(await open(t));
    const { row, hash } = await addKey(store, { expiresAt: NOON + 5, socialnetAccountId: idOf(7) });
    const credential = await store.findKey(hash);
    assert.deepEqual(
      [credential?.id, credential?.workspaceId, credential?.scopes, credential?.expiresAt, credential?.revokedAt],
      [row.id, W1, new Set(row.scopes), NOON + 5, null],
    );
    assert.equal(credential?.socialnetAccountId, idOf(7));
    assert.equal(await store.findKey(randomBytes(32)), undefined);
  });

  test("a revoked key is seen as revoked at the next check, and is revoked once, only by its own workspace", async (t) => {
    const store = await found(await open(t));
    const { row, hash } = await addKey(store);
    assert.equal(await store.write(W2, ({ keys }) => keys.revoke(row.id, NOON)), false);
    assert.equal(await store.write(W1, ({ keys }) => keys.revoke(row.id, NOON + 1)), true);
    assert.equal(await store.write(W1, ({ keys }) => keys.revoke(row.id, NOON + 2)), false);
    assert.equal((await store.findKey(hash))?.revokedAt, NOON + 1);
    assert.equal((await store.read(W1).keys.find(row.id))?.revokedAt, NOON + 1);
  });

  test("keys are listed newest first, only for the workspace", async (t) => {
    const store = await found(await open(t));
    const { row: old } = await addKey(store, { createdAt: NOON - 5 });
    const { row: young } = await addKey(store, { createdAt: NOON + 5, connectorName: "Desk" });
    await addKey(store, {}, W2);
    assert.deepEqual(await store.read(W1).keys.list(ALL), { rows: [young, old], total: 2 });
    assert.deepEqual(await store.read(W1).keys.list({ limit: 1, offset: 1 }), { rows: [old], total: 2 });
    assert.equal(await store.read(W2).keys.find(old.id), undefined);
  });

  test("the last use of a key never goes back", async (t) => {
    const store = await found(await open(t));
    const { row } = await addKey(store);
    await store.recordUse(new Map([[row.id, NOON + 10]]), []);
    await store.recordUse(new Map([[row.id, NOON + 5]]), []);
    assert.equal((await store.read(W1).keys.find(row.id))?.lastUsedAt, NOON + 10);
  });

  test("refused sign-ins are visible to their workspace; those without one only on request", async (t) => {
    const store = await found(await open(t));
    const event = {
      at: NOON,
      code: "revoked_key",
      keyPrefix: "ros_live_abcde",
      memberId: null,
      address: "127.0.0.1",
      route: "GET /x",
      count: 1,
    };
    const stray = { ...event, at: NOON + 1, code: "missing_key", keyPrefix: null, address: null, count: 7 };
    const rows = [
      { ...event, workspaceId: W1 },
      { ...event, workspaceId: W2 },
      { ...stray, workspaceId: null },
    ];
    await store.recordUse(new Map(), rows);
    const shown = async (unattributed: boolean) => {
      const { rows: found, total } = await store.read(W1).logs.listAuthEvents(ALL, unattributed);
      assert.equal(total, found.length);
      return found.map(({ at, code, keyPrefix, memberId, address, route, count }) => ({
        at,
        code,
        keyPrefix,
        memberId,
        address,
        route,
        count,
      }));
    };
    assert.deepEqual(await shown(false), [event]);
    assert.deepEqual(await shown(true), [stray, event]);
  });

  test("events over the limit are deleted, oldest first, only for one workspace and code", async (t) => {
    const store = await found(await open(t));
    const rows = [W1, W2, null].flatMap((workspaceId) =>
      ["scope_denied", "revoked_key"].flatMap((code) =>
        [1, 2, 3, 4].map((n) => ({
          at: NOON + n,
          code,
          keyPrefix: null,
          memberId: null,
          address: null,
          route: "GET /x",
          count: n,
          workspaceId,
        })),
      ),
    );
    await store.recordUse(new Map(), rows);
    const counts = async (workspaceId: string, code: string, unattributed = false) => {
      const { rows } = await store.read(workspaceId).logs.listAuthEvents(ALL, unattributed, code);
      return rows.map(({ count }) => count);
    };
    assert.equal(await store.trimAuthEvents(W1, "scope_denied", 4), 0);
    assert.equal(await store.trimAuthEvents(W1, "scope_denied", 2), 1 + 2, "the events in the rows");
    assert.deepEqual(await counts(W1, "scope_denied"), [4, 3]);
    assert.deepEqual(await counts(W1, "revoked_key"), [4, 3, 2, 1]);
    assert.deepEqual(await counts(W2, "scope_denied"), [4, 3, 2, 1]);
    assert.equal(await store.trimAuthEvents(null, "scope_denied", 1), 1 + 2 + 3);
    assert.deepEqual(await counts(W1, "scope_denied", true), [4, 4, 3]);
    assert.deepEqual(await counts(W1, "revoked_key", true), [4, 3, 2, 1, 4, 3, 2, 1]);
  });

  test("the configuration audit has before and after, newest first, only for its workspace", async (t) => {
    const store = await found(await open(t));
    const row = { recordId: "r", before: null, after: { name: "n" }, action: "a", actorKind: "member", actorId: "m" };
    await store.write(W1, ({ journal }) => journal.audit({ ...row, at: NOON }));
    await store.write(W1, ({ journal }) => journal.audit({ ...row, before: { name: "n" }, after: null, at: NOON + 1 }));
    await store.write(W2, ({ journal }) => journal.audit({ ...row, at: NOON }));
    const { rows, total } = await store.read(W1).logs.listAudit({ limit: 1, offset: 0 });
    assert.equal(total, 2);
    assert.deepEqual([rows[0]?.at, rows[0]?.before, rows[0]?.after], [NOON + 1, { name: "n" }, null]);
  });

  test("authors of a record's changes are each listed once, only for this record, action and workspace", async (t) => {
    const store = await found(await open(t));
    const row = { recordId: "r", before: null, after: null, action: "edit", actorKind: "member", at: NOON };
    await store.write(W1, async ({ journal }) => {
      for (const actorId of ["grace", "alan", "grace"]) await journal.audit({ ...row, actorId });
      await journal.audit({ ...row, actorId: "mary", action: "approve" });
      await journal.audit({ ...row, actorId: "joan", recordId: "other" });
    });
    await store.write(W2, ({ journal }) => journal.audit({ ...row, actorId: "edith" }));
    assert.deepEqual((await store.read(W1).logs.actorsOf("r", "edit")).sort(), ["alan", "grace"]);
    assert.deepEqual(await store.read(W1).logs.actorsOf("r", "hold"), []);
  });

  test("an idempotent answer is stored unchanged, one per hash", async (t) => {
    const store = await found(await open(t));
    const hash = randomBytes(16);
    const answer = { status: 201, body: '{"data":{"id":"ü"},"error":null}' };
    assert.equal(await store.read(W1).answers.find(hash), undefined);
    await store.write(W1, ({ answers }) => answers.insert(hash, answer, NOON));
    assert.deepEqual(await store.read(W1).answers.find(hash), answer);
    await assert.rejects(store.write(W1, ({ answers }) => answers.insert(hash, { ...answer, status: 200 }, NOON)));
    assert.deepEqual(await store.read(W1).answers.find(hash), answer);
  });

  test("pruning deletes exactly what is past its retention, in batches", async (t) => {
    const store = await found(await open(t));
    const old = Array.from({ length: 700 }, () => randomBytes(16));
    const young = randomBytes(16);
    const answer = { status: 200, body: "{}" };
    await store.write(W1, async ({ answers, journal, sends }) => {
      for (const id of ["old", "older"]) await sends.receive(`<${id}@x.example>`, "s", NOON - 1);
      await sends.receive("<young@x.example>", "s", NOON);
      for (const hash of old) await answers.insert(hash, answer, NOON - 1);
      await answers.insert(young, answer, NOON);
      const row = { operation: "o", surface: "rest", actorKind: "key", actorId: "k", recordId: null, requestId: "q" };
      await journal.operation({ ...row, at: NOON - 1 });
      await journal.operation({ ...row, at: NOON });
    });
    const event = {
      code: "missing_key",
      keyPrefix: null,
      memberId: null,
      address: null,
      route: "GET /x",
      count: 1,
      workspaceId: null,
    };
    await store.recordUse(
      new Map(),
      [NOON - 1, NOON].map((at) => ({ ...event, at })),
    );
    const before = { answers: NOON, authEvents: NOON, operations: NOON, agentReports: 0, mailReceived: NOON };
    let gone = 0;
    for (let batch = await store.prune(before); batch > 0; batch = await store.prune(before)) gone += batch;
    assert.equal(gone, 704);
    assert.equal(await store.read(W1).answers.find(old[0] as Buffer), undefined);
    assert.deepEqual(await store.read(W1).answers.find(young), answer);
    const again = (id: string) => store.write(W1, ({ sends }) => sends.receive(`<${id}@x.example>`, "s", NOON));
    assert.deepEqual([await again("old"), await again("young")], [true, false]);
    assert.equal((await store.read(W1).logs.listAuthEvents(ALL, true)).total, 1);
  });

  test("an import's progress reads back, and a later save replaces it", async (t) => {
    const store = await found(await open(t));
    const run = { rowsDone: 5, created: 3, updated: 1, unchanged: 1, rejected: 0, lastRejected: [], finishedAt: null };
    const save = (changes: object) =>
      store.write(W1, ({ imports }) => imports.save("file", { ...run, ...changes }, NOON));
    await save({});
    assert.deepEqual(await store.read(W1).imports.find("file"), run);
    await save({ rowsDone: 9, finishedAt: NOON });
    assert.deepEqual(await store.read(W1).imports.find("file"), { ...run, rowsDone: 9, finishedAt: NOON });
    assert.equal(await store.read(W2).imports.find("file"), undefined);
  });

  test("a new workspace has active billing and no limit, and workspaces are ordered by creation", async (t) => {
    const store = await found(await open(t));
    assert.deepEqual(await store.read(W1).workspace.billing(), { state: "active", endsAt: null });
    assert.equal((await store.read(W1).workspace.plan()).contactAllowance, null);
    assert.deepEqual(
      (await store.workspaces()).map(({ id, name }) => [id, name]),
      [
        [W1, "one"],
        [W2, "two"],
      ],
    );
    assert.equal(await store.read(W1).accounts.exists(idOf(1)), false);
  });

  test("a contact with nothing confirmed has no confirmations, and neither has an archived one", async (t) => {
    const store = await found(await open(t));
    const { contact } = await insert(store, { first_name: "Ada" });
    const none = { meeting: false, bant: false, wonDeal: false };
    assert.deepEqual(await store.read(W1).contacts.confirmations(contact.id), none);
    await archive(store, contact.id);
    assert.deepEqual(await store.read(W1).contacts.confirmations(contact.id), none);
  });
}
