import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

export const listAuthEvents = personOperation({
  name: "list_auth_events",
  area: "audit",
  title: "List sign-ins and refusals",
  description:
    "Lists this workspace's refused requests, and its members' sign-ins, sign-outs and password changes, newest " +
    "first. The server admin also sees events that belong to no workspace, such as requests without a valid key. " +
    "One row can stand for several events of a minute: count says how many.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject({
    code: z.string().min(1).max(40).optional().describe("Only events of this code."),
    ...pageFields,
  }),
  output: z.array(
    z.object({
      at: z.iso.datetime(),
      code: z
        .string()
        .describe(
          "missing_key, invalid_key, revoked_key, expired_key, scope_denied; signed_in, sign_in_failed, signed_out, " +
            "password_set, reset_asked, reset_issued or invitation_refused.",
        ),
      key_prefix: z.string().nullable(),
      member_id: z.uuid().nullable(),
      address: z.string().nullable(),
      route: z.string(),
      count: z.int().min(1).describe("How many events the row covers. `at` is the time of the last one."),
    }),
  ),
  meta: ListMeta,
  async handler(ctx, { code, ...page }) {
    const { rows, total } = await ctx.store.logs.listAuthEvents(page, ctx.actor.kind === "local_operator", code);
    const data = rows.map(({ at, code, keyPrefix, memberId, address, route, count }) => ({
      at: iso(at),
      code,
      key_prefix: keyPrefix,
      member_id: memberId,
      address,
      route,
      count,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
