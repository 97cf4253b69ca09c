/** @jsxRuntime automatic @jsxImportSource preact */
import { SEQUENCE_STATUSES, type SequenceStatus } from "../../../domain/sequence.ts";
import { contactsOf, membersOf, pageOf } from "../../names.ts";
import { Section } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select } from "../../parts/fields.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Approvals, type Whole } from "./approvals.tsx";
import { Enrollments, enrollmentsAsked } from "./enrollments.tsx";
import { SenderMissing } from "./hold.tsx";
import { SequenceStatus as Status } from "./list.tsx";
import { ApproveLink, progressOf, Way } from "./progress.tsx";
import { Steps } from "./steps.tsx";

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
    const [{ data: whole }, ever, enrollments, names] = await Promise.all([
      visit.call("get_sequence", { sequence_id }),
      visit.call("list_enrollments", { sequence_id, limit: 1 }),
      visit.call("list_enrollments", asked),
      membersOf(visit),
    ]);
    const people = await contactsOf(
      visit,
      enrollments.data.map(({ contact_id }) => contact_id),
    );
    return { whole, progress: progressOf(whole, ever.meta.total), enrollments, people, names };
  },
  title: ({ whole }) => whole.name,
  view: ({ whole, progress, enrollments, people, names }) => (
    <>
      <Head whole={whole} approves={progress.next !== "approve"} />
      <Way whole={whole} progress={progress} />
      <SenderMissing steps={whole.steps} />
      <div class="sides">
        <Section title="Steps">
          <Steps steps={whole.steps} />
        </Section>
        <Approvals whole={whole} names={names} atHead={progress.approval?.id} />
      </div>
      <div data-refresh="enrollments">
        <Enrollments rows={enrollments.data} meta={enrollments.meta} people={people} />
      </div>
    </>
  ),
});

interface HeadProps {
  whole: Whole;
  /** Whether it offers to approve an audience: where that comes next, it is offered below. */
  approves: boolean;
}

function Head({ whole, approves }: HeadProps) {
  const { id, status, description } = whole;
  const { may, href } = useVisit();
  const at = `/sequences/${id}`;
  return (
    <>
      {description !== null && <p class="lead">{description}</p>}
      <div class="bar">
        <Status status={status} />
        {approves && <ApproveLink whole={whole} />}
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
