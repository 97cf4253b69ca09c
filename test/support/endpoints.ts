import { randomUUID } from "node:crypto";
import { eventBody } from "../../src/events/protocol.ts";
import { subscriptionId } from "../../src/events/subscription.ts";
import { dataKeyFile } from "../../src/lib/data-folder.ts";
import { newId } from "../../src/lib/ids.ts";
import { openVault, type Vault } from "../../src/lib/vault.ts";
import type { Store } from "../../src/store/store.ts";
import { RECONNECT } from "./events.ts";
import { newSecret } from "./outbox.ts";
import type { TestServer } from "./server.ts";

const WEEK_MS = 7 * 86_400_000;

/** Writes subscriptions and events directly into the store: no limits, and no challenge. */
export interface Ground {
  store: Pick<Store, "read" | "write">;
  vault: Vault;
  workspaceId: string;
  keyId: string;
  now(): number;
}

export interface Endpoint {
  id: string;
  seq: number;
  url: string;
  secret: string;
}

export async function groundOf(server: TestServer, now: () => number = Date.now): Promise<Ground> {
  const { id: keyId } = await server.operator("create_key", { name: "endpoints", scopes: ["socialnet.read"] });
  const { running, folder, workspaceId } = server;
  return { store: running.store, vault: openVault(dataKeyFile(folder), undefined), workspaceId, keyId, now };
}

/** Subscribes the URLs to the reconnect event, in one transaction. */
export async function addEndpoints({ store, vault, workspaceId, keyId, now }: Ground, urls: readonly string[]) {
  const principal = { keyId };
  return store.write(workspaceId, async ({ subscriptions }) => {
    const added: Endpoint[] = [];
    for (const url of urls) {
      const id = subscriptionId({ principal: keyId, url, event: RECONNECT, arguments: {} });
      const secret = newSecret();
      await subscriptions.upsert({
        id,
        principal,
        url,
        event: RECONNECT,
        arguments: {},
        accountId: null,
        now: now(),
        secret: vault.seal(secret, id),
        previousSecretUntil: null,
        verifiedAt: now(),
        expiresAt: now() + WEEK_MS,
      });
      const seq = (await subscriptions.find(id))?.seq ?? 0;
      added.push({ id, seq, url, secret });
    }
    return added;
  });
}

/** Adds this many events per endpoint to the outbox, due now; returns their ids. */
export async function addEvents({ store, workspaceId, now }: Ground, endpoints: readonly Endpoint[], each = 1) {
  return store.write(workspaceId, async ({ deliveries }) => {
    const eventIds: string[] = [];
    for (let round = 0; round < each; round++) {
      for (const { seq, url } of endpoints) {
        const eventId = `evt_${newId(now()).replaceAll("-", "")}`;
        const data = { account_id: randomUUID(), account_label: "Ada's account", request_id: randomUUID() };
        const body = eventBody({ id: eventId, name: RECONNECT, at: now(), data });
        const id = newId(now());
        await deliveries.insert({ id, subscriptionSeq: seq, url, eventId, event: RECONNECT, body, now: now() });
        eventIds.push(eventId);
      }
    }
    return eventIds;
  });
}
