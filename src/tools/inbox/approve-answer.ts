import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import {
  answerNotOpen,
  authorsOfAnswer,
  hashAnswer,
  moveAnswer,
  recipientBlock,
  requireAnswer,
} from "../../services/outreach/answers.ts";
import { hasMailServer } from "../../services/outreach/sending-conditions.ts";
import { recordId } from "../fields.ts";
import { approvalOf } from "./answer-by-email.ts";
import { Answer, showAnswer } from "./conversation-schema.ts";

export const readAnswerHash = z
  .string()
  .max(64)
  .optional()
  .describe(
    "The answer's copy_hash that you read. If it has changed, the call is refused. Without it, the call applies to the current answer.",
  );

const NOT_CONNECTED =
  "No mail server is connected, so the answer can't be sent. Ask a super admin or your server admin to connect a mail server, then approve the answer.";

export const approveAnswer = personOperation({
  name: "approve_answer",
  area: "inbox",
  title: "Approve an answer",
  description:
    "Approves an answer by email. The answer is sent after 10 seconds. Until then, cancel_answer can stop it. The approval " +
    "pins the text, the recipient, the sender and the conversation. If any of them changes, or the contact replies, the " +
    "answer goes back to review.",
  access: { permission: "approve_outbound" },
  effect: "write",
  gates: ["billing"],
  errors: [
    "answer_not_found",
    "answer_not_open",
    "version_conflict",
    "contact_suppressed",
    "own_proposal",
    "mail_not_configured",
  ],
  input: z.strictObject({ answer_id: recordId("answer"), copy_hash: readAnswerHash }),
  output: Answer,
  async handler(ctx, { answer_id, copy_hash }) {
    const answer = await requireAnswer(ctx, answer_id);
    if (answer.status !== "needs_review") throw answerNotOpen(answer);
    if (copy_hash !== undefined && copy_hash !== (await hashAnswer(ctx.store, answer)))
      throw problem("version_conflict");
    if ((await recipientBlock(ctx.store, answer)) !== undefined) throw problem("contact_suppressed");
    if (answer.delivery === "send" && !(await hasMailServer(ctx))) throw problem("mail_not_configured", NOT_CONNECTED);
    const own = await checkOwnProposal(ctx, await authorsOfAnswer(ctx, answer));
    const approved = await moveAnswer(ctx, answer, "approve", await approvalOf(ctx, answer), own);
    if (approved === undefined) throw answerNotOpen(answer);
    return { data: await showAnswer(ctx, approved) };
  },
});
