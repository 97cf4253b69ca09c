import { type ActionKind, COPY_LIMITS } from "../../domain/socialnet-action.ts";
import { problem } from "../../problem.ts";

/** What copy can be: of the network's length, not empty but for a request's note, and without placeholders. */
export function requireCopy(kind: ActionKind, copy: string): void {
  const most = COPY_LIMITS[kind];
  if ([...copy].length > most) {
    throw problem(
      "validation_failed",
      `copy: is longer than ${most} characters; shorten it, the network takes no more.`,
    );
  }
  if (kind === "message" && copy.trim() === "")
    throw problem("validation_failed", "copy: is empty; write what to send.");
  if (copy.includes("{{")) {
    throw problem("validation_failed", "copy: is sent exactly as it reads; write the words in place of {{…}}.");
  }
}
