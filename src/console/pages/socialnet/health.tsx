/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { amount, counted, formatDay, shortDay } from "../../ui/format.ts";
import { AccountTabs } from "./state.tsx";

/** A month with two measurements a day. */
const PAGE = 60;

export const agentHealth = screen({
  path: "/agents/:id/health",
  needs: "list_socialnet_health",
  async load(ctx) {
    const account_id = ctx.params.id ?? "";
    const { data } = await ctx.call("get_socialnet_account", { account_id });
    const health = await ctx.call("list_socialnet_health", { account_id, ...pageOf(ctx, PAGE) });
    return { account: data, health };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: health`,
  view: ({ account, health }) => (
    <>
      <AccountTabs id={account.id} />
      <p class="lead">
        Connection requests sent from this account and how many were accepted, as reported by its agent. Each
        measurement covers requests from an earlier period, because people take days to answer. It is marked as current
        for 24 hours after it was taken.
      </p>
      {health.data.length === 0 ? (
        <Empty title="No measurements yet">
          <p>Numbers appear when the agent reports them for the first time.</p>
        </Empty>
      ) : (
        <>
          <div class="card">
            <HealthChart measured={health.data} />
          </div>
          <Section title="Measurements">
            <Evidence rows={health.data} />
            <Pager meta={health.meta} label="Measurement pages" />
          </Section>
        </>
      )}
    </>
  ),
});

type Measured = DataOf<"list_socialnet_health">[number];

const [HEIGHT, LEFT, BOTTOM, TOP] = [200, 40, 24, 12];
const MAX_DAYS = 30;
/** A phone has room for this many dates. */
const MAX_LABELS = 5;

/** The newest measurement of each day, the oldest day first. */
function daysOf(measured: readonly Measured[]): Measured[] {
  const byDay = new Map<string, Measured>();
  for (const one of measured) {
    const day = one.observedAt.slice(0, 10);
    if (!byDay.has(day)) byDay.set(day, one);
  }
  return [...byDay.values()].slice(0, MAX_DAYS).reverse();
}

/** Rounds up to 1, 2, 5 or 10 times a power of ten, where the scale ends. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= most) ?? most;
}

const known = (count: number | null) => (count === null ? "Unknown" : amount(count));

const DAY = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", timeZone: "UTC" });

/** The x axis uses percentages rather than scaling, so that its text keeps the size of the text around it. */
function HealthChart({ measured }: { measured: readonly Measured[] }) {
  const days = daysOf(measured);
  const top = roundUp(
    Math.max(1, ...days.map(({ invitationsSent: s, invitationsAccepted: a }) => Math.max(s ?? 0, a ?? 0))),
  );
  const each = 100 / days.length;
  const bar = Math.min(3, each * 0.32);
  const high = (count: number) => ((HEIGHT - BOTTOM - TOP) * count) / top;
  const base = HEIGHT - BOTTOM;
  const dates = [days[0], days.at(-1)].map((one) => formatDay(one?.observedAt ?? ""));
  const period = [...new Set(dates)].join(" to ");
  const grid = [0, 0.5, 1].map((share) => ({ count: top * share, y: base - high(top * share) }));
  return (
    <figure class="chart">
      <div class="plot">
        <svg width={LEFT} height={HEIGHT} aria-hidden="true">
          {grid.map(({ count, y }) => (
            <text key={y} x={LEFT - 8} y={y + 4} text-anchor="end">
              {amount(count)}
            </text>
          ))}
        </svg>
        <svg width="100%" height={HEIGHT} role="img" aria-labelledby="health-title health-desc">
          <title id="health-title">Connection requests sent and accepted, by day of measurement</title>
          <desc id="health-desc">
            {`${counted(days.length, "day")}, ${period}. The table below has the same numbers.`}
          </desc>
          {grid.map(({ y }) => (
            <line key={y} class="rule" x1="0" x2="100%" y1={y} y2={y} />
          ))}
          {days.map((one, i) => (
            <Bars
              key={one.observationId}
              one={one}
              each={each}
              bar={bar}
              base={base}
              high={high}
              middle={each * (i + 0.5)}
              labelled={i % Math.ceil(days.length / MAX_LABELS) === 0}
            />
          ))}
        </svg>
      </div>
      <figcaption class="small">
        <span>
          <Key of="sent" /> Sent
        </span>
        <span>
          <Key of="accepted" /> Accepted
        </span>
      </figcaption>
    </figure>
  );
}

interface BarsProps {
  one: Measured;
  /** In hundredths of the width. */
  middle: number;
  each: number;
  bar: number;
  base: number;
  high: (count: number) => number;
  labelled: boolean;
}

/** What was measured on one day. */
function Bars({ one, middle, each, bar, base, high, labelled }: BarsProps) {
  const { observedAt, invitationsSent: sent, invitationsAccepted: accepted, evidence } = one;
  return (
    <g>
      <title>{`Measured ${formatDay(observedAt)}: ${known(sent).toLowerCase()} sent, ${known(accepted).toLowerCase()} accepted. ${evidence}`}</title>
      <rect class="reach" x={`${middle - each / 2}%`} y={TOP} width={`${each}%`} height={base - TOP} />
      {sent !== null && (
        <rect class="sent" x={`${middle - bar}%`} y={base - high(sent)} width={`${bar * 0.9}%`} height={high(sent)} />
      )}
      {accepted !== null && (
        <rect
          class="accepted"
          x={`${middle + bar * 0.1}%`}
          y={base - high(accepted)}
          width={`${bar * 0.9}%`}
          height={high(accepted)}
        />
      )}
      {labelled && (
        <text x={`${middle}%`} y={HEIGHT - 6} text-anchor="middle">
          {DAY.format(Date.parse(observedAt))}
        </text>
      )}
    </g>
  );
}

function Key({ of }: { of: "sent" | "accepted" }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <rect class={of} x="1" y="1" width="8" height="8" />
    </svg>
  );
}

function Evidence({ rows }: { rows: readonly Measured[] }) {
  const { now } = usePageContext();
  return (
    <Table
      caption="Measurements, newest first"
      stacked
      rows={rows}
      keyOf={({ observationId }) => observationId}
      columns={[
        {
          name: "Measured",
          cell: ({ observedAt, expiresAt }) => (
            <>
              <Time at={observedAt} /> {Date.parse(expiresAt) > now && <Chip tone="done">Current</Chip>}
            </>
          ),
        },
        {
          name: "Period",
          wide: true,
          cell: ({ windowStartedAt, windowEndedAt }) => (
            <span class="nowrap">
              {shortDay(windowStartedAt.slice(0, 10), now)} – {shortDay(windowEndedAt.slice(0, 10), now)}
            </span>
          ),
        },
        { name: "Sent", figure: true, cell: ({ invitationsSent }) => known(invitationsSent) },
        { name: "Accepted", figure: true, cell: ({ invitationsAccepted }) => known(invitationsAccepted) },
        { name: "Rate", figure: true, cell: rateOf },
        {
          name: "Withdrawn",
          figure: true,
          wide: true,
          cell: ({ invitationsWithdrawn }) => known(invitationsWithdrawn),
        },
        { name: "Warnings", figure: true, cell: ({ warnings }) => known(warnings) },
        { name: "Evidence", grow: "wrap", cell: ({ evidence }) => evidence },
      ]}
    />
  );
}

function rateOf({ invitationsSent: sent, invitationsAccepted: accepted }: Measured): string {
  return sent === null || accepted === null || sent === 0 ? "–" : `${Math.round((100 * accepted) / sent)}%`;
}
