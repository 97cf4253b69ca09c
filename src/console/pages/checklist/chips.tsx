/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Chip, Tabs } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import type { Entry } from "./items.ts";

export function StatusChip({ status, label }: { status: Entry["status"]; label: string }) {
  return <Status of={status} label={label} />;
}

/** Badges of an item on the board, in addition to its column. */
export function Marks({ entry, posts }: { entry: Entry; posts: number }) {
  const { approval_card: card, status, due } = entry;
  const again = status === "done" && due.state !== null && due.state !== "upcoming";
  return (
    <>
      {card?.status === "pending" && <Status of="pending" label="Document needs review" />}
      {posts > 0 && <Status of="needs_review" label={`${counted(posts, "post needs", "posts need")} review`} />}
      {card?.status === "change_requested" && <Status of="change_requested" />}
      {(status === "blocked" || status === "in_progress") && <StatusChip status={status} label={entry.status_label} />}
      {again && <Chip tone={due.state === "overdue" ? "stopped" : "needs"}>Due again</Chip>}
    </>
  );
}

/** The link to an item's page. */
export function ItemLink({ id }: { id: string }) {
  const { href } = usePageContext();
  return (
    <a class="nowrap" href={href(`/checklist/${id}`)}>
      {id}
    </a>
  );
}

const TABS = [
  { name: "Board", path: "/checklist" },
  { name: "Due now", path: "/checklist/due" },
  { name: "Posts", path: "/checklist/posts" },
];

export function ChecklistTabs() {
  return <Tabs label="Checklist" tabs={TABS} />;
}
