import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { ALL_SCOPES, recognizedScopes } from "../../domain/access/roles.ts";
import { mintKey } from "../../lib/secrets.ts";
import { DAY_MS } from "../../lib/time.ts";
import { toKey } from "../../services/access/keys.ts";
import { recordId } from "../fields.ts";
import { Key } from "./key-schema.ts";

export const createKey = personOperation({
  name: "create_key",
  area: "keys",
  title: "Create an API key",
  description:
    "Creates an API key for an agent. The key is shown only in this response, because only its hash is stored. " +
    "Unknown scopes are dropped. The request fails if no known scope remains.",
  access: { permission: "administer" },
  effect: "write",
  errors: ["socialnet_account_not_found"],
  input: z.strictObject({
    name: z.string().max(200).trim().min(1).describe("What the key is for. Shown in settings."),
    scopes: z
      .array(z.string())
      .min(1)
      .describe(`Any of ${ALL_SCOPES.join(", ")}.`),
    expires_in_days: z
      .int()
      .min(1)
      .max(3_650)
      .optional()
      .describe("Days until the key expires. Optional: without it, the key does not expire."),
    socialnet_account_id: recordId("social account")
      .optional()
      .describe(
        "Binds the key to this social account. Its agent can act for this account only. Without an account, " +
          "the socialnet scopes can't read or send actions, and an account can't be added later.",
      ),
  }),
  output: Key.extend({ key: z.string().meta({ secret: true, description: "The key, shown only once." }) }),
  async handler(ctx, { name, scopes: asked, expires_in_days: days, socialnet_account_id: accountId = null }) {
    const scopes = recognizedScopes(asked);
    if (scopes.length === 0) {
      throw problem("validation_failed", `scopes: must include at least one of ${ALL_SCOPES.join(", ")}.`);
    }
    if (accountId !== null && (await ctx.store.socialnetAccounts.find(accountId)) === undefined) {
      throw problem("socialnet_account_not_found");
    }
    const { key, hash, prefix } = mintKey();
    const row = {
      id: ctx.newId(),
      name,
      prefix,
      scopes,
      creator: ctx.actor.name,
      creatorId: ctx.actor.id,
      createdAt: ctx.now,
      lastUsedAt: null,
      expiresAt: days === undefined ? null : ctx.now + days * DAY_MS,
      revokedAt: null,
      connectorName: null,
      socialnetAccountId: accountId,
    };
    await ctx.store.keys.insert(row, hash);
    await ctx.audit({ recordId: row.id, before: null, after: toKey(row) });
    return { data: { ...toKey(row), key } };
  },
});
