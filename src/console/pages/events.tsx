/** @jsxRuntime automatic @jsxImportSource preact */
import { DELIVERY_STATUSES } from "../../domain/delivery.ts";
import { EVENT_NAMES } from "../../events/catalog.ts";
import { inWords, pageOf } from "../names.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Tabs, Time, type Tone } from "../parts/basics.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { Checks, Hidden, TextField } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { screen } from "../screen.ts";

const TABS = [
  { name: "Webhooks", path: "/events" },
  { name: "Deliveries", path: "/events/deliveries" },
];

export const webhooks = screen({
  path: "/events",
  title: "Webhooks",
  needs: "list_webhooks",
  forms: ["create_webhook", "delete_webhook"],
  load: (visit) => visit.call("list_webhooks", pageOf(visit)),
  view: ({ data, meta }, { made }) => (
    <>
      <Tabs label="Events" tabs={TABS} />
      {made !== undefined && (
        <Reveal title="The secret that signs deliveries." value={String(made.data.secret)}>
          <p>The address answered the challenge. Check every delivery against this secret.</p>
        </Reveal>
      )}
      <p class="lead">
        A webhook is told of events of this workspace by signed POSTs. Agents subscribe by themselves, over MCP.
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
            { name: "Events", cell: ({ events }) => events.join(", ") },
            {
              name: "State",
              cell: ({ suspended_at, suspended_reason }) =>
                suspended_at === null ? (
                  <Chip tone="done">active</Chip>
                ) : (
                  <Chip tone="stopped">suspended: {suspended_reason}</Chip>
                ),
            },
            { name: "Made by", wide: true, cell: ({ created_by }) => created_by },
            { name: "Since", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: "Delete",
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
          <Checks
            name="events"
            label="Events"
            choices={EVENT_NAMES.map((value) => ({ value, label: value }))}
            chosen={EVENT_NAMES}
          />
          <button type="submit" class="primary">
            Send the challenge and register
          </button>
        </Form>
      </Section>
    </>
  ),
});

const TONES: Partial<Record<string, Tone>> = {
  delivered: "done",
  dead: "stopped",
  given_up: "stopped",
  dropped: "stopped",
};

export const deliveries = screen({
  path: "/events/deliveries",
  title: "Deliveries",
  needs: "list_deliveries",
  forms: ["resend_delivery"],
  async load(visit) {
    const status = DELIVERY_STATUSES.find((known) => known === visit.query.get("status"));
    return { status, ...(await visit.call("list_deliveries", { ...pageOf(visit), ...(status && { status }) })) };
  },
  view: ({ data, meta, status }, { href, path }) => (
    <>
      <Tabs label="Events" tabs={TABS} />
      <nav class="bar" aria-label="By status">
        {[undefined, ...DELIVERY_STATUSES].map((choice) => (
          <a
            key={choice ?? "all"}
            href={href(path, { status: choice })}
            aria-current={choice === status ? "page" : undefined}
          >
            {choice === undefined ? "All" : inWords(choice)}
          </a>
        ))}
      </nav>
      {data.length === 0 ? (
        <Empty
          title={
            status === undefined
              ? "Nothing was sent in the last 30 days"
              : `Nothing is ${inWords(status).toLowerCase()}`
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
            { name: "Event", cell: ({ event }) => event },
            { name: "To", cell: ({ url }) => <code>{url}</code> },
            { name: "Status", cell: (row) => <Chip tone={TONES[row.status] ?? "needs"}>{inWords(row.status)}</Chip> },
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
    </>
  ),
});
