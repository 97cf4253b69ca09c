import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { iso } from "../../lib/time.ts";
import { givenTime } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

const snapshot = z.record(z.string(), z.unknown()).nullable();

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
      before: snapshot,
      after: snapshot,
    }),
  ),
  meta: ListMeta,
  async handler(ctx, { action, actor_id: actorId, until, ...page }) {
    const filter = { action, actorId, until: until === undefined ? undefined : Date.parse(until) };
    const { rows, total } = await ctx.store.logs.listAudit(page, filter);
    const data = rows.map(({ at, action, actorKind, actorId, recordId, before, after }) => ({
      at: iso(at),
      action,
      actor_kind: actorKind,
      actor_id: actorId,
      record_id: recordId,
      before,
      after,
    }));
    return { data, meta: listMeta(page, rows.length, total) };
  },
});
