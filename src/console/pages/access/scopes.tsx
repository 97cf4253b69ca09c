/** @jsxRuntime automatic @jsxImportSource preact */

import { ALL_SCOPES, type Scope } from "../../../domain/access/roles.ts";
import type { DataOf } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import { counted } from "../../ui/format.ts";
import { Mark } from "../../ui/mark.tsx";

const GROUPS = {
  crm: "Contacts and deals",
  logging: "Activities and opt-outs",
  sequences: "Sequences",
  checklist: "Checklist",
  network: "Professional network",
} as const;

type Group = keyof typeof GROUPS;

const SCOPE_LABELS: Record<Scope, { group: Group; label: string }> = {
  "contacts.read": { group: "crm", label: "Read contacts. Over MCP, also companies and deals" },
  "contacts.write": { group: "crm", label: "Add, edit and tag contacts" },
  "deals.write": { group: "crm", label: "Create deals" },
  "activities.write": { group: "logging", label: "Log activities" },
  "suppression.write": { group: "logging", label: "Add to the do-not-contact list" },
  "sequences.read": { group: "sequences", label: "Read sequences" },
  "sequences.write": { group: "sequences", label: "Enroll contacts from activated audiences" },
  "social_checklist.read": { group: "checklist", label: "Read checklist items and their context" },
  "social_checklist.submit": { group: "checklist", label: "Submit posts and documents for review" },
  "social_checklist.record": { group: "checklist", label: "Record that checklist items were done" },
  "socialnet.read": { group: "network", label: "Read the planned actions of its social account" },
  "socialnet.execute": { group: "network", label: "Send approved actions from its social account and report results" },
};

export const scopeGroups = (Object.keys(GROUPS) as Group[]).map((group) => ({
  group,
  name: GROUPS[group],
  scopes: ALL_SCOPES.filter((scope) => SCOPE_LABELS[scope].group === group),
}));

export const scopeLabel = (scope: Scope): string => SCOPE_LABELS[scope].label;

export const isReading = (scope: string): boolean => scope.endsWith(".read");

/** The permissions of a key in one line. */
export function scopeSummary(scopes: readonly string[]): string {
  const parts = scopeGroups.flatMap(({ name, scopes: ofGroup }) => {
    const granted = ofGroup.filter((scope) => scopes.includes(scope));
    if (granted.length === 0) return [];
    const [only] = granted;
    if (only !== undefined && granted.length === 1 && !isReading(only)) return [scopeLabel(only)];
    return [granted.every(isReading) ? `${name} (read only)` : name];
  });
  return parts.join(", ");
}

/** The permissions of a key, collapsed. */
export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  const known = ALL_SCOPES.filter((scope) => scopes.includes(scope));
  const whole = known.length === ALL_SCOPES.length;
  return (
    <details class="scope-list">
      <summary>{whole ? "All permissions" : counted(known.length, "permission")}</summary>
      <ul>
        {known.map((scope) => (
          <li key={scope}>
            {scopeLabel(scope)} <code class="small">{scope}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

export type Key = DataOf<"list_keys">[number];

/** Whether an agent can connect with the key. */
export function isLive({ revoked_at, expires_at }: Pick<Key, "revoked_at" | "expires_at">, now: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now);
}

/** The name of an agent. A client has no key that a person has seen, so it says how it connected. */
export function AgentName({ name, connector_name }: Pick<Key, "name" | "connector_name">) {
  const shown = connector_name ?? name;
  return (
    <span class="named">
      <Mark name={shown} kind="agent" small />{" "}
      <span>
        {shown}
        {connector_name !== null && <span class="quiet"> connected by sign-in</span>}
      </span>
    </span>
  );
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

/** The accounts on the professional network that a key can be created for: the newest hundred. */
export async function sendersOf({ call, may }: PageContext): Promise<Map<string, string>> {
  if (!may("list_socialnet_accounts")) return new Map();
  const { data } = await call("list_socialnet_accounts", { limit: 100 });
  return new Map(data.map(({ id, label }) => [id, label]));
}
