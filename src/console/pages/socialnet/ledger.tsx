/** @jsxRuntime automatic @jsxImportSource preact */

import type { ActionStatus } from "../../../domain/socialnet/action.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Empty, Table, Time } from "../../ui/basics.tsx";
import { statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { at, KINDS, type ListedAction, reasonOf } from "./labels.ts";

export function Ledger({ rows, status }: { rows: readonly ListedAction[]; status: ActionStatus | undefined }) {
  const { href } = usePageContext();
  if (rows.length === 0) {
    return status === undefined ? (
      <Empty title="Nothing was planned for this account yet">
        <p>A step of a sequence comes here by itself when it is due; what you want to say yourself, you plan above.</p>
      </Empty>
    ) : (
      <Empty title={`No action is here as: ${statusLabel(status, "action").toLowerCase()}`} />
    );
  }
  return (
    <Table
      caption="Actions, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Action",
          cell: ({ account_id, id, kind }) => <a href={href(at(account_id, `/actions/${id}`))}>{KINDS[kind]}</a>,
        },
        {
          name: "To",
          cell: ({ contact_id, contact_name, contact_company }) => (
            <span>
              <a href={href(`/contacts/${contact_id}`)}>{contact_name ?? "No name"}</a>
              {contact_company !== null && <span class="quiet">, {contact_company}</span>}
            </span>
          ),
        },
        { name: "State", cell: ({ status: state }) => <Status of={state} kind="action" /> },
        { name: "Blocked by", cell: (row) => <Blocked row={row} /> },
        {
          name: "Campaign",
          wide: true,
          cell: ({ origin, sequence_name, campaign, planned_by }) =>
            origin === "engine" ? (sequence_name ?? "a sequence") : (campaign ?? planned_by),
        },
        { name: "Planned", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** Why the action cannot be claimed now, as a code and a text, and when that may change by itself. */
export function Blocked({ row }: { row: ListedAction }) {
  const { workspace } = usePageContext();
  const reason = reasonOf(row, workspace.outreach.paused_at !== null);
  if (reason === undefined) {
    return row.status === "approved" ? <span>nothing: the agent can claim it</span> : null;
  }
  return (
    <span>
      <span title={row.blocked_by?.reason}>{reason}</span>
      {row.blocked_by?.next_window_at != null && (
        <span class="quiet">
          , could be <Time at={row.blocked_by.next_window_at} />
        </span>
      )}
    </span>
  );
}
