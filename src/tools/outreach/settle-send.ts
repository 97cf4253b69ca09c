import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { resolveSend } from "../../services/outreach/finish-send.ts";
import { recordId } from "../fields.ts";
import { Send, toSend } from "./send-schema.ts";

export const settleSend = personOperation({
  name: "settle_send",
  area: "sequences",
  title: "Settle a message of unknown outcome",
  description:
    "Says what became of a message that was handed over and never confirmed: sent, and the sequence goes on; not_sent, and the contact's way through it ends; " +
    "or retry, which sends it once more and needs the permission to approve sends.",
  access: { permission: "work" },
  effect: "write",
  errors: ["send_not_found", "send_not_unknown", "enrollment_ended"],
  input: z.strictObject({
    send_id: recordId("message"),
    outcome: z
      .enum(["sent", "not_sent", "retry"])
      .describe("What a look at the mail server, or a word with the contact, showed."),
    note: z.string().trim().min(1).max(500).optional().describe("Why, for whoever looks back."),
  }),
  output: Send,
  async handler(ctx, { send_id: id, outcome, note }) {
    if (outcome === "retry" && !mayApprove(ctx.actor)) {
      throw problem(
        "insufficient_scope",
        "outcome: retry lets it be sent again; that needs the permission approve_outbound.",
      );
    }
    const before = await ctx.store.sends.find(id);
    if (before === undefined) throw problem("send_not_found");
    const after = await resolveSend(ctx, before, outcome, note ?? null);
    if (after === undefined)
      throw problem("send_not_unknown", `send_id: is ${before.status}; only an unknown one is settled.`);
    await ctx.audit({ recordId: id, before: toSend(before), after: { ...toSend(after), note: note ?? null } });
    return { data: toSend(after) };
  },
});
