/** @jsxRuntime automatic @jsxImportSource preact */
import type { Problem } from "../../problem.ts";

/** Why a page cannot be shown, in the words of the API. */
export function Refusal({ problem }: { problem: Problem }) {
  return (
    <div class="empty">
      <p>{problem.message}</p>
      <p class="quiet">
        <code>{problem.code}</code>
      </p>
    </div>
  );
}
