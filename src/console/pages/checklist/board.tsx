/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Time } from "../../ui/basics.tsx";
import { Select } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { counted as count } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Meter } from "../../ui/status.tsx";
import { ChecklistTabs, ItemLink, Marks, type Place, StatusChip } from "./chips.tsx";
import {
  allItems,
  CHANNEL_CHOICES,
  type Entry,
  type Filter,
  FREQUENCY_CHOICES,
  filterOf,
  foundText,
  narrow,
  OWNER_CHOICES,
  ownerLabel,
  type Progress,
  type ProgressById,
  progressById,
} from "./items.ts";

export const checklist = screen({
  path: "/checklist",
  title: "Checklist",
  needs: "list_checklist_items",
  forms: ["run_assessment"],
  async load(ctx) {
    const [entries, progress, assessment] = await Promise.all([
      allItems(ctx),
      ctx.call("get_checklist_progress", {}),
      ctx.call("get_assessment", {}),
    ]);
    const filter = filterOf(ctx);
    return { filter, shown: narrow(entries, filter), progress: progress.data, assessment: assessment.data };
  },
  view: ({ filter, shown, progress, assessment }, { href }) => {
    const byItem = progressById(progress);
    const filtered = Object.values(filter).some((value) => value !== "");
    const areas = progress.areas
      .map(({ area }) => ({ area, entries: shown.filter((entry) => entry.area === area) }))
      .filter(({ entries }) => entries.length > 0);
    return (
      <>
        <ChecklistTabs />
        <LastCheck assessment={assessment} />
        <details class="fold" open={filtered}>
          <summary class="button">Filter…</summary>
        </details>
        <Filters filter={filter} progress={progress} />
        {areas.length === 0 && (
          <Empty title="No matching items">
            <p>
              <a href={href("/checklist")}>Clear filters</a>
            </p>
          </Empty>
        )}
        {areas.length > 0 && <OverallProgress shown={shown} byItem={byItem} />}
        <div class="areas">
          {areas.map(({ area, entries }) => (
            <AreaBoard key={area} area={area} entries={entries} byItem={byItem} open={filtered} />
          ))}
        </div>
      </>
    );
  },
});

/** The columns of an area. Empty ones are hidden. */
const COLUMNS: readonly { place: Place; name: string }[] = [
  { place: "waiting", name: "Needs review" },
  { place: "missing", name: "To do" },
  { place: "done", name: "Done" },
];

interface Props {
  area: string;
  entries: readonly Entry[];
  byItem: ProgressById;
  open: boolean;
}

