import { ALL_CHANNELS, CHANNELS, platformsLabel } from "../../../domain/checklist/channel.ts";
import { AUTOMATIONS, FREQUENCIES } from "../../../domain/checklist/item.ts";
import type { AssessmentState } from "../../../domain/checklist/status.ts";
import type { DataOf, PageMeta } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";

export type Entry = DataOf<"list_checklist_items">[number];
export type DueEntry = DataOf<"list_due_checklist_items">[number];
export type Progress = DataOf<"get_checklist_progress">;
export type ItemProgress = Progress["items"][number];
export type ProgressById = ReadonlyMap<string, ItemProgress>;

/** A catalog has at most 198 items: two pages. */
const PAGE = 100;

/** Every item, or every one that is due. */
export const allItems = (ctx: PageContext) => allOf<Entry>((page) => ctx.call("list_checklist_items", page));
export const allDue = (ctx: PageContext) => allOf<DueEntry>((page) => ctx.call("list_due_checklist_items", page));

type Read<E> = (page: { limit: number; offset: number }) => Promise<{ data: E[]; meta: PageMeta }>;

async function allOf<E>(read: Read<E>): Promise<E[]> {
  const first = await read({ limit: PAGE, offset: 0 });
  if (!first.meta.hasMore) return first.data;
  return [...first.data, ...(await read({ limit: PAGE, offset: PAGE })).data];
}

export function progressById({ items }: Progress): ProgressById {
  return new Map(items.map((item) => [item.id, item]));
}

/** Who does the work. The automation of the API doesn't tell agents from the server. */
const OWNER_LABELS: Record<string, string> = {
  human_only: AUTOMATIONS.human_only,
  ai_draft_human_approves: AUTOMATIONS.ai_draft_human_approves,
  "notify_human.assistant": AUTOMATIONS.notify_human,
  "notify_human.service": "Rostrum checks, teammate acts",
  "auto.assistant": "Agent, automatically",
  "auto.service": "Rostrum, automatically",
};

type Owned = Pick<Entry, "automation"> & { executor: Pick<Entry["executor"], "runner"> };

const ownerOf = ({ automation, executor: { runner } }: Owned): string =>
  automation in OWNER_LABELS ? automation : `${automation}.${runner}`;

export const ownerLabel = (item: Owned): string => OWNER_LABELS[ownerOf(item)] ?? AUTOMATIONS[item.automation];

const choice = (value: string, label: string) => ({ value, label });

export const CHANNEL_CHOICES = ALL_CHANNELS.map((channel) => choice(channel, CHANNELS[channel]));
export const FREQUENCY_CHOICES = Object.entries(FREQUENCIES).map(([value, label]) => choice(value, label));
export const OWNER_CHOICES = Object.entries(OWNER_LABELS).map(([value, label]) => choice(value, label));

/** The filters of the board. An empty one shows everything. */
export interface Filter {
  area: string;
  channel: string;
  frequency: string;
  executor: string;
}

export function filterOf({ query }: PageContext): Filter {
  const of = (name: string) => query.get(name) ?? "";
  return { area: of("area"), channel: of("channel"), frequency: of("frequency"), executor: of("executor") };
}

const EVERYWHERE = platformsLabel(ALL_CHANNELS);

/** Whether an item is for the channel, by its label. */
function isFor({ platforms }: Entry, channel: string): boolean {
  const label = CHANNEL_CHOICES.find(({ value }) => value === channel)?.label;
  return label !== undefined && (platforms === EVERYWHERE || platforms.split(", ").includes(label));
}

export function narrow<E extends Entry>(entries: readonly E[], { area, channel, frequency, executor }: Filter): E[] {
  return entries.filter(
    (entry) =>
      (area === "" || entry.area === area) &&
      (channel === "" || isFor(entry, channel)) &&
      (frequency === "" || entry.frequency === frequency) &&
      (executor === "" || ownerOf(entry) === executor),
  );
}

/** The results of the automatic check, which sees only what this server stores. */
const FOUND: Record<AssessmentState, (count: number) => string> = {
  done: (count) => `${count} done`,
  missing: (count) => `${count} not done`,
  unknown: (count) => `${count} can't be checked`,
  not_applicable: (count) => `${count} not applicable`,
};

/** How many items have each result, as text. */
export const foundText = (states: Readonly<Record<AssessmentState, number>>): string =>
  (Object.keys(FOUND) as AssessmentState[])
    .filter((state) => states[state] > 0)
    .map((state) => FOUND[state](states[state]))
    .join(", ");
