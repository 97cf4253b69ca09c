import { z } from "zod";
import { personOperation } from "../../operation.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";

const snapshot = z.record(z.string(), z.unknown()).nullable();

export const listAudit = personOperation({
  name: "list_audit",
  area: "audit",
  title: "List the configuration audit",
  description: "Lists changes of settings, newest first: who changed what, from what, to what.",
  access: { permission: "administer" },
  effect: "read",
  gates: [],
  errors: [],
  input: z.strictObject(pageFields),
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
  async handler(ctx, page) {
    const { rows, total } = await ctx.store.logs.listAudit(page);
    const data = rows.map(({ at, action, actorKind, actorId, recordId, before, after }) => ({
      at: new Date(at).toISOString(),
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
