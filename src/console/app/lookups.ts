import type { DataOf } from "./operations.ts";
import type { PageContext } from "./page-context.ts";

export type Contact = DataOf<"get_contact">;

/** More than a team has. */
export const MAX_MEMBERS = 100;

/** The names of members by id. */
export async function memberNames({ call }: PageContext): Promise<Map<string, string>> {
  const { data } = await call("list_members", { limit: MAX_MEMBERS });
  return new Map(data.map(({ id, name }) => [id, name]));
}

/** The names of members by id, and of API keys for members who may list them. */
export async function actorNames(ctx: PageContext): Promise<Map<string, string>> {
  const { call, may } = ctx;
  const [members, keys] = await Promise.all([
    memberNames(ctx),
    may("list_keys") ? call("list_keys", { limit: 100 }) : undefined,
  ]);
  return new Map([...(keys?.data ?? []).map(({ id, name }) => [id, name] as const), ...members]);
}

/** Which rows of a list the address asks for. */
export function pageOf({ query }: PageContext, limit = 25): { limit: number; offset: number } {
  const offset = Number(query.get("offset") ?? 0);
  return { limit, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 };
}
