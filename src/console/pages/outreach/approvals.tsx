/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Empty, Section, Time } from "../../ui/basics.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { amount, counted } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { actorLabel } from "../../ui/labels.ts";
import { AskAnother, needsAnother } from "../../ui/own-proposal.tsx";
import { Status } from "../../ui/status.tsx";

export type Whole = DataOf<"get_sequence">;
type Approval = Whole["approvals"][number];

/** How many contacts of an activated audience were enrolled, by the id of its approval. */
export type AudienceCounts = ReadonlyMap<string, DataOf<"count_audience">>;

/** Counting walks an audience, so only as many are counted as have this many contacts together. */
const MAX_COUNTED = 10_000;

/** Counts the newest activated audiences of the current steps. */
export async function countAudiences({ call }: PageContext, whole: Whole): Promise<AudienceCounts> {
  let contacts = 0;
  const counted = whole.approvals.filter((approval) => {
    if (!isActivated(approval, whole)) return false;
    contacts += approval.contact_count;
    return contacts <= MAX_COUNTED;
  });
  const found = await Promise.all(counted.map(({ id }) => call("count_audience", { approval_id: id })));
  return new Map(found.map(({ data }) => [data.approval_id, data]));
}

const isActivated = (approval: Approval, whole: Whole) => approval.status === "applied" && coversSteps(approval, whole);

interface ApprovalsProps {
  whole: Whole;
  names: ReadonlyMap<string, string>;
  counts: AudienceCounts;
  /** The approval whose next step is offered at the top of the page. */
  atTop: string | undefined;
}

export function Approvals({ whole, names, counts, atTop }: ApprovalsProps) {
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
                <p>
                  {counted(approval.contact_count, "contact")}{" "}
                  {approval.status === "voided" && <Status of={approval.status} />}
                </p>
                {approval.status === "voided" ? (
                  <p class="hint">
                    Approved by {actorLabel(approval.approved_by, names)}, <Time at={approval.approved_at} />
                  </p>
                ) : (
                  <Path
                    approval={approval}
                    whole={whole}
                    names={names}
                    counts={counts.get(approval.id)}
                    isAtTop={approval.id === atTop}
                  />
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface PathProps {
  approval: Approval;
  whole: Whole;
  names: ReadonlyMap<string, string>;
  counts: DataOf<"count_audience"> | undefined;
  isAtTop: boolean;
}

/** The way of an audience: approved, activated, enrolled. The next step has its button. */
function Path({ approval, whole, names, counts, isAtTop }: PathProps) {
  const { approved_by, approved_at, applied_by, applied_at } = approval;
  const isActive = applied_at !== null;
  const isDone = counts !== undefined && counts.enrolled > 0 && counts.left === 0;
  return (
    <ol class="stages">
      <Stage name="Approved" isDone>
        <p class="hint">
          {actorLabel(approved_by, names)}, <Time at={approved_at} />
        </p>
      </Stage>
      <Stage name={isActive ? "Activated" : "Activate"} isDone={isActive} isNext={!isActive}>
        {isActive ? (
          <p class="hint">
            {applied_by === null ? "" : `${actorLabel(applied_by, names)}, `}
            <Time at={applied_at} />
          </p>
        ) : (
          !isAtTop && <ActivateAudience approval={approval} whole={whole} />
        )}
      </Stage>
      <Stage name={enrolledText(counts)} isDone={isDone} isNext={isActive && !isDone}>
        {counts !== undefined && counts.left === 0 && counts.enrolled < counts.contacts && (
          <p class="hint">
            {counted(counts.contacts - counts.enrolled, "contact")} can't be enrolled, because{" "}
            {counts.contacts - counts.enrolled === 1 ? "the contact is" : "they are"} archived, on the do-not-contact
            list, or without a confirmed company.
          </p>
        )}
        {!isAtTop && counts?.left !== 0 && <Enroll approval={approval} whole={whole} left={counts?.left} />}
      </Stage>
    </ol>
  );
}

const enrolledText = (counts: DataOf<"count_audience"> | undefined) =>
  counts === undefined ? "Enroll" : `${amount(counts.enrolled)} of ${amount(counts.contacts)} enrolled`;

interface StageProps {
  name: string;
  isDone?: boolean;
  isNext?: boolean;
  children: ComponentChildren;
}

function Stage({ name, isDone = false, isNext = false, children }: StageProps) {
  return (
    <li class={isDone ? "reached" : undefined} aria-current={isNext ? "step" : undefined}>
      <span>
        {isDone && <Icon name="done" />} {name}
        {isDone && <span class="hidden">, done</span>}
      </span>
      {children}
    </li>
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
  if (needsAnother({ own_proposal: approved_by === actor.id }, workspace)) return <AskAnother isAudience />;
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

interface EnrollProps extends Props {
  /** How many contacts can be enrolled, where that is known. */
  left?: number | undefined;
}

export function Enroll({ approval, whole, primary = false, left }: EnrollProps) {
  const { id } = approval;
  const { workspace } = usePageContext();
  if (!isActivated(approval, whole) || whole.status === "archived") return null;
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
      opens={primary ? "Enroll contacts…" : left === undefined ? "Enroll…" : `Enroll ${amount(left)}…`}
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
        <li>
          have a company that an agent added, if no teammate has confirmed it on the contact page or by approving this
          audience
        </li>
      </ul>
      {whole.status !== "active" && <p class="quiet">Nothing is sent until the sequence is active.</p>}
    </Confirm>
  );
}
