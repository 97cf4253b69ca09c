/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorLabel } from "../../../core/actor.ts";
import { problem } from "../../../core/problem.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, ProfileLink, Section, Time } from "../../ui/basics.tsx";
import { codeLabel, revealed, statusLabel, withoutGaps } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { HasReplied, Marks, SimilarOptOut } from "../outreach/recipients.tsx";
import { Said } from "../review/context.tsx";
import { Decide, ResolveOutcome } from "./decide.tsx";
import { type Account, at, KINDS, OUTCOME_LABELS, type PlannedAction } from "./labels.ts";
import { WaitingFor } from "./ledger.tsx";
import { actionWaitsFor, afterApprovalText } from "./sending.ts";

export const agentAction = screen({
  path: "/agents/:id/actions/:action",
  needs: "get_planned_action",
  forms: [
    "approve_socialnet_action",
    "edit_socialnet_action",
    "request_action_change",
    "hold_socialnet_action",
    "release_socialnet_action",
    "cancel_socialnet_action",
    "settle_socialnet_action",
    "withdraw_socialnet_action",
  ],
  showsOutcomeOf: ["approve_socialnet_action"],
  async load(ctx) {
    const { data } = await ctx.call("get_planned_action", { action_id: ctx.params.action ?? "" });
    if (data.account_id !== ctx.params.id) throw problem("action_not_found");
    return { action: data, account: (await ctx.call("get_socialnet_account", { account_id: data.account_id })).data };
  },
  up: ({ action }) => action.account_label,
  title: ({ action: { kind, contact_name } }) => `${KINDS[kind]} to ${contact_name ?? "a contact"}`,
  view: ({ action, account }) => (
    <>
      <Approved action={action} account={account} />
      <div class="sides" data-refresh="action">
        <div>
          <SimilarOptOut address={action.similar_suppressed} />
          <HasReplied at={null} notInterested={action.not_interested} />
          <Copy action={action} />
          {action.status === "needs_review" && <ResolveOutcome action={action} />}
          <Decide action={action} account={account} />
          <History action={action} />
        </div>
        <About action={action} account={account} />
      </div>
    </>
  ),
});

interface ActionProps {
  action: PlannedAction;
  account: Account;
}

/** After an approval, what happens next. */
function Approved({ action, account }: ActionProps) {
  const { outcome, workspace } = usePageContext();
  if (outcome === undefined) return null;
  return (
    <p class="flash" role="status">
      Action approved.{action.status === "approved" && ` ${afterApprovalText(action, account, workspace)}.`}
    </p>
  );
}

function ClaimExpiry({ at }: { at: string }) {
  return (
    <>
      <Time at={at} />
      <span class="hint">The agent claims each action before sending it.</span>
    </>
  );
}

type Change = PlannedAction["history"][number];

/** What the actor did. A move that is not listed shows its own name. */
const MOVE_LABELS: Record<string, string> = {
  plan: "planned this action",
  edit: "edited the text",
  approve: "approved it",
  void_approval: "canceled the approval",
  claim: "claimed it",
  lapse: "returned it to the queue because the claim expired",
  start: "started sending it",
  complete: "reported it as done",
  fail: "reported that it failed",
  turn_back: "was blocked by the professional network and sent nothing",
  lose: "couldn't confirm the outcome",
  settle_sent: "marked it as sent",
  settle_not_sent: "marked it as not sent",
  settle_retry: "chose to send it again",
  hold: "put it on hold",
  request_change: "requested changes",
  revise: "revised the text",
  set_aside: "put it on hold for review",
  release: "released it",
  resume: "released it and kept its approval",
  cancel: "canceled it",
  withdraw: "canceled it",
  late_stop: "reported or changed something that stops it, unless it was already sent",
  late_void: "canceled the approval",
  late_report: "reported late that it was sent",
};

/** @param textBefore the action's text before the change, as far as its history says it */
function moveLabel({ move, to, copy }: Change, textBefore: string | undefined): string {
  if (move === "late_stop" && to === "held") return "reported or changed something that requires a new approval";
  const isSameText = textBefore === undefined || textBefore === copy;
  if (move === "edit" && textBefore === copy) return "changed the contact's profile, the sender or the sequence";
  if (move === "void_approval" && !isSameText) return "edited the text, which canceled the approval";
  return MOVE_LABELS[move] ?? codeLabel(move);
}

/** The latest text in these changes, newest first. */
const textBefore = (changes: readonly Change[]) => changes.find(({ copy }) => copy !== null)?.copy ?? undefined;

