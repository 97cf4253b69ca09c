/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Table, Time } from "../../ui/basics.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { decisionLabel, KIND_NAMES, pathOf } from "./load.ts";
import { WITHDRAWALS, Withdraw } from "./withdraw.tsx";

/** What was decided lately over all kinds: where to look when something is asked about. */
export const reviewDecided = screen({
  path: "/review/decided",
  title: "Decided lately",
  needs: "list_decided_reviews",
  forms: WITHDRAWALS,
  load: async ({ call }) => (await call("list_decided_reviews", {})).data,
  view: (decided, { href }) => (
    <>
      <p class="lead">
        The latest decisions, the newest first. <a href={href("/review")}>What waits for one</a>
      </p>
      {decided.length === 0 ? (
        <Empty title="Nothing is decided yet">
          <p>What somebody approves, sends back, holds back or denies in Review is listed here.</p>
        </Empty>
      ) : (
        <Table
          caption="Decided lately"
          rows={decided.map((row, i) => ({ ...row, i }))}
          keyOf={({ i }) => String(i)}
          columns={[
            { name: "What", cell: (row) => <a href={href(pathOf(row))}>{revealed(row.title) || "No name"}</a> },
            { name: "Kind", wide: true, cell: ({ kind }) => KIND_NAMES[kind][0] },
            {
              name: "How",
              cell: ({ kind, status, operation, note }) => (
                <span>
                  {codeLabel(decisionLabel(kind, status, operation))}
                  {note !== null && <span class="quiet">: “{note}”</span>}
                </span>
              ),
            },
            { name: "By", cell: ({ decided_by }) => decided_by },
            { name: "When", cell: ({ decided_at }) => <Time at={decided_at} /> },
            {
              name: "Withdraw",
              act: true,
              cell: ({ kind, id, title, withdrawable }) =>
                withdrawable && kind !== "sequence" && <Withdraw kind={kind} id={id} about={revealed(title)} />,
            },
          ]}
        />
      )}
    </>
  ),
});

/** A link back to this position of the queue. */
export function DecidedLink() {
  const { href, may } = usePageContext();
  return may("list_decided_reviews") ? <a href={href("/review/decided")}>What was decided lately</a> : null;
}
