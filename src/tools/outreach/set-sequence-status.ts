import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { SEQUENCE_STATUSES } from "../../domain/outreach/sequence.ts";
import { countEmails, decideDelivery } from "../../services/outreach/delivery.ts";
import { always, recordId } from "../fields.ts";
import { deliveryOf, toWholeSequence, WholeSequence } from "./sequence-schema.ts";

export const setSequenceStatus = personOperation({
  name: "set_sequence_status",
  area: "sequences",
  title: "Set a sequence's status",
  description:
    "Sets the status of a sequence. Steps are sent only while it is active. Approvals stay valid, and enrollments " +
    "continue when it is active again. No contact can be enrolled in an archived sequence. Without a mail server, " +
    "a sequence with emails can be activated only if delivery is files. Demo servers are an exception.",
  access: { permission: "work" },
  effect: "write",
  restricts: ({ status }) => status !== "active",
  gates: ["billing"],
  errors: ["sequence_not_found", "mail_not_configured"],
  input: z
    .strictObject({
      sequence_id: recordId("sequence"),
      status: z.enum(SEQUENCE_STATUSES).describe("The server sends only active sequences."),
      delivery: deliveryOf("Default: send, or files on a demo server without a mail server.").optional(),
    })
    .refine(({ status, delivery }) => status === "active" || delivery === undefined, {
      path: ["delivery"],
      error: "can be set only together with the status active",
      when: always,
    }),
  output: WholeSequence,
  async handler(ctx, { sequence_id: id, status, delivery: given }) {
    const row = await ctx.store.sequences.find(id);
    if (row === undefined) throw problem("sequence_not_found");
    const begins = status === "active" && (row.status !== status || given !== undefined);
    const delivery = begins && countEmails(row.steps) > 0 ? await decideDelivery(ctx, given) : (given ?? row.delivery);
    if (row.status === status && row.delivery === delivery) return { data: toWholeSequence(row) };
    const updated = await ctx.store.sequences.update(id, { status, delivery, now: ctx.now });
    if (updated === undefined) throw problem("sequence_not_found");
    // Whether agents may claim its actions has changed.
    await ctx.store.socialnetAccounts.touch(null, ctx.now);
    // What waits for a mail server need not wait any longer.
    if (row.delivery !== delivery) await ctx.store.enrollments.hasten(ctx.now);
    const goes = row.delivery === delivery ? [{}, {}] : [{ delivery: row.delivery }, { delivery }];
    const [before, after] = goes;
    await ctx.audit({ recordId: id, before: { status: row.status, ...before }, after: { status, ...after } });
    return { data: toWholeSequence(updated) };
  },
});
