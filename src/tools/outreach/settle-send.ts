import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { requireRetry, resolveSend } from "../../services/outreach/finish-send.ts";
import { recordId } from "../fields.ts";
import { found, Send, toSend } from "./send-schema.ts";

const RETRY_ENDED = (what: string) => `outcome: can't be retry because ${what}. Choose sent or not_sent.`;

export const settleSend = personOperation({
  name: "settle_send",
  area: "sequences",
  title: "Set the outcome of an unconfirmed email",
  description:
    "Records the outcome of an unconfirmed email. With sent, the sequence continues. With not_sent, the " +
    "enrollment ends. If the email is an answer to a reply, sent marks it as sent, and not_sent marks it as " +
    "failed. With retry, the email is sent once more. This requires the permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  errors: ["send_not_found", "send_not_unknown", "enrollment_ended", "billing_read_only"],
  input: z.strictObject({
    send_id: recordId("email"),
    outcome: found,
    note: z.string().max(500).trim().min(1).optional().describe("The reason, for the history."),
  }),
  output: Send,
  async handler(ctx, { send_id: id, outcome, note }) {
    await requireRetry(ctx, outcome);
    const before = await ctx.store.sends.find(id);
    if (before === undefined) throw problem("send_not_found");
    const after = await resolveSend(ctx, before, outcome, note ?? null);
    if (after === "enrollment_ended") {
      const ended = before.answerId === null ? "the enrollment has ended" : "the answer was canceled";
      throw problem("enrollment_ended", RETRY_ENDED(ended));
    }
    if (after === "send_not_unknown") {
      throw problem(
        "send_not_unknown",
        `This email has the status ${before.status}. Only an unconfirmed email can be marked.`,
      );
    }
    await ctx.audit({ recordId: id, before: toSend(before), after: { ...toSend(after), note: note ?? null } });
    return { data: toSend(after) };
  },
});
