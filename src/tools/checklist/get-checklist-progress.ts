import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { dueOf, isReady } from "../../domain/checklist/due.ts";
import { ITEM_KINDS } from "../../domain/checklist/item.ts";
import { BOARD_COLUMNS, boardColumnOf, countAfter, openBefore } from "../../domain/checklist/progress.ts";
import { iso } from "../../lib/time.ts";
import { dueItemsOf, readChecklistState } from "./item-view.ts";

const counts = { waiting: z.int(), missing: z.int(), done: z.int(), aside: z.int() };

export const getProgress = personOperation({
  name: "get_checklist_progress",
  area: "checklist",
  title: "Get checklist progress",
  description:
    "Reads the progress of the checklist by area and item: what needs review, what is missing, and what is done. " +
    "All other items, such as those that don't apply, are counted in the field named aside.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    areas: z
      .array(z.object({ area: z.string(), ...counts }))
      .describe("In the order of their first items, one-time items first."),
    due: z
      .object({ ready: z.int(), waiting: z.int().describe("Due items that depend on items that aren't done yet.") })
      .describe("How many items list_due_checklist_items lists."),
    items: z.array(
      z.object({
        id: z.string(),
        place: z.enum(BOARD_COLUMNS),
        posts_waiting: z.int().describe("How many posts need review."),
        waits_for: z.array(z.string()).describe("Open items that must be done first."),
        unblocks: z.int().describe("How many open items depend on this one, directly or through others."),
        open_since: z.iso
          .datetime()
          .nullable()
          .describe(
            "When the last item that it depends on was closed. Without such items, when the workspace was created. Null " +
              "while one of them is open.",
          ),
      }),
    ),
  }),
  async handler(ctx) {
    const { items } = ctx.catalog;
    const state = await readChecklistState(ctx);
    const { marks, days, cards, today } = state;
    const posts = new Map((await ctx.store.posts.waiting()).map(({ itemId, count }) => [itemId, count]));
    const after = countAfter(items, marks);
    const { createdAt } = await ctx.store.workspace.find();
    const rows = items.map((item) => {
      const mark = marks.get(item.id);
      const postsWaiting = posts.get(item.id) ?? 0;
      const due = dueOf(item, mark, days.get(item.id), today);
      const waitsFor = openBefore(item, marks);
      const since = Math.max(createdAt, ...item.executor.dependencies.map((id) => marks.get(id)?.updatedAt ?? 0));
      return {
        id: item.id,
        place: boardColumnOf(item, { mark, due, card: cards.get(item.id)?.status, postsWaiting }),
        posts_waiting: postsWaiting,
        waits_for: waitsFor,
        unblocks: after.get(item.id) ?? 0,
        open_since: waitsFor.length > 0 ? null : iso(since),
      };
    });
    const inOrder = ITEM_KINDS.flatMap((kind) => items.filter((item) => item.kind === kind));
    const areas = [...new Set(inOrder.map(({ area }) => area))].map((area) => {
      const mine = rows.filter((_, i) => items[i]?.area === area);
      const count = (place: string) => mine.filter((row) => row.place === place).length;
      return { area, waiting: count("waiting"), missing: count("missing"), done: count("done"), aside: count("aside") };
    });
    const due = dueItemsOf(ctx, state);
    const ready = due.filter(({ item, reason }) => isReady(reason, openBefore(item, marks))).length;
    return { data: { areas, due: { ready, waiting: due.length - ready }, items: rows } };
  },
});
