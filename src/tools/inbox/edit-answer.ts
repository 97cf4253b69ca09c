import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { messageFault } from "../../domain/outreach/sending.ts";
import { answerFacts, answerNotOpen, hashAnswer, requireAnswer } from "../../services/outreach/answers.ts";
import { recordId } from "../fields.ts";
import { answerFields } from "./answer-by-email.ts";
import { readAnswerHash } from "./approve-answer.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

export const editAnswer = personOperation({
  name: "edit_answer",
  area: "inbox",
  title: "Edit an answer",
  description:
    "Changes the subject and the text of an answer that needs review, or for which changes were requested. The answer " +
    "then needs review, and you count as one of its authors.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["answer_not_found", "answer_not_open", "version_conflict"],
  input: z.strictObject({ answer_id: recordId("answer"), copy_hash: readAnswerHash, ...answerFields }),
  output: Answer,
  async handler(ctx, { answer_id, copy_hash, subject, body }) {
    const answer = await requireAnswer(ctx, answer_id);
    if (answer.status !== "needs_review" && answer.status !== "changes_requested") throw answerNotOpen(answer);
    if (copy_hash !== undefined && copy_hash !== (await hashAnswer(ctx.store, answer)))
      throw problem("version_conflict");
    const fault = messageFault({ subject, body, names: [] });
    if (fault !== undefined) throw problem("validation_failed", fault);
    if (subject === answer.subject && body === answer.body) return { data: await showAnswer(ctx, answer) };
    const edited = await ctx.store.emailAnswers.edit(answer_id, { subject, body }, ctx.now);
    if (edited === undefined) throw answerNotOpen(answer);
    await ctx.audit({ recordId: answer_id, before: answerFacts(answer), after: answerFacts(edited) });
    return { data: await showAnswer(ctx, edited) };
  },
});
