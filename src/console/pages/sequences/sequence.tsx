/** @jsxRuntime automatic @jsxImportSource preact */
import { SEQUENCE_STATUSES } from "../../../domain/sequence.ts";
import type { DataOf, PageMeta } from "../../answers.ts";
import { type Contact, contactsOf, inWords, membersOf, nameOf, pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select } from "../../parts/fields.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { SequenceStatus } from "./list.tsx";
import { Steps } from "./steps.tsx";

type Whole = DataOf<"get_sequence">;

const statuses = SEQUENCE_STATUSES.map((value) => ({ value, label: inWords(value) }));

export const sequence = screen({
  path: "/sequences/:id",
  needs: "get_sequence",
  forms: ["set_sequence_status", "apply_sequence_approval", "stop_enrollment"],
  async load(visit) {
    const sequence_id = visit.params.id ?? "";
    const { data: whole } = await visit.call("get_sequence", { sequence_id });
    const enrollments = await visit.call("list_enrollments", { sequence_id, ...pageOf(visit) });
    const people = await contactsOf(
      visit,
      enrollments.data.map(({ contact_id }) => contact_id),
    );
    return { whole, enrollments, people, names: await membersOf(visit) };
  },
  title: ({ whole }) => whole.name,
  view: ({ whole, enrollments, people, names }) => (
    <>
      <Head whole={whole} />
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

function Head({ whole }: { whole: Whole }) {
  const { may, href } = useVisit();
  return (
    <>
      {whole.description !== null && <p class="lead">{whole.description}</p>}
      <div class="bar">
        <SequenceStatus status={whole.status} />
        <Confirm does="set_sequence_status" opens="Set the status…" submit="Set the status">
          <Hidden name="sequence_id" value={whole.id} />
          <Select
            name="status"
            label="Status"
            hint="The server sends from it while it is active. Approvals and enrollments stay."
            choices={statuses}
            value={whole.status}
          />
        </Confirm>
        {may("update_sequence") && (
          <a class="button" href={href(`/sequences/${whole.id}/edit`)}>
            Edit
          </a>
        )}
        {may("approve_sequence") && (
          <a class="button primary" href={href(`/sequences/${whole.id}/audience`)}>
            Approve an audience
          </a>
        )}
      </div>
    </>
  );
}

function Approvals({ whole: { approvals, steps_hash }, names }: { whole: Whole; names: ReadonlyMap<string, string> }) {
  return (
    <Section title="Approvals">
      {approvals.length === 0 ? (
        <Empty title="Nobody is approved for it">
          <p>Without an approval that is applied, nobody can be enrolled.</p>
        </Empty>
      ) : (
        <ul class="tasks">
          {approvals.map(({ id, status, contact_count, approved_by, approved_at, steps_hash: pinned }) => (
            <li key={id}>
              <span>
                {contact_count.toLocaleString("en")} {contact_count === 1 ? "contact" : "contacts"}, by{" "}
                {names.get(approved_by) ?? approved_by}, <Time at={approved_at} />
              </span>
              {status === "approved" && pinned === steps_hash ? (
                <Confirm
                  does="apply_sequence_approval"
                  id={`apply-${id}`}
                  opens="Apply…"
                  submit="Apply, so that they can be enrolled"
                  align="right"
                >
                  <Hidden name="approval_id" value={id} />
                  <p>
                    Agents may enroll these {contact_count} contacts from then on, and the server sends them the steps
                    as they read now.
                  </p>
                </Confirm>
              ) : (
                <Chip tone={status === "applied" ? "done" : "plain"}>{status}</Chip>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface EnrollmentsProps {
  rows: DataOf<"list_enrollments">;
  meta: PageMeta;
  people: ReadonlyMap<string, Contact>;
}

function Enrollments({ rows, meta, people }: EnrollmentsProps) {
  const { href } = useVisit();
  return (
    <Section title="Enrollments">
      {rows.length === 0 ? (
        <Empty title="Nobody is on the way">
          <p>Agents enroll contacts over the API; you can do it on a contact's page.</p>
        </Empty>
      ) : (
        <Table
          caption="Enrollments, newest first"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: "Contact",
              cell: ({ contact_id }) => {
                const contact = people.get(contact_id);
                return contact === undefined ? (
                  <span class="quiet">archived</span>
                ) : (
                  <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>
                );
              },
            },
            {
              name: "Status",
              cell: ({ status, held_reason }) => (
                <Chip tone={held_reason === null ? "plain" : "needs"}>
                  {held_reason === null ? inWords(status) : `held: ${inWords(held_reason).toLowerCase()}`}
                </Chip>
              ),
            },
            { name: "Step", figure: true, cell: ({ current_step }) => current_step + 1 },
            { name: "Next", cell: ({ due_at }) => due_at !== null && <Time at={due_at} /> },
            { name: "Enrolled", cell: ({ enrolled_at }) => <Time at={enrolled_at} /> },
            {
              name: "Stop",
              cell: ({ id, ended_at }) =>
                ended_at === null && (
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
                ),
            },
          ]}
        />
      )}
      <Pager meta={meta} label="Pages of enrollments" />
    </Section>
  );
}
