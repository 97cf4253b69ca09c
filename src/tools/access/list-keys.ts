import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { toKey } from "../../services/access/keys.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Key } from "./key-schema.ts";

export const listKeys = personOperation({
  name: "list_keys",
  area: "keys",
  title: "List API keys",
  description: "Lists the workspace's API keys, newest first, with revoked and expired keys.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject({
    ...pageFields,
    minted_by: z
      .enum(["settings", "sign_in"])
      .optional()
      .describe("Only keys created in settings, or only keys of MCP clients that signed in."),
  }),
  output: z.array(Key),
  meta: ListMeta,
  async handler(ctx, { minted_by: mintedBy, ...page }) {
    const { rows, total } = await ctx.store.keys.list(page, mintedBy);
    return { data: rows.map(toKey), meta: listMeta(page, rows.length, total) };
  },
});
