/** @jsxRuntime automatic @jsxImportSource preact */
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { HealthChart, known, type Measured } from "./chart.tsx";
import { AccountTabs } from "./state.tsx";

/** Enough for a chart of a month with two measurements a day. */
const PAGE = 60;

export const agentHealth = screen({
  path: "/agents/:id/health",
  needs: "list_socialnet_health",
  async load(visit) {
    const account_id = visit.params.id ?? "";
    const { data } = await visit.call("get_socialnet_account", { account_id });
    const health = await visit.call("list_socialnet_health", { account_id, ...pageOf(visit, PAGE) });
    return { account: data, health };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `${account.label}: health`,
  view: ({ account, health }) => (
    <>
      <AccountTabs id={account.id} />
      <p class="lead">
        What an agent measured of the sender: of each completed round of invitations, how many were sent and how many
        were accepted. It is evidence for 24 hours, and never a permission to send.
      </p>
      {health.data.length === 0 ? (
        <Empty title="Nothing was measured yet">
          <p>
            An agent that can see such figures on the social network reports them with <code>health_observation</code>.
          </p>
        </Empty>
      ) : (
        <>
          <div class="card">
            <HealthChart measured={health.data} />
          </div>
          <Section title="Evidence">
            <Evidence rows={health.data} />
            <Pager meta={health.meta} label="Pages of measurements" />
          </Section>
        </>
      )}
    </>
  ),
});

function Evidence({ rows }: { rows: readonly Measured[] }) {
  const { now } = useVisit();
  return (
    <Table
      caption="Measurements, newest first"
      rows={rows}
      keyOf={({ observationId }) => observationId}
      columns={[
        {
          name: "Measured",
          cell: ({ observedAt, expiresAt }) => (
            <>
              <Time at={observedAt} /> {Date.parse(expiresAt) > now && <Chip tone="done">Counts now</Chip>}
            </>
          ),
        },
        {
          name: "Round",
          wide: true,
          cell: ({ windowStartedAt, windowEndedAt }) => (
            <span class="nowrap">
              {windowStartedAt.slice(0, 10)} to {windowEndedAt.slice(0, 10)}
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
        { name: "Evidence", cell: ({ evidence }) => evidence },
      ]}
    />
  );
}

function rateOf({ invitationsSent: sent, invitationsAccepted: accepted }: Measured): string {
  return sent === null || accepted === null || sent === 0 ? "–" : `${Math.round((100 * accepted) / sent)} %`;
}
