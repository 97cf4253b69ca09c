/** @jsxRuntime automatic @jsxImportSource preact */

import { isReady } from "../../../domain/checklist/due.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Section, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { amount, counted } from "../../ui/format.ts";
import { ChecklistTabs, ItemLink, openLabel } from "./chips.tsx";
import { Day, DueReason } from "./item-status.tsx";
import { allDue, type DueEntry, ownerLabel, type ProgressById, progressById } from "./items.ts";

const MAX_FIRST = 5;

export const dueNow = screen({
  path: "/checklist/due",
  title: "Due now",
  needs: "list_due_checklist_items",
  async load(ctx) {
    const [all, { data }] = await Promise.all([allDue(ctx), ctx.call("get_checklist_progress", {})]);
    const area = ctx.query.get("area") ?? "";
    const progress = progressById(data);
    const shown = area === "" ? all : all.filter((entry) => entry.area === area);
    const ready = all.filter(({ id, due_reason }) => !isLater(progress, id, due_reason));
    const now = shown.filter((entry) => ready.includes(entry));
    const later = shown.filter((entry) => !ready.includes(entry));
    const first = startHere(now, progress);
    return { all, ready, progress, now, later, first, others: now.filter((entry) => !first.includes(entry)) };
  },
  view: ({ all, ready, progress, now, later, first, others }, { href }) => (
    <>
      <ChecklistTabs />
      {all.length === 0 ? (
        <Empty title="Nothing is due">
          <p>
            Recurring items appear here when they are due again. <a href={href("/checklist")}>View the board</a>
          </p>
        </Empty>
      ) : (
        <>
          <Areas all={all} ready={ready} />
          <p class="lead">
            <strong>{amount(now.length)} ready</strong>
            {later.length > 0 && `, ${counted(later.length, "recurring item")} waiting for other items`}
          </p>
          {first.length > 0 && (
            <Section title="Start here">
              <p class="lead">Items with requested changes, and items that other items depend on.</p>
              <ol class="starts">
                {first.map((entry) => (
                  <Start key={entry.id} entry={entry} progress={progress} />
                ))}
              </ol>
            </Section>
          )}
          {now.length === 0 && <p class="quiet">Every item in this list is waiting for other items.</p>}
          {others.length > 0 && (
            <Section title={`${first.length > 0 ? "More ready items" : "Ready"} (${others.length})`}>
              <DueTable caption="Ready" rows={others} progress={progress} />
            </Section>
          )}
          {later.length > 0 && (
            <Section title={`Waiting for other items (${later.length})`}>
              <details class="more" open={now.length === 0}>
                <summary>Show waiting items</summary>
                <p class="hint">
                  An item becomes ready when all items that it depends on are done or don't apply. An item whose
                  document was rejected isn't done. To continue without it, set its status to Done or Not applicable.
                </p>
                <DueTable caption="Waiting for other items" rows={later} progress={progress} after />
              </details>
            </Section>
          )}
        </>
      )}
    </>
  ),
});

function isLater(progress: ProgressById, id: string, reason: DueEntry["due_reason"]): boolean {
  return !isReady(reason, progress.get(id)?.waits_for ?? []);
}

/** Requested changes first, then the items that block the most other items. */
function startHere(now: readonly DueEntry[], progress: ProgressById): DueEntry[] {
  const unblocks = ({ id }: DueEntry) => progress.get(id)?.unblocks ?? 0;
  const asked = now.filter(({ due_reason }) => due_reason === "change_requested");
  const others = now.filter((entry) => !asked.includes(entry) && unblocks(entry) > 0);
  return [...asked, ...others.sort((a, b) => unblocks(b) - unblocks(a))].slice(0, MAX_FIRST);
}

/** All areas with due items. Each counts what can be done now. */
function Areas({ all, ready }: { all: readonly DueEntry[]; ready: readonly DueEntry[] }) {
  const areas = [...new Set(all.map((entry) => entry.area))];
  const countOf = (name: string) => ready.filter((entry) => entry.area === name).length;
  return (
    <Choices
      label="Areas"
      name="area"
      choices={[
        { value: undefined, name: "All areas", count: ready.length },
        ...areas.map((name) => ({ value: name, name, count: countOf(name) })),
      ]}
    />
  );
}

function Start({ entry, progress }: { entry: DueEntry; progress: ProgressById }) {
  const unblocks = progress.get(entry.id)?.unblocks ?? 0;
  return (
    <li class="card">
      <p class="small quiet">
        <ItemLink id={entry.id} /> · {entry.area} · {ownerLabel(entry)}
      </p>
      <p class="clamp three">{entry.task}</p>
      <p class="small">
        <DueReason entry={entry} since={progress.get(entry.id)?.open_since ?? null} />
        {unblocks > 0 && (
          <strong>
            {" "}
            {counted(unblocks, "open item")} {unblocks === 1 ? "depends" : "depend"} on this, directly or indirectly.
          </strong>
        )}
      </p>
    </li>
  );
}

interface TableProps {
  caption: string;
  rows: readonly DueEntry[];
  progress: ProgressById;
  after?: boolean;
}

function DueTable({ caption, rows, progress, after = false }: TableProps) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { name: "Item", cell: ({ id }) => <ItemLink id={id} /> },
        { name: "Task", grow: "wrap", phone: "title", cell: ({ task }) => <span class="clamp">{task}</span> },
        { name: "Area", wide: true, cell: ({ area }) => area },
        {
          name: "Status",
          wrap: true,
          cell: (entry) => <Since entry={entry} opened={progress.get(entry.id)?.open_since ?? null} />,
        },
        ...(after
          ? [{ name: "Waiting for", cell: ({ id }: DueEntry) => <Before ids={progress.get(id)?.waits_for ?? []} /> }]
          : []),
        { name: "Done by", wide: true, cell: ownerLabel },
      ]}
    />
  );
}

/** Since when the item is due. */
function Since({ entry, opened }: { entry: DueEntry; opened: string | null }) {
  const { due_reason, due, change_request, status } = entry;
  const waits = opened === null;
  switch (due_reason) {
    case "change_requested":
      return (
        <>
          Changes requested <Time at={change_request?.requested_at ?? null} />
        </>
      );
    case "overdue":
      return waits ? (
        <>
          Waiting (was due <Day of={due.due_on} />)
        </>
      ) : (
        <>
          Overdue since <Day of={due.due_on} />
        </>
      );
    case "due_today":
      return <>{waits ? "Waiting (due today)" : due.label}</>;
    case "one_time_open":
    case "never_done":
      if (waits) return <span class="quiet">Waiting</span>;
      return (
        <>
          {status === "in_progress" ? `${openLabel(entry)}. ` : ""}Became ready <Time at={opened} />
        </>
      );
  }
}

function Before({ ids }: { ids: readonly string[] }) {
  return (
    <span class="chips">
      {ids.map((id) => (
        <ItemLink key={id} id={id} />
      ))}
    </span>
  );
}
