import type { OperationName } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { Tone } from "../../ui/basics.tsx";

/** An item on the front page: a sentence, and the page where it is handled. */
export interface AttentionItem {
  say: string;
  tone: Tone;
  /** A label next to the color, where it adds to the sentence. */
  word?: string;
  to: `/${string}`;
  query?: Record<string, string>;
}

const FIRST: readonly Tone[] = ["stopped", "needs", "plain", "done"];

/** What has stopped comes before what needs a person. Equal items keep the order of their sources. */
export function inOrder(tasks: readonly AttentionItem[]): AttentionItem[] {
  return tasks.toSorted((a, b) => FIRST.indexOf(a.tone) - FIRST.indexOf(b.tone));
}

/** Finds items for the front page. Each area of the product has its own sources. */
export interface AttentionSource {
  block: "needs_you" | "going_on";
  /** A member who may not call this gets no items of it. */
  needs: OperationName;
  find(ctx: PageContext): Promise<AttentionItem[]>;
}
