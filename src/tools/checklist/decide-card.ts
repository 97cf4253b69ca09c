import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { CARD_MOVES, OUTCOME_OF } from "../../domain/checklist/review.ts";
import { approvedEvidence, recheck, recordDone, UNMARKED } from "../../services/checklist/marks.ts";
import { alreadyDecided, announce, requirePinned } from "../../services/checklist/review.ts";
import { recordId } from "../fields.ts";
import { Card, decision, note, pinned, saysWhatToChange, toCard, toDecision } from "./review-schema.ts";

export const decideCard = personOperation({
  name: "decide_card",
  area: "checklist",
  title: "Review a document",
  description:
    "Approves a document that an agent submitted, requests changes, or rejects it. Approval marks the item as " +
    "done. A recurring item with detected_by is done once its check passes. A change request sends your note to " +
    "the agent. After a rejection, a one-time item is no longer due. If two people decide, the second is refused. " +
    "withdraw_card undoes an approval.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["card_not_found", "already_decided", "version_conflict", "own_proposal"],
  input: z.strictObject({ card_id: recordId("card"), decision, note, ...pinned }).refine(...saysWhatToChange),
  output: Card,
  async handler(ctx, { card_id: id, decision, note, ...pins }) {
    const { cards } = ctx.store;
    const before = await cards.find(id);
    if (before === undefined) throw problem("card_not_found");
    const own = await requirePinned(ctx, before, { decision, ...pins });
    const { id: byId, name: byName } = ctx.actor;
    const row = await cards.decide(id, CARD_MOVES.pending[decision], { byId, byName, note, now: ctx.now });
    if (row === undefined) throw alreadyDecided("card", before.status);
    const marked = decision === "approve" ? await recordDone(ctx, row.itemId, approvedEvidence(row.title)) : UNMARKED;
    await recheck(ctx);
    await announce(ctx, row, "card", OUTCOME_OF[decision]);
    await ctx.audit({
      recordId: id,
      before: { ...toDecision(before), ...marked.before },
      after: { ...toDecision(row), ...marked.after, ...own },
    });
    return { data: toCard(row) };
  },
});
