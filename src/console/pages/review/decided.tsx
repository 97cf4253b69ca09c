/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Moment, Table, type Tone } from "../../ui/basics.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { toneOf } from "../../ui/status.tsx";
import { decisionLabel, KIND_NAMES, pathOf } from "./load.ts";
import { isWithdrawal, WITHDRAWALS, Withdraw } from "./withdraw.tsx";

type Decision = DataOf<"list_decided_reviews">[number];

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
            {
              name: "Item",
              wrap: true,
              cell: (row) => (
                <>
                  <a href={href(pathOf(row))}>{revealed(row.title) || "No name"}</a>
                  <span class="hint beneath">{kindText(row)}</span>
                </>
              ),
            },
            {
              name: "Decision",
              phone: "end",
              cell: ({ kind, status, operation }) => (
                <Chip tone={toneOfDecision(status, operation)}>
                  {codeLabel(decisionLabel(kind, status, operation))}
                </Chip>
              ),
            },
            {
              name: "Note",
              grow: "wrap",
              cell: ({ note }) => note !== null && <span class="quiet">“{note}”</span>,
            },
            { name: "By", cell: ({ decided_by }) => decided_by },
            { name: "When", cell: ({ decided_at }) => <Moment at={decided_at} /> },
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

/** "Message · Robin Ashworth's account": what was decided on, and whose account it leaves from. */
function kindText({ kind, about, account_label }: Decision): string {
  if (kind === "action" && about !== null) {
    return `${codeLabel(about)}${account_label === null ? "" : ` · ${account_label}'s account`}`;
  }
  return `${KIND_NAMES[kind][0]}${about === null ? "" : ` · ${about}`}`;
}

/** A withdrawal leaves the status of a proposal, which would say that it needs review. */
function toneOfDecision(status: string, operation: string): Tone {
  if (isWithdrawal(operation) || operation === "request_action_change") return "plain";
  const tone = toneOf(status, "action");
  return status === "planned" || (tone === "stopped" && status !== "failed") ? "plain" : tone;
}

/** A link to the recent decisions, for members who can list them. */
export function DecidedLink() {
  const { href, may } = usePageContext();
  return may("list_decided_reviews") ? <a href={href("/review/decided")}>Recent decisions</a> : null;
}
