/** @jsxRuntime automatic @jsxImportSource preact */
import { Time } from "../../parts/basics.tsx";
import type { DueEntry } from "./items.ts";

interface Props {
  entry: Pick<DueEntry, "due_reason" | "due" | "change_request">;
  /** Since when nothing stands before it. */
  since: string | null;
}

/** Why an item is due, and since when. */
export function Why({ entry: { due_reason, due, change_request }, since }: Props) {
  switch (due_reason) {
    case "change_requested":
      return (
        <span>
          A change was asked for <Time at={change_request?.requested_at ?? null} />: “{change_request?.note}”
        </span>
      );
    case "overdue":
      return (
        <span>
          Overdue since <time dateTime={due.due_on ?? undefined}>{due.due_on}</time>.
        </span>
      );
    case "due_today":
      return <span>{due.label}.</span>;
    case "one_time_open":
      return <Open says="To be done once" since={since} />;
    case "never_done":
      return <Open says="Never done" since={since} />;
  }
}

function Open({ says, since }: { says: string; since: string | null }) {
  if (since === null) return <span>{says}; others come before it.</span>;
  return (
    <span>
      {says}; became possible <Time at={since} />.
    </span>
  );
}
