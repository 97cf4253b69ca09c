import { type Due, isClosed } from "./due.ts";
import type { CatalogItem } from "./item.ts";
import type { Mark } from "./status.ts";

/**
 * The column of an item on the board: it needs a decision, is missing or done, or is set aside. Set aside means that it
 * does not apply, was replaced, was closed by a denied card, is still to be tried out, or is triggered by an event.
 */
export const BOARD_COLUMNS = ["waiting", "missing", "done", "aside"] as const;
export type BoardColumn = (typeof BOARD_COLUMNS)[number];

interface ItemFacts {
  mark: Pick<Mark, "status" | "source"> | undefined;
  due: Due;
  /** The status of the latest card. */
  card: string | undefined;
  postsWaiting: number;
}

export function boardColumnOf({ executor }: CatalogItem, { mark, due, card, postsWaiting }: ItemFacts): BoardColumn {
  if (executor.replaced_by !== null) return "aside";
  if (card === "pending" || postsWaiting > 0) return "waiting";
  const again = due.state === "overdue" || due.state === "due_today";
  if (mark?.status === "done" && !again) return "done";
  if (mark?.status === "not_applicable" || executor.test_first) return "aside";
  if (due.kind === "event" || (due.kind === "one_time" && card === "denied")) return "aside";
  return "missing";
}

type Marks = ReadonlyMap<string, Pick<Mark, "status" | "source">>;

/** The items before this one that are still open. */
export function openBefore({ executor }: CatalogItem, marks: Marks): string[] {
  return executor.dependencies.filter((id) => !isClosed(marks.get(id)));
}

/** For each item, how many open items wait for it, directly or through others. */
export function countAfter(items: readonly CatalogItem[], marks: Marks): Map<string, number> {
  const after = new Map<string, CatalogItem[]>();
  for (const item of items) {
    if (item.executor.replaced_by !== null || isClosed(marks.get(item.id))) continue;
    for (const id of item.executor.dependencies) after.set(id, [...(after.get(id) ?? []), item]);
  }
  const reached = (id: string, seen: Set<string>): Set<string> => {
    for (const next of after.get(id) ?? []) {
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      reached(next.id, seen);
    }
    return seen;
  };
  return new Map(items.map(({ id }) => [id, reached(id, new Set()).size]));
}
