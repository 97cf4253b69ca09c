/** @jsxRuntime automatic @jsxImportSource preact */
import type { Problem } from "../../problem.ts";
import { useVisit } from "../visit.ts";

/** Why a page cannot be shown, in the words of the API. */
export function Refusal({ problem }: { problem: Problem }) {
  const { href } = useVisit();
  return (
    <div class="empty">
      <p>{problem.message}</p>
      <p class="quiet">
        <code>{problem.code}</code>
      </p>
      <p>
        <a href={href("/")}>Back to Today</a>
      </p>
    </div>
  );
}
