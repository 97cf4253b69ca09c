/** @jsxRuntime automatic @jsxImportSource preact */

import { MINUTE_MS } from "../../../lib/time.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import { AccountTabs } from "./state.tsx";

export const agentRuns = screen({
  path: "/agents/:id/runs",
  needs: "list_socialnet_runs",
  async load(ctx) {
    const account_id = ctx.params.id ?? "";
    const account = await ctx.call("get_socialnet_account", { account_id });
    return { account: account.data, runs: await ctx.call("list_socialnet_runs", { account_id, ...pageOf(ctx) }) };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: runs`,
  view: ({ account, runs }) => (
    <>
      <AccountTabs id={account.id} />
      <p class="lead">
        A run is one working session of the agent. The agent claims (reserves) each action before sending it. Before
        Rostrum stores the agent's notes, it removes keys, tokens, email addresses, phone numbers and query strings.
        {runs.data.length > 0 &&
          " The column “Synced” shows how many replies, messages and accepted connections the agent reported."}
      </p>
      {runs.data.length === 0 ? (
        <Empty title="No runs yet">
          <p>The agent reports each run when it finishes.</p>
        </Empty>
      ) : (
        <Table
          caption="Runs, newest first"
          rows={runs.data}
          keyOf={({ runId }) => runId}
          columns={[
            { name: "Ended", cell: ({ finishedAt }) => <Time at={finishedAt} /> },
            { name: "Result", phone: "end", cell: RunResult },
            { name: "Duration", figure: true, phone: "named", cell: (run) => lasted(run) },
            { name: "Claimed", figure: true, phone: "named", cell: ({ claimed }) => claimed },
            { name: "Completed", figure: true, phone: "named", cell: ({ completed }) => completed },
            { name: "Failed", figure: true, phone: "named", cell: ({ failed }) => failed },
            { name: "Synced", figure: true, phone: "named", cell: ({ synced }) => synced },
            { name: "Notes", grow: "wrap", cell: ({ notes }) => notes },
          ]}
        />
      )}
      <Pager meta={runs.meta} label="Run pages" />
      <Schedule account={account} />
    </>
  ),
});

const DAYS = { MO: "Mon", TU: "Tue", WE: "Wed", TH: "Thu", FR: "Fri", SA: "Sat", SU: "Sun" } as const;
const CODES = Object.keys(DAYS);
const UNITS: Record<string, string> = { MINUTELY: "minute", HOURLY: "hour", DAILY: "day", WEEKLY: "week" };
/** A rule with other parts is shown unchanged. */
const KNOWN_PARTS = new Set(["FREQ", "INTERVAL", "BYDAY", "BYHOUR", "BYMINUTE", "WKST"]);

/** A recurrence rule for people: `Mon–Fri at 09:00`. Undefined where one line cannot express it. */
export function formatRule(rrule: string): string | undefined {
  const parts = rrule
    .trim()
    .toUpperCase()
    .replace(/^RRULE:|;$/g, "")
    .split(";")
    .map((part) => part.split("=") as [string, string]);
  if (parts.some(([name]) => !KNOWN_PARTS.has(name))) return undefined;
  const { FREQ = "", INTERVAL = "1", BYDAY, BYHOUR, BYMINUTE } = Object.fromEntries(parts);
  const unit = UNITS[FREQ];
  const times = timesOf(BYHOUR, BYMINUTE);
  const days = BYDAY === undefined ? "" : formatDays(BYDAY.split(","));
  const isShort = FREQ === "HOURLY" || FREQ === "MINUTELY";
  // Minutes without an hour, and an hour of a rule that recurs within the day, do not fit on one line.
  if (unit === undefined || times === undefined || days === undefined || (isShort && times !== "")) return undefined;
  const every = INTERVAL === "1" ? `every ${unit}` : `every ${Number(INTERVAL)} ${unit}s`;
  const weekly = INTERVAL === "1" && !isShort && days !== "";
  const words = [weekly ? "" : every, days && (weekly ? days : `on ${days}`), times && `at ${times}`];
  const text = words.filter(Boolean).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Mon–Fri` where three or more follow each other; undefined for days of a month, as the second Monday. */
function formatDays(codes: readonly string[]): string | undefined {
  const places = codes.map((code) => CODES.indexOf(code)).sort((a, b) => a - b);
  const [first = -1] = places;
  if (first < 0) return undefined;
  const names = places.map((place) => Object.values(DAYS)[place] as string);
  const isRun = places.length > 2 && places.every((place, i) => place === first + i);
  return isRun ? `${names[0]}–${names.at(-1)}` : inOne(names);
}

function timesOf(hours: string | undefined, minutes = "0"): string | undefined {
  if (hours === undefined) return minutes === "0" ? "" : undefined;
  const two = (figure: string) => figure.padStart(2, "0");
  return inOne(hours.split(",").flatMap((hour) => minutes.split(",").map((minute) => `${two(hour)}:${two(minute)}`)));
}

const inOne = (all: readonly string[]) => all.join(", ").replace(/, ([^,]*)$/, " and $1");

type Run = DataOf<"list_socialnet_runs">[number];

/** A run that succeeded may still have failed actions. */
function RunResult({ status, failed }: Run) {
  if (status === "ok" && failed > 0) return <Chip tone="needs">{failed} failed</Chip>;
  return <Status of={status} />;
}

function lasted({ startedAt, finishedAt }: Run): string {
  const minutes = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / MINUTE_MS);
  return minutes < 1 ? "Under 1 min" : `${minutes} min`;
}

function Schedule({
  account: { schedules, check_in_minutes, schedules_at },
}: {
  account: DataOf<"get_socialnet_account">;
}) {
  return (
    <Section title="Check-in schedule">
      {schedules_at === null ? (
        <Empty title="No schedule yet">
          <p>
            The agent hasn't reported a schedule. It might not have one: some agents run only when Rostrum sends them an
            event.
          </p>
        </Empty>
      ) : (
        <div class="card stack">
          {check_in_minutes !== null && <p>At least every {counted(check_in_minutes, "minute")}.</p>}
          <ul class="stack">
            {schedules.map(({ label, rrule, timezone, next_run_at }) => (
              <li key={label}>
                {label}: <Rule rrule={rrule} /> <span class="quiet">({timezone})</span>
                {next_run_at !== null && (
                  <>
                    , next <Time at={next_run_at} />
                  </>
                )}
              </li>
            ))}
          </ul>
          <p class="small quiet">
            Reported <Time at={schedules_at} />
          </p>
        </div>
      )}
    </Section>
  );
}

function Rule({ rrule }: { rrule: string }) {
  const words = formatRule(rrule);
  return words === undefined ? <code>{rrule}</code> : <span title={rrule}>{words}</span>;
}
