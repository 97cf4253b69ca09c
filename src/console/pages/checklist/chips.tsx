/** @jsxRuntime automatic @jsxImportSource preact */
import { Chip, type Tone } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";
import type { Entry } from "./items.ts";

const TONES: Partial<Record<Entry["status"], Tone>> = { done: "done", blocked: "stopped", in_progress: "needs" };

export function StatusChip({ status, label }: { status: Entry["status"]; label: string }) {
  return <Chip tone={TONES[status] ?? "plain"}>{label}</Chip>;
}

/** What of an item is worth a mark on the board, beside the column that it stands in. */
export function Marks({ entry, posts }: { entry: Entry; posts: number }) {
  const { approval_card: card, status, due } = entry;
  const again = status === "done" && due.state !== null && due.state !== "upcoming";
  return (
    <>
      {card?.status === "pending" && <Chip tone="needs">document waits</Chip>}
      {posts > 0 && <Chip tone="needs">{posts === 1 ? "post waits" : `${posts} posts wait`}</Chip>}
      {card?.status === "change_requested" && <Chip tone="needs">change asked for</Chip>}
      {(status === "blocked" || status === "in_progress") && (
        <StatusChip status={status} label={entry.status_label.toLowerCase()} />
      )}
      {again && <Chip tone={due.state === "overdue" ? "stopped" : "needs"}>due again</Chip>}
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
