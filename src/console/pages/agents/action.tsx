/** @jsxRuntime automatic @jsxImportSource preact */
import { problem } from "../../../problem.ts";
import type { DataOf } from "../../answers.ts";
import { Chip, Facts, Section, Time } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Decide } from "./decide.tsx";
import { History } from "./history.tsx";
import { Blocked } from "./ledger.tsx";
import { Settle } from "./settle.tsx";
import { at, KINDS, OUTCOME_WORDS } from "./words.ts";

export type WholeAction = DataOf<"get_planned_action">;

export const agentAction = screen({
  path: "/agents/:id/actions/:action",
  needs: "get_planned_action",
  forms: [
    ...(["approve_socialnet_action", "edit_socialnet_action", "hold_socialnet_action"] as const),
    ...(["release_socialnet_action", "cancel_socialnet_action", "settle_socialnet_action"] as const),
  ],
  async load(visit) {
    const { data } = await visit.call("get_planned_action", { action_id: visit.params.action ?? "" });
    if (data.account_id !== visit.params.id) throw problem("action_not_found");
    return data;
  },
  up: ({ account_label }) => account_label,
  title: ({ kind, contact_name }) => `${KINDS[kind]} to ${contact_name ?? "a contact"}`,
  view: (action) => (
    <div class="sides" data-refresh="action">
      <div>
        <Copy action={action} />
        {action.status === "needs_review" && <Settle action={action} />}
        <Decide action={action} />
        <History action={action} />
      </div>
      <About action={action} />
    </div>
  ),
});

function Copy({ action: { kind, copy, hidden } }: { action: WholeAction }) {
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

function About({ action }: { action: WholeAction }) {
  const { href } = useVisit();
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
              ["Account", <a href={href(at(account_id))}>{action.account_label}</a>],
              [
                "To",
                <>
                  <a href={href(`/contacts/${contact_id}`)}>{contact_name ?? "No name"}</a>
                  {contact_company !== null && `, ${contact_company}`}
                </>,
              ],
              ["Profile", <code>{action.recipient_url}</code>],
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

function BlockedByCode({ action }: { action: WholeAction }) {
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
