import { z } from "zod";
import { personOperation } from "../../core/operation.ts";
import {
  accountOf,
  moveAction,
  notMovable,
  requireAction,
  requireReadAction,
} from "../../services/socialnet/actions.ts";
import { changeRequest, recordId } from "../fields.ts";
import { PlannedAction, readCopyHash, showPlanned } from "./action-schema.ts";

export const requestActionChange = personOperation({
  name: "request_action_change",
  area: "socialnet",
  title: "Request changes to an action",
  description:
    "Requests changes to an action that needs approval, with your note. The Today page shows the note until a teammate " +
    "edits, releases or cancels the action. The new text needs approval, even on an automatic account.",
  access: { permission: "work" },
  effect: "write",
  restricts: () => true,
  errors: ["action_not_found", "action_not_movable", "version_conflict"],
  input: z.strictObject({ action_id: recordId("action"), note: changeRequest, copy_hash: readCopyHash }),
  output: PlannedAction,
  async handler(ctx, { action_id, note, copy_hash }) {
    const action = await requireAction(ctx, action_id);
    const account = await accountOf(ctx, action);
    await requireReadAction(ctx, action, account, copy_hash);
    const asked = { heldFrom: "planned", changeRequestedAt: ctx.now, note } as const;
    const moved = await moveAction(ctx, action, "request_change", asked);
    if (moved === undefined) throw notMovable(action, "request_change");
    return { data: await showPlanned(ctx, moved) };
  },
});
