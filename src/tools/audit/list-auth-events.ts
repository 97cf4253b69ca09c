import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

export const listAuthEvents = personOperation({
  name: "list_auth_events",
  area: "audit",
  title: "List refused sign-ins",
  description:
    "Lists refusals of this workspace's keys, newest first. The local operator also sees those that belong to no key " +
    "at all (missing_key, invalid_key).",
  access: { permission: "administer" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject(pageFields),
  output: z.array(
    z.object({
      at: z.iso.datetime(),
      code: z.string().describe("missing_key, invalid_key, revoked_key, expired_key or scope_denied."),
      key_prefix: z.string().nullable(),
      address: z.string().nullable(),
      route: z.string(),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.logs.listAuthEvents(page, ctx.actor.kind === "local_operator");
    const data = rows.map(({ at, code, keyPrefix, address, route }) => ({
      at: new Date(at).toISOString(),
      code,
      key_prefix: keyPrefix,
      address,
      route,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
