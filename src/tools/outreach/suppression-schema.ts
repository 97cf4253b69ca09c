import { z } from "zod";
import { iso } from "../../lib/time.ts";
import type { SuppressionRow } from "../../store/outreach.ts";

export const Suppression = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    email: z.string().describe("In lower case."),
    reason: z.string().nullable(),
    source: z.string().nullable().describe("One of public_api, member, unsubscribe_link, engine."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Suppression", description: "An address that must never be contacted." });

export function toSuppression(row: SuppressionRow, workspaceId: string): z.infer<typeof Suppression> {
  return {
    id: row.id,
    workspace_id: workspaceId,
    email: row.email,
    reason: row.reason,
    source: row.source,
    created_at: iso(row.createdAt),
  };
}

export const similarSuppressed = z
  .string()
  .nullable()
  .describe(
    "An address on the do-not-contact list that may belong to the same person. Either it differs from the contact's " +
      "address only after a plus sign, or the contact used it before, or it was listed for a contact with the same profile.",
  );
