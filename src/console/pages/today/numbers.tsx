/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Section } from "../../ui/basics.tsx";
import { amount, formatDay } from "../../ui/format.ts";

type Day = DataOf<"get_daily_numbers">["days"][number];
type Name = Exclude<keyof Day, "date">;

const TILES: readonly { name: Name; label: string; path: `/${string}`; query?: Record<string, string> }[] = [
  { name: "replies", label: "Replies", path: "/inbox" },
  { name: "meetings_booked", label: "Meetings booked", path: "/contacts" },
  { name: "emails_sent", label: "Emails sent", path: "/sequences/sends", query: { status: "sent" } },
  { name: "agent_actions", label: "Agent actions", path: "/agents/work" },
  { name: "bounces", label: "Bounces", path: "/sequences/sends", query: { status: "failed" } },
];

/** Today's numbers, each with the two weeks before it. */
export function Numbers({ days }: { days: readonly Day[] }) {
  const { href } = usePageContext();
  if (days.every((day) => TILES.every(({ name }) => day[name] === 0))) return null;
  return (
    <Section title="Today's numbers">
      <ul class="numbers">
        {TILES.map(({ name, label, path, query }) => {
          const counts = days.map((day) => day[name]);
          return (
            <li key={name} class="card">
              <a href={href(path, query ?? {})}>{label}</a>
              <p class="number">{amount(counts.at(-1) ?? 0)}</p>
              <Bars days={days} name={name} label={label} />
              <Trend counts={counts} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

const WEEK = 7;
const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

/** The last seven days beside the seven before: single days jump. */
function Trend({ counts }: { counts: readonly number[] }) {
  const [before, last] = [sum(counts.slice(-2 * WEEK, -WEEK)), sum(counts.slice(-WEEK))];
  if (before === 0 && last === 0) return <p class="hint">None in the last 14 days</p>;
  return (
    <p class="hint">
      {amount(last)} in the last 7 days, {amount(before)} in the 7 days before
    </p>
  );
}

const BAR = 7;
const GAP = 2;
const HEIGHT = 28;

/** A bar for each day, today's last. The table behind it is for screen readers. */
function Bars({ days, name, label }: { days: readonly Day[]; name: Name; label: string }) {
  const most = Math.max(1, ...days.map((day) => day[name]));
  const width = days.length * (BAR + GAP) - GAP;
  return (
    <>
      <svg class="bars" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} aria-hidden="true">
        {days.map((day, i) => {
          const height = day[name] === 0 ? 1 : Math.max(2, Math.round((day[name] / most) * HEIGHT));
          return (
            <rect
              key={day.date}
              class={i === days.length - 1 ? "today" : undefined}
              x={i * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
            >
              <title>{`${formatDay(day.date)}: ${amount(day[name])}`}</title>
            </rect>
          );
        })}
      </svg>
      <table class="hidden">
        <caption>{`${label} per day`}</caption>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{formatDay(day.date)}</th>
              <td>{amount(day[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
