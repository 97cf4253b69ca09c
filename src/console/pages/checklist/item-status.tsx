/** @jsxRuntime automatic @jsxImportSource preact */

import { CHECKLIST_STATUSES } from "../../../domain/checklist/status.ts";
import { Section, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { formatDay, withDates } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import { ItemLink, ItemStatusChip, openLabel, TO_DO } from "./chips.tsx";
import type { DueEntry, Entry, ItemProgress } from "./items.ts";

interface DueReasonProps {
  entry: Pick<DueEntry, "due_reason" | "due" | "change_request" | "status" | "status_label">;
  /** Since when no other item has to be done first. */
  since: string | null;
}

/** Why an item is due, and since when. */
export function DueReason({ entry, since }: DueReasonProps) {
  const { due_reason, due, change_request } = entry;
  const waits = since === null;
  switch (due_reason) {
    case "change_requested":
      return (
        <span>
          Changes requested <Time at={change_request?.requested_at ?? null} />: “{change_request?.note}”
        </span>
      );
    case "overdue":
      return (
        <span>
          {waits ? "Waiting for other items. It was due" : "Overdue since"} <Day of={due.due_on} />.
        </span>
      );
    case "due_today":
      return <span>{waits ? "Waiting for other items. It's due today" : due.label}.</span>;
    case "one_time_open":
      return <Open label={openLabel(entry)} since={since} />;
    case "never_done":
      return <Open label={entry.status === "in_progress" ? openLabel(entry) : "Never done"} since={since} />;
  }
}

/** When the item is due, with its date as on the rest of the page. */
function dueText({ due: { label, due_on, state } }: Pick<Entry, "due">): string {
  if (due_on === null || state === null || state === "due_today") return label;
  return state === "overdue" ? `Due since ${formatDay(due_on)}` : `Due on ${formatDay(due_on)}`;
}

/** A date without a time. */
export function Day({ of: day }: { of: string | null }) {
  return day !== null && <time dateTime={day}>{formatDay(day)}</time>;
}

function Open({ label, since }: { label: string; since: string | null }) {
  if (since === null) return <span>{label}. Waiting for other items.</span>;
  return (
    <span>
      {label}. Became ready <Time at={since} />.
    </span>
  );
}

interface Props {
  entry: Entry;
  due: DueEntry | undefined;
  progress: Pick<ItemProgress, "place" | "open_since"> | undefined;
}

/** The status of an item, who recorded it, and the form that sets it. */
export function ItemStatus({ entry, due, progress }: Props) {
  const { replaced_by } = entry.executor;
  const since = progress?.open_since ?? null;
  const isWaiting = progress?.place === "waiting";
  const recorded = (
    <>
      <p>
        <ItemStatusChip entry={entry} place={progress?.place} />
      </p>
      {isWaiting && <p>A submission needs a decision.</p>}
      {!(isWaiting && entry.status_source === null) && <Recorded entry={entry} />}
    </>
  );
  if (replaced_by !== null) {
    return (
      <div class="stack">
        <Section title="Status">
          <div class="card stack">
            <p>
              Replaced by <ItemLink id={replaced_by} />.
            </p>
            {entry.status_source !== null && recorded}
          </div>
        </Section>
        <SetStatus entry={entry} />
      </div>
    );
  }
  return (
    <div class="stack">
      <Section title="Status">
        <div class="card stack">
          {recorded}
          <p>{due === undefined ? `${dueText(entry)}.` : <DueReason entry={due} since={since} />}</p>
          {entry.last_done_on !== null && (
            <p class="quiet">
              Last done: <Day of={entry.last_done_on} />
            </p>
          )}
        </div>
      </Section>
      <Assessment entry={entry} />
      <SetStatus entry={entry} />
    </div>
  );
}

function Recorded({ entry: { evidence, status_source, status_updated_at, recorded_by } }: { entry: Entry }) {
  if (status_source === null || recorded_by === null) return <p class="quiet">No status recorded yet.</p>;
  const { name } = recorded_by;
  const who = { system: "Rostrum (auto-check)", agent: `${name} (agent)`, member: name }[status_source];
  return (
    <>
      {evidence !== null && <p class="words">{status_source === "system" ? withDates(evidence) : evidence}</p>}
      <p class="quiet small">
        Recorded by {who}, <Time at={status_updated_at} />
      </p>
    </>
  );
}

const RESULTS: Record<NonNullable<Entry["assessment"]>["state"], string> = {
  done: "Done",
  missing: "Not done",
  unknown: "Not checked",
  not_applicable: "Not applicable",
};

function Assessment({ entry: { assessment, status_source } }: { entry: Entry }) {
  if (assessment === null) return null;
  // The API then repeats the teammate's status, which Rostrum didn't check.
  if (status_source === "member") {
    return (
      <Section title="Auto-check">
        <p class="card">Not checked by Rostrum. Status set by a teammate.</p>
      </Section>
    );
  }
  const { state, reason, sources } = assessment;
  return (
    <Section title="Auto-check">
      <div class="card stack">
        <p>
          <Status of={state} kind="assessment" label={RESULTS[state]} />
        </p>
        <p class="words">{withDates(reason)}</p>
        {sources.length > 0 && (
          <p class="quiet small">Based on: {withDates(sources.map(({ label }) => label).join(", "))}</p>
        )}
      </div>
    </Section>
  );
}

const statuses = Object.entries(CHECKLIST_STATUSES)
  .filter(([value]) => value !== "not_assessed")
  .map(([value, label]) => ({ value, label: value === "not_started" ? TO_DO : label }));

/** What can set the status once a teammate has cleared it. */
const AFTER_CLEARING: Partial<Record<Entry["executor"]["evidence_verdict"], string>> = {
  observation: " Agents can then record evidence for this item again.",
  service: " Rostrum then checks this item right away and sets its status.",
};

function SetStatus({ entry: { id, status_source, executor } }: { entry: Entry }) {
  return (
    <>
      <Form does="mark_checklist_item" class="card" label="Set status">
        <h2>Set status</h2>
        <Hidden name="item_id" value={id} />
        <Select
          name="status"
          label="Status"
          hint="Your status overrides what agents record and what auto-checks find."
          choices={[{ value: "", label: "Choose…" }, ...statuses]}
          required
        />
        <TextArea name="evidence" label="Evidence or reason" rows={3} hint="Optional." />
        <TextField
          name="done_on"
          kind="optional"
          type="date"
          label="Done on"
          hint="Only for the status Done. Leave blank to use today's date."
        />
        <button type="submit" class="primary">
          Save status
        </button>
      </Form>
      {(status_source === "member" || status_source === "agent") && (
        <Confirm does="mark_checklist_item" id="take-back" opens="Clear status…" submit="Clear status">
          <Hidden name="item_id" value={id} />
          <Hidden name="status" value="not_assessed" />
          <p>
            This also clears the date when the item was last done.
            {AFTER_CLEARING[executor.evidence_verdict]}
          </p>
        </Confirm>
      )}
    </>
  );
}
