import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { revokeKey as end, toKey } from "../../services/access/keys.ts";
import { recordId } from "../fields.ts";
import { Key } from "./key-schema.ts";

export const revokeKey = personOperation({
  name: "revoke_key",
  area: "keys",
  title: "Revoke an API key",
  description:
    "Revokes an API key immediately. Its next use is refused with revoked_key. Revoking a revoked key changes " +
    "nothing.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["key_not_found"],
  input: z.strictObject({ key_id: recordId("key") }),
  output: Key,
  async handler(ctx, { key_id: id }) {
    const row = await end(ctx, id);
    if (row === undefined) throw problem("key_not_found");
    return { data: toKey(row) };
  },
});
