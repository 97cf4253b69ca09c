import type { TestContext } from "node:test";
import type { ContactFields } from "../../../src/domain/contacts/contact.ts";
import type { KeyRow } from "../../../src/store/access.ts";
import type { ContactPatch, ContactRecord } from "../../../src/store/contacts.ts";
import type { Store } from "../../../src/store/store.ts";

/** Opens an empty store, which is closed and deleted after the test. */
export type OpenStore = (t: Pick<TestContext, "after">) => Promise<Store>;

export const W1 = "01900000-0000-7000-8000-000000000001";
export const W2 = "01900000-0000-7000-8000-000000000002";
export const NOON = Date.UTC(2026, 10, 20, 12);

/** A UUID that sorts by its number. */
export function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Creates the two workspaces that the tests keep apart. */
export async function found(store: Store): Promise<Store> {
  await store.write(W1, ({ workspace }) => workspace.create("one", NOON));
  await store.write(W2, ({ workspace }) => workspace.create("two", NOON + 1));
  return store;
}

let made = 0;

/** Inserts a contact with a fresh id, unless told otherwise. */
export function insert(
  store: Store,
  fields: ContactFields,
  { workspaceId = W1, id = idOf(0x10_0000 + made++), source = "public_api", now = NOON } = {},
): Promise<ContactRecord> {
  return store.write(workspaceId, ({ contacts }) => contacts.insert({ id, fields, source, now }));
}

export function update(store: Store, record: ContactRecord, patch: Partial<ContactPatch>, workspaceId = W1) {
  return store.write(workspaceId, ({ contacts }) => contacts.update(record, { fields: {}, now: NOON, ...patch }));
}

export function archive(store: Store, id: string, workspaceId = W1): Promise<boolean> {
  return store.write(workspaceId, ({ contacts }) => contacts.archive(id, NOON));
}

export const EVERYTHING: Required<ContactFields> = {
  email: "Ada@Lovelace.example",
  first_name: "Ada \u{1f469}\u200d\u{1f4bb}",
  last_name: "O'\"Lovelace\\\n",
  company: "Analytical; DROP TABLE contacts --",
  job_title: "Countess %_",
  phone: "+44 20 7946 0000",
  socialnet_url: "https://www.SocialNet.example/in/Ada/?utm=1",
  website: "https://lovelace.example/",
};

export function keyRow(changes: Partial<KeyRow> = {}): KeyRow {
  return {
    id: idOf(0x20_0000 + made++),
    name: "agent",
    prefix: "ros_live_abcde",
    scopes: ["contacts.read", "contacts.write"],
    creator: "someone",
    creatorId: null,
    createdAt: NOON,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    connectorName: null,
    socialnetAccountId: null,
    ...changes,
  };
}
