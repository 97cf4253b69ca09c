import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { dueItems } from "../../domain/checklist/due.ts";
import { acceptedOutputKinds, type CatalogItem } from "../../domain/checklist/item.ts";
import { iso } from "../../lib/time.ts";
import type { CardHead } from "../../store/checklist.ts";
import { pageFields } from "../page.ts";
import { AGENT_RULE, ChecklistListMeta, DueItem } from "./item-schema.ts";
import { type ChecklistState, pageOf, readChecklistState, toEntry } from "./item-view.ts";

export const listDueChecklistItems = agentOperation({
  name: "list_due_checklist_items",
  area: "checklist",
  title: "List what is due on the social checklist",
  description:
    "Lists what is to be done now: changes that a person asked for first, with the note, then by priority, one-time " +
    "items before ongoing ones. Left out is what is done until it falls due again, not applicable or blocked, waits " +
    "for a person or for other items, was closed by a denied card, or comes with an event. due_reason says why an " +
    `entry is there. Unknown parameters are refused. ${AGENT_RULE}`,
  access: { scope: "social_checklist.read" },
  http: { method: "GET", path: "/social/checklist/due", statuses: [200] },
  tool: { annotations: READ_ONLY },
  budget: "checklist_read",
  idempotent: false,
  effect: "read",
  input: z.strictObject(pageFields),
  output: z.array(DueItem),
  meta: ChecklistListMeta,
  async handler(ctx, page) {
    const state = await readChecklistState(ctx);
    const due = dueItems(itemsToList(ctx.catalog.items, state), state, state.today);
    const { rows, meta } = pageOf(ctx, due, page, state);
    const data = rows.map(({ item, reason }) => ({
      ...toEntry(item, state),
      due_reason: reason,
      change_request: reason === "change_requested" ? toRequest(state.cards.get(item.id)) : null,
    }));
    return { data, meta };
  },
});

/** With cards unreadable, an item that takes documents is left out: one may wait for a person already. */
function itemsToList(items: readonly CatalogItem[], { approvalCards }: ChecklistState): readonly CatalogItem[] {
  if (approvalCards === "read") return items;
  return items.filter((item) => !acceptedOutputKinds(item).includes("document"));
}

function toRequest(card: CardHead | undefined): z.infer<typeof DueItem>["change_request"] {
  if (!card?.decidedAt) return null;
  return { card_id: card.id, note: card.note, requested_at: iso(card.decidedAt) };
}
