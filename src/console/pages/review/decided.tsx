/** @jsxRuntime automatic @jsxImportSource preact */

import { type MessageOutcome, REVIEW_KINDS } from "../../../domain/checklist/review.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Moment, Table, type Tone } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { decisionLabel, KIND_NAMES, kindOf, pathOf } from "./load.ts";
import { isWithdrawal, WITHDRAWALS, Withdraw } from "./withdraw.tsx";

type Decision = DataOf<"list_decided_reviews">[number];

/** Recent decisions of all kinds. */
export const reviewDecided = screen({
  path: "/review/decided",
  title: "Recent decisions",
  needs: "list_decided_reviews",
  forms: WITHDRAWALS,
  async load({ call, query }) {
    const kind = kindOf(query.get("kind") ?? undefined);
    return { kind, decided: (await call("list_decided_reviews", { ...(kind && { kind }) })).data };
  },
  view: ({ kind, decided }, { href }) => (
    <>
      <p class="lead">
        Newest first. <a href={href("/review")}>Back to review</a>
      </p>
      <Choices
        label="Type"
        name="kind"
        choices={[{ value: undefined, name: "All" }, ...REVIEW_KINDS.map((value) => ({ value, name: CHIPS[value] }))]}
      />
      {decided.length === 0 ? (
        <Empty title={kind === undefined ? "No decisions yet" : "No decisions of this type yet"}>
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
            { name: "Outcome", cell: ({ outcome }) => outcome !== null && <Outcome of={outcome} /> },
            {
              name: "Note",
              grow: "wrap",
              cell: ({ note }) => note !== null && <span class="quiet">“{note}”</span>,
            },
            {
              name: "Decided",
              cell: ({ decided_by, decided_at }) => (
                <>
                  {decided_by}{" "}
                  <span class="hint beneath">
                    <Moment at={decided_at} alone />
                  </span>
                </>
              ),
            },
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

/** The name of each kind as a filter. */
const CHIPS: Record<Decision["kind"], string> = {
  answer: "Answers",
  action: "Social actions",
  sequence: "Audiences",
  card: "Documents",
  post: "Posts",
  publish: "Publishing",
};

/** Statuses that a decision leads to. Others, such as canceled, have no color of their own. */
const TONES: Record<string, Tone> = {
  approved: "done",
  applied: "done",
  published: "done",
  denied: "stopped",
  declined: "stopped",
  voided: "stopped",
  change_requested: "needs",
  changes_requested: "needs",
  held: "needs",
};

/** A withdrawal leaves the status of a proposal, which would say that it needs review. */
function toneOfDecision(status: string, operation: string): Tone {
  if (isWithdrawal(operation)) return "plain";
  return operation === "request_action_change" ? "needs" : (TONES[status] ?? "plain");
}

const OUTCOMES: Record<MessageOutcome, readonly [label: string, tone: Tone]> = {
  waiting: ["Waiting to be sent", "plain"],
  sending: ["Being sent", "plain"],
  sent: ["Sent", "done"],
  not_needed: ["Already connected", "done"],
  saved_to_file: ["Saved to a file", "needs"],
  failed: ["Failed", "stopped"],
  unconfirmed: ["Unconfirmed", "stopped"],
  held: ["On hold", "needs"],
  needs_review: ["Needs review again", "needs"],
  cancelled: ["Canceled", "plain"],
};

/** What became of an approved message. */
function Outcome({ of }: { of: MessageOutcome }) {
  const [label, tone] = OUTCOMES[of];
  return <Chip tone={tone}>{label}</Chip>;
}

/** A link to the recent decisions, for members who can list them. */
export function DecidedLink() {
  const { href, may } = usePageContext();
  return may("list_decided_reviews") ? <a href={href("/review/decided")}>Recent decisions</a> : null;
}
