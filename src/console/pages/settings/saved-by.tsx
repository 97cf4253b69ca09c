/** @jsxRuntime automatic @jsxImportSource preact */
import { Time } from "../../parts/basics.tsx";

/** Who saved what is shown, and when. */
export function SavedBy({ saved }: { saved: { saved_by: string; saved_at: string } | null }) {
  if (saved === null) return <p class="quiet small">Nothing is saved yet.</p>;
  return (
    <p class="quiet small">
      Saved by {saved.saved_by}, <Time at={saved.saved_at} />
    </p>
  );
}
