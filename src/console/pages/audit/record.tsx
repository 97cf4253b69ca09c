/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { useVisit } from "../../visit.ts";

type Row = DataOf<"list_audit">[number];

/** Where the record of a change has its page, by the last word of what was done to it. */
const PAGES: readonly (readonly [RegExp, (row: Row) => `/${string}` | undefined])[] = [
  [/^(archive_contact|confirm_\w+)$/, ({ record_id }) => `/contacts/${record_id}`],
  [/^(create|update)_account$/, ({ record_id }) => `/accounts/${record_id}`],
  [/^((create|update)_sequence|set_sequence_status)$/, ({ record_id }) => `/sequences/${record_id}`],
  [/_sequence(_approval)?$/, ({ before, after }) => within("/sequences/", (after ?? before)?.sequence_id)],
  [
    /^(\w+_socialnet_action|socialnet_command)$/,
    ({ record_id, after }) =>
      after !== null && "status" in after ? `/review/action/${record_id}` : `/agents/${record_id}`,
  ],
  [/^request_reconnect$/, ({ after }) => within("/agents/", after?.account_id)],
  [/^decide_card$/, ({ record_id }) => `/review/card/${record_id}`],
  [/^(decide|mark)_post$/, ({ record_id }) => `/review/post/${record_id}`],
  [/^mark_checklist_item$/, ({ record_id }) => `/checklist/${record_id}`],
  [/^run_assessment$/, () => "/checklist"],
];

/** What was changed: by its name where the audit kept one, and by a link where it has a page. */
export function Record(row: Row) {
  const { href } = useVisit();
  const page = PAGES.find(([actions]) => actions.test(row.action))?.[1](row);
  const say = labelOf(row) ?? (page === undefined ? shortly(row.record_id) : "Look at it");
  return page === undefined ? <span class="quiet">{say}</span> : <a href={href(page)}>{say}</a>;
}

function labelOf({ action, record_id, before, after }: Row): string | undefined {
  if (action === "run_assessment") return "The checklist";
  if (action === "mark_checklist_item") return record_id;
  for (const side of [after, before]) {
    const label = side?.name ?? side?.title ?? side?.label ?? side?.item_id;
    if (typeof label === "string") return label;
    // A profile is told by the name in its address.
    if (typeof side?.recipient_url === "string") return side.recipient_url.split("/").findLast((part) => part !== "");
  }
  return undefined;
}

function within(room: `/${string}`, id: unknown): `/${string}` | undefined {
  return typeof id === "string" ? `${room}${id}` : undefined;
}

function shortly(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}
