/** @jsxRuntime automatic @jsxImportSource preact */

import { SEQUENCE_STATUSES, type SequenceStatus, usesAccount } from "../../../domain/outreach/sequence.ts";
import { actorNames, pageOf } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Section } from "../../ui/basics.tsx";
import { Select } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ActivateAudience, Approvals, countAudiences, coversSteps, Enroll, type Whole } from "./approvals.tsx";
import { DeliveryNotice, hasEmails, SendsFromNow } from "./delivery.tsx";
import { Enrollments, enrollmentFilter, OnHold, SenderMissing } from "./enrollments.tsx";
import { type Numbers, SequenceNumbers, SequenceStatus as Status } from "./numbers.tsx";
import { Steps } from "./steps.tsx";

export const sequence = screen({
  path: "/sequences/:id",
  needs: "get_sequence",
  forms: ["set_sequence_status", "enroll_audience", "stop_enrollment", "release_enrollment"],
  async load(ctx) {
    const sequence_id = ctx.params.id ?? "";
    const filter = enrollmentFilter(ctx);
    const filtered = Object.keys(filter).length > 0;
    const [{ data: whole }, summary, enrollments, held, names] = await Promise.all([
      ctx.call("get_sequence", { sequence_id }),
      ctx.call("summarize_sequences", { sequence_ids: [sequence_id] }),
      ctx.call("list_enrollments", { sequence_id, ...filter, ...pageOf(ctx) }),
      // Filtered by status, the list below shows them.
      filtered ? undefined : ctx.call("list_enrollments", { sequence_id, held: true, limit: SHOWN_HELD }),
      actorNames(ctx),
    ]);
    const numbers = summary.data[0] as Numbers;
    const counts = await countAudiences(ctx, whole);
    return { whole, numbers, counts, progress: progressOf(whole, numbers.enrolled), enrollments, held, names };
  },
  title: ({ whole }) => whole.name,
  status: ({ whole, numbers }) => <Status status={whole.status} channels={numbers} />,
  action: ({ whole, progress }) => <Actions whole={whole} next={progress.next} />,
  view: ({ whole, numbers, counts, progress, enrollments, held, names }) => (
    <>
      {whole.description !== null && <p class="lead">{whole.description}</p>}
      {numbers.enrolled > 0 && (
        <div data-refresh="numbers">
          <SequenceNumbers numbers={numbers} />
        </div>
      )}
      <NextStage whole={whole} progress={progress} />
      <DeliveryNotice whole={whole} />
      <SenderMissing steps={whole.steps} />
      <div class="sides turned">
        <div>
          <div data-refresh="held">{held !== undefined && <OnHold rows={held.data} total={held.meta.total} />}</div>
          <Approvals whole={whole} names={names} counts={counts} atTop={progress.approval?.id} />
        </div>
        <Section title="Steps">
          <Steps steps={whole.steps} />
        </Section>
      </div>
      <div data-refresh="enrollments">
        <Enrollments rows={enrollments.data} meta={enrollments.meta} whole={whole} numbers={numbers} />
      </div>
    </>
  ),
});

/** The contacts on hold that are named. */
const SHOWN_HELD = 5;

/** The stages from a draft to sending, in order. */
const STAGE_TEXTS = {
  approve: { name: "Approve audience", next: "Choose recipients. Nothing is sent yet." },
  apply: {
    name: "Activate audience",
    next: "The approval locked in the contacts and the text. After you activate the audience, its contacts can be enrolled.",
  },
  enroll: {
    name: "Enroll contacts",
    next: "Enroll the approved contacts, or let an agent do it. Contacts who can't be enrolled are skipped.",
  },
  activate: { name: "Activate sequence", next: "Nothing is sent until the sequence is active." },
} as const;
type Stage = keyof typeof STAGE_TEXTS;
const STAGES = Object.keys(STAGE_TEXTS) as Stage[];

interface Progress {
  done: ReadonlySet<Stage>;
  next: Stage | undefined;
  /** The approval that the next stage is about. */
  approval: Whole["approvals"][number] | undefined;
}

/** Derived rather than stored, because editing a step cancels the approvals. */
function progressOf(whole: Whole, enrolled: number): Progress {
  const approvals = whole.approvals.filter((approval) => approval.status !== "voided" && coversSteps(approval, whole));
  const applied = approvals.find(({ status }) => status === "applied");
  const reached: Record<Stage, boolean> = {
    approve: approvals.length > 0,
    apply: applied !== undefined,
    enroll: enrolled > 0,
    activate: whole.status === "active",
  };
  const next = whole.status === "archived" ? undefined : STAGES.find((stage) => !reached[stage]);
  const approval = next === "apply" ? approvals[0] : next === "enroll" ? applied : undefined;
  return { done: new Set(STAGES.filter((stage) => reached[stage])), next, approval };
}

