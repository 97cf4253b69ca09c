import { z } from "zod";
import type { Step } from "../../domain/outreach/sequence.ts";
import { fillingsOf, fillTemplate, type Recipient } from "../../domain/outreach/template.ts";

/** A step as one contact would get it. */
export const RenderedStep = z.object({
  type: z.string(),
  subject: z.string().nullable(),
  text: z.string().nullable(),
  unfilled: z.array(z.string()).describe("Fields without a value. The step would be on hold."),
});

export function renderSteps(
  steps: readonly Step[],
  recipient: Recipient,
  sender: string | null,
): z.infer<typeof RenderedStep>[] {
  const fillings = fillingsOf(recipient, sender);
  return steps.map((step) => {
    const text = step.type === "wait" ? null : step.type === "socialnet_connect" ? step.note : step.body;
    const subject = step.type === "email" ? step.subject : null;
    const filled = [subject, text].map((one) => (one === null ? { text: null } : fillTemplate(one, fillings)));
    const [asSubject, asText] = filled.map((one) => ("text" in one ? one.text : null));
    const unfilled = [...new Set(filled.flatMap((one) => ("unfilled" in one ? one.unfilled : [])))];
    return { type: step.type, subject: asSubject ?? null, text: asText ?? null, unfilled };
  });
}
