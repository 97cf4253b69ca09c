import { z } from "zod";
import type { KeyRow } from "../../store/keys.ts";
import { isoOrNull } from "../time.ts";

const time = z.iso.datetime().nullable();

/** A key as settings show it. The key itself is not in it: only its hash is stored. */
export const Key = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe("The key's first 14 characters."),
  scopes: z.array(z.string()),
  creator: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: time,
  expires_at: time,
  revoked_at: time,
  connector_name: z.string().nullable(),
  socialnet_account_id: z.string().nullable(),
});

export function toKey(row: KeyRow): z.infer<typeof Key> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    creator: row.creator,
    created_at: new Date(row.createdAt).toISOString(),
    last_used_at: isoOrNull(row.lastUsedAt),
    expires_at: isoOrNull(row.expiresAt),
    revoked_at: isoOrNull(row.revokedAt),
    connector_name: row.connectorName,
    socialnet_account_id: row.socialnetAccountId,
  };
}
