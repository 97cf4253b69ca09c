import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { SEND_STATUSES } from "../../domain/outreach/sending.ts";
import { oneOf, recordId } from "../fields.ts";
import { ListMeta, listMeta, pageFields } from "../page.ts";
import { Send, toSend } from "./send-schema.ts";

export const listSends = personOperation({
  name: "list_sends",
  area: "sequences",
  title: "List what was sent",
  description: "The messages of all sequences, newest first, each with what became of it.",
  access: { permission: "view" },
  effect: "read",
  input: z.strictObject({
    status: oneOf(SEND_STATUSES, "Only those of this status.").optional(),
    sequence_id: recordId("sequence").optional(),
    ...pageFields,
  }),
  output: z.array(Send),
  meta: ListMeta,
  async handler(ctx, { status, sequence_id: sequenceId, ...page }) {
    const { rows, total } = await ctx.store.sends.list({ status, sequenceId }, page);
    return { data: rows.map(toSend), meta: listMeta(page, rows.length, total) };
  },
});
