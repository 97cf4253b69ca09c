/** @jsxRuntime automatic @jsxImportSource preact */

import { DELIVERY_STATUSES } from "../../../domain/events/delivery.ts";
import { pageOf } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { EventCalled, EventTabs } from "./parts.tsx";

const MEANS: Record<(typeof DELIVERY_STATUSES)[number], string> = {
  pending: "It is tried now, or again later.",
  delivered: "The endpoint has taken it.",
  given_up: "The endpoint does not want it: it answered 410 or 413.",
  dead: "Every attempt has failed; nothing is tried again by itself.",
  dropped: "The subscription or the webhook ended before it was sent.",
};

export const deliveries = screen({
  path: "/events/deliveries",
  title: "Deliveries",
  needs: "list_deliveries",
  forms: ["resend_delivery"],
  async load(ctx) {
    const status = DELIVERY_STATUSES.find((known) => known === ctx.query.get("status"));
    return { status, ...(await ctx.call("list_deliveries", { ...pageOf(ctx), ...(status && { status }) })) };
  },
  view: ({ data, meta, status }) => (
    <>
      <EventTabs />
      <Choices
        label="By status"
        name="status"
        choices={[
          { value: undefined, name: "All" },
          ...DELIVERY_STATUSES.map((value) => ({ value, name: statusLabel(value, "delivery") })),
        ]}
      />
      <p class="hint filter-means">{status === undefined ? <NotTaken /> : MEANS[status]}</p>
      <div data-refresh="deliveries">
        {data.length === 0 ? (
          <Empty
            title={
              status === undefined
                ? "Nothing was sent in the last 30 days"
                : `Nothing is ${statusLabel(status, "delivery").toLowerCase()}`
            }
          >
            <p>Each event that somebody subscribed to is listed here, with every attempt.</p>
          </Empty>
        ) : (
          <Table
            caption="Deliveries, newest first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Event", cell: ({ event }) => <EventCalled name={event} /> },
              { name: "To", cell: ({ url }) => <code>{url}</code> },
              {
                name: "Status",
                cell: ({ status }) => (
                  <span title={`${status}: ${MEANS[status]}`}>
                    <Status of={status} kind="delivery" />
                  </span>
                ),
              },
              { name: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
              {
                name: "Attempts",
                cell: ({ attempts, next_attempt_at }) => (
                  <details class="more">
                    <summary>{attempts.length}</summary>
                    <ul class="small">
                      {attempts.map(({ at, outcome, duration_ms }) => (
                        <li key={at}>
                          <Time at={at} />: {outcome} in {duration_ms} ms
                        </li>
                      ))}
                      {next_attempt_at !== null && (
                        <li>
                          next <Time at={next_attempt_at} />
                        </li>
                      )}
                    </ul>
                  </details>
                ),
              },
              {
                name: "Again",
                act: true,
                cell: (row) =>
                  row.status !== "pending" && (
                    <Form does="resend_delivery" id={`resend-${row.id}`} class="inline" label="Send again">
                      <Hidden name="delivery_id" value={row.id} />
                      <button type="submit">Send again</button>
                    </Form>
                  ),
              },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

/** The three kinds of undelivered, side by side, because their names are similar. */
function NotTaken() {
  return (
    <>
      {(["given_up", "dead", "dropped"] as const).map((status) => (
        <span key={status}>
          <strong>{statusLabel(status, "delivery")}</strong>:{" "}
          {MEANS[status].charAt(0).toLowerCase() + MEANS[status].slice(1)}{" "}
        </span>
      ))}
    </>
  );
}
