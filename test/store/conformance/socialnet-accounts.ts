import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountSettings, AccountState, SocialnetAccounts } from "../../../src/store/socialnet.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenStore } from "./fixtures.ts";
import { found, idOf, NOON, W1, W2 } from "./fixtures.ts";
import { addAccount, newId } from "./socialnet-fixtures.ts";

const of = (store: Store, workspaceId = W1) => store.read(workspaceId).socialnetAccounts;
const on = <T>(store: Store, job: (accounts: SocialnetAccounts) => Promise<T>, workspaceId = W1) =>
  store.write(workspaceId, ({ socialnetAccounts }) => job(socialnetAccounts));

const STATE: Required<AccountState> = {
  session: "captcha",
  sessionAt: NOON,
  sessionSince: NOON - 3,
  heldReason: "rate_limited",
  heldUntil: NOON + 5,
  heldSince: NOON - 2,
  schedules: [{ label: "é", rrule: "FREQ=DAILY", timezone: "UTC", nextRunAt: null }],
  checkInMinutes: 15,
  schedulesAt: NOON + 1,
};

export function socialnetAccountsConform(open: OpenStore): void {
  test("a socialnet account reads back as written, changes as given, only in its own workspace", async (t) => {
    const store = await found(await open(t));
    const account = await addAccount(store, { ownerMemberId: "m" });
    assert.deepEqual(await of(store).find(account.id), account);
    const settings: AccountSettings = {
      label: "l",
      profileUrl: "https://socialnet.example/in/x",
      automationMode: "automatic",
      timeZone: "UTC",
      windows: [],
      dailyConnectionRequests: 0,
      dailyMessages: 1,
      ownerMemberId: null,
    };
    const change = (workspaceId: string) => on(store, (s) => s.update(account.id, settings, NOON + 3), workspaceId);
    assert.equal(await change(W2), undefined);
    await on(store, (s) => s.setState(account.id, STATE), W2);
    assert.deepEqual(await of(store).find(account.id), account);
    assert.equal(await of(store, W2).find(account.id), undefined);
    const changed = { ...account, ...settings, updatedAt: NOON + 3 };
    assert.deepEqual(await change(W1), changed);
    assert.deepEqual(await of(store).find(account.id), changed);
    assert.equal(await on(store, (s) => s.update(idOf(9), settings, NOON)), undefined);
  });

  test("the state of an account takes the given fields, including nulls, and settings do not change it", async (t) => {
    const store = await found(await open(t));
    const account = await addAccount(store);
    const other = await addAccount(store);
    let expected: AccountState = {};
    const nulls = Object.entries(STATE).map(([name]) => ({ [name]: null }));
    for (const state of [...Object.entries(STATE).map(([name, value]) => ({ [name]: value })), STATE, ...nulls]) {
      await on(store, (s) => s.setState(account.id, state));
      expected = { ...expected, ...state };
      assert.deepEqual(await of(store).find(account.id), { ...account, ...expected });
    }
    await on(store, (s) => s.setState(account.id, STATE));
    const { label, profileUrl, automationMode, timeZone, windows, ownerMemberId } = account;
    const limits = { dailyConnectionRequests: 1, dailyMessages: 2 };
    const settings = { label, profileUrl, automationMode, timeZone, windows, ownerMemberId, ...limits };
    await on(store, (s) => s.update(account.id, settings, NOON + 3));
    assert.deepEqual(await of(store).find(account.id), { ...account, ...STATE, ...limits, updatedAt: NOON + 3 });
    assert.deepEqual(await of(store).find(other.id), other);
  });

  test("socialnet accounts are listed newest first with ties by id and their exact total", async (t) => {
    const store = await found(await open(t));
    const rows = [];
    for (const later of [0, 2, 1, 2]) rows.push(await addAccount(store, { createdAt: NOON + later }));
    await addAccount(store, {}, W2);
    const [a, b, c, d] = rows;
    assert.deepEqual(await of(store).list({ limit: 9, offset: 0 }), { rows: [d, b, c, a], total: 4 });
    assert.deepEqual(await of(store).list({ limit: 2, offset: 1 }), { rows: [b, c], total: 4 });
  });

  test("accounts are counted once touched, or once their postponed time has passed, earliest first", async (t) => {
    const store = await found(await open(t));
    const [one, two, three] = [await addAccount(store), await addAccount(store), await addAccount(store)];
    const foreign = await addAccount(store, {}, W2);
    const due = (now: number, most = 9) => store.socialnetDue.toCount(now, most);
    assert.deepEqual(await due(NOON + 1e9), []);
    await on(store, (s) => s.touch(two.id, NOON));
    await on(store, (s) => s.touch(one.id, NOON), W2);
    await on(store, (s) => s.setAnnounced(three.id, { announced: 0, announcedAt: null, lookAt: NOON - 5 }), W2);
    assert.deepEqual(await due(NOON - 1), []);
    assert.deepEqual(await due(NOON), [{ workspaceId: W1, id: two.id }]);
    await on(store, (s) => s.setAnnounced(two.id, { announced: 3, announcedAt: NOON, lookAt: NOON + 9 }));
    assert.deepEqual(await due(NOON + 8), []);
    assert.deepEqual(await due(NOON + 9), [{ workspaceId: W1, id: two.id }]);
    await on(store, (s) => s.touch(three.id, NOON + 1));
    assert.deepEqual(
      await due(NOON + 9),
      [three, two].map(({ id }) => ({ workspaceId: W1, id })),
    );
    assert.deepEqual(await due(NOON + 9, 1), [{ workspaceId: W1, id: three.id }]);
    for (const { id } of [two, three]) {
      await on(store, (s) => s.setAnnounced(id, { announced: 3, announcedAt: NOON, lookAt: null }));
    }
    assert.deepEqual(await due(NOON + 1e9), []);
    await on(store, (s) => s.touch(null, NOON));
    const ids = async () => (await due(NOON)).map(({ id }) => id).sort();
    assert.deepEqual(await ids(), [one.id, two.id, three.id].sort(), "all of the workspace, and of no other");
    await store.socialnetDue.countAll(NOON);
    assert.deepEqual(await ids(), [one.id, two.id, three.id, foreign.id].sort());
  });

  test("the last announced state of an account is stored, only in its own workspace, and is initially empty", async (t) => {
    const store = await found(await open(t));
    const account = await addAccount(store);
    const nothing = { announced: 0, announcedAt: null };
    for (const id of [account.id, idOf(9)]) assert.deepEqual(await of(store).announced(id), nothing);
    const set = (announced: number, workspaceId = W1) =>
      on(store, (s) => s.setAnnounced(account.id, { announced, announcedAt: NOON, lookAt: null }), workspaceId);
    await set(7, W2);
    assert.deepEqual(await of(store).announced(account.id), nothing);
    await set(7);
    assert.deepEqual(await of(store).announced(account.id), { announced: 7, announcedAt: NOON });
    assert.deepEqual(await of(store, W2).announced(account.id), nothing);
    await on(store, (s) => s.touch(account.id, NOON + 5));
    assert.deepEqual(await of(store).announced(account.id), { announced: 7, announcedAt: NOON });
    assert.deepEqual(await of(store).find(account.id), account);
  });

  test("a reconnect is requested, renewed, acknowledged and resolved in this order, one open at a time", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const { id: otherId } = await addAccount(store);
    const ask = async (requestedAt: number, requestedBy = "m") => {
      const request = { id: newId(), accountId, requestedBy, requestedAt };
      return (await on(store, (s) => s.requestReconnect(request))) ?? assert.fail("there is such an account");
    };
    const acknowledge = (now: number, workspaceId = W1) =>
      on(store, (s) => s.acknowledgeReconnect(accountId, now), workspaceId);
    const resolve = (now: number, workspaceId = W1) =>
      on(store, (s) => s.resolveReconnect(accountId, now), workspaceId);
    assert.equal(await of(store).openReconnect(accountId), undefined);
    assert.equal(await acknowledge(NOON), undefined);
    assert.equal(await resolve(NOON), undefined);

    const first = await ask(NOON);
    const asked = { accountId, requestedBy: "m", requestedAt: NOON, acknowledgedAt: null, resolvedAt: null };
    assert.deepEqual(first, { id: first.id, ...asked });
    assert.deepEqual(await of(store).openReconnect(accountId), first);
    assert.equal(await of(store).openReconnect(otherId), undefined);
    assert.deepEqual(await of(store).lastReconnect(accountId), first);
    assert.equal(await resolve(NOON + 1), undefined, "what was not acknowledged is not resolved");

    for (const [now, acknowledgedAt] of [
      [NOON + 2, NOON + 2],
      [NOON + 3, NOON + 2],
    ] as const) {
      assert.deepEqual(await acknowledge(now), { ...first, acknowledgedAt }, "the first acknowledgement stays");
    }
    const renewed = { ...first, requestedBy: "n", requestedAt: NOON + 4, acknowledgedAt: null };
    assert.deepEqual(await ask(NOON + 4, "n"), renewed, "one that is renewed keeps its id, and waits anew");
    assert.equal(await resolve(NOON + 5), undefined);

    assert.equal(await of(store, W2).openReconnect(accountId), undefined);
    assert.equal(await acknowledge(NOON, W2), undefined);
    const acknowledged = await acknowledge(NOON + 6);
    assert.equal(await resolve(NOON, W2), undefined);
    assert.deepEqual(await resolve(NOON + 7), { ...acknowledged, resolvedAt: NOON + 7 });
    assert.equal(await resolve(NOON + 8), undefined, "it is resolved once");
    assert.equal(await of(store).openReconnect(accountId), undefined);

    const next = await ask(NOON + 9);
    assert.notEqual(next.id, first.id);
    assert.deepEqual(next, { ...asked, id: next.id, requestedAt: NOON + 9 });
    assert.deepEqual(await of(store).lastReconnect(accountId), next);
    assert.equal(await of(store).lastReconnect(otherId), undefined);
    assert.equal(await of(store, W2).lastReconnect(accountId), undefined);
  });

  test("a reconnect of another workspace's account can't be opened or renewed", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const ask = (workspaceId: string, requestedBy: string) => {
      const request = { id: newId(), accountId, requestedBy, requestedAt: NOON };
      return on(store, (s) => s.requestReconnect(request), workspaceId);
    };
    assert.equal(await ask(W2, "stranger"), undefined);
    assert.equal(await of(store).openReconnect(accountId), undefined);
    assert.equal(await of(store, W2).openReconnect(accountId), undefined);
    const own = await ask(W1, "m");
    assert.equal(await ask(W2, "stranger"), undefined);
    assert.deepEqual(await of(store).openReconnect(accountId), own);
  });

  test("racing requests for one reconnect all get the same one", async (t) => {
    const store = await found(await open(t));
    const { id: accountId } = await addAccount(store);
    const asked = Array.from({ length: 20 }, () =>
      on(store, (s) => s.requestReconnect({ id: newId(), accountId, requestedBy: "m", requestedAt: NOON })),
    );
    assert.equal(new Set((await Promise.all(asked)).map((request) => request?.id)).size, 1);
  });
}
