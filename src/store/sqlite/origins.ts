import { type Origin, TRACED_FIELDS } from "../contacts.ts";
import type { Drizzle } from "./connection.ts";

/** The latest edit of each field of a contact. */
export function prepareOrigins(db: Drizzle) {
  const statement = db.$client.prepare<[Record<string, string | number>], Origin>(
    `SELECT f.value AS field, e.source, e.actor_id AS actorId, e.at
     FROM json_each(@fields) f CROSS JOIN contact_provenance e ON e.id = (
       SELECT id FROM contact_provenance WHERE contact_seq = @seq AND field = f.value ORDER BY id DESC LIMIT 1)
     WHERE EXISTS (SELECT 1 FROM contacts WHERE seq = @seq AND workspace_id = @workspaceId)`,
  );
  const fields = JSON.stringify(TRACED_FIELDS);
  return (workspaceId: string, seq: number) => statement.all({ workspaceId, seq, fields });
}