interface Props {
  whole: Whole;
  progress: Progress;
}

function NextStage({ whole, progress: { done, next, approval } }: Props) {
  if (next === undefined) return null;
  return (
    <section class="way" aria-label="Setup progress">
      <ol class="ladder">
        {STAGES.map((stage, i) => (
          <li
            key={stage}
            class={done.has(stage) ? "reached" : undefined}
            aria-current={stage === next ? "step" : undefined}
          >
            {done.has(stage) ? <Icon name="done" /> : `${i + 1}.`} {STAGE_TEXTS[stage].name}
            {done.has(stage) && <span class="hidden">, done</span>}
            {stage === next && <span class="hidden">, next</span>}
          </li>
        ))}
      </ol>
      <div class="bar">
        {next === "approve" && <ApproveLink whole={whole} primary />}
        {next === "apply" && approval && <ActivateAudience approval={approval} whole={whole} primary />}
        {next === "enroll" && approval && <Enroll approval={approval} whole={whole} primary />}
        {next === "activate" && <Activate whole={whole} />}
        <span class="quiet">{STAGE_TEXTS[next].next}</span>
      </div>
    </section>
  );
}

function ApproveLink({ whole: { id }, primary = false }: { whole: Whole; primary?: boolean }) {
  const { may, href } = usePageContext();
  if (!may("approve_sequence")) return null;
  return (
    <a class={primary ? "button primary" : "button"} href={href(`/sequences/${id}/audience`)}>
      Approve audience
    </a>
  );
}

function Activate({ whole }: { whole: Whole }) {
  const { workspace } = usePageContext();
  const emails = hasEmails(whole);
  const toFiles = emails && workspace.deployment.email === "none";
  return (
    <Confirm
      does="set_sequence_status"
      id="activate"
      opens="Activate sequence…"
      submit={toFiles ? "Activate and save emails to files" : "Activate sequence"}
      primary
    >
      <Hidden name="sequence_id" value={whole.id} />
      <Hidden name="status" value="active" />
      {toFiles && (
        <>
          <Hidden name="delivery" value="files" />
          <p>
            <Chip tone="needs">Emails aren't sent</Chip> No mail server is connected. Emails are saved to files.
          </p>
        </>
      )}
      <SendsFromNow whole={whole} />
      {emails && (
        <p>
          Rostrum then {toFiles ? "saves due emails to files" : "sends due emails"} within the workspace's sending hours
          and daily limit.
        </p>
      )}
      {usesAccount(whole.steps) && (
        <p>
          Due social steps become actions. The social account's agent sends them within the account's own hours and
          limits. Each action needs approval. If the account sends automatically, only actions for contacts who might
          have opted out need approval.
        </p>
      )}
    </Confirm>
  );
}

const STATUS_LABELS: Record<SequenceStatus, string> = {
  draft: "Draft: nothing is sent",
  active: "Active: due messages are sent",
  paused: "Paused: nothing is sent, contacts keep their place",
  archived: "Archived: nothing is sent, no one can be enrolled",
};
const statuses = SEQUENCE_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));

/** The next stage has the primary action, so the rest is here. */
function Actions({ whole, next }: { whole: Whole; next: Stage | undefined }) {
  const { id, status } = whole;
  const { may, href } = usePageContext();
  const at = `/sequences/${id}`;
  return (
    <div class="bar-inline wraps">
      {next === undefined && status !== "archived" && <ApproveLink whole={whole} />}
      {may("update_sequence") && (
        <a class="button" href={href(`${at}/edit`)}>
          Edit
        </a>
      )}
      <Confirm does="set_sequence_status" opens="Change status…" submit="Change status" align="right">
        <Hidden name="sequence_id" value={id} />
        <Select
          name="status"
          label="Status"
          hint="Approvals and enrollments don't change."
          choices={statuses}
          value={status}
        />
        <SendsFromNow whole={whole} />
      </Confirm>
      <details class="menu right">
        <summary class="button">
          More
          <Icon name="down" />
        </summary>
        <ul>
          {next !== undefined && next !== "approve" && may("approve_sequence") && (
            <li>
              <a href={href(`${at}/audience`)}>Approve audience</a>
            </li>
          )}
          <li>
            <a href={href(`${at}/preview`)}>Preview</a>
          </li>
          <li>
            <a href={href(`${at}/simulate`)}>Simulate</a>
          </li>
          <li>
            <a href={href("/sequences/sends", { sequence: id })}>Email log</a>
          </li>
        </ul>
      </details>
    </div>
  );
}
