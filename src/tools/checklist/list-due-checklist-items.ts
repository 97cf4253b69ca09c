import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { acceptedOutputKinds } from "../../domain/checklist/item.ts";
import { iso } from "../../lib/time.ts";
import type { CardHead } from "../../store/checklist.ts";
import { pageFields } from "../page.ts";
import { AGENT_RULE, ChecklistListMeta, COMPACT, DueItem } from "./item-schema.ts";
import { dueItemsOf, pageOf, readChecklistState, toEntry } from "./item-view.ts";

export const listDueChecklistItems = agentOperation({
  name: "list_due_checklist_items",
  area: "checklist",
  title: "List due checklist items",
  description:
    "Lists what to do now on the social checklist: requested changes first, then by priority. due_reason says " +
    "why an item is due, and change_request what to change. Next: get_checklist_item_context, then " +
    "submit_checklist_output or record_checklist_evidence. Not listed: items done for now, blocked, not applicable or " +
    `with a pending card, and one-time items rejected or waiting for others. ${AGENT_RULE}`,
  access: { scope: "social_checklist.read" },
  http: { method: "GET", path: "/social/checklist/due", statuses: [200] },
  tool: {
    annotations: READ_ONLY,
    compact: [...COMPACT, "platforms", "due", "approval_card"],
    options: {
      submittable: z.boolean().optional().describe("true: only items that accept a draft."),
    },
  },
  budget: "checklist_read",
  idempotent: false,
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(DueItem),
  meta: ChecklistListMeta,
  async handler(ctx, page) {
    const state = await readChecklistState(ctx);
    const { submittable = false } = ctx.options;
    const due = dueItemsOf(ctx, state).filter(({ item }) => !submittable || acceptedOutputKinds(item).length > 0);
    const { rows, meta } = pageOf(ctx, due, page, state);
    const data = rows.map(({ item, reason }) => ({
      ...toEntry(item, state),
      due_reason: reason,
      change_request: reason === "change_requested" ? toRequest(state.cards.get(item.id)) : null,
    }));
    return { data, meta };
  },
});

function toRequest(card: CardHead | undefined): z.infer<typeof DueItem>["change_request"] {
  if (!card?.decidedAt) return null;
  return { card_id: card.id, note: card.note, requested_at: iso(card.decidedAt) };
}
