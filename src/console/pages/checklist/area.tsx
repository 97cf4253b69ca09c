/** @jsxRuntime automatic @jsxImportSource preact */
import { Icon } from "../../parts/icon.tsx";
import { Meter } from "../../parts/meter.tsx";
import { ItemLink, Marks, StatusChip } from "./chips.tsx";
import { type Entry, RUNNER_WORDS, type standingsOf } from "./items.ts";

type Standings = ReturnType<typeof standingsOf>;
type Place = NonNullable<ReturnType<Standings["get"]>>["place"];

/** One that is empty is not shown. */
const COLUMNS: readonly { place: Place; name: string }[] = [
  { place: "waiting", name: "Waits for a decision" },
  { place: "missing", name: "To do" },
  { place: "done", name: "Done" },
];

interface Props {
  area: string;
  entries: readonly Entry[];
  standings: Standings;
  open: boolean;
}

/** One area: how far it has come, and opened, its items in the columns of the board. */
export function AreaBoard({ area, entries, standings, open }: Props) {
  const at = (place: Place) => entries.filter(({ id }) => standings.get(id)?.place === place);
  const [waiting, done, aside] = [at("waiting"), at("done"), at("aside")];
  const counted = entries.length - aside.length;
  return (
    <details class="area" open={open || waiting.length > 0}>
      <summary>
        <h2>
          <Icon name="down" /> {area}
        </h2>
        <Come what={area} done={done.length} waiting={waiting.length} counted={counted} />
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
                  <Card key={entry.id} entry={entry} posts={standings.get(entry.id)?.posts_waiting ?? 0} />
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

interface ComeProps {
  what: string;
  done: number;
  waiting: number;
  counted: number;
}

/** How far something has come: a bar, and the same in words. */
export function Come({ what, done, waiting, counted }: ComeProps) {
  const waits = waiting === 0 ? "" : `, ${waiting} ${waiting === 1 ? "waits" : "wait"} for a decision`;
  const words = counted === 0 ? "nothing to do now" : `${done} of ${counted} done${waits}`;
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
        <ItemLink id={entry.id} /> · {entry.frequency_label} · {RUNNER_WORDS[entry.executor.runner]}
      </p>
      <p class="clamp">{entry.task}</p>
      <p class="chips">
        <Marks entry={entry} posts={posts} />
      </p>
    </li>
  );
}

/** What counts neither as missing nor as done. */
function Aside({ entries }: { entries: readonly Entry[] }) {
  return (
    <details class="more">
      <summary>{entries.length} more set aside: they do not apply, or come up by themselves</summary>
      <ul class="plain">
        {entries.map((entry) => (
          <li key={entry.id}>
            <ItemLink id={entry.id} /> <span>{entry.task}</span> <StatusChip status={entry.status} label={why(entry)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function why({ executor, status, status_label, due }: Entry): string {
  if (executor.replaced_by !== null) return `replaced by ${executor.replaced_by}`;
  if (status === "not_applicable") return status_label.toLowerCase();
  if (executor.test_first) return "to be tried first";
  return due.kind === "event" ? due.label.toLowerCase() : "closed by a denied card";
}
