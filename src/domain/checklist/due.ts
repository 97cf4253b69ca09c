import { addDays, addMonths } from "../time/date.ts";
import type { CatalogItem, Frequency } from "./item.ts";
import { CHECKLIST_STATUSES, type Mark } from "./status.ts";

export const DUE_KINDS = ["one_time", "recurring", "event"] as const;
export const DUE_STATES = ["overdue", "due_today", "upcoming"] as const;
export const DUE_REASONS = ["change_requested", "one_time_open", "never_done", "overdue", "due_today"] as const;
type DueReason = (typeof DUE_REASONS)[number];

/** When an item is to be done again. Days are YYYY-MM-DD in UTC. */
export interface Due {
  kind: (typeof DUE_KINDS)[number];
  label: string;
  due_on: string | null;
  state: (typeof DUE_STATES)[number] | null;
}

type Schedule = "one_time" | "event" | ((lastDoneOn: string) => string);

const SCHEDULES: Record<Frequency, Schedule> = {
  once: "one_time",
  with_every_post: "event",
  as_needed: "event",
  daily: (date) => addDays(date, 1),
  weekly: (date) => addDays(date, 7),
  monthly: (date) => addMonths(date, 1),
  every_3_months: (date) => addMonths(date, 3),
  every_6_months: (date) => addMonths(date, 6),
  yearly: (date) => addMonths(date, 12),
};

const EVENT_LABELS: Partial<Record<Frequency, string>> = { with_every_post: "With every post" };

type Marked = Pick<Mark, "status" | "source">;

export function dueOf(
  { frequency }: Pick<CatalogItem, "frequency">,
  mark: Marked | undefined,
  lastDoneOn: string | undefined,
  today: string,
): Due {
  const schedule = SCHEDULES[frequency];
  const none = { due_on: null, state: null };
  if (schedule === "one_time") return { kind: "one_time", label: oneTimeLabel(mark), ...none };
  if (schedule === "event") return { kind: "event", label: EVENT_LABELS[frequency] ?? "As needed", ...none };
  if (lastDoneOn === undefined)
    return { kind: "recurring", label: "Never done, due today", due_on: today, state: "due_today" };
  const due_on = schedule(lastDoneOn);
  if (due_on > today && mark?.source === "system" && mark.status === "not_started")
    return { kind: "recurring", label: "Not done, due today", due_on: today, state: "due_today" };
  if (due_on < today) return { kind: "recurring", label: `Due since ${due_on}`, due_on, state: "overdue" };
  if (due_on === today) return { kind: "recurring", label: "Due today", due_on, state: "due_today" };
  return { kind: "recurring", label: `Due on ${due_on}`, due_on, state: "upcoming" };
}

function oneTimeLabel(mark: Marked | undefined): string {
  return isClosed(mark) ? `One-time, ${CHECKLIST_STATUSES[mark.status].toLowerCase()}` : "One-time, not done yet";
}

/** Whether nothing more needs to be done for it, so that dependent items may begin. */
export function isClosed<M extends Marked>(mark: M | undefined): mark is M {
  return mark?.status === "done" || mark?.status === "not_applicable";
}

interface Card {
  status: string;
}

/** What is known about a workspace's items, each by the item's id. Of cards, the latest of each item. */
export interface ItemStates<M extends Marked, C extends Card> {
  marks: ReadonlyMap<string, M>;
  /** The latest day on which each item is known to have been done, even if its mark is gone. */
  days: ReadonlyMap<string, string>;
  cards: ReadonlyMap<string, C>;
}

/** Whether it can begin now: a recurring item is due even while other items should come first. */
export function isReady(reason: DueReason, openBefore: readonly string[]): boolean {
  return reason === "change_requested" || openBefore.length === 0;
}

export interface DueItem {
  item: CatalogItem;
  due: Due;
  reason: DueReason;
}

/**
 * What is due now: changes that a person requested first, then by priority, one-time items before recurring ones, and
 * then by id. What is done is left out until it is due again.
 */
export function dueItems(items: readonly CatalogItem[], known: ItemStates<Marked, Card>, today: string): DueItem[] {
  return items
    .flatMap((item): DueItem[] => {
      const due = dueOf(item, known.marks.get(item.id), known.days.get(item.id), today);
      const reason = dueReason(item, due, known);
      return reason === undefined ? [] : [{ item, due, reason }];
    })
    .sort((a, b) => rank(a) - rank(b) || inOrder(a.item, b.item));
}

function dueReason(
  item: CatalogItem,
  due: Due,
  { marks, days, cards }: ItemStates<Marked, Card>,
): DueReason | undefined {
  const { test_first, replaced_by, dependencies } = item.executor;
  const mark = marks.get(item.id);
  const card = cards.get(item.id)?.status;
  if (test_first || replaced_by !== null || due.kind === "event" || card === "pending") return undefined;
  if (mark?.status === "not_applicable" || mark?.status === "blocked") return undefined;
  if (due.kind === "one_time") {
    const settled = dependencies.every((id) => isClosed(marks.get(id)));
    if (mark?.status === "done" || card === "denied" || !settled) return undefined;
    return card === "change_requested" ? card : "one_time_open";
  }
  if (mark?.status === "done" && due.state === "upcoming") return undefined;
  if (card === "change_requested") return card;
  if (due.state === "upcoming" || due.state === null) return undefined;
  return days.has(item.id) ? due.state : "never_done";
}

function rank({ reason }: DueItem): number {
  return reason === "change_requested" ? 0 : 1;
}

function inOrder(a: CatalogItem, b: CatalogItem): number {
  const once = (item: CatalogItem) => Number(item.kind === "ongoing");
  return a.executor.priority - b.executor.priority || once(a) - once(b) || (a.id < b.id ? -1 : 1);
}
