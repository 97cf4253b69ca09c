import { z } from "zod";
import type { BANT } from "../../domain/contacts/lifecycle.ts";

/** The fields of one answer; whether it refuses others is the door's rule. */
export const bantAnswer = {
  confirmed: z.boolean().describe("Whether it stands."),
  note: z.string().trim().max(1_000).optional().describe("What is known of it."),
};

const ASKED: Record<(typeof BANT)[number], string> = {
  budget: "Whether there is money for it.",
  authority: "Whether the contact can decide.",
  need: "Whether they need it.",
  timeline: "Whether they mean to buy at a known time.",
};

/** The four questions, each answered in the given form. */
export function bantQuestions<Answer extends z.ZodType>(answer: Answer) {
  return {
    budget: answer.describe(ASKED.budget),
    authority: answer.describe(ASKED.authority),
    need: answer.describe(ASKED.need),
    timeline: answer.describe(ASKED.timeline),
  };
}
