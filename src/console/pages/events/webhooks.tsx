/** @jsxRuntime automatic @jsxImportSource preact */

import { EVENT_NAMES } from "../../../events/catalog.ts";
import { HOUR_MS } from "../../../lib/time.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { Checks, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { Status } from "../../ui/status.tsx";
import { EventCalled, EventTabs, eventChoices } from "./parts.tsx";

export const webhooks = screen({
  path: "/events",
  title: "Webhooks",
  needs: "list_webhooks",
  forms: ["create_webhook", "delete_webhook"],
  load: (ctx) => ctx.call("list_webhooks", pageOf(ctx)),
  view: ({ data, meta }, { created, href }) => (
    <>
      <EventTabs />
      {created !== undefined && (
        <Reveal title="The secret that signs deliveries." value={String(created.data.secret)}>
          <p>The address answered the challenge. Check every delivery against this secret.</p>
        </Reveal>
      )}
      <p class="lead">
        An event tells a program that something is for it to do: an agent has work, a person has changed its hours, or
        asks it to sign in again. There are two ways to be told: webhooks, which you register here and which get signed
        messages, and <a href={href("/events/subscriptions")}>agents' subscriptions</a>, which agents make by
        themselves, over MCP.
      </p>
      {data.length === 0 ? (
        <Empty title="No webhook yet">
          <p>Register an address below; it has to answer a signed challenge first.</p>
        </Empty>
      ) : (
        <Table
          caption="Webhooks"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Address", cell: ({ url }) => <code>{url}</code> },
            { name: "Events", cell: ({ events }) => <Events names={events} /> },
            {
              name: "State",
              cell: ({ suspended_at, suspended_reason }) =>
                suspended_at === null ? (
                  <Status of="active" />
                ) : (
                  <Status of="suspended" word={`Suspended: ${suspended_reason}`} />
                ),
            },
            { name: "Made by", wide: true, cell: ({ created_by }) => created_by },
            { name: "Since", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: "Delete",
              act: true,
              cell: ({ id, url }) => (
                <Confirm
                  does="delete_webhook"
                  id={`delete-${id}`}
                  opens="Delete…"
                  submit="Delete the webhook"
                  danger
                  align="right"
                >
                  <Hidden name="webhook_id" value={id} />
                  <p>
                    What is still to be sent to <code>{url}</code> is dropped.
                  </p>
                </Confirm>
              ),
            },
          ]}
        />
      )}
      <Pager meta={meta} />
      <Section title="Register a webhook">
        <Form does="create_webhook" class="card narrow" label="Register a webhook">
          <TextField name="url" type="url" label="Address" placeholder="https://" required />
          <Checks name="events" label="Events" choices={eventChoices} chosen={EVENT_NAMES} />
          <button type="submit" class="primary">
            Check the address and add it
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
          <EventCalled name={name} />
        </li>
      ))}
    </ul>
  );
}

type Row = DataOf<"list_subscriptions">[number];

/** Agents renew well before it ends: one that is so near has probably stopped. */
const SOON_MS = 6 * HOUR_MS;

export const subscriptions = screen({
  path: "/events/subscriptions",
  title: "Agents' subscriptions",
  needs: "list_subscriptions",
  load: (ctx) => ctx.call("list_subscriptions", pageOf(ctx)),
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
  const { now } = usePageContext();
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
