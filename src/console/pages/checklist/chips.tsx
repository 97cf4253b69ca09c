/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Chip, Tabs } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import type { Entry, ProgressById } from "./items.ts";

export function StatusChip({ status, label }: { status: Entry["status"]; label: string }) {
  return <Status of={status} label={label} />;
}

/** The column of an item on the board. */
export type Place = NonNullable<ReturnType<ProgressById["get"]>>["place"];

/** A recurring item that was done and is due again counts as to do. */
const isDueAgain = ({ status, due }: Pick<Entry, "status" | "due">) =>
  status === "done" && due.state !== null && due.state !== "upcoming";

/** The status of an item, the same on every page. A submission that needs a decision comes first, as on the board. */
export function ItemStatusChip({ entry, place }: { entry: Entry; place: Place | undefined }) {
  const { status, due } = entry;
  if (place === "waiting") return <Status of="needs_review" />;
  if (isDueAgain(entry)) return <Chip tone={due.state === "overdue" ? "stopped" : "needs"}>Due again</Chip>;
  return <StatusChip status={status} label={openLabel(entry)} />;
}

/** An item without a status and one that a teammate marked as not started are both to do. */
const isOpen = ({ status }: Pick<Entry, "status">) => status === "not_assessed" || status === "not_started";
export const TO_DO = "To do";

/** The label of a status that is not due again. */
export const openLabel = (entry: Pick<Entry, "status" | "status_label">) =>
  isOpen(entry) ? TO_DO : entry.status_label;

/** Badges of an item on the board, in addition to its column. */
export function Marks({ entry, posts }: { entry: Entry; posts: number }) {
  const { approval_card: card, status } = entry;
  return (
    <>
      {card?.status === "pending" && <Status of="pending" label="Document needs review" />}
      {posts > 0 && <Status of="needs_review" label={`${counted(posts, "post needs", "posts need")} review`} />}
      {card?.status === "change_requested" && <Status of="change_requested" />}
      {(status === "blocked" || status === "in_progress" || isDueAgain(entry)) && (
        <ItemStatusChip entry={entry} place={undefined} />
      )}
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
