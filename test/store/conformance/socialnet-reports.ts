import assert from "node:assert/strict";
import { test } from "node:test";
import { SOCIAL_STATUSES } from "../../../src/domain/socialnet/social-status.ts";
import type { SocialnetReports } from "../../../src/store/socialnet.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { archive, found, idOf, insert, NOON, W1, W2 } from "./fixtures.ts";
import { addAccount, EVERY_STATUS, ledger } from "./socialnet-fixtures.ts";

const of = (store: Store, workspaceId = W1) => store.read(workspaceId).socialnetReports;
const on = <T>(store: Store, job: (reports: SocialnetReports) => Promise<T>, workspaceId = W1) =>
  store.write(workspaceId, ({ socialnetReports }) => job(socialnetReports));

const ANSWER = '{"b":1.0,  "a":"é\\u0000 👩"}\n';

export function socialnetReportsConform(open: OpenStore): void {
  test("a health observation is returned byte for byte by account and id, and is written once", async (t) => {
    const store = await found(await open(t));
    const [one, two] = [await addAccount(store), await addAccount(store)];
    const report = { accountId: one.id, observationId: "o", observedAt: NOON, now: NOON + 1, answer: ANSWER };
    await on(store, (reports) => reports.insertHealth(report));
    await assert.rejects(on(store, (reports) => reports.insertHealth({ ...report, answer: "other" })));
    assert.equal(await of(store).findHealth(one.id, "o"), ANSWER);
    assert.equal(await of(store).findHealth(two.id, "o"), undefined);
    assert.equal(await of(store).findHealth(one.id, "O"), undefined);
    assert.equal(await of(store, W2).findHealth(one.id, "o"), undefined);
    await on(store, (reports) => reports.insertHealth({ ...report, accountId: two.id, answer: "of two" }));
    assert.equal(await of(store).findHealth(two.id, "o"), "of two");
    assert.equal(await of(store).findHealth(one.id, "o"), ANSWER);
  });

  test("a run is returned byte for byte by account and id, and is written once", async (t) => {
    const store = await found(await open(t));
    const [one, two] = [await addAccount(store), await addAccount(store)];
    const report = { accountId: one.id, runId: "r", finishedAt: NOON, now: NOON + 1, answer: ANSWER };
    await on(store, (reports) => reports.insertRun(report));
    await assert.rejects(on(store, (reports) => reports.insertRun({ ...report, answer: "other" })));
    assert.equal(await of(store).findRun(one.id, "r"), ANSWER);
    assert.equal(await of(store).findRun(two.id, "r"), undefined);
    assert.equal(await of(store, W2).findRun(one.id, "r"), undefined);
  });

  test("observations and runs are returned newest first, up to the limit, separately for each account", async (t) => {
    const store = await found(await open(t));
    const [one, two] = [await addAccount(store), await addAccount(store)];
    for (const [accountId, name] of [
      [one.id, "one"],
      [two.id, "two"],
    ] as const) {
      for (const later of [1, 3, 2]) {
        const answer = `${name} ${later}`;
        const told = { accountId, now: NOON, answer };
        await on(store, async (reports) => {
          await reports.insertHealth({ ...told, observationId: answer, observedAt: NOON + later });
          await reports.insertRun({ ...told, runId: answer, finishedAt: NOON + later });
        });
      }
    }
    for (const list of ["health", "runs"] as const) {
      assert.deepEqual(await of(store)[list](one.id, 9), ["one 3", "one 2", "one 1"], list);
      assert.deepEqual(await of(store)[list](two.id, 2), ["two 3", "two 2"], list);
      assert.deepEqual(await of(store, W2)[list](one.id, 9), [], list);
      assert.deepEqual(await of(store)[list](one.id, 1, 1), ["one 2"], list);
    }
    for (const count of ["countHealth", "countRuns"] as const) {
      assert.deepEqual([await of(store)[count](one.id), await of(store, W2)[count](one.id)], [3, 0], count);
    }
  });

  test("another workspace can't see an account's observations or extend their retention", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const see = (workspaceId: string, now: number) => {
      const seen = { accountId, externalKey: "k", kind: "reply", contactId: null, observedAt: NOON, now } as const;
      return on(store, (reports) => reports.insertSighting(seen), workspaceId);
    };
    assert.equal(await see(W2, NOON), false);
    assert.equal(await see(W1, NOON), true, "the stranger has left nothing");
    assert.equal(await see(W2, NOON + 9), false);
    const before = { answers: 0, authEvents: 0, operations: 0, mailReceived: 0 };
    assert.equal(await store.prune({ ...before, agentReports: NOON + 1 }), 1);
  });

  test("agents' old reports are deleted after their retention, in batches; current ones stay", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const MANY = 700;
    await on(store, async (reports) => {
      for (let i = 0; i < MANY; i += 1) {
        const told = { accountId, now: NOON + (i === 0 ? 1 : 0), answer: `${i}` };
        await reports.insertHealth({ ...told, observationId: `${i}`, observedAt: NOON - i });
        await reports.insertRun({ ...told, runId: `${i}`, finishedAt: NOON - i });
        const seen = { accountId, externalKey: `${i}`, kind: "reply", contactId: null, observedAt: NOON } as const;
        await reports.insertSighting({ ...seen, now: NOON });
      }
    });
    const again = { accountId, externalKey: "7", kind: "reply", contactId: null, observedAt: NOON } as const;
    const see = (now: number) => on(store, (reports) => reports.insertSighting({ ...again, now }));
    assert.equal(await see(NOON + 1), false);
    const before = { answers: 0, authEvents: 0, operations: 0, mailReceived: 0, agentReports: NOON + 1 };
    const gone: number[] = [];
    for (let batch = await store.prune(before); batch > 0; batch = await store.prune(before)) gone.push(batch);
    assert.ok(gone.length > 1, String(gone));
    assert.equal(
      gone.reduce((sum, batch) => sum + batch, 0),
      3 * (MANY - 1),
    );
    assert.deepEqual(await of(store).health(accountId, 9), ["0"]);
    assert.deepEqual(await of(store).runs(accountId, 9), ["0"]);
    assert.equal(await see(NOON + 2), false, "told again in time");
    const forgotten = { ...again, externalKey: "8", now: NOON + 2 };
    assert.equal(await on(store, (reports) => reports.insertSighting(forgotten)), true);
  });

  test("an observation is recorded once by account and key, whatever a later report says", async (t) => {
    const store = await found(await open(t));
    const [one, two] = [await addAccount(store), await addAccount(store)];
    const { contact } = await insert(store, { first_name: "Grace" });
    const seen = { accountId: one.id, externalKey: "k", kind: "reply", observedAt: NOON, now: NOON } as const;
    const see = (changes: Partial<Parameters<SocialnetReports["insertSighting"]>[0]>) =>
      on(store, (reports) => reports.insertSighting({ ...seen, contactId: contact.id, ...changes }));
    const racers = await Promise.all(Array.from({ length: 20 }, () => see({})));
    assert.equal(racers.filter(Boolean).length, 1);
    assert.equal(await see({ kind: "connection_accepted", contactId: null, observedAt: NOON + 1 }), false);
    assert.equal(await see({ externalKey: "K" }), true);
    assert.equal(await see({ accountId: two.id, contactId: null }), true);
    await assert.rejects(see({ externalKey: "x", contactId: idOf(9) }), "of a contact that there is not");
  });

  test("what was seen of a stranger is new once it is of a contact, and so is what turns out to be a reply", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const { contact } = await insert(store, { first_name: "Grace" });
    const seen = { accountId, externalKey: "k", kind: "message_received", contactId: null, observedAt: NOON } as const;
    const see = (changes: Partial<Parameters<SocialnetReports["insertSighting"]>[0]>, workspaceId = W1) =>
      on(store, (reports) => reports.insertSighting({ ...seen, now: NOON, ...changes }), workspaceId);
    const told: boolean[] = [];
    for (const [kind, contactId] of [
      ["message_received", null],
      ["message_received", null],
      ["message_received", contact.id],
      ["connection_accepted", contact.id],
      ["reply", contact.id],
      ["reply", contact.id],
      ["message_received", contact.id],
    ] as const) {
      assert.equal(await see({ kind, contactId }, W2), false, "of another workspace");
      told.push(await see({ kind, contactId }));
    }
    assert.deepEqual(told, [true, false, true, false, true, false, false]);
  });

  test("expired leases are found in every workspace, claimed or started, earliest first", async (t) => {
    const store = await found(await open(t));
    const [one, foreign] = [await ledger(store), await ledger(store, W2)];
    for (const status of EVERY_STATUS)
      if (status !== "claimed" && status !== "started") await one.add({ status, leaseExpiresAt: NOON });
    await one.add({ status: "claimed", leaseExpiresAt: null });
    const started = await one.add({ status: "started", leaseExpiresAt: NOON });
    const claimed = await foreign.add({ status: "claimed", leaseExpiresAt: NOON - 5 });
    const later = await one.add({ status: "claimed", leaseExpiresAt: NOON + 1 });
    const due = [
      { workspaceId: W2, id: claimed.id },
      { workspaceId: W1, id: started.id },
      { workspaceId: W1, id: later.id },
    ];
    const expiredLeases = (now: number, most = 9) => store.socialnetDue.expiredLeases(now, most);
    assert.deepEqual(await expiredLeases(NOON - 6), []);
    assert.deepEqual(await expiredLeases(NOON - 1), due.slice(0, 1));
    assert.deepEqual(await expiredLeases(NOON), due.slice(0, 2));
    assert.deepEqual(await expiredLeases(NOON + 1), due);
    assert.deepEqual(await expiredLeases(NOON + 1, 2), due.slice(0, 2));
  });

  test("a contact's social status only advances, from every status to every other, in its own workspace", async (t) => {
    const store = await found(await open(t));
    for (const [i, from] of SOCIAL_STATUSES.entries()) {
      for (const [j, to] of SOCIAL_STATUSES.entries()) {
        const record = await insert(store, { first_name: "Grace" });
        assert.equal(record.socialStatus, "none");
        const { id } = record.contact;
        const advance = (status: typeof to, workspaceId = W1) =>
          store.write(workspaceId, ({ contacts }) => contacts.advanceSocialStatus(id, status));
        await advance(from);
        assert.equal(await advance(to, W2), false);
        assert.equal(await advance(to), j > i, `${from} to ${to}`);
        const after = await store.read(W1).contacts.find(id);
        assert.equal(after?.socialStatus, j > i ? to : from);
        assert.deepEqual(after?.contact, record.contact, "and is no update");
      }
    }
    const { contact: gone } = await insert(store, { first_name: "Gone" });
    await archive(store, gone.id);
    assert.equal(await store.write(W1, ({ contacts }) => contacts.advanceSocialStatus(gone.id, "replied")), false);
  });
}
