/** @jsxRuntime automatic @jsxImportSource preact */
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useVisit } from "../../visit.ts";
import { Apply, Enroll, isOfNow, type Whole } from "./approvals.tsx";

/** The way from steps that are written to messages that are sent, in its order. */
const WAY = {
  approve: { name: "Approve an audience", next: "Say whom it is for, as it reads now. Nothing goes out by that." },
  apply: { name: "Apply the approval", next: "Put the approval into force: its contacts can be enrolled then." },
  enroll: { name: "Enroll contacts", next: "Start the approved contacts on it, or leave that to an agent." },
  activate: { name: "Set it active", next: "Until it is active, nothing is sent." },
} as const;
type Stage = keyof typeof WAY;
const STAGES = Object.keys(WAY) as Stage[];

interface Progress {
  done: ReadonlySet<Stage>;
  next: Stage | undefined;
  /** The approval that the next stage is about. */
  approval: Whole["approvals"][number] | undefined;
}

/** How far a sequence has come: told from how it stands, since an edit of its steps takes it back. */
export function progressOf(whole: Whole, enrolled: number): Progress {
  const approvals = whole.approvals.filter((approval) => approval.status !== "voided" && isOfNow(approval, whole));
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

export function Way({ whole, progress: { done, next, approval } }: Props) {
  if (next === undefined) return null;
  return (
    <section class="way" aria-label="The way until it is sent">
      <ol class="ladder">
        {STAGES.map((stage, i) => (
          <li
            key={stage}
            class={done.has(stage) ? "reached" : undefined}
            aria-current={stage === next ? "step" : undefined}
          >
            {done.has(stage) ? <Icon name="done" /> : `${i + 1}.`} {WAY[stage].name}
            {done.has(stage) && <span class="hidden">, done</span>}
            {stage === next && <span class="hidden">, next</span>}
          </li>
        ))}
      </ol>
      <div class="bar">
        {next === "approve" && <ApproveLink whole={whole} primary />}
        {next === "apply" && approval && <Apply approval={approval} whole={whole} primary />}
        {next === "enroll" && approval && <Enroll approval={approval} whole={whole} primary />}
        {next === "activate" && <Activate id={whole.id} />}
        <span class="quiet">{WAY[next].next}</span>
      </div>
    </section>
  );
}

export function ApproveLink({ whole: { id }, primary = false }: { whole: Whole; primary?: boolean }) {
  const { may, href } = useVisit();
  if (!may("approve_sequence")) return null;
  return (
    <a class={primary ? "button primary" : "button"} href={href(`/sequences/${id}/audience`)}>
      Approve an audience
    </a>
  );
}

function Activate({ id }: { id: string }) {
  return (
    <Confirm
      does="set_sequence_status"
      id="activate"
      opens="Set it active…"
      submit="Set it active, so that it is sent"
      primary
    >
      <Hidden name="sequence_id" value={id} />
      <Hidden name="status" value="active" />
      <p>From then on the server sends what is due, within the workspace's windows and its daily cap.</p>
    </Confirm>
  );
}
