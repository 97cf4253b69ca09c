import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { MAX_SETTLED } from "../../domain/outreach/sending.ts";
import { requireRetry, resolveSend } from "../../services/outreach/finish-send.ts";
import type { SendRow } from "../../store/outreach.ts";
import { exactlyOne, givenTime, recordId } from "../fields.ts";
import { found, toSend } from "./send-schema.ts";

const Skipped = z.object({
  send_id: z.uuid(),
  code: z
    .enum(["send_not_unknown", "enrollment_ended"])
    .describe(
      "send_not_unknown: the outcome is already known. enrollment_ended: the email can't be retried, because its " +
        "enrollment has ended or its answer was canceled.",
    ),
});

export const settleSends = personOperation({
  name: "settle_sends",
  area: "sequences",
  title: "Set the outcome of unconfirmed emails",
  description:
    `Records the same outcome for up to ${MAX_SETTLED} unconfirmed emails. Choose them by send_ids, sequence_id ` +
    "or all. Emails whose outcome is already known are skipped and listed. The outcomes are those of settle_send, " +
    "and retry requires the permission approve_outbound.",
  access: { permission: "work" },
  effect: "write",
  errors: ["send_not_found", "sequence_not_found", "billing_read_only"],
  input: z
    .strictObject({
      send_ids: z.array(recordId("email")).min(1).max(MAX_SETTLED).optional().describe("These emails."),
      sequence_id: recordId("sequence").optional().describe("All unconfirmed emails of this sequence."),
      all: z.literal(true).optional().describe("All unconfirmed emails of the workspace."),
      until: givenTime
        .optional()
        .describe(
          "Only with sequence_id or all: skips emails that became unconfirmed after this time, such as when you " +
            "listed them.",
        ),
      outcome: found,
      note: z.string().max(500).trim().min(1).optional().describe("The reason, for the history."),
    })
    .refine(...exactlyOne("send_ids", "sequence_id", "all")),
  output: z.object({
    settled: z.int().describe("The number of emails that this call marked."),
    skipped: z.array(Skipped).describe("The emails that were skipped."),
    left: z.int().describe("The number of unconfirmed emails that remain in the sequence, or else in the workspace."),
  }),
  async handler(ctx, { outcome, note, ...selection }) {
    await requireRetry(ctx, outcome);
    const rows = await select(ctx, selection);
    const skipped: z.infer<typeof Skipped>[] = [];
    for (const before of rows) {
      const after = await resolveSend(ctx, before, outcome, note ?? null);
      if (typeof after === "string") skipped.push({ send_id: before.id, code: after });
      else {
        const told = { ...toSend(after), note: note ?? null };
        await ctx.audit({ recordId: before.id, before: toSend(before), after: told });
      }
    }
    const filter = { status: "unknown", sequenceId: selection.sequence_id } as const;
    const { total: left } = await ctx.store.sends.list(filter, { limit: 1, offset: 0 });
    return { data: { settled: rows.length - skipped.length, skipped, left } };
  },
});

interface Selection {
  send_ids?: string[] | undefined;
  sequence_id?: string | undefined;
  until?: string | undefined;
}

async function select(ctx: Context, { send_ids, sequence_id: sequenceId, until }: Selection): Promise<SendRow[]> {
  const { sends, sequences } = ctx.store;
  if (send_ids === undefined) {
    if (sequenceId !== undefined && (await sequences.find(sequenceId)) === undefined)
      throw problem("sequence_not_found");
    return sends.unknown(
      { sequenceId, until: until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until) },
      MAX_SETTLED,
    );
  }
  const rows: SendRow[] = [];
  for (const id of new Set(send_ids)) {
    const row = await sends.find(id);
    if (row === undefined)
      throw problem(
        "send_not_found",
        `send_ids: contains an unknown id: ${id}. No email was updated. Remove the id and try again.`,
      );
    rows.push(row);
  }
  return rows;
}
