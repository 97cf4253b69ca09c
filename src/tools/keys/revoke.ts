import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { problem } from "../../problem.ts";
import { recordId } from "../ids.ts";
import { Key, toKey } from "./schema.ts";

export const revokeKey = personOperation({
  name: "revoke_key",
  area: "keys",
  title: "Revoke an API key",
  description: "Ends a key at once: its next use is refused with revoked_key. A key that is revoked already stays so.",
  access: { permission: "administer" },
  effect: "write",
  gates: [],
  errors: ["key_not_found"],
  input: z.strictObject({ key_id: recordId("key") }),
  output: Key,
  async handler(ctx, { key_id: id }) {
    const row = await ctx.store.keys.find(id);
    if (row === undefined) throw problem("key_not_found");
    if (!(await ctx.store.keys.revoke(id, ctx.now))) return { data: toKey(row) };
    const revoked = toKey({ ...row, revokedAt: ctx.now });
    await ctx.audit({ recordId: id, before: toKey(row), after: revoked });
    return { data: revoked };
  },
});
