import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { CHECKLIST_STATUSES, type Mark } from "../../domain/checklist-status.ts";
import { personOperation } from "../../operation.ts";
import type { MarkRow } from "../../store/checklist.ts";
import { dayDone, doneOn } from "./done-on.ts";
import { lookAgain } from "./effects.ts";
import { findItem, readStanding, toEntry } from "./read.ts";
import { ChecklistItem, itemId, namesOf } from "./schema.ts";

export const markChecklistItem = personOperation({
  name: "mark_checklist_item",
  area: "checklist",
  title: "Mark a checklist item",
  description:
    "A person's word on an item, which wins over what assistants recorded and what the service found, until a person " +
    "says otherwise. not_assessed takes back what is recorded, so that assistants may speak again, and the service says at once what it sees.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["item_not_found"],
  input: z.strictObject({
    item_id: itemId,
    status: z.enum(namesOf(CHECKLIST_STATUSES)).describe("Where it stands; not_assessed takes the mark back."),
    evidence: z
      .string()
      .trim()
      .max(2_000)
      .optional()
      .transform((text) => text || null)
      .meta({ description: "What shows it, or why." }),
    done_on: doneOn,
  }),
  output: ChecklistItem,
  async handler(ctx, { item_id: id, status, evidence, done_on }) {
    const item = findItem(ctx, id);
    const day = dayDone(ctx, status, done_on);
    const { checklist } = ctx.store;
    const before = await checklist.mark(id);
    if (status === "not_assessed") {
      if (await checklist.removeMark(id)) await lookAgain(ctx);
    } else {
      const { id: byId, name: byName } = ctx.actor;
      const by = { source: "member", byId, byName } as const;
      const mark = { status, evidence, lastDoneOn: day ?? before?.lastDoneOn ?? null, ...by };
      if (!isSame(before, mark)) await checklist.setMark({ itemId: id, ...mark, updatedAt: ctx.now });
    }
    const after = await checklist.mark(id);
    if (!isDeepStrictEqual(before, after)) {
      await ctx.audit({ recordId: id, before: toRecord(before), after: toRecord(after) });
    }
    return { data: toEntry(item, await readStanding(ctx)) };
  },
});

function isSame(before: MarkRow | undefined, mark: Mark): boolean {
  if (before === undefined) return false;
  const { itemId: _, updatedAt: __, ...recorded } = before;
  return isDeepStrictEqual({ ...recorded }, mark);
}

function toRecord(mark: MarkRow | undefined): Record<string, unknown> | null {
  if (mark === undefined) return null;
  const { status, evidence, lastDoneOn, source, byName } = mark;
  return { status, evidence, last_done_on: lastDoneOn, status_source: source, recorded_by: byName };
}
