/** @jsxRuntime automatic @jsxImportSource preact */
import { EVENT_NAMES } from "../../../events/catalog.ts";
import { pageOf } from "../../names.ts";
import { Empty, Pager, Reveal, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Checks, Hidden, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { EventCalled, eventChoices } from "./called.tsx";
import { EventTabs } from "./tabs.tsx";

export const webhooks = screen({
  path: "/events",
  title: "Webhooks",
  needs: "list_webhooks",
  forms: ["create_webhook", "delete_webhook"],
  load: (visit) => visit.call("list_webhooks", pageOf(visit)),
  view: ({ data, meta }, { made, href }) => (
    <>
      <EventTabs />
      {made !== undefined && (
        <Reveal title="The secret that signs deliveries." value={String(made.data.secret)}>
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
