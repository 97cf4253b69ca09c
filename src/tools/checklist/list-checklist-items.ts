import { z } from "zod";
import { agentOperation, READ_ONLY } from "../../core/operation.ts";
import { type CatalogItem, FREQUENCIES, ITEM_KINDS } from "../../domain/checklist/item.ts";
import { CHECKLIST_STATUSES, statusOf } from "../../domain/checklist/status.ts";
import { pageFields } from "../page.ts";
import { AGENT_RULE, ChecklistItem, ChecklistListMeta, COMPACT, namesOf } from "./item-schema.ts";
import { pageOf, readChecklistState, toEntry } from "./item-view.ts";

export const listChecklistItems = agentOperation({
  name: "list_checklist_items",
  area: "checklist",
  title: "List the social checklist",
  description:
    "Lists the social checklist with each item's status: one-time items first, then recurring ones, by id. " +
    'Each item has a field named "agent" that says what you can submit or record. Filters combine with AND. To find your next task, call ' +
    `list_due_checklist_items instead. ${AGENT_RULE}`,
  access: { scope: "social_checklist.read" },
  http: { method: "GET", path: "/social/checklist/items", statuses: [200] },
  tool: { annotations: READ_ONLY, compact: COMPACT },
  budget: "checklist_read",
  idempotent: false,
  effect: "read",
  input: z.strictObject({
    kind: z.enum(ITEM_KINDS).optional().describe("Only items of this kind."),
    frequency: z.enum(namesOf(FREQUENCIES)).optional().describe("Only items of this frequency."),
    status: z.enum(namesOf(CHECKLIST_STATUSES)).optional().describe("Only items of this status."),
    ...pageFields,
  }),
  output: z.array(ChecklistItem),
  meta: ChecklistListMeta,
  async handler(ctx, { kind, frequency, status, ...page }) {
    const state = await readChecklistState(ctx);
    const found = inOrder(ctx.catalog.items).filter(
      (item) =>
        (kind === undefined || item.kind === kind) &&
        (frequency === undefined || item.frequency === frequency) &&
        (status === undefined || statusOf(state.marks.get(item.id)) === status),
    );
    const { rows, meta } = pageOf(ctx, found, page, state);
    return { data: rows.map((item) => toEntry(item, state)), meta };
  },
});

/** The catalog has them by id already. */
function inOrder(items: readonly CatalogItem[]): CatalogItem[] {
  return ITEM_KINDS.flatMap((kind) => items.filter((item) => item.kind === kind));
}
