/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Empty, Section, Time } from "../../ui/basics.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { actorLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";

export type Whole = DataOf<"get_sequence">;
type Approval = Whole["approvals"][number];

interface ApprovalsProps {
  whole: Whole;
  names: ReadonlyMap<string, string>;
  /** The approval whose next step is offered at the top of the page. */
  atHead: string | undefined;
}

export function Approvals({ whole, names, atHead }: ApprovalsProps) {
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
                {counted(approval.contact_count, "contact")}, by {actorLabel(approval.approved_by, names)},{" "}
                <Time at={approval.approved_at} />
              </span>
              <div class="bar-inline">
                <Status of={approval.status} />
                {approval.id !== atHead && <Apply approval={approval} whole={whole} />}
                {approval.id !== atHead && <Enroll approval={approval} whole={whole} />}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Whether an approval is of the current steps. */
export const isOfNow = ({ steps_hash }: Approval, whole: Whole) => steps_hash === whole.steps_hash;

interface Props {
  approval: Approval;
  whole: Whole;
  primary?: boolean;
}

/** Leads to Review, which shows every contact before the approval is applied. */
export function Apply({ approval, whole, primary = false }: Props) {
  const { may, href } = usePageContext();
  const { id, status } = approval;
  if (status !== "approved" || !isOfNow(approval, whole) || !may("apply_sequence_approval")) return null;
  return (
    <a class={primary ? "button primary" : "button"} href={href(`/review/sequence/${id}`)}>
      {primary ? "Apply the approval…" : "Apply…"}
    </a>
  );
}

export function Enroll({ approval, whole, primary = false }: Props) {
  const { id, status } = approval;
  if (status !== "applied" || !isOfNow(approval, whole) || whole.status === "archived") return null;
  return (
    <Confirm
      does="enroll_audience"
      id={`enroll-${id}`}
      opens={primary ? "Enroll the audience…" : "Enroll them…"}
      submit="Enroll everybody who can be"
      primary={primary}
      align={primary ? "left" : "right"}
    >
      <Hidden name="approval_id" value={id} />
      <p>
        Up to 500 contacts of this audience start on the sequence. Left out are those who were on it before, who are
        archived, on the do-not-contact list, or have no company on record.
      </p>
      {whole.status !== "active" && <p class="quiet">Nothing is sent to them until the sequence is active.</p>}
    </Confirm>
  );
}
