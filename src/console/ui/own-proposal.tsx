/** @jsxRuntime automatic @jsxImportSource preact */

import type { WorkspaceStatus } from "../app/sidebar.ts";

/** Whether only another teammate can approve it: the member proposed it, and the workspace forbids approving that. */
export const needsAnother = (
  { own_proposal }: { own_proposal: boolean },
  { own_proposals }: Pick<WorkspaceStatus, "own_proposals">,
): boolean => own_proposal && own_proposals === "forbidden";

/** What editing a proposal means for its approval. */
export const authorText = ({ own_proposals }: Pick<WorkspaceStatus, "own_proposals">): string =>
  own_proposals === "forbidden"
    ? "You become the author of the text, so another teammate must approve it."
    : "You become the author of the text.";

/** Shown instead of a button that approves. */
export function AskAnother({ isAudience = false }: { isAudience?: boolean }) {
  return (
    <p class="quiet">
      {isAudience
        ? "You approved this audience, so you can't activate it in this workspace. Ask another teammate to activate it."
        : "You can't approve your own proposal in this workspace. Ask another teammate to approve it."}
    </p>
  );
}
