/** @jsxRuntime automatic @jsxImportSource preact */

import { ALL_SCOPES, type Scope } from "../../../domain/access/roles.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";

/** The scopes grouped by purpose, worded for the member who creates a key. */
const GROUPS = {
  crm: "Contacts and deals",
  sequences: "Sequences",
  checklist: "Checklist",
  network: "The social network",
} as const;

type Group = keyof typeof GROUPS;

const WORDS: Record<Scope, { group: Group; does: string }> = {
  "contacts.read": { group: "crm", does: "Read contacts, companies and deals" },
  "contacts.write": { group: "crm", does: "Add and change contacts, and tag them" },
  "deals.write": { group: "crm", does: "Open deals" },
  "activities.write": { group: "crm", does: "Note what happened with a contact" },
  "suppression.write": { group: "crm", does: "Add to the do-not-contact list" },
  "sequences.read": { group: "sequences", does: "Read the sequences" },
  "sequences.write": { group: "sequences", does: "Put contacts into sequences that people have approved" },
  "social_checklist.read": { group: "checklist", does: "Read what is due, and all that is needed to do it" },
  "social_checklist.submit": { group: "checklist", does: "Hand in posts and documents, for a person to decide" },
  "social_checklist.record": { group: "checklist", does: "Tell what it found when it looked at something" },
  "socialnet.read": { group: "network", does: "Read what is planned for its account" },
  "socialnet.execute": { group: "network", does: "Send what is approved from its account, and report on it" },
};

export const scopeGroups = (Object.keys(GROUPS) as Group[]).map((group) => ({
  group,
  name: GROUPS[group],
  scopes: ALL_SCOPES.filter((scope) => WORDS[scope].group === group),
}));

export const wordsOf = (scope: Scope): string => WORDS[scope].does;

export const isReading = (scope: string): boolean => scope.endsWith(".read");

/** The purpose of a key, in one line. */
export function inShort(scopes: readonly string[]): string {
  const parts = scopeGroups.flatMap(({ name, scopes: ofGroup }) => {
    const held = ofGroup.filter((scope) => scopes.includes(scope));
    if (held.length === 0) return [];
    return [held.every(isReading) ? `${name} (read only)` : name];
  });
  return parts.join(", ");
}

/** The scopes of a key, collapsed. */
export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  const known = ALL_SCOPES.filter((scope) => scopes.includes(scope));
  const whole = known.length === ALL_SCOPES.length;
  return (
    <details class="scope-list">
      <summary>{whole ? "Everything" : `${known.length} ${known.length === 1 ? "scope" : "scopes"}`}</summary>
      <ul>
        {known.map((scope) => (
          <li key={scope}>
            {wordsOf(scope)} <code class="small">{scope}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

export type Key = DataOf<"list_keys">[number];

/** Whether an agent can connect with it. */
export function isLive({ revoked_at, expires_at }: Pick<Key, "revoked_at" | "expires_at">, now: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now);
}

/** The labels of the accounts that keys act for. */
export async function accountsOf({ call }: PageContext, keys: readonly Key[]): Promise<Map<string, string>> {
  const ids = new Set(keys.flatMap(({ socialnet_account_id: id }) => id ?? []));
  return new Map(
    await Promise.all(
      [...ids].map(async (id) => [id, (await call("get_socialnet_account", { account_id: id })).data.label] as const),
    ),
  );
}

/** The accounts on the social network that a key can be created for: the newest hundred. */
export async function sendersOf({ call, may }: PageContext): Promise<Map<string, string>> {
  if (!may("list_socialnet_accounts")) return new Map();
  const { data } = await call("list_socialnet_accounts", { limit: 100 });
  return new Map(data.map(({ id, label }) => [id, label]));
}
