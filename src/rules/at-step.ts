import type { Context } from "../context.ts";
import type { HoldReason } from "../domain/sending.ts";
import { type Fillings, fillTemplate, type Step } from "../domain/sequence.ts";
import type { ContactRecord } from "../store/contacts.ts";
import type { EnrollmentRow } from "../store/enrollments.ts";
import type { SequenceRow } from "../store/sequences.ts";

/** An enrollment at its step, as everything about it reads now. */
export interface AtStep {
  enrollment: EnrollmentRow;
  sequence: SequenceRow;
  record: ContactRecord;
  step: Step;
  fillings: Fillings;
  /** The Message-ID of a send: it is recorded before the message leaves. */
  messageIdFor: (sendId: string) => string;
}

/** Keeps an enrollment from the engine until a person has done something about it. */
export async function hold(
  ctx: Context,
  { id, currentStep, dueAt }: EnrollmentRow,
  heldReason: HoldReason,
  heldDetail: string | null = null,
): Promise<void> {
  await ctx.store.enrollments.wait(id, currentStep, { dueAt: dueAt ?? ctx.now, heldReason, heldDetail });
}

/** A step's texts, filled; an enrollment whose step has nothing to put somewhere waits for a person. */
export async function fillOrHold(ctx: Context, at: AtStep, ...templates: string[]): Promise<string[] | undefined> {
  const filled = templates.map((template) => fillTemplate(template, at.fillings));
  const unfilled = [...new Set(filled.flatMap((one) => ("unfilled" in one ? one.unfilled : [])))];
  if (unfilled.length === 0) return filled.map((one) => ("text" in one ? one.text : ""));
  await hold(ctx, at.enrollment, "unfilled", `Nothing to put for ${unfilled.join(", ")}.`);
  return undefined;
}
