import type { OperationName } from "../../app/operations.ts";
import type { PageContext } from "../../app/page-context.ts";
import type { Tone } from "../../ui/basics.tsx";

/** Something on the front page: in a sentence, with the page where it is settled. */
export interface AttentionItem {
  say: string;
  tone: Tone;
  /** What it is, in a word beside the colour, where that says more than the sentence. */
  word?: string;
  to: `/${string}`;
  query?: Record<string, string>;
}

const FIRST: readonly Tone[] = ["stopped", "needs", "plain", "done"];

/** What stands still comes before what waits; what is alike stays in the order of the watches. */
export function inOrder(tasks: readonly AttentionItem[]): AttentionItem[] {
  return tasks.toSorted((a, b) => FIRST.indexOf(a.tone) - FIRST.indexOf(b.tone));
}

/** One thing that the front page looks after. An area of the product adds its own here. */
export interface AttentionSource {
  block: "needs_you" | "going_on";
  /** Whoever may not call this is not told. */
  needs: OperationName;
  find(ctx: PageContext): Promise<AttentionItem[]>;
}
