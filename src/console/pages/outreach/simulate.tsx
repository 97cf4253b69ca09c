/** @jsxRuntime automatic @jsxImportSource preact */

import { stringify } from "csv-stringify/sync";
import { isSkipped } from "../../../domain/outreach/simulate.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Table } from "../../ui/basics.tsx";
import { amount, counted, exactly, formatDay, scheduledAt } from "../../ui/format.ts";
import { nameOf, statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { faultText } from "./hold-text.ts";

type Simulation = DataOf<"simulate_sequence">;

type Audience = DataOf<"get_sequence">["approvals"][number];

const SHOWN = 200;

/** The choice of the newest contacts instead of an audience. */
const NEWEST = "newest";

/** What would be sent if the sequence started now, as a table and as a CSV file. */
export const simulate = screen({
  path: "/sequences/:id/simulate",
  needs: "simulate_sequence",
  async load({ call, params, query }) {
    const sequence_id = params.id ?? "";
    const contact = query.get("contact");
    const days = whole(query.get("days"), 30, 365);
    const { data: sequence } = await call("get_sequence", { sequence_id });
    const audiences = sequence.approvals.filter(({ status }) => status !== "voided");
    const audience = audienceOf(audiences, query);
    const whom =
      contact !== null
        ? { contact_ids: [contact] }
        : audience !== undefined
          ? { approval_id: audience }
          : { contacts: whole(query.get("contacts"), 10, 500) };
    const { data } = await call("simulate_sequence", { sequence_id, days, ...whom });
    const only = contact === null ? undefined : (await call("get_contact", { id: contact })).data;
    return { simulation: data, only, audiences, audience };
  },
  up: ({ simulation }) => simulation.name,
  title: ({ simulation }) => `Simulate ${simulation.name}`,
  file: ({ simulation }, { query }) =>
    query.get("as") === "csv"
      ? { name: `simulation-${simulation.sequence_id}.csv`, type: "text/csv; charset=utf-8", body: csv(simulation) }
      : undefined,
  view: ({ simulation, only, audiences, audience }, { href, path, query }) => (
    <>
      <p class="lead">
        See what would be sent if the sequence started now and no one replied. Emails follow the workspace's sending
        hours and daily limit. Social steps are listed at the time when they become due. The social account's hours and
        limits can delay them. Nothing is sent.
      </p>
      <div class="bar">
        {only === undefined ? (
          <SimulationForm simulation={simulation} audiences={audiences} audience={audience} />
        ) : (
          <>
            <span>
              Simulated for <strong>{nameOf(only)}</strong>
            </span>
            <a href={href(path)}>Simulate all contacts</a>
          </>
        )}
        <a class="button" href={href(path, { ...Object.fromEntries(query), as: "csv" })} download>
          Download CSV
        </a>
      </div>
      <Events simulation={simulation} />
    </>
  ),
});

/** The audience that was asked for. Otherwise the one that is activated, or else the newest, if there is any. */
function audienceOf(audiences: readonly Audience[], query: URLSearchParams): string | undefined {
  const asked = query.get("audience");
  if (asked === NEWEST || (asked === null && query.has("contacts"))) return undefined;
  const found =
    audiences.find(({ id }) => id === asked) ?? audiences.find(({ status }) => status === "applied") ?? audiences[0];
  return found?.id;
}

interface FormProps {
  simulation: Simulation;
  audiences: readonly Audience[];
  audience: string | undefined;
}

function SimulationForm({ simulation, audiences, audience }: FormProps) {
  const { href, path } = usePageContext();
  return (
    <form method="get" action={href(path)} class="inline" aria-label="Simulation settings">
      {audiences.length > 0 && (
        <div class="field">
          <label for="simulate-audience">Audience</label>
          <select id="simulate-audience" name="audience">
            {audiences.map(({ id, contact_count, status, approved_at }) => (
              <option key={id} value={id} selected={id === audience}>
                {`${statusLabel(status)}, ${counted(contact_count, "contact")}, ${formatDay(approved_at)}`}
              </option>
            ))}
            <option value={NEWEST} selected={audience === undefined}>
              Newest contacts
            </option>
          </select>
        </div>
      )}
      {audience === undefined && (
        <div class="field figures">
          <label for="simulate-contacts">Newest contacts</label>
          <input
            id="simulate-contacts"
            name="contacts"
            inputMode="numeric"
            value={simulation.contacts || 10}
            aria-describedby="simulate-contacts-hint"
          />
          <p class="hint" id="simulate-contacts-hint">
            How many of the newest contacts to include, enrolled or not.
          </p>
        </div>
      )}
      <div class="field figures">
        <label for="simulate-days">Days ahead</label>
        <input id="simulate-days" name="days" inputMode="numeric" value={simulation.days} />
      </div>
      <button type="submit" class="primary">
        Simulate
      </button>
    </form>
  );
}

function Events({ simulation: { events, time_zone } }: { simulation: Simulation }) {
  const { href, path, now } = usePageContext();
  if (events.length === 0) {
    return (
      <Empty title="Nothing would be sent">
        <p>No step is due in this period, or there are no contacts. Simulate more days, or choose other contacts.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table
        caption="Simulated events"
        rows={events.slice(0, SHOWN)}
        keyOf={({ contact_id, step, type }) => `${contact_id} ${step} ${type}`}
        columns={[
          {
            name: `When (${time_zone})`,
            cell: ({ at }) => (
              <time class="nowrap" dateTime={at} title={exactly(at)}>
                {scheduledAt(Date.parse(at), now, time_zone)}
              </time>
            ),
          },
          {
            name: "Contact",
            phone: "title",
            cell: ({ contact, contact_id }) => <a href={href(path, { contact: contact_id })}>{contact}</a>,
          },
          {
            name: "Step",
            figure: true,
            phone: "named",
            cell: ({ step, type }) => (type === "completed" ? "" : step + 1),
          },
          {
            name: "Event",
            phone: "end",
            cell: (event) => (
              <Status of={event.type} kind="enrollment" {...(isSkipped(event) && { label: "Skipped" })} />
            ),
          },
          { name: "Message", grow: "wrap", cell: ({ type, what }) => (type === "held" ? faultText(what) : what) },
        ]}
      />
      {events.length > SHOWN && (
        <p class="hint">
          Showing the first {SHOWN} of {amount(events.length)}. Download the CSV to see all.
        </p>
      )}
    </>
  );
}

const COLUMNS = ["at", "contact_id", "contact", "step", "type", "what"] as const;

/** Numbers steps from 1. Escapes cells that a spreadsheet would read as formulas. */
function csv({ events }: Simulation): string {
  const rows = events.map((event) => ({ ...event, step: event.step + 1 }));
  return stringify(rows, { header: true, columns: [...COLUMNS], escape_formulas: true });
}

function whole(text: string | null, fallback: number, most: number): number {
  return text !== null && /^\d{1,4}$/.test(text) ? Math.min(most, Math.max(1, Number(text))) : fallback;
}
