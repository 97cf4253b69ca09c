import { z } from "zod";
import type { Context } from "../../core/context.ts";
import type { ActionMove } from "../../domain/socialnet/action.ts";
import { notMovable, requireAction } from "../../services/socialnet/actions.ts";
import type { ActionRow } from "../../store/socialnet.ts";
import { recordId } from "../fields.ts";
import { note, type PlannedAction, showPlanned } from "./action-schema.ts";

/** What a person sends who stops an action. */
export const moveInput = z.strictObject({ action_id: recordId("action"), note });

/**
 * Makes a person's move of an action, and answers the action as it is then.
 *
 * @param move undefined where the action's status does not allow it
 * @param named the move that the refusal tells the allowed statuses of
 * @throws Problem action_not_found, action_not_movable
 */
export async function moveByPerson(
  ctx: Context,
  given: z.infer<typeof moveInput>,
  named: ActionMove,
  move: (action: ActionRow, note: string | null) => Promise<ActionRow | undefined>,
): Promise<{ data: z.infer<typeof PlannedAction> }> {
  const action = await requireAction(ctx, given.action_id);
  const moved = await move(action, given.note ?? null);
  if (moved === undefined) throw notMovable(action, named);
  return { data: await showPlanned(ctx, moved) };
}
