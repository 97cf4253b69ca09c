import type { OperationName } from "../../answers.ts";
import type { Tone } from "../../parts/basics.tsx";
import type { Visit } from "../../visit.ts";

/** Something on the front page: in a sentence, with the page where it is settled. */
export interface Task {
  say: string;
  tone: Tone;
  /** What it is, in a word beside the colour, where that says more than the sentence. */
  word?: string;
  to: `/${string}`;
  query?: Record<string, string>;
}

const FIRST: readonly Tone[] = ["stopped", "needs", "plain", "done"];

/** What stands still comes before what waits; what is alike stays in the order of the watches. */
export function inOrder(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((a, b) => FIRST.indexOf(a.tone) - FIRST.indexOf(b.tone));
}

/** One thing that the front page looks after. An area of the product adds its own here. */
export interface Watch {
  block: "needs_you" | "going_on";
  /** Whoever may not call this is not told. */
  needs: OperationName;
  find(visit: Visit): Promise<Task[]>;
}
