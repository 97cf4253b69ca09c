import type { OperationName } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { Tone } from "../../ui/basics.tsx";

/** What a member does about an item: make a decision, fix what stopped, or know about it. */
export type AttentionGroup = "decide" | "fix" | "know";

/** An item on the front page: a text, and the page where a member handles it. */
export interface AttentionItem {
  text: string;
  tone: Tone;
  /** The label of the chip. */
  label?: string;
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

const ORDER: readonly Tone[] = ["stopped", "needs", "plain", "done"];

/**
 * Replies come first, then what has stopped, then what needs attention. Equal items keep the order of their sources.
 */
export function inOrder(items: readonly AttentionItem[]): AttentionItem[] {
  const rank = ({ first, tone }: AttentionItem) => (first === true ? -1 : ORDER.indexOf(tone));
  return items.toSorted((a, b) => rank(a) - rank(b));
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
