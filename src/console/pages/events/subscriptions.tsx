/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Table, Time } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { EventCalled } from "./called.tsx";
import { EventTabs } from "./tabs.tsx";

type Row = DataOf<"list_subscriptions">[number];

/** Agents renew well before it ends: one that is so near has probably stopped. */
const SOON_MS = 6 * 3_600_000;

export const subscriptions = screen({
  path: "/events/subscriptions",
  title: "Agents' subscriptions",
  needs: "list_subscriptions",
  load: (visit) => visit.call("list_subscriptions", pageOf(visit)),
  view: ({ data, meta }) => (
    <>
      <EventTabs />
      <p class="lead">Agents subscribe with their key, over MCP, and renew before it expires. Nobody else is told.</p>
      <div data-refresh="subscriptions">
        {data.length === 0 ? (
          <Empty title="No agent is subscribed">
            <p>
              An agent that speaks MCP calls <code>events/subscribe</code>, and answers a signed challenge.
            </p>
          </Empty>
        ) : (
          <Table
            caption="Agents' subscriptions, newest first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Event", cell: ({ event }) => <EventCalled name={event} /> },
              {
                name: "Agent",
                cell: ({ key_name, account_label }) => (
                  <>
                    {key_name}
                    {account_label !== null && <p class="hint">about {account_label}</p>}
                  </>
                ),
              },
              { name: "Address", wide: true, cell: ({ url }) => <code>{url}</code> },
              { name: "State", cell: (row) => <State row={row} /> },
              { name: "Delivered last", cell: ({ last_delivery_at }) => <Time at={last_delivery_at} /> },
              { name: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

function State({ row }: { row: Row }) {
  const { now } = useVisit();
  const { suspended_at, suspended_reason, expires_at, failing_since, last_error } = row;
  if (suspended_at !== null) return <Status of="suspended" word={`Suspended: ${suspended_reason}`} />;
  const left = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now;
  if (left <= 0) return <Status of="expired" />;
  if (failing_since !== null) {
    return (
      <>
        <Chip tone="needs">Failing</Chip>
        <p class="hint">
          {last_error}, first <Time at={failing_since} />
        </p>
      </>
    );
  }
  return left < SOON_MS ? <Chip tone="needs">Expires soon</Chip> : <Status of="active" />;
}
