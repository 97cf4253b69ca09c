/** @jsxRuntime automatic @jsxImportSource preact */
import { SEQUENCE_STATUSES, type SequenceStatus } from "../../../domain/sequence.ts";
import type { DataOf } from "../../answers.ts";
import { counted } from "../../figures.ts";
import { contactsOf, inWords, membersOf, pageOf } from "../../names.ts";
import { Chip, Empty, Section, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select } from "../../parts/fields.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Enrollments, enrollmentsAsked } from "./enrollments.tsx";
import { SenderMissing } from "./hold.tsx";
import { SequenceStatus as Status } from "./list.tsx";
import { Steps } from "./steps.tsx";

type Whole = DataOf<"get_sequence">;
type Approval = Whole["approvals"][number];

const MEANS: Record<SequenceStatus, string> = {
  draft: "Draft: nothing is sent from it",
  active: "Active: the server sends what is due",
  paused: "Paused: nothing is sent, and everybody keeps their place",
  archived: "Archived: nothing is sent, and nobody can be enrolled",
};
const statuses = SEQUENCE_STATUSES.map((value) => ({ value, label: MEANS[value] }));

export const sequence = screen({
  path: "/sequences/:id",
  needs: "get_sequence",
  forms: [
    ...(["set_sequence_status", "apply_sequence_approval", "enroll_audience"] as const),
    ...(["stop_enrollment", "release_enrollment"] as const),
  ],
  async load(visit) {
    const sequence_id = visit.params.id ?? "";
    const asked = { sequence_id, ...enrollmentsAsked(visit), ...pageOf(visit) };
    const [{ data: whole }, enrollments, names] = await Promise.all([
      visit.call("get_sequence", { sequence_id }),
      visit.call("list_enrollments", asked),
      membersOf(visit),
    ]);
    const people = await contactsOf(
      visit,
      enrollments.data.map(({ contact_id }) => contact_id),
    );
    return { whole, enrollments, people, names };
  },
  title: ({ whole }) => whole.name,
  view: ({ whole, enrollments, people, names }) => (
    <>
      <Head whole={whole} />
      <SenderMissing steps={whole.steps} />
      <div class="sides">
        <Section title="Steps">
          <Steps steps={whole.steps} />
        </Section>
        <Approvals whole={whole} names={names} />
      </div>
      <Enrollments rows={enrollments.data} meta={enrollments.meta} people={people} />
    </>
  ),
});

function Head({ whole: { id, status, description } }: { whole: Whole }) {
  const { may, href } = useVisit();
  const at = `/sequences/${id}`;
  return (
    <>
      {description !== null && <p class="lead">{description}</p>}
      <div class="bar">
        <Status status={status} />
        {may("approve_sequence") && (
          <a class="button primary" href={href(`${at}/audience`)}>
            Approve an audience
          </a>
        )}
        {may("update_sequence") && (
          <a class="button" href={href(`${at}/edit`)}>
            Edit
          </a>
        )}
        <a class="button" href={href(`${at}/preview`)}>
          Preview
        </a>
        <a class="button" href={href(`${at}/simulate`)}>
          Simulate
        </a>
        <a class="button" href={href("/sequences/sends", { sequence: id })}>
          What was sent
        </a>
        <Confirm does="set_sequence_status" opens="Set the status…" submit="Set the status">
          <Hidden name="sequence_id" value={id} />
          <Select
            name="status"
            label="Status"
            hint="Approvals and enrollments stay as they are."
            choices={statuses}
            value={status}
          />
        </Confirm>
      </div>
    </>
  );
}

function Approvals({ whole, names }: { whole: Whole; names: ReadonlyMap<string, string> }) {
  return (
    <Section title="Approvals">
      {whole.approvals.length === 0 ? (
        <Empty title="Nobody is approved for it">
          <p>Without an approval that is applied, nobody can be enrolled.</p>
        </Empty>
      ) : (
        <ul class="tasks">
          {whole.approvals.map((approval) => (
            <li key={approval.id}>
              <span>
                {counted(approval.contact_count, "contact")}, by{" "}
                {names.get(approval.approved_by) ?? approval.approved_by}, <Time at={approval.approved_at} />
              </span>
              <Standing approval={approval} whole={whole} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** What can be done with an approval: apply it, and then enroll its audience. */
function Standing({ approval, whole }: { approval: Approval; whole: Whole }) {
  const { id, status, contact_count, steps_hash } = approval;
  const asItReads = steps_hash === whole.steps_hash;
  if (status === "approved" && asItReads) {
    return (
      <Confirm
        does="apply_sequence_approval"
        id={`apply-${id}`}
        opens="Apply…"
        submit="Apply, so that they can be enrolled"
        align="right"
      >
        <Hidden name="approval_id" value={id} />
        <p>
          Agents may enroll {counted(contact_count, "contact")} from then on, and the server sends them the steps as
          they read now.
        </p>
      </Confirm>
    );
  }
  return (
    <div class="bar-inline">
      <Chip tone={status === "applied" ? "done" : "plain"}>{inWords(status)}</Chip>
      {status === "applied" && asItReads && whole.status !== "archived" && (
        <Confirm
          does="enroll_audience"
          id={`enroll-${id}`}
          opens="Enroll them…"
          submit="Enroll everybody who can be"
          align="right"
        >
          <Hidden name="approval_id" value={id} />
          <p>
            Up to 500 contacts of this audience start on the sequence. Left out are those who were on it before, who are
            archived, on the do-not-contact list, or have no company on record.
          </p>
          {whole.status !== "active" && <p class="quiet">Nothing is sent to them until the sequence is active.</p>}
        </Confirm>
      )}
    </div>
  );
}
