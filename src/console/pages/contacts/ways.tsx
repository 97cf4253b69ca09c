/** @jsxRuntime automatic @jsxImportSource preact */
import { HOLDS, type HoldReason, POSTPONEMENTS } from "../../../domain/sending.ts";
import type { DataOf } from "../../answers.ts";
import { inWords, nameOf } from "../../names.ts";
import { Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Status } from "../../parts/status.tsx";
import { useVisit } from "../../visit.ts";
import { outcomeInWords } from "../agents/words.ts";
import { EnrollmentStatus } from "../sequences/enrollments.tsx";
import { WhyHeld } from "../sequences/hold.tsx";

type Known = DataOf<"brain_contact">;

interface EnrollmentsProps {
  known: Known;
  /** What is known of why an enrollment waits for a person, by its id. */
  holds: ReadonlyMap<string, string | null>;
}

/** Which sequences the contact is on or was on, and why each waits. */
export function Enrollments({ known: { enrollments, contact }, holds }: EnrollmentsProps) {
  const { href } = useVisit();
  if (enrollments.length === 0) return null;
  return (
    <ul class="line">
      {enrollments.map((enrollment) => {
        const { id, sequence_id, sequence_name, status, current_step, due_at, held_reason, waits, ended_at } =
          enrollment;
        const until = waits === null ? due_at : waits.until;
        const hold = held_reason === null ? undefined : HOLDS[held_reason as HoldReason];
        return (
          <li key={id}>
            <span class="quiet">Sequence</span>
            <div class="stack">
              <p>
                <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>,{" "}
                {status === "completed" ? "all steps" : `step ${current_step + 1}`}{" "}
                <EnrollmentStatus status={status} held={held_reason !== null} />{" "}
                {held_reason === null && until !== null && (
                  <span class="quiet">
                    looked at <Time at={until} />
                  </span>
                )}
              </p>
              {hold !== undefined && (
                <WhyHeld reason={held_reason as HoldReason} detail={holds.get(id) ?? null} contactId={contact.id} />
              )}
              {waits !== null && <p class="hint">{POSTPONEMENTS[waits.reason]}</p>}
              {ended_at === null && (
                <div class="bar-inline">
                  {hold !== undefined && held_reason !== "send_unknown" && (
                    <Confirm
                      does="release_enrollment"
                      id={`release-${id}`}
                      opens="Release…"
                      submit="Look at it again now"
                    >
                      <Hidden name="enrollment_id" value={id} />
                      <p>{hold}</p>
                    </Confirm>
                  )}
                  <Confirm does="stop_enrollment" id={`stop-${id}`} opens="Stop…" submit="Take the contact out" danger>
                    <Hidden name="enrollment_id" value={id} />
                    <p>
                      Nothing more of {sequence_name} is sent to {nameOf(contact)}.
                    </p>
                  </Confirm>
                </div>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** What agents are to do, or did, on the social network. */
export function Actions({ known: { actions } }: { known: Known }) {
  if (actions.length === 0) return null;
  return (
    <ul class="line">
      {actions.map(({ id, kind, account_label, status, outcome, copy, created_at }) => (
        <li key={id}>
          <Time at={created_at} />
          <div>
            <p>
              {inWords(kind)} by {account_label}{" "}
              <Status of={status} kind="action" {...(outcome !== null && { word: outcomeInWords(outcome) })} />
            </p>
            {copy !== "" && <p class="hint">{copy}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

interface PlanProps {
  contact: Known["contact"];
  /** Accounts on the social network, for whoever may plan what their agents send. */
  senders: DataOf<"list_socialnet_accounts">;
}

/** The way to plan something of it, whoever is to write. */
export function Plan({ contact, senders }: PlanProps) {
  const { href } = useVisit();
  if (senders.length === 0 || contact.socialnet_url === null) return null;
  return (
    <details class="menu">
      <summary class="button">Write on the social network…</summary>
      <ul>
        {senders.map(({ id, label }) => (
          <li key={id}>
            <a href={href(`/agents/${id}/plan`, { contact: contact.id })}>as {label}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
