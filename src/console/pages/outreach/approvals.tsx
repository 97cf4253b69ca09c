/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, Empty, Section, Time } from "../../ui/basics.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { actorLabel } from "../../ui/labels.ts";
import { AskAnother, needsAnother } from "../../ui/own-proposal.tsx";
import { Status } from "../../ui/status.tsx";

export type Whole = DataOf<"get_sequence">;
type Approval = Whole["approvals"][number];

interface ApprovalsProps {
  whole: Whole;
  names: ReadonlyMap<string, string>;
  /** The approval whose next step is offered at the top of the page. */
  atTop: string | undefined;
}

export function Approvals({ whole, names, atTop }: ApprovalsProps) {
  return (
    <Section title="Approvals">
      {whole.approvals.length === 0 ? (
        <Empty title="No approvals yet">
          <p>
            An audience is the list of contacts that this sequence may send to. Approving it locks in the contacts and
            the text. After you activate it, its contacts can be enrolled.
          </p>
        </Empty>
      ) : (
        <ul class="tasks loose">
          {whole.approvals.map((approval) => (
            <li key={approval.id}>
              <div>
                {counted(approval.contact_count, "contact")}
                <p class="hint">
                  {actorLabel(approval.approved_by, names)}, <Time at={approval.approved_at} />
                </p>
              </div>
              <div class="bar-inline">
                <Status of={approval.status} />
                {approval.id !== atTop && <ActivateAudience approval={approval} whole={whole} />}
                {approval.id !== atTop && <Enroll approval={approval} whole={whole} />}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** An approval covers the steps as they were when it was given. */
export const coversSteps = ({ steps_hash }: Approval, whole: Whole) => steps_hash === whole.steps_hash;

interface Props {
  approval: Approval;
  whole: Whole;
  primary?: boolean;
}

/** Links to Review, which shows every contact before the audience is activated. */
export function ActivateAudience({ approval, whole, primary = false }: Props) {
  const { may, href, actor, workspace } = usePageContext();
  const { id, status, approved_by } = approval;
  if (status !== "approved" || !coversSteps(approval, whole) || !may("apply_sequence_approval")) return null;
  if (needsAnother({ own_proposal: approved_by === actor.id }, workspace)) return <AskAnother />;
  return (
    <a class={primary ? "button primary" : "button"} href={href(`/review/sequence/${id}`, { from: "sequence" })}>
      {primary ? "Activate audience…" : "Activate…"}
    </a>
  );
}

/** Shown in each form that enrolls, because the server refuses it while its outbound gate is closed. */
export function EnrollBlocked() {
  const { workspace } = usePageContext();
  if (workspace.deployment.outbound_gate !== "closed") return null;
  return (
    <p>
      <Chip tone="needs">Sending is off</Chip> Contacts can't be enrolled yet. Ask your server admin to turn on sending
      first.
    </p>
  );
}

export function Enroll({ approval, whole, primary = false }: Props) {
  const { id, status } = approval;
  const { workspace } = usePageContext();
  if (status !== "applied" || !coversSteps(approval, whole) || whole.status === "archived") return null;
  // Without a dialog, because nothing is sent yet.
  if (primary && whole.status !== "active" && workspace.deployment.outbound_gate !== "closed") {
    return (
      <Form does="enroll_audience" id={`enroll-${id}`} class="inline" label="Enroll contacts">
        <Hidden name="approval_id" value={id} />
        <button type="submit" class="primary">
          Enroll contacts
        </button>
      </Form>
    );
  }
  return (
    <Confirm
      does="enroll_audience"
      id={`enroll-${id}`}
      opens={primary ? "Enroll contacts…" : "Enroll…"}
      submit="Enroll eligible contacts"
      primary={primary}
      align={primary ? "left" : "right"}
    >
      <Hidden name="approval_id" value={id} />
      <EnrollBlocked />
      <p>This enrolls up to 500 contacts of this audience. It skips contacts who:</p>
      <ul class="bullets">
        <li>were enrolled in this sequence before</li>
        <li>are archived</li>
        <li>are on the do-not-contact list</li>
        <li>have no company</li>
      </ul>
      {whole.status !== "active" && <p class="quiet">Nothing is sent until the sequence is active.</p>}
    </Confirm>
  );
}
