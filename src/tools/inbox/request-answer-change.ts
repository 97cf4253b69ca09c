import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { answerNotOpen, hashAnswer, moveAnswer, reopen, requireAnswer } from "../../services/outreach/answers.ts";
import { changeRequest, recordId } from "../fields.ts";
import { readAnswerHash } from "./approve-answer.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

export const requestAnswerChange = personOperation({
  name: "request_answer_change",
  area: "inbox",
  title: "Request changes to an answer",
  description:
    "Requests changes to an answer that needs review, with your note. The conversation is open again and shows the " +
    "note. Once a teammate edits the answer, it needs review again.",
  access: { permission: "work" },
  effect: "write",
  restricts: () => true,
  errors: ["answer_not_found", "answer_not_open", "version_conflict"],
  input: z.strictObject({ answer_id: recordId("answer"), note: changeRequest, copy_hash: readAnswerHash }),
  output: Answer,
  async handler(ctx, { answer_id, note, copy_hash }) {
    const answer = await requireAnswer(ctx, answer_id);
    if (copy_hash !== undefined && copy_hash !== (await hashAnswer(ctx.store, answer)))
      throw problem("version_conflict");
    const moved = await moveAnswer(ctx, answer, "request_change", { note });
    if (moved === undefined) throw answerNotOpen(answer);
    await reopen(ctx, answer.contactId);
    return { data: await showAnswer(ctx, moved) };
  },
});
