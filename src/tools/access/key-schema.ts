import { z } from "zod";

const time = z.iso.datetime().nullable();

/** A key as settings show it. */
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
  connector_name: z.string().nullable().describe("The MCP client that got this key by signing in."),
  socialnet_account_id: z.string().nullable(),
});
