import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { CHECKLIST_STATUSES } from "../../domain/checklist/status.ts";
import { dayDone, recheck, toRecord } from "../../services/checklist/marks.ts";
import type { MarkRow } from "../../store/checklist.ts";
import { ChecklistItem, doneOn, itemId, namesOf } from "./item-schema.ts";
import { findItem, readChecklistState, toEntry } from "./item-view.ts";

export const markChecklistItem = personOperation({
  name: "mark_checklist_item",
  area: "checklist",
  title: "Set the status of a checklist item",
  description:
    "Sets an item's status by hand. This status overrides what agents recorded and what the server detected, until a " +
    "teammate changes it. not_assessed clears the status: agents can record evidence again, and the server checks " +
    "the item immediately.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["item_not_found"],
  input: z
    .strictObject({
      item_id: itemId,
      status: z.enum(namesOf(CHECKLIST_STATUSES)).describe("The item's status. not_assessed clears the manual status."),
      evidence: z
        .string()
        .max(2_000)
        .trim()
        .optional()
        .transform((text) => text || null)
        .meta({ description: "The evidence for the status, or the reason." }),
      done_on: doneOn,
    })
    .refine(({ status, evidence }) => status !== "not_assessed" || evidence === null, {
      path: ["evidence"],
      error: "can't be sent with status not_assessed. Remove it",
    }),
  output: ChecklistItem,
  async handler(ctx, { item_id: id, status, evidence, done_on }) {
    const item = findItem(ctx, id);
    const day = dayDone(ctx, status, done_on);
    const { checklist } = ctx.store;
    const before = await toRecord(ctx, id);
    if (status === "not_assessed") {
      if (await checklist.removeMark(id)) await recheck(ctx);
    } else {
      const { id: byId, name: byName } = ctx.actor;
      const mark = { status, evidence, byId, byName };
      if (!(await isSame(ctx, id, mark, day))) {
        await checklist.setMark({ itemId: id, ...mark, doneOn: day, updatedAt: ctx.now });
      }
    }
    const after = await toRecord(ctx, id);
    if (!isDeepStrictEqual(before, after)) {
      await ctx.audit({ recordId: id, before, after });
    }
    return { data: toEntry(item, await readChecklistState(ctx)) };
  },
});

/** Whether the mark equals the person's earlier one. */
async function isSame({ store }: Context, id: string, given: Partial<MarkRow>, day: string | null): Promise<boolean> {
  const mark = await store.checklist.mark(id);
  if (mark?.source !== "member" || (day !== null && day !== (await store.checklist.lastDoneOn(id)))) return false;
  const { status, evidence, byId, byName } = mark;
  return isDeepStrictEqual({ status, evidence, byId, byName }, given);
}
