/** @jsxRuntime automatic @jsxImportSource preact */
import { counted } from "../../figures.ts";
import { Chip } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import { useVisit } from "../../visit.ts";
import type { Entry } from "./items.ts";

export function StatusChip({ status, label }: { status: Entry["status"]; label: string }) {
  return <Status of={status} word={label} />;
}

/** What of an item is worth a mark on the board, beside the column that it stands in. */
export function Marks({ entry, posts }: { entry: Entry; posts: number }) {
  const { approval_card: card, status, due } = entry;
  const again = status === "done" && due.state !== null && due.state !== "upcoming";
  return (
    <>
      {card?.status === "pending" && <Status of="pending" word="Document waits for you" />}
      {posts > 0 && <Status of="needs_review" word={`${counted(posts, "post waits", "posts wait")} for you`} />}
      {card?.status === "change_requested" && <Status of="change_requested" />}
      {(status === "blocked" || status === "in_progress") && <StatusChip status={status} label={entry.status_label} />}
      {again && <Chip tone={due.state === "overdue" ? "stopped" : "needs"}>Due again</Chip>}
    </>
  );
}

/** The link to an item's page. */
export function ItemLink({ id }: { id: string }) {
  const { href } = useVisit();
  return (
    <a class="nowrap" href={href(`/checklist/${id}`)}>
      {id}
    </a>
  );
}
