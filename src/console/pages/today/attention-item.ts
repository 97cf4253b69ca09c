import type { OperationName } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { Tone } from "../../ui/basics.tsx";

/** What a member does about an item: make a decision, fix what stopped, or know about it. */
export type AttentionGroup = "decide" | "fix" | "know";

/** An item on the front page: a text, and the page where a member handles it. */
export interface AttentionItem {
  text: string;
  tone: Tone;
  /** The label of the chip: what failed is red, what is on hold or expires is amber. */
  label?: string;
  /** What a member does, where the text says the state already. */
  verb?: string;
  /** How many things the text is about, unless it is one. */
  count?: number;
  /** Since when it needs attention. */
  at?: string;
  /** Whether it is unread. */
  unread?: true;
  to: `/${string}`;
  query?: Record<string, string>;
  /** Before all others, whatever their tone. */
  first?: true;
  /** Only where the tone doesn't say it: what stopped needs a fix, what needs attention needs a decision. */
  group?: AttentionGroup;
}

const GROUPS: readonly AttentionGroup[] = ["decide", "fix", "know"];

/** The items by what a member does about them, without empty groups. */
export function inGroups(items: readonly AttentionItem[]): { group: AttentionGroup; items: AttentionItem[] }[] {
  const groupOf = ({ group, tone }: AttentionItem) => group ?? (tone === "stopped" ? "fix" : "decide");
  return GROUPS.map((group) => ({ group, items: items.filter((item) => groupOf(item) === group) })).filter(
    ({ items: found }) => found.length > 0,
  );
}

/** How many things the items of a group are about. */
export const sumOf = (items: readonly AttentionItem[]): number => items.reduce((sum, { count = 1 }) => sum + count, 0);

const ORDER: readonly Tone[] = ["stopped", "needs", "plain", "done"];

/**
 * Replies come first, then what has stopped, then what needs attention, each with the oldest first. What has no time comes
 * last, in the order of its sources.
 */
export function inOrder(items: readonly AttentionItem[]): AttentionItem[] {
  const rank = ({ first, tone }: AttentionItem) => (first === true ? -1 : ORDER.indexOf(tone));
  const since = ({ at }: AttentionItem) => (at === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(at));
  return items.toSorted((a, b) => rank(a) - rank(b) || since(a) - since(b));
}

/** Finds items for the front page. Each area of the product has its own sources. */
export interface AttentionSource {
  block: "needs_attention" | "in_progress";
  /** Members who can't call this operation get no items from this source. */
  needs: OperationName;
  /** What a person does about it. Without permission for it, a member isn't told. */
  resolvedBy?: OperationName;
  find(ctx: PageContext): Promise<AttentionItem[]>;
}
