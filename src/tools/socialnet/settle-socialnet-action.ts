import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import { personOperation } from "../../core/operation.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import { notMovable, requireAction } from "../../services/socialnet/actions.ts";
import { resolveAction } from "../../services/socialnet/resolve-action.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, showPlanned } from "./action-schema.ts";

const SENT = { connection_request: "connection_sent", message: "message_sent" } as const;

export const settleSocialnetAction = personOperation({
  name: "settle_socialnet_action",
  area: "socialnet",
  title: "Settle a socialnet action of unknown outcome",
  description:
    "Says what became of an action that its agent could not tell: sent, not_sent, or retry, which lets the agent execute it once more and needs the permission to approve sends.",
  access: { permission: "work" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable", "own_proposal"],
  input: z.strictObject({
    action_id: recordId("action"),
    outcome: z.enum(["sent", "not_sent", "retry"]).describe("What a look at the network showed."),
    note,
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, outcome, note: why = null }) {
    if (outcome === "retry" && !mayApprove(ctx.actor)) {
      throw problem(
        "insufficient_scope",
        "outcome: retry lets it be sent again; that needs the permission approve_outbound.",
      );
    }
    const action = await requireAction(ctx, action_id);
    if (action.status !== "needs_review") throw notMovable(action, "settle_sent");
    const told = { sent: SENT[action.kind], not_sent: "not_sent", retry: null } as const;
    const own = outcome === "retry" ? await checkOwnProposal(ctx, [action.plannedById, action.editedById]) : {};
    const ending = { outcome: told[outcome], note: why };
    const settled = await resolveAction(ctx, action, `settle_${outcome}`, ending, own);
    return { data: await showPlanned(ctx, settled) };
  },
});
