/** @jsxRuntime automatic @jsxImportSource preact */

import type { ActionStatus } from "../../../domain/socialnet/action.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Appointment, Empty, Table, Time } from "../../ui/basics.tsx";
import { statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { type Account, at, KINDS, type ListedAction } from "./labels.ts";
import { actionWaitsFor } from "./sending.ts";

interface Props {
  rows: readonly ListedAction[];
  account: Account;
  status: ActionStatus | undefined;
}

/** The actions of an account. */
export function Ledger({ rows, account, status }: Props) {
  const { href, path, may } = usePageContext();
  if (rows.length === 0) {
    return status === undefined ? (
      <Empty title="No actions yet">
        <p>
          An action is a message or a connection request. Sequence steps appear here when they're due.
          {may("plan_socialnet_action") && " You can also plan an action above."}
        </p>
      </Empty>
    ) : (
      <Empty title={`No actions with status “${statusLabel(status, "action")}”`}>
        <p>
          <a href={href(path)}>Show all actions</a>
        </p>
      </Empty>
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
          phone: "title",
          wrap: true,
          cell: ({ contact_id, contact_name, contact_company }) => (
            <span>
              <a href={href(`/contacts/${contact_id}`)}>{contact_name ?? "No name"}</a>
              {contact_company !== null && <span class="quiet">, {contact_company}</span>}
            </span>
          ),
        },
        { name: "Status", phone: "end", cell: ({ status: state }) => <Status of={state} kind="action" /> },
        {
          name: "Waiting for",
          grow: "wrap",
          phone: "named",
          cell: (row) => <WaitingFor action={row} account={account} />,
        },
        {
          name: "Campaign or sequence",
          wide: true,
          cell: ({ origin, sequence_name, campaign }) =>
            origin === "engine" ? (sequence_name ?? "Sequence") : campaign,
        },
        { name: "Planned", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** What the action waits for, and when that may change on its own. */
export function WaitingFor({ action, account }: { action: ListedAction; account: Account }) {
  const { workspace } = usePageContext();
  const what = actionWaitsFor(action, account, workspace);
  if (what === null) return null;
  return (
    <span>
      <span>{what.charAt(0).toUpperCase() + what.slice(1)}</span>
      {action.blocked_by?.next_window_at != null && (
        <span class="quiet">
          , <Appointment at={action.blocked_by.next_window_at} timeZone={account.time_zone} />
        </span>
      )}
    </span>
  );
}
