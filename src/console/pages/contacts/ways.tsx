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

interface ActionsProps {
  known: Known;
  senders: DataOf<"list_socialnet_accounts">;
}

/** What agents are to do, or did, on the social network, and the way to plan more of it. */
export function Actions({ known: { actions, contact }, senders }: ActionsProps) {
  return (
    <>
      {actions.length > 0 && (
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
      )}
      <Plan contact={contact} senders={senders} />
    </>
  );
}

function Plan({ contact, senders }: { contact: Known["contact"]; senders: ActionsProps["senders"] }) {
  const { href } = useVisit();
  if (senders.length === 0) return null;
  if (contact.socialnet_url === null) {
    return <p class="hint">With the address of a profile on record, an agent can write on the social network.</p>;
  }
  return (
    <div class="bar">
      {senders.map(({ id, label }) => (
        <a key={id} class="button" href={href(`/agents/${id}/plan`, { contact: contact.id })}>
          Plan an action by {label}
        </a>
      ))}
    </div>
  );
}
