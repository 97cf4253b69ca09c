/** @jsxRuntime automatic @jsxImportSource preact */

import { DELIVERY_STATUSES } from "../../../domain/events/delivery.ts";
import { MINUTE_MS } from "../../../lib/time.ts";
import { pageOf } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { elapsed } from "../../ui/format.ts";
import { deliveryOutcome, statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { EventLabel, EventTabs, Url } from "./parts.tsx";

const STATUS_DETAILS: Record<(typeof DELIVERY_STATUSES)[number], string> = {
  pending: "Waiting for the next attempt.",
  delivered: "The endpoint accepted the delivery.",
  given_up: "The endpoint answered with status 410 or 413, so Rostrum won't retry by itself.",
  dead: "Every attempt failed, or the endpoint was suspended. Rostrum won't retry by itself.",
  dropped: "The webhook was deleted or the subscription ended before the delivery was sent.",
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
  view: ({ data, meta, status }, { href }) => (
    <>
      <EventTabs />
      <Choices
        label="Status"
        name="status"
        choices={[
          { value: undefined, name: "All" },
          ...DELIVERY_STATUSES.map((value) => ({ value, name: statusLabel(value, "delivery") })),
        ]}
      />
      <p class="hint filter-means">{status === undefined ? <UndeliveredHelp /> : STATUS_DETAILS[status]}</p>
      <div data-refresh="deliveries">
        {data.length === 0 ? (
          <Empty
            title={
              status === undefined
                ? "No deliveries in the last 30 days"
                : `No deliveries with status “${statusLabel(status, "delivery")}”`
            }
          >
            {status === undefined && (
              <p>
                A delivery appears here when something happens that a webhook or an agent is subscribed to.{" "}
                <a href={href("/events")}>View webhooks</a>
              </p>
            )}
          </Empty>
        ) : (
          <Table
            caption="Deliveries, newest first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Event", cell: ({ event }) => <EventLabel name={event} /> },
              { name: "Endpoint", grow: "wrap", cell: ({ url }) => <Url of={url} /> },
              {
                name: "Status",
                phone: "end",
                cell: ({ status }) => (
                  <span title={STATUS_DETAILS[status]}>
                    <Status of={status} kind="delivery" />
                  </span>
                ),
              },
              { name: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
              {
                name: "Attempts",
                phone: "named",
                cell: ({ attempts, next_attempt_at }) => (
                  <details class="more">
                    <summary>{attempts.length}</summary>
                    <ul class="small">
                      {attempts.map(({ at, outcome, duration_ms }) => (
                        <li key={at}>
                          <Time at={at} />: {deliveryOutcome(outcome)} (took {elapsed(duration_ms)})
                        </li>
                      ))}
                      {next_attempt_at !== null && (
                        <li>
                          Next attempt <NextTime at={next_attempt_at} />
                        </li>
                      )}
                    </ul>
                  </details>
                ),
              },
              {
                name: "Actions",
                act: true,
                cell: (row) =>
                  row.status !== "pending" && (
                    <Form does="resend_delivery" id={`resend-${row.id}`} class="inline">
                      <Hidden name="delivery_id" value={row.id} />
                      <button type="submit">{row.status === "delivered" ? "Send again" : "Retry"}</button>
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

/** Within a minute, `just now` would say that it was made. */
function NextTime({ at }: { at: string }) {
  const { now } = usePageContext();
  return Date.parse(at) - now < MINUTE_MS ? <>in under a minute</> : <Time at={at} />;
}

/** Explains the three undelivered statuses together, because their names are similar. */
function UndeliveredHelp() {
  return (
    <>
      {(["given_up", "dead", "dropped"] as const).map((status) => (
        <span key={status}>
          <strong>{statusLabel(status, "delivery")}</strong>: {STATUS_DETAILS[status]}{" "}
        </span>
      ))}
    </>
  );
}
