/** @jsxRuntime automatic @jsxImportSource preact */

import { EVENT_NAMES } from "../../../events/catalog.ts";
import { HOUR_MS } from "../../../lib/time.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Address, Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { Checks, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { deliveryOutcome } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { EventLabel, EventTabs, eventChoices, Suspended, Url } from "./parts.tsx";

export const webhooks = screen({
  path: "/events",
  title: "Webhooks",
  needs: "list_webhooks",
  forms: ["create_webhook", "delete_webhook"],
  load: (ctx) => ctx.call("list_webhooks", pageOf(ctx)),
  view: ({ data, meta }, { created, href, address }) => (
    <>
      <EventTabs />
      {created !== undefined && (
        <Reveal title="Webhook created. This secret signs its deliveries." value={String(created.data.secret)}>
          <p>Use the secret to verify the signature of every delivery.</p>
        </Reveal>
      )}
      <p class="lead">
        Rostrum sends a signed request to your endpoint when something happens, such as new work for an agent. Agents
        can also subscribe over MCP. <a href={href("/events/subscriptions")}>View agent subscriptions</a>
      </p>
      {data.length === 0 ? (
        <Empty title="No webhooks yet">
          <p>
            <a href="#add-webhook">Add a webhook</a> to receive events.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Webhooks"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Endpoint", grow: "wrap", cell: ({ url }) => <Url of={url} /> },
            { name: "Events", cell: ({ events }) => <Events names={events} /> },
            {
              name: "Status",
              phone: "end",
              wrap: true,
              cell: ({ suspended_at, suspended_reason }) =>
                suspended_at === null ? (
                  <Status of="active" />
                ) : (
                  <Suspended reason={suspended_reason}>To resume, add the webhook again.</Suspended>
                ),
            },
            { name: "Created by", wide: true, cell: ({ created_by }) => created_by },
            { name: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: "Actions",
              act: true,
              cell: ({ id, url }) => (
                <Confirm
                  does="delete_webhook"
                  id={`delete-${id}`}
                  opens="Delete…"
                  submit="Delete webhook"
                  danger
                  align="right"
                >
                  <Hidden name="webhook_id" value={id} />
                  <p>
                    Pending deliveries to{" "}
                    <code>
                      <Address text={url} />
                    </code>{" "}
                    are dropped. This can't be undone.
                  </p>
                </Confirm>
              ),
            },
          ]}
        />
      )}
      <Pager meta={meta} />
      <Section title="Add webhook" id="add-webhook">
        <Form does="create_webhook" class="card narrow" label="Add webhook">
          <TextField
            name="url"
            type="url"
            label="Endpoint URL"
            hint={
              <>
                Rostrum sends a signed challenge to this URL. Your endpoint must answer it as described in the{" "}
                <a href={address("/docs")}>API reference</a>.
              </>
            }
            placeholder="https://"
            required
          />
          <Checks name="events" label="Events" choices={eventChoices} chosen={EVENT_NAMES} />
          <button type="submit" class="primary">
            Add webhook
          </button>
        </Form>
      </Section>
    </>
  ),
});

function Events({ names }: { names: readonly string[] }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <EventLabel name={name} />
        </li>
      ))}
    </ul>
  );
}

type Row = DataOf<"list_subscriptions">[number];

/** An agent that hasn't renewed by then has probably stopped. */
const SOON_MS = 6 * HOUR_MS;

export const subscriptions = screen({
  path: "/events/subscriptions",
  title: "Agent subscriptions",
  needs: "list_subscriptions",
  load: (ctx) => ctx.call("list_subscriptions", pageOf(ctx)),
  view: ({ data, meta }, { href }) => (
    <>
      <EventTabs />
      <p class="lead">Agents subscribe to events over MCP, and renew each subscription before it expires.</p>
      <div data-refresh="subscriptions">
        {data.length === 0 ? (
          <Empty title="No agent subscriptions yet">
            <p>
              Agents subscribe with the MCP method <code>events/subscribe</code>.{" "}
              <a href={href("/agents")}>View agents</a>
            </p>
          </Empty>
        ) : (
          <Table
            caption="Agent subscriptions, soonest to expire first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Event", cell: ({ event }) => <EventLabel name={event} /> },
              {
                name: "Agent",
                cell: ({ key_name, account_label }) => (
                  <>
                    {key_name}
                    {account_label !== null && <p class="hint">Social account: {account_label}</p>}
                  </>
                ),
              },
              { name: "Endpoint", grow: "wrap", cell: ({ url }) => <Url of={url} /> },
              { name: "Status", wrap: true, phone: "end", cell: (row) => <SubscriptionStatus row={row} /> },
              { name: "Last delivery", phone: "named", cell: ({ last_delivery_at }) => <Time at={last_delivery_at} /> },
              { name: "Expires", phone: "named", cell: ({ expires_at }) => <Time at={expires_at} /> },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

function SubscriptionStatus({ row }: { row: Row }) {
  const { now } = usePageContext();
  const { suspended_at, suspended_reason, expires_at, failing_since, last_error } = row;
  if (suspended_at !== null) return <Suspended reason={suspended_reason}>The agent can subscribe again.</Suspended>;
  const left = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now;
  if (left <= 0) return <Status of="expired" />;
  if (failing_since !== null) {
    return (
      <>
        <Chip tone="needs">Deliveries failing</Chip>
        <p class="hint">
          Started <Time at={failing_since} />
          {last_error !== null && `: ${deliveryOutcome(last_error)}`}
        </p>
      </>
    );
  }
  return left < SOON_MS ? <Chip tone="needs">Expires soon</Chip> : <Status of="active" />;
}
