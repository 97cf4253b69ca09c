import type { DataOf } from "../../answers.ts";
import type { Visit } from "../../visit.ts";

export type Key = DataOf<"list_keys">[number];

/** Whether an agent can come in with it. */
export function isLive({ revoked_at, expires_at }: Pick<Key, "revoked_at" | "expires_at">, now: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now);
}

/** What the accounts are called that keys act for. */
export async function accountsOf({ call }: Visit, keys: readonly Key[]): Promise<Map<string, string>> {
  const ids = new Set(keys.flatMap(({ socialnet_account_id: id }) => id ?? []));
  return new Map(
    await Promise.all(
      [...ids].map(async (id) => [id, (await call("get_socialnet_account", { account_id: id })).data.label] as const),
    ),
  );
}

/** The accounts on the social network that a key can be made for: the newest hundred. */
export async function sendersOf({ call, may }: Visit): Promise<Map<string, string>> {
  if (!may("list_socialnet_accounts")) return new Map();
  const { data } = await call("list_socialnet_accounts", { limit: 100 });
  return new Map(data.map(({ id, label }) => [id, label]));
}