function History({ action: { history, starts } }: { action: PlannedAction }) {
  return (
    <>
      {starts.length > 0 && (
        <Section title="Agent reports">
          <ol class="line card">
            {starts.map(({ started_at, by, outcome, evidence, recorded_at }) => (
              <li key={started_at}>
                <Time at={started_at} />
                <div>
                  <p>
                    {nameOf(by)}: {outcome === null ? "started, no outcome reported" : OUTCOME_LABELS[outcome]}
                    {recorded_at !== null && (
                      <span class="quiet">
                        , reported <Time at={recorded_at} />
                      </span>
                    )}
                  </p>
                  {evidence !== null && <p class="quiet">“{evidence}”</p>}
                </div>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section title="History">
        <ol class="line card">
          {history.map((change, i) => (
            <li key={`${change.at} ${i}`}>
              <Time at={change.at} />
              <div>
                <p>
                  {nameOf(change.by)} {moveLabel(change, textBefore(history.slice(i + 1)))}
                  <Arrow {...change} />
                </p>
                {change.note !== null && <p class="quiet">“{change.note}”</p>}
                {change.copy !== null && ["plan", "edit", "void_approval", "revise"].includes(change.move) && (
                  <details class="more">
                    <summary>Text at that time</summary>
                    <div class="copytext">{change.copy === "" ? "No text" : change.copy}</div>
                  </details>
                )}
              </div>
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Arrow({ from, to }: Change) {
  if (from === null || to === null || from === to) return null;
  return (
    <span class="quiet small">
      {" "}
      {statusLabel(from, "action").toLowerCase()} → {statusLabel(to, "action").toLowerCase()}
    </span>
  );
}

function nameOf({ kind, name, id }: Change["by"]): string {
  if (kind === "local_operator") return operatorLabel(id);
  return name ?? (kind === "member" ? "A former teammate" : "A former key");
}

function Copy({ action: { kind, copy, hidden } }: { action: PlannedAction }) {
  return (
    <Section title={kind === "message" ? "Message" : "Note"}>
      {copy === "" ? (
        <p class="quiet">This connection request has no note.</p>
      ) : (
        <div class="copytext">{withoutGaps(copy)}</div>
      )}
      {hidden?.copy !== undefined && (
        <div class="notice stack">
          <p>
            <Chip tone="needs">Hidden characters</Chip> This text has invisible characters or characters that reverse
            its direction. Here is the text with each one shown by its code:
          </p>
          <div class="copytext">{withoutGaps(hidden.copy)}</div>
        </div>
      )}
    </Section>
  );
}

function About({ action, account }: ActionProps) {
  const { href, workspace } = usePageContext();
  const isWaiting = actionWaitsFor(action, account, workspace) !== null;
  const { account_id, contact_id, contact_name, contact_company, sequence_id, step, step_count } = action;
  return (
    <div>
      <Section title="Details">
        <div class="card stack">
          <p>
            <Status of={action.status} kind="action" />
          </p>
          <Facts
            facts={[
              ...(isWaiting ? [["Waiting for", <WaitingFor action={action} account={account} />] as const] : []),
              [
                "Account",
                <>
                  <a href={href(at(account_id))}>{action.account_label}</a>,{" "}
                  <ProfileLink url={action.account_profile_url} />
                </>,
              ],
              [
                "To",
                <>
                  <a href={href(`/contacts/${contact_id}`)}>{contact_name ?? "No name"}</a>
                  {contact_company !== null && `, ${contact_company}`}
                </>,
              ],
              [
                "Profile",
                <>
                  <ProfileLink url={action.recipient_url} />
                  <Marks of={action.recipient_marks} />
                </>,
              ],
              ...(sequence_id === null
                ? []
                : [
                    [
                      "Sequence",
                      <>
                        <a href={href(`/sequences/${sequence_id}`)}>{action.sequence_name}</a>
                        {step !== null && `, step ${step + 1} of ${step_count}`}
                      </>,
                    ] as const,
                  ]),
              ...(action.last_message === null
                ? []
                : [["Last message", <Said entry={action.last_message} of={contact_id} />] as const]),
              ...(action.last_reply === null
                ? []
                : [["Last reply", <Said entry={action.last_reply} of={contact_id} />] as const]),
              ...(action.campaign === null ? [] : [["Campaign", revealed(action.campaign)] as const]),
              ["Proposed", <WhoWhen who={action.planned_by} when={action.created_at} />],
              ...(action.approved_at === null
                ? []
                : [
                    [
                      "Approved",
                      <WhoWhen who={action.approved_by ?? "automatic sending"} when={action.approved_at} />,
                    ] as const,
                  ]),
              ...(action.lease_expires_at === null
                ? []
                : [["Claim expires", <ClaimExpiry at={action.lease_expires_at} />] as const]),
              ...(action.outcome === null ? [] : [["Outcome", OUTCOME_LABELS[action.outcome]] as const]),
              ...(action.note === null ? [] : [["Note", action.note] as const]),
            ]}
          />
        </div>
      </Section>
    </div>
  );
}

function WhoWhen({ who, when }: { who: string; when: string }) {
  return (
    <>
      by {who}, <Time at={when} />
    </>
  );
}
