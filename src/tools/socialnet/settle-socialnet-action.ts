import { z } from "zod";
import { mayApprove } from "../../core/actor.ts";
import { personOperation } from "../../core/operation.ts";
import { checkProductGates } from "../../core/policy.ts";
import { problem } from "../../core/problem.ts";
import { checkOwnProposal } from "../../services/access/own-proposal.ts";
import {
  accountOf,
  authorsOf,
  notMovable,
  requireAction,
  requireReadAction,
} from "../../services/socialnet/actions.ts";
import { resolveAction } from "../../services/socialnet/resolve-action.ts";
import { recordId } from "../fields.ts";
import { note, PlannedAction, readCopyHash, showPlanned } from "./action-schema.ts";

const SENT = { connection_request: "connection_sent", message: "message_sent" } as const;

export const settleSocialnetAction = personOperation({
  name: "settle_socialnet_action",
  area: "socialnet",
  title: "Set the outcome of an unconfirmed action",
  description:
    "Records the outcome of an unconfirmed action: sent, not_sent or retry. With retry, the agent can execute the " +
    "action once more. This requires the permission approve_outbound. If you send the copy_hash that you read, " +
    "the call is refused if the contact replied or anything else changed since.",
  access: { permission: "work" },
  effect: "write",
  errors: ["action_not_found", "action_not_movable", "version_conflict", "own_proposal", "billing_read_only"],
  input: z.strictObject({
    action_id: recordId("action"),
    outcome: z
      .enum(["sent", "not_sent", "retry"])
      .describe(
        "sent or not_sent: what you found on the network. retry: it was not sent, and the agent can try once more.",
      ),
    copy_hash: readCopyHash,
    note,
  }),
  output: PlannedAction,
  async handler(ctx, { action_id, outcome, copy_hash, note: why = null }) {
    if (outcome === "retry") {
      if (!mayApprove(ctx.actor)) {
        throw problem(
          "insufficient_scope",
          "Only teammates with approve_outbound can set outcome to retry. Ask one of them.",
        );
      }
      await checkProductGates(["billing"], ctx);
    }
    const action = await requireAction(ctx, action_id);
    if (action.status !== "needs_review") throw notMovable(action, "settle_sent");
    await requireReadAction(ctx, action, await accountOf(ctx, action), copy_hash);
    const told = { sent: SENT[action.kind], not_sent: "not_sent", retry: null } as const;
    const own = outcome === "retry" ? await checkOwnProposal(ctx, await authorsOf(ctx, action)) : {};
    const ending = { outcome: told[outcome], note: why };
    const settled = await resolveAction(ctx, action, `settle_${outcome}`, ending, own);
    return { data: await showPlanned(ctx, settled) };
  },
});
