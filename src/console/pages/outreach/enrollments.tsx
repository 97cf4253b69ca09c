/** @jsxRuntime automatic @jsxImportSource preact */

import { POSTPONEMENTS } from "../../../domain/outreach/sending.ts";
import { ENROLLMENT_STATUSES, placeholdersIn, type Step } from "../../../domain/outreach/sequence.ts";
import type { DataOf, PageMeta } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { codeLabel, nameOf, statusLabel } from "../../ui/labels.ts";
import { EnrollmentStatus } from "../../ui/status.tsx";
import { coversSteps, type Whole } from "./approvals.tsx";
import { type Hold, holdText, missingOf, SENDER, wayOutOf } from "./hold-text.ts";
import type { Numbers } from "./numbers.tsx";

interface HoldProps extends Hold {
  contactId: string;
}

/** Why an enrollment is on hold, with a link to the page that fixes it. */
export function HoldReasonText({ contactId, ...hold }: HoldProps) {
  const page = usePageContext();
  const { href, path } = page;
  const missing = missingOf(hold.reason, hold.detail);
  const ofContact = missing.some((name) => name !== SENDER);
  return (
    <>
      <p class="hint">{holdText(hold, page)}</p>
      {ofContact && path !== `/contacts/${contactId}` && (
        <p class="hint">
          <a href={href(`/contacts/${contactId}`)}>Edit contact</a>
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

/** Leads to the approval of one contact, who is selected there. */
export function ApproveAgain({ sequenceId, contactId }: { sequenceId: string; contactId: string }) {
  const { may, href } = usePageContext();
  if (!may("approve_sequence")) return null;
  return (
    <a class="button" href={href(`/sequences/${sequenceId}/audience`, { ids: contactId })}>
      Approve again
    </a>
  );
}

/** Shown before an approval, because each enrollment without a sender name goes on hold. */
export function SenderMissing({ steps }: { steps: readonly Step[] }) {
  const { workspace } = usePageContext();
  if (workspace.sender_name !== null || !placeholdersIn(steps).includes(SENDER)) return null;
  return (
    <p class="notice">
      <Chip tone="needs">Sender name missing</Chip> The steps use {"{{sender_name}}"}, but the workspace has no sender
      name. Contacts are put on hold at these steps. <SetSender />
    </p>
  );
}

function SetSender() {
  const { href, may } = usePageContext();
  return (
    <a href={href("/settings/workspace")}>
      {may("set_sending_policy") ? "Set sender name" : "Ask an admin to set the sender name"}
    </a>
  );
}

type Row = DataOf<"list_enrollments">[number];

interface Props {
  rows: readonly Row[];
  meta: PageMeta;
  whole: Whole;
  numbers: Numbers;
}

/** Who needs a person, with the reason. The list of enrollments has the forms. */
export function OnHold({ rows, total }: { rows: readonly Row[]; total: number }) {
  const page = usePageContext();
  const { href, path } = page;
  if (rows.length === 0) return null;
  const list = `${href(path, { show: "held" })}#enrollments`;
  return (
    <Section title="On hold" action={<a href={list}>{total === 1 ? "View contact" : `View all ${amount(total)}`}</a>}>
      <ul class="tasks">
        {rows.map(({ id, contact, held_reason: reason, held_detail: detail, hold_cause: cause }) => (
          <li key={id}>
            <a href={list}>
              {contact === null ? "Archived contact" : nameOf(contact)}
              {reason !== null && <span class="hint">{holdText({ reason, detail, cause }, page)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The next step until the first contact is enrolled. */
function howToEnroll(whole: Whole, may: PageContext["may"]): string {
  if (whole.status === "archived") return "This sequence is archived, so no one can be enrolled.";
  const approvals = whole.approvals.filter((approval) => coversSteps(approval, whole));
  const agents = "Agents can enroll contacts through the API.";
  if (approvals.some(({ status }) => status === "applied"))
    return may("enroll_audience") ? `Enroll the contacts of the activated audience above. ${agents}` : agents;
  if (!may("apply_sequence_approval"))
    return "Contacts can be enrolled after a teammate who can approve outbound messages activates an audience.";
  return approvals.some(({ status }) => status === "approved")
    ? `Activate the approved audience above, then enroll its contacts. ${agents}`
    : `Approve and activate an audience above, then enroll its contacts. ${agents}`;
}

/** The filter that the URL asks for. */
export function enrollmentFilter({ query }: PageContext) {
  const asked = query.get("show");
  if (asked === "held") return { held: true } as const;
  const status = ENROLLMENT_STATUSES.find((known) => known === asked);
  return status === undefined ? {} : { status };
}

/** An enrollment on hold keeps its status, active. */
const choicesOf = ({ enrolled, on_hold, by_status }: Numbers) => [
  { value: undefined, name: "All", count: enrolled },
  { value: "held", name: "On hold", count: on_hold },
  ...ENROLLMENT_STATUSES.map((value) => ({
    value,
    name: value === "active" ? "Active or on hold" : statusLabel(value, "enrollment"),
    count: by_status[value],
  })),
];

export function Enrollments({ rows, meta, whole, numbers }: Props) {
  const { query, href, path, may } = usePageContext();
  const filtered = query.has("show");
  return (
    <Section title="Enrollments" id="enrollments">
      <Choices label="Status" name="show" choices={choicesOf(numbers)} />
      {rows.length === 0 ? (
        <Empty title={filtered ? "No matching enrollments" : "No contacts enrolled yet"}>
          {filtered ? (
            <p>
              <a href={href(path)}>Show all enrollments</a>
            </p>
          ) : (
            <p>{howToEnroll(whole, may)}</p>
          )}
        </Empty>
      ) : (
        <Table
          caption="Enrollments, newest first"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { name: "Contact", cell: (row) => <Who row={row} /> },
            { name: "Status", grow: "wrap", phone: "end", cell: (row) => <EnrollmentState row={row} /> },
            {
              name: "Step",
              figure: true,
              phone: "named",
              cell: ({ status, current_step }) => (status === "completed" ? "All" : current_step + 1),
            },
            { name: "Next step", wrap: true, phone: "named", cell: (row) => <Next row={row} /> },
            { name: "Enrolled", wide: "roomy", cell: ({ enrolled_at }) => <Time at={enrolled_at} /> },
            { name: "Actions", act: true, cell: (row) => row.ended_at === null && <EnrollmentActions row={row} /> },
          ]}
        />
      )}
      <Pager meta={meta} label="Enrollment pages" />
    </Section>
  );
}

function Who({ row: { contact_id, contact } }: { row: Row }) {
  const { href } = usePageContext();
  if (contact === null) return <span class="quiet">Archived contact</span>;
  return <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>;
}

/** The status, and why the contact is on hold. */
function EnrollmentState({ row }: { row: Row }) {
  const { contact_id, status, held_reason, held_detail, hold_cause, waits, ended_reason } = row;
  if (held_reason !== null) {
    return (
      <div>
        <EnrollmentStatus status={status} held />
        <HoldReasonText reason={held_reason} detail={held_detail} contactId={contact_id} cause={hold_cause} />
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

function Next({ row: { due_at, held_reason, hold_cause, waits, ended_at } }: { row: Row }) {
  const way = wayOutOf(hold_cause);
  if (ended_at !== null || way === "remove") return <span class="quiet">None</span>;
  if (held_reason === "send_unknown") return <span class="quiet">After the email's outcome is set</span>;
  if (way === "approve") return <span class="quiet">After a new audience is activated</span>;
  if (held_reason !== null) return <span class="quiet">After release</span>;
  if (waits !== null) {
    return waits.until === null ? <span class="quiet">When sending resumes</span> : <Time at={waits.until} />;
  }
  return due_at === null ? <span class="quiet">After the current step</span> : <Time at={due_at} />;
}

/** The way out of a hold, and of the sequence. */
function EnrollmentActions({ row }: { row: Row }) {
  const { id, sequence_id, contact_id, held_reason, held_detail, hold_cause } = row;
  const page = usePageContext();
  const way = wayOutOf(hold_cause);
  return (
    <div class="bar-inline">
      {held_reason === "send_unknown" && (
        <a class="button" href={page.href("/sequences/sends", { status: "unknown", sequence: sequence_id })}>
          Set outcome
        </a>
      )}
      {way === "approve" && <ApproveAgain sequenceId={sequence_id} contactId={contact_id} />}
      {held_reason !== null && held_reason !== "send_unknown" && way === "release" && (
        <Confirm does="release_enrollment" id={`release-${id}`} opens="Release…" submit="Release contact" align="right">
          <Hidden name="enrollment_id" value={id} />
          <p>{holdText({ reason: held_reason, detail: held_detail, cause: hold_cause }, page)}</p>
          <p class="quiet">If the problem remains, the contact goes back on hold and gets no message.</p>
        </Confirm>
      )}
      <Confirm does="stop_enrollment" id={`stop-${id}`} opens="Remove…" submit="Remove contact" danger align="right">
        <Hidden name="enrollment_id" value={id} />
        <p>This contact gets no more messages from this sequence.</p>
      </Confirm>
    </div>
  );
}
