import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ClaimedDelivery, Claiming, NewSubscription, Settlement } from "../../../src/store/events.ts";
import type { Store } from "../../../src/store/store.ts";
import { idOf, keyRow, NOON, W1 } from "./fixtures.ts";

export const EVENT = "socialnet.reconnect.requested";
export const ACCOUNT = idOf(0xacc);
export const LEASE_MS = 60_000;
export const KEEP_MS = 86_400_000;

let made = 0;

export async function addKey(store: Store, changes = {}, workspaceId = W1): Promise<string> {
  const row = keyRow(changes);
  await store.write(workspaceId, ({ keys }) => keys.insert(row, randomBytes(32)));
  return row.id;
}

export async function addWebhook(store: Store, url: string, workspaceId = W1): Promise<string> {
  made += 1;
  const webhook = { id: idOf(0x30_0000 + made), url, events: [EVENT], createdBy: "someone", createdAt: NOON + made };
  await store.write(workspaceId, ({ webhooks }) => webhooks.insert(webhook));
  return webhook.id;
}

type Changes = Partial<NewSubscription> & { workspaceId?: string };

/** Subscribes; returns the id and the internal number that deliveries use. */
export async function subscribe(
  store: Store,
  { workspaceId = W1, ...changes }: Changes & Pick<NewSubscription, "principal">,
) {
  made += 1;
  const row: NewSubscription = {
    id: `sub_${made}`,
    url: "https://a.example/hook",
    event: EVENT,
    arguments: {},
    accountId: null,
    secret: "v1.aaaaaaaa.x",
    verifiedAt: NOON,
    expiresAt: NOON + KEEP_MS,
    previousSecretUntil: null,
    now: NOON,
    ...changes,
  };
  await store.write(workspaceId, ({ subscriptions }) => subscriptions.upsert(row));
  const stored = await store.read(workspaceId).subscriptions.find(row.id);
  assert.ok(stored);
  return { ...row, seq: stored.seq };
}

/** Adds a delivery of the subscription to the outbox; returns its id. */
export async function send(
  store: Store,
  { seq, url }: { seq: number; url: string },
  { now = NOON, workspaceId = W1 } = {},
): Promise<string> {
  made += 1;
  const delivery = { id: idOf(0x40_0000 + made), subscriptionSeq: seq, url, eventId: `evt_${made}`, event: EVENT, now };
  await store.write(workspaceId, ({ deliveries }) => deliveries.insert({ ...delivery, body: `{"n":${made}}` }));
  return delivery.id;
}

/** Claims everything due for one host by default. */
export async function claim(store: Store, host: string, changes: Partial<Claiming> & { most?: number } = {}) {
  const { most = 10, ...rest } = changes;
  const usual = { except: [], admits: () => true, lease: "lease", leaseMs: LEASE_MS, now: NOON };
  return (await store.outbox.claim({ hosts: [{ host, most }], ...usual, ...rest })).claimed;
}

/** The oldest delivery due for the host. */
export async function claimOne(store: Store, host: string, changes: Partial<Claiming> = {}): Promise<ClaimedDelivery> {
  const [first] = await claim(store, host, { ...changes, most: 1 });
  assert.ok(first);
  return first;
}

export const settlement = (seq: number, changes: Partial<Settlement> = {}): Settlement => ({
  seq,
  lease: "lease",
  at: NOON + 5,
  durationMs: 7,
  outcome: "2xx",
  status: "delivered",
  error: null,
  nextAttemptAt: null,
  suspend: null,
  ...changes,
});

export const failure = (seq: number, changes: Partial<Settlement> = {}) =>
  settlement(seq, { outcome: "5xx", status: "pending", error: "http_5xx", nextAttemptAt: NOON + 5_000, ...changes });

const terminatedMessage = (reason: string) => {
  made += 1;
  return { id: idOf(0x50_0000 + made), eventId: `msg_${made}`, body: `{"reason":"${reason}"}` };
};
export const expireNow = (store: Store, now: number) =>
  store.outbox.expire({ now, keptFrom: now - KEEP_MS, terminatedMessage });

export const statusOf = async (store: Store, id: string) => (await store.read(W1).deliveries.find(id))?.status;
export const isThere = async (store: Store, { id }: { id: string }) =>
  (await store.read(W1).subscriptions.find(id)) !== undefined;
