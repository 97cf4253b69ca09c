import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import type { AuditRow } from "../../store/logs.ts";
import { givenTime } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

/** The server admin's records have names instead of GUIDs. */
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const snapshot = z.record(z.string(), z.unknown()).nullable();

type Row = Pick<AuditRow, "action" | "recordId" | "before" | "after">;

/** The contact that a row names, or else the record itself, which may be a contact. */
function namedContact({ recordId, before, after }: Row): string {
  const id = (after ?? before)?.contact_id;
  return typeof id === "string" ? id : recordId;
}

/** Operations on an action of an agent, whose rows don't name its contact. */
const ON_ACTION = /^(\w+_socialnet_action|request_action_change|socialnet_command|approve_review)$/;

/** The contacts of the actions that rows are about, by the id of the action. */
async function recipientsOf({ store }: Context, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = new Set(rows.filter(({ action }) => ON_ACTION.test(action)).map(({ recordId }) => recordId));
  const found = await Promise.all([...ids].filter((id) => GUID.test(id)).map((id) => store.socialnetActions.find(id)));
  return new Map(found.flatMap((action) => (action === undefined ? [] : [[action.id, action.contactId] as const])));
}

export const listAudit = personOperation({
  name: "list_audit",
  area: "audit",
  title: "List the audit log",
  description:
    "Lists changes by members, agents and the server admin, newest first: who changed what, with the values before and after. Filters " +
    "combine with AND.",
  access: { permission: "administer" },
  effect: "read",
  input: z.strictObject({
    action: z.string().min(1).max(100).optional().describe("Only changes by this operation."),
    actor_id: z.string().min(1).max(200).optional().describe("Only changes by this member, key or server admin."),
    until: givenTime.optional().describe("Only changes at or before this time (RFC 3339)."),
    ...pageFields,
  }),
  output: z.array(
    z.object({
      at: z.iso.datetime(),
      action: z.string(),
      actor_kind: z.string(),
      actor_id: z.string(),
      record_id: z.string(),
      contact: z
        .object({ id: z.guid(), name: z.string() })
        .nullable()
        .describe("The contact that was changed, or that the changed record is about. Null if the entry names none."),
      before: snapshot,
      after: snapshot,
    }),
  ),
  meta: ListMeta,
  async handler(ctx, { action, actor_id: actorId, until, ...page }) {
    const filter = { action, actorId, until: until === undefined ? undefined : Date.parse(until) };
    const { rows, total } = await ctx.store.logs.listAudit(page, filter);
    const recipients = await recipientsOf(ctx, rows);
    const contactOf = (row: (typeof rows)[number]) => recipients.get(row.recordId) ?? namedContact(row);
    const names = await ctx.store.contacts.names(rows.map(contactOf).filter((id) => GUID.test(id)));
    const data = rows.map((row) => {
      const { at, action, actorKind, actorId, recordId, before, after } = row;
      const id = contactOf(row);
      const found = names.get(id);
      const name = found && ([found.first_name, found.last_name].filter(Boolean).join(" ") || (found.email ?? ""));
      return {
        at: iso(at),
        action,
        actor_kind: actorKind,
        actor_id: actorId,
        record_id: recordId,
        contact: name === undefined ? null : { id, name },
        before,
        after,
      };
    });
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
