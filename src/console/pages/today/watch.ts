import type { OperationName } from "../../answers.ts";
import type { Tone } from "../../parts/basics.tsx";
import type { Visit } from "../../visit.ts";

/** Something on the front page: in a sentence, with the page where it is settled. */
export interface Task {
  say: string;
  tone: Tone;
  /** What it is, in a word beside the colour. */
  word: string;
  to: `/${string}`;
  query?: Record<string, string>;
}

/** One thing that the front page looks after. An area of the product adds its own here. */
export interface Watch {
  block: "needs_you" | "going_on";
  /** Whoever may not call this is not told. */
  needs: OperationName;
  find(visit: Visit): Promise<Task[]>;
}
