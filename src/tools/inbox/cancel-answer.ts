import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { answerNotOpen, moveAnswer, reopen, requireAnswer } from "../../services/outreach/answers.ts";
import { recordId } from "../fields.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

export const cancelAnswer = personOperation({
  name: "cancel_answer",
  area: "inbox",
  title: "Cancel an answer",
  description:
    "Cancels an answer that has not been sent, or rejects one in review. The conversation is open again. This can't be " +
    "undone, but you can write a new answer.",
  access: { permission: "work" },
  effect: "write",
  errors: ["answer_not_found", "answer_not_open"],
  input: z.strictObject({
    answer_id: recordId("answer"),
    note: z.string().max(500).trim().min(1).optional().describe("The reason, for the answer's author."),
  }),
  output: Answer,
  async handler(ctx, { answer_id, note }) {
    const answer = await requireAnswer(ctx, answer_id);
    const send = await ctx.store.sends.ofAnswer(answer_id);
    // Once it is handed over, only the mail server decides.
    const left = send?.status === "sending" || send?.status === "unknown";
    const cancelled = left ? undefined : await moveAnswer(ctx, answer, "cancel", { note: note ?? null });
    if (cancelled === undefined) throw answerNotOpen(answer);
    await reopen(ctx, answer.contactId);
    return { data: await showAnswer(ctx, cancelled) };
  },
});
