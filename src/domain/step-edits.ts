import { type Step, stepsText } from "./sequence.ts";

/**
 * A contact's way is counted by the places of its steps: somebody who has reached one would get a message twice, or
 * never, if steps up to there moved. They keep place and kind; their words and days may change.
 *
 * @param reached the furthest place that anybody on their way is at
 * @returns the first place that an edit moves, and how; undefined where it moves none
 */
export function movedStep(
  before: readonly Step[],
  after: readonly Step[],
  reached: number,
): { place: number; how: string } | undefined {
  const [was, is] = [before, after].map((steps) => steps.map((step) => stepsText([step]))) as [string[], string[]];
  const changed = (place: number) => was[place] !== is[place];
  for (let place = 0; place <= Math.min(reached, before.length - 1); place += 1) {
    if (!changed(place)) continue;
    const step = after[place];
    if (step === undefined) return { place, how: "was taken away" };
    if (step.type !== before[place]?.type) return { place, how: "became a step of another kind" };
    // A wait says nothing to anybody: two that change places are two that changed their days.
    if (step.type === "wait") continue;
    const elsewhere = (texts: string[], text: string | undefined) =>
      texts.findIndex((other, at) => at !== place && other === text && changed(at));
    const to = elsewhere(is, was[place]);
    if (to >= 0) return { place, how: `moved to place ${to + 1}` };
    const from = elsewhere(was, is[place]);
    if (from >= 0) return { place, how: `was replaced by the step of place ${from + 1}` };
  }
  return undefined;
}
