/** @jsxRuntime automatic @jsxImportSource preact */
import { Empty } from "../../parts/basics.tsx";
import { Select } from "../../parts/fields.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { AreaBoard, Come } from "./area.tsx";
import { Assessed } from "./assessed.tsx";
import {
  allItems,
  CHANNEL_CHOICES,
  type Entry,
  type Filter,
  FREQUENCY_CHOICES,
  filterOf,
  narrow,
  type Progress,
  RUNNER_CHOICES,
  standingsOf,
} from "./items.ts";
import { ChecklistTabs } from "./tabs.tsx";

export const checklist = screen({
  path: "/checklist",
  title: "Checklist",
  needs: "list_checklist_items",
  forms: ["run_assessment"],
  async load(visit) {
    const [entries, progress, assessment] = await Promise.all([
      allItems(visit),
      visit.call("get_checklist_progress", {}),
      visit.call("get_assessment", {}),
    ]);
    const filter = filterOf(visit);
    return { filter, shown: narrow(entries, filter), progress: progress.data, assessment: assessment.data };
  },
  view: ({ filter, shown, progress, assessment }) => {
    const standings = standingsOf(progress);
    const filtered = Object.values(filter).some((value) => value !== "");
    const areas = progress.areas
      .map(({ area }) => ({ area, entries: shown.filter((entry) => entry.area === area) }))
      .filter(({ entries }) => entries.length > 0);
    return (
      <>
        <ChecklistTabs />
        <Assessed assessment={assessment} />
        <Filters filter={filter} progress={progress} />
        {areas.length === 0 && (
          <Empty title="No item fits">
            <p>Take a filter away to see more of the checklist.</p>
          </Empty>
        )}
        {areas.length > 0 && <Whole shown={shown} standings={standings} />}
        <div class="areas">
          {areas.map(({ area, entries }) => (
            <AreaBoard key={area} area={area} entries={entries} standings={standings} open={filtered} />
          ))}
        </div>
      </>
    );
  },
});

function Whole({ shown, standings }: { shown: readonly Entry[]; standings: ReturnType<typeof standingsOf> }) {
  const at = (place: string) => shown.filter(({ id }) => standings.get(id)?.place === place).length;
  const [done, waiting, missing] = [at("done"), at("waiting"), at("missing")];
  const counted = done + waiting + missing;
  const aside = shown.length - counted;
  return (
    <>
      <div class="whole">
        <strong>All of it</strong>
        <Come what="All of it" done={done} waiting={waiting} counted={counted} />
      </div>
      <p class="hint">
        {shown.length} items: {counted} apply now
        {aside > 0 && `, and ${aside} set aside because they do not apply or come up by themselves`}. Done is what
        people and agents recorded, and what Rostrum saw.
      </p>
    </>
  );
}

function Filters({ filter, progress }: { filter: Filter; progress: Progress }) {
  const { href } = useVisit();
  const all = (label: string) => ({ value: "", label });
  const areas = progress.areas.map(({ area }) => ({ value: area, label: area }));
  return (
    <form method="get" action={href("/checklist")} class="sieve" role="search" aria-label="Narrow the board">
      <Select name="area" label="Area" choices={[all("Every area"), ...areas]} value={filter.area} />
      <Select
        name="channel"
        label="Channel"
        choices={[all("Every channel"), ...CHANNEL_CHOICES]}
        value={filter.channel}
      />
      <Select
        name="frequency"
        label="How often"
        choices={[all("However often"), ...FREQUENCY_CHOICES]}
        value={filter.frequency}
      />
      <Select
        name="executor"
        label="Who does it"
        choices={[all("Whoever does it"), ...RUNNER_CHOICES]}
        value={filter.executor}
      />
      <div class="bar">
        <button type="submit">Show these</button>
        {Object.values(filter).some((value) => value !== "") && <a href={href("/checklist")}>Show everything</a>}
      </div>
    </form>
  );
}