/** One area: its progress, and when open, its items in columns. */
function AreaBoard({ area, entries, byItem, open }: Props) {
  const at = (place: Place) => entries.filter(({ id }) => byItem.get(id)?.place === place);
  const [waiting, done, aside] = [at("waiting"), at("done"), at("aside")];
  const counted = entries.length - aside.length;
  return (
    <details class="area" open={open || waiting.length > 0}>
      <summary>
        <h2>
          <Icon name="down" /> {area}
        </h2>
        <ProgressSummary what={area} done={done.length} waiting={waiting.length} counted={counted} />
      </summary>
      <div class="columns">
        {COLUMNS.map(({ place, name }) => {
          const cards = at(place);
          if (cards.length === 0) return null;
          return (
            <section key={place} class={place}>
              <h3>
                {name} <span class="quiet">{cards.length}</span>
              </h3>
              <ul>
                {cards.map((entry) => (
                  <Card key={entry.id} entry={entry} posts={byItem.get(entry.id)?.posts_waiting ?? 0} />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      {aside.length > 0 && <Aside entries={aside} />}
    </details>
  );
}

interface ProgressSummaryProps {
  what: string;
  done: number;
  waiting: number;
  counted: number;
}

/** Progress as a bar, and the same as text. */
function ProgressSummary({ what, done, waiting, counted }: ProgressSummaryProps) {
  const review = waiting === 0 ? "" : `, ${waiting} ${waiting === 1 ? "needs" : "need"} review`;
  const words = counted === 0 ? "nothing to do" : `${done} of ${counted} done${review}`;
  const share = (count: number) => (counted === 0 ? 0 : count / counted);
  return (
    <>
      <Meter
        label={`${what}: ${words}`}
        parts={[
          { share: share(done), tone: "done" },
          { share: share(waiting), tone: "needs" },
        ]}
      />
      <span class="quiet">{words}</span>
    </>
  );
}

function Card({ entry, posts }: { entry: Entry; posts: number }) {
  return (
    <li>
      <p class="small quiet">
        <ItemLink id={entry.id} /> · {entry.frequency_label} · {ownerLabel(entry)}
      </p>
      <p class="clamp">{entry.task}</p>
      <p class="chips">
        <Marks entry={entry} posts={posts} />
      </p>
    </li>
  );
}

/** Items that count neither as to do nor as done. */
function Aside({ entries }: { entries: readonly Entry[] }) {
  return (
    <details class="more">
      <summary>{count(entries.length, "item")} not scheduled</summary>
      <ul class="plain">
        {entries.map((entry) => (
          <li key={entry.id}>
            <ItemLink id={entry.id} /> <span>{entry.task}</span>{" "}
            <StatusChip status={entry.status} label={asideReason(entry)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function asideReason({ executor, status, status_label, due }: Entry): string {
  if (executor.replaced_by !== null) return `Replaced by ${executor.replaced_by}`;
  if (status === "not_applicable") return status_label;
  if (executor.test_first) return "Trial: optional, not scheduled";
  return due.kind === "event" ? due.label : "Closed: document rejected";
}

/** When the automatic check last ran, and what it found. */
function LastCheck({ assessment }: { assessment: DataOf<"get_assessment"> }) {
  const { href } = usePageContext();
  const { assessed_at, catalog_version, items, states } = assessment;
  return (
    <div class="assessed">
      <div>
        <p class="lead">Social marketing tasks for teammates, agents and Rostrum, sorted by priority.</p>
        <details class="more small">
          <summary>
            {assessed_at === null ? (
              "No auto-check yet"
            ) : (
              <>
                Rostrum last checked <Time at={assessed_at} />
              </>
            )}
          </summary>
          {assessed_at === null ? (
            <p>Rostrum runs an auto-check every week.</p>
          ) : (
            <p>
              Result for all {items} items (checklist version {catalog_version}): {foundText(states)}. The totals below
              also count items that a teammate or an approval marked as done. A teammate's status takes precedence over
              the auto-check.
            </p>
          )}
          <p>
            The auto-check marks what Rostrum can verify. OT items are done once, ON items repeatedly. Active channels
            are those set to Connected under <a href={href("/settings/connections")}>Settings → Channels</a>.
          </p>
        </details>
      </div>
      <Form does="run_assessment" class="inline" label="Auto-check">
        <button type="submit">Run auto-check</button>
      </Form>
    </div>
  );
}

function OverallProgress({ shown, byItem }: { shown: readonly Entry[]; byItem: ProgressById }) {
  const at = (place: string) => shown.filter(({ id }) => byItem.get(id)?.place === place).length;
  const [done, waiting, missing] = [at("done"), at("waiting"), at("missing")];
  const counted = done + waiting + missing;
  const aside = shown.length - counted;
  return (
    <>
      <div class="whole">
        <strong>All items</strong>
        <ProgressSummary what="All items" done={done} waiting={waiting} counted={counted} />
      </div>
      <p class="hint">
        {count(shown.length, "item")}: {counted} active
        {aside > 0 && `, ${aside} not scheduled`}.
        {aside > 0 &&
          " Items aren't scheduled if they don't apply, were replaced, are optional trials, depend on a post or an event, or had their document rejected."}
      </p>
    </>
  );
}

function Filters({ filter, progress }: { filter: Filter; progress: Progress }) {
  const { href } = usePageContext();
  const all = (label: string) => ({ value: "", label });
  const areas = progress.areas.map(({ area }) => ({ value: area, label: area }));
  return (
    <form method="get" action={href("/checklist")} class="sieve" role="search" aria-label="Filter items">
      <Select name="area" label="Area" choices={[all("All areas"), ...areas]} value={filter.area} />
      <Select
        name="channel"
        label="Channel"
        choices={[all("All channels"), ...CHANNEL_CHOICES]}
        value={filter.channel}
      />
      <Select
        name="frequency"
        label="Frequency"
        choices={[all("Any frequency"), ...FREQUENCY_CHOICES]}
        value={filter.frequency}
      />
      <Select name="executor" label="Done by" choices={[all("Anyone"), ...OWNER_CHOICES]} value={filter.executor} />
      <div class="bar">
        <button type="submit">Apply filters</button>
        {Object.values(filter).some((value) => value !== "") && <a href={href("/checklist")}>Clear filters</a>}
      </div>
    </form>
  );
}
