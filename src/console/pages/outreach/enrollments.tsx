/** @jsxRuntime automatic @jsxImportSource preact */

import { HOLDS, type HoldReason, POSTPONEMENTS } from "../../../domain/outreach/sending.ts";
import { ENROLLMENT_STATUSES, placeholdersIn, type Step } from "../../../domain/outreach/sequence.ts";
import { PLACEHOLDERS } from "../../../domain/outreach/template.ts";
import type { DataOf, PageMeta } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { codeLabel, nameOf, statusLabel } from "../../ui/labels.ts";
import { EnrollmentStatus } from "../../ui/status.tsx";

interface HoldProps {
  reason: HoldReason;
  detail: string | null;
  contactId: string;
}

/** Why an enrollment is on hold, in a sentence, and the page that fixes it. */
export function HoldReasonText({ reason, detail, contactId }: HoldProps) {
  const { href, path } = usePageContext();
  const missing = missingOf(reason, detail);
  const ofContact = missing.some((name) => name !== SENDER);
  return (
    <>
      <p class="hint">{holdText(reason, detail)}</p>
      {ofContact && path !== `/contacts/${contactId}` && (
        <p class="hint">
          <a href={href(`/contacts/${contactId}`)}>Complete the contact</a>
        </p>
      )}
      {missing.includes(SENDER) && (
        <p class="hint">
          <SetSender />
        </p>
      )}
    </>
  );
}

const SENDER = "sender_name";

/** Why it is on hold, in a sentence. */
export function holdText(reason: HoldReason, detail: string | null): string {
  const missing = missingOf(reason, detail);
  if (missing.length === 0) return detail ?? HOLDS[reason];
  return `Nothing to put for ${missing.map((name) => `{{${name}}}`).join(", ")}. Fill that in, then release it.`;
}

/** The detail is a sentence for people, so the placeholders in it are found by their names. */
function missingOf(reason: HoldReason, detail: string | null) {
  if (reason !== "unfilled" || detail === null) return [];
  const words: readonly string[] = detail.match(/\w+/g) ?? [];
  return PLACEHOLDERS.filter((name) => words.includes(name));
}

/** Shown before an approval: afterwards every enrollment would be on hold for it. */
export function SenderMissing({ steps }: { steps: readonly Step[] }) {
  const { workspace } = usePageContext();
  if (workspace.sender_name !== null || !placeholdersIn(steps).includes(SENDER)) return null;
  return (
    <p class="notice">
      <Chip tone="needs">Needs a name</Chip> The steps say {"{{sender_name}}"}, and the workspace has no sender's name:
      each message would wait for one. <SetSender />
    </p>
  );
}

function SetSender() {
  const { href, may } = usePageContext();
  return (
    <a href={href("/settings/workspace")}>
      {may("set_sending_policy") ? "Set the sender's name" : "An administrator sets the sender's name"}
    </a>
  );
}

type Row = DataOf<"list_enrollments">[number];

interface Props {
  rows: readonly Row[];
  meta: PageMeta;
}

/** The enrollments that the address asks for. */
export function enrollmentsAsked({ query }: PageContext) {
  const asked = query.get("show");
  if (asked === "held") return { held: true } as const;
  const status = ENROLLMENT_STATUSES.find((known) => known === asked);
  return status === undefined ? {} : { status };
}

const HELD = statusLabel("pending");

const CHOICES = [
  { value: undefined, name: "All" },
  { value: "held", name: HELD },
  ...ENROLLMENT_STATUSES.map((value) => ({ value, name: statusLabel(value, "enrollment") })),
];

export function Enrollments({ rows, meta }: Props) {
  const { query } = usePageContext();
  const filtered = query.has("show");
  return (
    <Section title="Enrollments" id="enrollments">
      <Choices label="By status" name="show" choices={CHOICES} />
      {rows.length === 0 ? (
        <Empty title={filtered ? "Nobody stands so" : "Nobody is on the way"}>
          <p>
            Agents enroll contacts over the API. You can enroll a whole audience above, once its approval is applied, or
            one contact on its page.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Enrollments, newest first"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { name: "Contact", cell: (row) => <Who row={row} /> },
            { name: "Status", cell: (row) => <EnrollmentState row={row} /> },
            {
              name: "Step",
              figure: true,
              cell: ({ status, current_step }) => (status === "completed" ? "all" : current_step + 1),
            },
            { name: "Looked at next", cell: (row) => <Next row={row} /> },
            { name: "Enrolled", cell: ({ enrolled_at }) => <Time at={enrolled_at} /> },
            { name: "Act", act: true, cell: (row) => row.ended_at === null && <Acts row={row} /> },
          ]}
        />
      )}
      <Pager meta={meta} label="Pages of enrollments" />
    </Section>
  );
}

function Who({ row: { contact_id, contact } }: { row: Row }) {
  const { href } = usePageContext();
  if (contact === null) return <span class="quiet">archived</span>;
  return <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>;
}

/** The status, and in a sentence why it is on hold. */
function EnrollmentState({ row: { contact_id, status, held_reason, held_detail, waits, ended_reason } }: { row: Row }) {
  const { href } = usePageContext();
  if (held_reason !== null) {
    return (
      <div>
        <EnrollmentStatus status={status} held />
        <HoldReasonText reason={held_reason} detail={held_detail} contactId={contact_id} />
        {held_reason === "send_unknown" && <a href={href("/sequences/sends", { status: "unknown" })}>Settle it</a>}
      </div>
    );
  }
  return (
    <div>
      <EnrollmentStatus status={status} held={false} />
      {waits !== null && <p class="hint">{POSTPONEMENTS[waits.reason]}</p>}
      {ended_reason !== null && <p class="hint">{codeLabel(ended_reason)}</p>}
    </div>
  );
}

function Next({ row: { due_at, held_reason, waits, ended_at } }: { row: Row }) {
  if (ended_at !== null) return <span class="quiet">ended</span>;
  if (held_reason === "send_unknown") return <span class="quiet">once it is settled</span>;
  if (held_reason === "contact_changed" || held_reason === "not_authorised") {
    return <span class="quiet">once it is approved anew</span>;
  }
  if (held_reason !== null) return <span class="quiet">once it is released</span>;
  if (waits !== null) {
    return waits.until === null ? <span class="quiet">once that has changed</span> : <Time at={waits.until} />;
  }
  return due_at === null ? <span class="quiet">once its step is done</span> : <Time at={due_at} />;
}

function Acts({ row: { id, held_reason } }: { row: Row }) {
  const released = held_reason !== null && held_reason !== "send_unknown";
  return (
    <div class="bar-inline">
      {released && (
        <Confirm
          does="release_enrollment"
          id={`release-${id}`}
          opens="Release…"
          submit="Look at it again now"
          align="right"
        >
          <Hidden name="enrollment_id" value={id} />
          <p>{HOLDS[held_reason]}</p>
          <p class="quiet">Where that was not mended, it is held again, and nothing is sent.</p>
        </Confirm>
      )}
      <Confirm
        does="stop_enrollment"
        id={`stop-${id}`}
        opens="Stop…"
        submit="Take the contact out"
        danger
        align="right"
      >
        <Hidden name="enrollment_id" value={id} />
        <p>Nothing more of this sequence is sent to the contact.</p>
      </Confirm>
    </div>
  );
}
