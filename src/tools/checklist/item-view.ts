import type { z } from "zod";
import type { Context } from "../../core/context.ts";
import { problem } from "../../core/problem.ts";
import { platformsLabel } from "../../domain/checklist/channel.ts";
import { type DueItem, dueItems, dueOf } from "../../domain/checklist/due.ts";
import {
  AUTOMATIONS,
  acceptedOutputKinds,
  type CatalogItem,
  canRecordEvidence,
  FREQUENCIES,
} from "../../domain/checklist/item.ts";
import { ASSESSMENT_STATES, assessmentOf, CHECKLIST_STATUSES, statusOf } from "../../domain/checklist/status.ts";
import { dayOf } from "../../domain/time/date.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { AssessmentRow, CardHead, MarkRow } from "../../store/checklist.ts";
import { listMeta } from "../page.ts";
import type { ChecklistItem, ChecklistListMeta, WholeItem } from "./item-schema.ts";
import { AGENT_RULE } from "./item-schema.ts";

/** What is known about the items, each by its id. Of cards the latest; none where they cannot be read. */
export interface ChecklistState {
  marks: ReadonlyMap<string, MarkRow>;
  days: ReadonlyMap<string, string>;
  assessments: ReadonlyMap<string, AssessmentRow>;
  cards: ReadonlyMap<string, CardHead>;
  approvalCards: "read" | "unavailable";
  today: string;
}

const byItem = <Row extends { itemId: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.itemId, row]));

/** One statement for each of marks, days, assessments and cards, whatever the page. */
export async function readChecklistState(ctx: Context): Promise<ChecklistState> {
  const { checklist, cards } = ctx.store;
  const latest = await cards
    .latest(ctx.catalog.items.map(({ id }) => id))
    .catch((error: unknown) => ctx.missed("approval_cards", error));
  return {
    marks: byItem(await checklist.marks()),
    days: new Map((await checklist.days()).map(({ itemId, lastDoneOn }) => [itemId, lastDoneOn])),
    assessments: byItem(await checklist.assessments()),
    cards: byItem(latest ?? []),
    approvalCards: latest ? "read" : "unavailable",
    today: dayOf(ctx.now),
  };
}

/** What is due. With cards unreadable, without items that take documents: one may wait for a person already. */
export function dueItemsOf({ catalog }: Context, state: ChecklistState): DueItem[] {
  const isRead = state.approvalCards === "read";
  const items = catalog.items.filter((item) => isRead || !acceptedOutputKinds(item).includes("document"));
  return dueItems(items, state, state.today);
}

/** @throws Problem item_not_found */
export function findItem({ catalog }: Context, id: string): CatalogItem {
  const item = catalog.items.find((candidate) => candidate.id === id);
  if (item === undefined)
    throw problem("item_not_found", `No checklist item has the id "${id}". Use an id from list_checklist_items.`);
  return item;
}

export function toEntry(item: CatalogItem, state: ChecklistState): z.infer<typeof ChecklistItem> {
  const { facts, roles } = catalogPart(item);
  return { ...facts, ...toStatus(item, state), ...roles };
}

export function toWhole(item: CatalogItem): z.infer<typeof WholeItem> {
  const { facts, roles } = catalogPart(item);
  const sources = item.sources.map(({ name, url }) => ({ name, url: url ?? null }));
  return { ...facts, why: item.why, sources, ...roles };
}

const catalogParts = new WeakMap<CatalogItem, ReturnType<typeof toCatalogPart>>();

/** What the catalog says of an item. Made once, because lists have hundreds of items, and frozen, because they share it. */
function catalogPart(item: CatalogItem) {
  const known = catalogParts.get(item);
  if (known !== undefined) return known;
  const made = toCatalogPart(item);
  catalogParts.set(item, made);
  return made;
}

function toCatalogPart(item: CatalogItem) {
  const roles = toRoles(item);
  for (const part of [roles.executor, roles.agent, roles.agent.accepts_output_kinds]) Object.freeze(part);
  return { facts: toFacts(item), roles };
}

function toFacts(item: CatalogItem) {
  return {
    id: item.id,
    kind: item.kind,
    frequency: item.frequency,
    frequency_label: FREQUENCIES[item.frequency],
    area: item.area,
    task: item.task,
    done_when: item.done_when,
    applies_to: item.applies_to,
    platforms: platformsLabel(item.channels),
    automation: item.automation,
    automation_label: AUTOMATIONS[item.automation],
  };
}

export function toStatus(item: CatalogItem, { marks, days, assessments, cards, today }: ChecklistState) {
  const mark = marks.get(item.id);
  const { state, reason, sources } = assessmentOf(mark, assessments.get(item.id));
  const card = cards.get(item.id);
  const status = statusOf(mark);
  return {
    status,
    status_label: CHECKLIST_STATUSES[status],
    evidence: mark?.evidence ?? null,
    last_done_on: days.get(item.id) ?? null,
    status_source: mark?.source ?? null,
    status_updated_at: isoOrNull(mark?.updatedAt ?? null),
    recorded_by: mark === undefined ? null : { key_id: mark.source === "agent" ? mark.byId : null, name: mark.byName },
    due: dueOf(item, mark, days.get(item.id), today),
    assessment: { state, state_label: ASSESSMENT_STATES[state], reason, sources },
    approval_card: card && isOpen(card) ? toHead(card) : null,
  };
}

/** Whether a card waits for a person, or for a change that a person requested. */
function isOpen({ status }: CardHead): boolean {
  return status === "pending" || status === "change_requested";
}

function toHead(card: CardHead) {
  return {
    id: card.id,
    status: card.status,
    title: card.title,
    summary: card.summary,
    note: card.note,
    submitted_at: iso(card.submittedAt),
    decided_at: isoOrNull(card.decidedAt),
  };
}

function toRoles(item: CatalogItem) {
  const { evidence_verdict, person_action, exceptions, priority, dependencies, runner, test_first, replaced_by } =
    item.executor;
  return {
    executor: { evidence_verdict, person_action, exceptions, priority, dependencies, runner, test_first, replaced_by },
    agent: { can_record_evidence: canRecordEvidence(item), accepts_output_kinds: [...acceptedOutputKinds(item)] },
  };
}

/** The page of a list that is made in memory, and its meta block. */
export function pageOf<T>(
  { catalog }: Context,
  all: readonly T[],
  page: { limit: number; offset: number },
  { approvalCards, today }: ChecklistState,
): { rows: readonly T[]; meta: z.infer<typeof ChecklistListMeta> } {
  const rows = all.slice(page.offset, page.offset + page.limit);
  const { limit, offset, hasMore } = listMeta(page, rows.length, all.length);
  return {
    rows,
    meta: {
      total: all.length,
      limit,
      offset,
      hasMore,
      catalog_version: catalog.version,
      today,
      approval_cards: approvalCards,
      agent_rule: AGENT_RULE,
    },
  };
}
