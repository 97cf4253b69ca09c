/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorLabel } from "../../../core/actor.ts";
import { problem } from "../../../core/problem.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Section, Time } from "../../ui/basics.tsx";
import { codeLabel, statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { Marks, SimilarOptOut } from "../outreach/recipients.tsx";
import { Decide, ResolveOutcome } from "./decide.tsx";
import { at, KINDS, OUTCOME_WORDS, type PlannedAction } from "./labels.ts";
import { Blocked } from "./ledger.tsx";

export const agentAction = screen({
  path: "/agents/:id/actions/:action",
  needs: "get_planned_action",
  forms: [
    "approve_socialnet_action",
    "edit_socialnet_action",
    "hold_socialnet_action",
    "release_socialnet_action",
    "cancel_socialnet_action",
    "settle_socialnet_action",
    "withdraw_socialnet_action",
  ],
  async load(ctx) {
    const { data } = await ctx.call("get_planned_action", { action_id: ctx.params.action ?? "" });
    if (data.account_id !== ctx.params.id) throw problem("action_not_found");
    return data;
  },
  up: ({ account_label }) => account_label,
  title: ({ kind, contact_name }) => `${KINDS[kind]} to ${contact_name ?? "a contact"}`,
  view: (action) => (
    <div class="sides" data-refresh="action">
      <div>
        <SimilarOptOut address={action.similar_suppressed} />
        <Copy action={action} />
        {action.status === "needs_review" && <ResolveOutcome action={action} />}
        <Decide action={action} />
        <History action={action} />
      </div>
      <About action={action} />
    </div>
  ),
});

type Change = PlannedAction["history"][number];

/** Moves of an action, worded for people. A move that is not listed shows its own name. */
const MOVES_IN_WORDS: Record<string, string> = {
  plan: "planned it",
  edit: "changed what it says",
  approve: "approved it",
  void_approval: "took its approval back",
  claim: "claimed it",
  lapse: "freed it: the lease ran out, and nothing was started",
  start: "started it",
  complete: "reported that it is done",
  fail: "reported that it could not be done",
  turn_back: "met a closed door, and sent nothing",
  lose: "does not know what became of it",
  settle_sent: "found that it was sent",
  settle_not_sent: "found that it was not sent",
  settle_retry: "found that it was not sent, and has it tried again",
  hold: "held it",
  set_aside: "set it aside",
  release: "released it",
  resume: "released it, approved as it was",
  cancel: "cancelled it",
  withdraw: "withdrew it",
  late_stop: "noted that it must stop when it comes back",
  late_report: "was told afterwards that it was sent",
};

function History({ action: { history, starts } }: { action: PlannedAction }) {
  return (
    <>
      {starts.length > 0 && (
        <Section title="What the agent reported">
          <ol class="line card">
            {starts.map(({ started_at, by, outcome, evidence, recorded_at }) => (
              <li key={started_at}>
                <Time at={started_at} />
                <div>
                  <p>
                    {nameOf(by)}: {outcome === null ? "started, and reported nothing" : OUTCOME_WORDS[outcome]}
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
                  {nameOf(change.by)} {MOVES_IN_WORDS[change.move] ?? codeLabel(change.move)}
                  <Arrow {...change} />
                </p>
                {change.note !== null && <p class="quiet">“{change.note}”</p>}
                {change.copy !== null && ["plan", "edit", "void_approval"].includes(change.move) && (
                  <details class="more">
                    <summary>What it said then</summary>
                    <div class="copytext">{change.copy === "" ? "nothing" : change.copy}</div>
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
  return name ?? (kind === "member" ? "A former member" : "A former key");
}

function Copy({ action: { kind, copy, hidden } }: { action: PlannedAction }) {
  return (
    <Section title={kind === "message" ? "The message, exactly" : "The note, exactly"}>
      {copy === "" ? <p class="quiet">A connection request without a note.</p> : <div class="copytext">{copy}</div>}
      {hidden?.copy !== undefined && (
        <div class="notice stack">
          <p>
            <Chip tone="needs">Hidden characters</Chip> It holds characters that nobody sees, or that turn the direction
            of reading. With each shown by its number:
          </p>
          <div class="copytext">{hidden.copy}</div>
        </div>
      )}
    </Section>
  );
}

function About({ action }: { action: PlannedAction }) {
  const { href } = usePageContext();
  const { account_id, contact_id, contact_name, contact_company, sequence_id, step, step_count } = action;
  return (
    <div>
      <Section title="How it stands">
        <div class="card stack">
          <p>
            <Status of={action.status} kind="action" />
          </p>
          <Facts
            facts={[
              ...(action.blocked_by === null && action.status !== "approved"
                ? []
                : [["Blocked by", <BlockedByCode action={action} />] as const]),
              [
                "Account",
                <>
                  <a href={href(at(account_id))}>{action.account_label}</a>, <code>{action.account_profile_url}</code>
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
                  <code>{action.recipient_url}</code>
                  <Marks of={action.recipient_marks} />
                </>,
              ],
              [
                "From",
                sequence_id === null ? (
                  (action.campaign ?? "a person's own plan")
                ) : (
                  <>
                    <a href={href(`/sequences/${sequence_id}`)}>{action.sequence_name}</a>
                    {step !== null && `, step ${step + 1} of ${step_count}`}
                  </>
                ),
              ],
              ["Planned", <WhoWhen who={action.planned_by} when={action.created_at} />],
              ...(action.approved_at === null
                ? []
                : [
                    [
                      "Approved",
                      <WhoWhen who={action.approved_by ?? "the automatic account"} when={action.approved_at} />,
                    ] as const,
                  ]),
              ...(action.lease_expires_at === null
                ? []
                : [["Lease ends", <Time at={action.lease_expires_at} />] as const]),
              ...(action.outcome === null ? [] : [["Outcome", OUTCOME_WORDS[action.outcome]] as const]),
              ...(action.note === null ? [] : [["Note", action.note] as const]),
            ]}
          />
        </div>
      </Section>
    </div>
  );
}

function BlockedByCode({ action }: { action: PlannedAction }) {
  return (
    <>
      <Blocked row={action} />
      {action.blocked_by !== null && (
        <>
          {" "}
          <code class="quiet">{action.blocked_by.reason}</code>
        </>
      )}
    </>
  );
}

function WhoWhen({ who, when }: { who: string; when: string }) {
  return (
    <>
      by {who}, <Time at={when} />
    </>
  );
}
