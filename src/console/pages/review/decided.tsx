/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Table, Time } from "../../ui/basics.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { decisionLabel, KIND_NAMES, pathOf } from "./load.ts";
import { WITHDRAWALS, Withdraw } from "./withdraw.tsx";

/** Recent decisions of all kinds. */
export const reviewDecided = screen({
  path: "/review/decided",
  title: "Recent decisions",
  needs: "list_decided_reviews",
  forms: WITHDRAWALS,
  load: async ({ call }) => (await call("list_decided_reviews", {})).data,
  view: (decided, { href }) => (
    <>
      <p class="lead">
        Newest first. <a href={href("/review")}>Back to review</a>
      </p>
      {decided.length === 0 ? (
        <Empty title="No decisions yet">
          <p>Decisions that you and your teammates make in Review are listed here.</p>
        </Empty>
      ) : (
        <Table
          caption="Recent decisions"
          rows={decided.map((row, i) => ({ ...row, i }))}
          keyOf={({ i }) => String(i)}
          columns={[
            { name: "Item", cell: (row) => <a href={href(pathOf(row))}>{revealed(row.title) || "No name"}</a> },
            { name: "Type", wide: "roomy", cell: ({ kind }) => KIND_NAMES[kind][0] },
            {
              name: "Decision",
              phone: "end",
              cell: ({ kind, status, operation }) => codeLabel(decisionLabel(kind, status, operation)),
            },
            {
              name: "Note",
              grow: "wrap",
              cell: ({ note }) => note !== null && <span class="quiet">“{note}”</span>,
            },
            { name: "By", cell: ({ decided_by }) => decided_by },
            { name: "When", cell: ({ decided_at }) => <Time at={decided_at} /> },
            {
              name: "Withdraw",
              act: true,
              cell: ({ kind, id, title, withdrawable }) =>
                withdrawable &&
                kind !== "sequence" &&
                kind !== "answer" && <Withdraw kind={kind} id={id} about={revealed(title)} />,
            },
          ]}
        />
      )}
    </>
  ),
});

/** A link to the recent decisions, for members who can list them. */
export function DecidedLink() {
  const { href, may } = usePageContext();
  return may("list_decided_reviews") ? <a href={href("/review/decided")}>Recent decisions</a> : null;
}
