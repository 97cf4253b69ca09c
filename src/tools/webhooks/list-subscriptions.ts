import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { iso, isoOrNull, time } from "../time.ts";

const MOST = 100;

export const listSubscriptions = personOperation({
  name: "list_subscriptions",
  area: "events",
  title: "List agents' subscriptions",
  description: `Lists the subscriptions of agents that are alive, those that end first at the top: up to ${MOST}.`,
  access: { permission: "administer" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject({}),
  output: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      url: z.string(),
      key_name: z.string(),
      created_at: time,
      expires_at: time.nullable(),
      suspended_at: time.nullable(),
    }),
  ),
  async handler({ store, now }) {
    const rows = await store.subscriptions.ofKeys(now, MOST);
    return {
      data: rows.map(({ id, event, url, keyName, createdAt, expiresAt, suspendedAt }) => ({
        ...{ id, event, url, key_name: keyName, created_at: iso(createdAt) },
        ...{ expires_at: isoOrNull(expiresAt), suspended_at: isoOrNull(suspendedAt) },
      })),
    };
  },
});
