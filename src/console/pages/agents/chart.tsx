/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { amount } from "../../figures.ts";

export type Measured = DataOf<"list_socialnet_health">[number];

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 200, 40, 24, 12];
const MOST_DAYS = 30;

/** The newest measurement of each day, the oldest day first. */
function daysOf(measured: readonly Measured[]): Measured[] {
  const byDay = new Map<string, Measured>();
  for (const one of measured) {
    const day = one.observedAt.slice(0, 10);
    if (!byDay.has(day)) byDay.set(day, one);
  }
  return [...byDay.values()].slice(0, MOST_DAYS).reverse();
}

/** The next round number that a scale ends at. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= most) ?? most;
}

export const known = (count: number | null) => (count === null ? "not known" : amount(count));

/** Invitations sent and accepted, by the day on which they were measured. */
export function HealthChart({ measured }: { measured: readonly Measured[] }) {
  const days = daysOf(measured);
  const top = roundUp(
    Math.max(1, ...days.map(({ invitationsSent: s, invitationsAccepted: a }) => Math.max(s ?? 0, a ?? 0))),
  );
  const each = (WIDTH - LEFT) / days.length;
  const bar = Math.min(22, each * 0.32);
  const high = (count: number) => ((HEIGHT - BOTTOM - TOP) * count) / top;
  const base = HEIGHT - BOTTOM;
  const first = days[0]?.observedAt.slice(0, 10);
  const last = days.at(-1)?.observedAt.slice(0, 10);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby="health-title health-desc">
        <title id="health-title">Invitations sent and accepted, by day of measurement</title>
        <desc id="health-desc">
          {`${days.length} ${days.length === 1 ? "day" : "days"}, ${first} to ${last}. The table below has the same figures.`}
        </desc>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <path class="rule" d={`M${LEFT} ${base - high(top * share)}H${WIDTH}`} />
            <text x={LEFT - 8} y={base - high(top * share) + 4} text-anchor="end">
              {amount(top * share)}
            </text>
          </g>
        ))}
        {days.map((one, i) => {
          const { observationId, observedAt, invitationsSent: sent, invitationsAccepted: accepted, evidence } = one;
          const middle = LEFT + each * (i + 0.5);
          const labelled = days.length <= 10 || i % Math.ceil(days.length / 10) === 0;
          return (
            <g key={observationId}>
              <title>{`${observedAt.slice(0, 10)}: ${known(sent)} sent, ${known(accepted)} accepted. ${evidence}`}</title>
              <rect class="reach" x={middle - each / 2} y={TOP} width={each} height={base - TOP} />
              {sent !== null && (
                <rect class="sent" x={middle - bar - 1} y={base - high(sent)} width={bar} height={high(sent)} />
              )}
              {accepted !== null && (
                <rect class="accepted" x={middle + 1} y={base - high(accepted)} width={bar} height={high(accepted)} />
              )}
              {labelled && (
                <text x={middle} y={HEIGHT - 6} text-anchor="middle">
                  {observedAt.slice(5, 10)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption class="small">
        <span>
          <Key of="sent" /> sent
        </span>
        <span>
          <Key of="accepted" /> accepted
        </span>
      </figcaption>
    </figure>
  );
}

function Key({ of }: { of: "sent" | "accepted" }) {
  return (
    <svg class="key" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <rect class={of} x="1" y="1" width="8" height="8" />
    </svg>
  );
}
