/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { ruleInWords } from "./rule.ts";
import { AccountTabs } from "./state.tsx";

type Run = DataOf<"list_socialnet_runs">[number];

export const agentRuns = screen({
  path: "/agents/:id/runs",
  needs: "list_socialnet_runs",
  async load(visit) {
    const account_id = visit.params.id ?? "";
    const account = await visit.call("get_socialnet_account", { account_id });
    return { account: account.data, runs: await visit.call("list_socialnet_runs", { account_id, ...pageOf(visit) }) };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: runs`,
  view: ({ account, runs }) => (
    <>
      <AccountTabs id={account.id} />
      <p class="lead">
        What the agent says of its own runs. Names, addresses and keys were taken out of the notes before they were
        stored.
      </p>
      {runs.data.length === 0 ? (
        <Empty title="No run was reported yet">
          <p>An agent reports each run at its end.</p>
        </Empty>
      ) : (
        <Table
          caption="Runs, newest first"
          rows={runs.data}
          keyOf={({ runId }) => runId}
          columns={[
            { name: "Ended", cell: ({ finishedAt }) => <Time at={finishedAt} /> },
            { name: "Result", cell: Went },
            { name: "Took", figure: true, cell: (run) => lasted(run) },
            { name: "Claimed", figure: true, cell: ({ claimed }) => claimed },
            { name: "Completed", figure: true, cell: ({ completed }) => completed },
            { name: "Failed", figure: true, cell: ({ failed }) => failed },
            { name: "Synced", figure: true, cell: ({ synced }) => synced },
            { name: "Notes", cell: ({ notes }) => notes },
          ]}
        />
      )}
      <Pager meta={runs.meta} label="Pages of runs" />
      <Schedule account={account} />
    </>
  ),
});

/** A run that ended well is not all well where some of its actions failed. */
function Went({ status, failed }: Run) {
  if (status === "ok" && failed > 0) return <Chip tone="needs">{failed} failed</Chip>;
  return <Status of={status} />;
}

function lasted({ startedAt, finishedAt }: Run): string {
  const minutes = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 60_000);
  return minutes < 1 ? "under a minute" : `${minutes} min`;
}

function Schedule({
  account: { schedules, check_in_minutes, schedules_at },
}: {
  account: DataOf<"get_socialnet_account">;
}) {
  return (
    <Section title="When it looks in by itself">
      {schedules_at === null ? (
        <Empty title="The agent has told no schedule">
          <p>It can work by events alone.</p>
        </Empty>
      ) : (
        <div class="card stack">
          {check_in_minutes !== null && <p>At least every {check_in_minutes} minutes.</p>}
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
            Told <Time at={schedules_at} />.
          </p>
        </div>
      )}
    </Section>
  );
}

function Rule({ rrule }: { rrule: string }) {
  const words = ruleInWords(rrule);
  return words === undefined ? <code>{rrule}</code> : <span title={rrule}>{words}</span>;
}
