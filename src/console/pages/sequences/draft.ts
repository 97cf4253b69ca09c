import type { Step } from "../../../domain/sequence.ts";

type StepType = Step["type"];

/** A step as somebody writes it: numbers may still be text. */
export type Draft = {
  [Type in StepType]: { type: Type } & {
    [Field in Exclude<keyof Extract<Step, { type: Type }>, "type">]: Field extends "days" | "delay_days"
      ? string | number
      : string;
  };
}[StepType];

/** A new step of each type. */
export const EMPTY = {
  email: { type: "email", subject: "", body: "", delay_days: 0 },
  wait: { type: "wait", days: 3 },
  socialnet_connect: { type: "socialnet_connect", note: "", delay_days: 0 },
  socialnet_message: { type: "socialnet_message", body: "", delay_days: 0 },
} as const satisfies { [Type in StepType]: Extract<Step, { type: Type }> };

export const STEP_TYPES = Object.keys(EMPTY) as readonly StepType[];

/** The steps as they were sent, with one more, one less, or one moved up. */
export function again(given: readonly unknown[], act = ""): Draft[] {
  const steps = given.flatMap((step) => {
    const { type } = step as { type?: unknown };
    const known = STEP_TYPES.find((candidate) => candidate === type);
    return known === undefined ? [] : [{ ...EMPTY[known], ...(step as object) } as Draft];
  });
  const [verb, at = ""] = act.split(".");
  const place = Number(at);
  if (verb === "add") {
    const type = STEP_TYPES.find((known) => known === at);
    return type === undefined ? steps : [...steps, EMPTY[type] as Draft];
  }
  if (verb === "remove") return steps.filter((_, i) => i !== place);
  if (verb === "up" && place > 0 && place < steps.length) {
    const [moved] = steps.splice(place, 1);
    steps.splice(place - 1, 0, moved as Draft);
  }
  return steps;
}
