/** @jsxRuntime automatic @jsxImportSource preact */

import { problem } from "../../../core/problem.ts";
import { DECIDED_BY, isDeciding, REVIEW_KINDS, type ReviewKind, TOGETHER } from "../../../domain/checklist/review.ts";
import { pageOf } from "../../app/lookups.ts";
import type { OperationName } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Appointment, Chip, Empty, Key } from "../../ui/basics.tsx";
import { flashMessageText } from "../../ui/flash-messages.ts";
import { Form, Hidden } from "../../ui/form.tsx";
import { amount, counted } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { codeLabel, revealed, type StatusOf, statusLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { Neighbors, QueueRow } from "../../ui/queue.tsx";
import { shortcut } from "../../ui/shortcuts.ts";
import { Status } from "../../ui/status.tsx";
import { Consequence, Explanation } from "./context.tsx";
import { ConversationSoFar } from "./conversation.tsx";
import { DECISIONS, Decide } from "./decide.tsx";
import { DecidedLink } from "./decided.tsx";
import {
  type Around,
  decisionLabel,
  type Head,
  headingOf,
  KIND_NAMES,
  kindOf,
  loadQueue,
  NOTHING_AROUND,
  neighbors,
  nextStepText,
  pathOf,
  positionOf,
  type Queue,
  queueQuery,
  statusOf,
  surroundingsReader,
  type Whole,
} from "./load.ts";
import { Proposal, useView } from "./proposal.tsx";
import { WITHDRAWS } from "./withdraw.tsx";

const shared = {
  needs: "list_review",
  forms: DECISIONS,
  showsOutcomeOf: Object.keys(DECIDED_BY),
  view: (opened: ReviewData) => <ReviewPage {...opened} />,
} as const;

export const review = screen({
  ...shared,
  path: "/review",
  title: "Review",
  load: (ctx) => loadReview(ctx, undefined),
  // A page whose item changes would show another one under the same button when someone goes back to it.
  leadsTo: ({ whole }) => whole && pathOf(whole),
});

export const reviewOne = screen({
  ...shared,
  path: "/review/:kind/:id",
  title: ({ whole }) => (whole === undefined ? "Review" : headingOf(whole)),
  heading: ({ whole }, { outcome }) => ({
    id: "one",
    // After a decision, the focus is on the next proposal, and screen readers read the last decision with it.
    ...(whole !== undefined && outcome !== undefined && { tabIndex: -1, autoFocus: true, "aria-describedby": "told" }),
  }),
  status: ({ whole }) =>
    whole && (
      <>
        {whole.answer === null && whole.action === null && <Chip>{KIND_NAMES[whole.kind][0]}</Chip>}
        <DecisionStatus whole={whole} />
      </>
    ),
  action: ({ whole, queue }) => whole && <Position queue={queue} whole={whole} />,
  load(ctx) {
    const kind = kindOf(ctx.params.kind);
    if (kind === undefined) throw problem("route_not_found", "This review queue doesn't exist.");
    return loadReview(ctx, { kind, id: ctx.params.id ?? "" });
  },
});

/** The queue by kind, with counts, oldest first. */
function QueueList({ queue, at }: { queue: Queue; at: Pick<Whole, "kind" | "id"> | undefined }) {
  const { href, may } = usePageContext();
  const { page } = queue;
  const kinds = REVIEW_KINDS.filter((kind) => queue.counts[kind] > 0 && (page?.kind ?? kind) === kind);
  return (
    <nav class="queue" id="queue" aria-label="Review queue">
      {page !== undefined && <a href={href("/review")}>All types</a>}
      {kinds.map((kind) => {
        const heads = queue.heads.filter((head) => head.kind === kind);
        const together = TOGETHER.some((one) => one === kind) && heads.length > 1 && may("approve_review");
        return (
          <section key={kind}>
            <h2>
              {KIND_NAMES[kind][1]} <span class="count">{amount(queue.counts[kind])}</span>
            </h2>
            <ol>
              {heads.map((head) => (
                <QueueEntry key={head.id} head={head} page={page} here={head.kind === at?.kind && head.id === at.id} />
              ))}
            </ol>
            {heads.length < queue.counts[kind] && <QueuePages queue={queue} kind={kind} shown={heads.length} />}
            {together && <a href={href(`/review/${kind}`)}>Approve several</a>}
          </section>
        );
      })}
      <DecidedLink />
    </nav>
  );
}

/** The position in a kind's queue, with links to the previous and next items. */
function QueuePages({ queue: { counts, page }, kind, shown }: { queue: Queue; kind: ReviewKind; shown: number }) {
  const { href } = usePageContext();
  const offset = page?.offset ?? 0;
  const limit = page?.limit ?? shown;
  const at = (start: number) => href("/review", queueQuery({ kind, offset: start }));
  return (
    <div class="pager">
      <span class="quiet">
        {amount(Math.min(offset + 1, counts[kind]))}–{amount(offset + shown)} of {amount(counts[kind])}
      </span>
      {offset > 0 && (
        <a class="button" rel="prev" href={at(Math.max(0, offset - limit))}>
          Older
        </a>
      )}
      {offset + shown < counts[kind] && (
        <a class="button" rel="next" href={at(offset + limit)}>
          Newer
        </a>
      )}
    </div>
  );
}

function QueueEntry({ head, page, here }: { head: Head; page: Queue["page"]; here: boolean }) {
  const { href, now } = usePageContext();
  const text = startOf(head);
  // A post waits for its publish time.
  const isAhead = Date.parse(head.waits_since) > now;
  return (
    <QueueRow
      href={href(pathOf(head), queueQuery(page))}
      isOpen={here}
      mark={<QueueMark head={head} />}
      title={revealed(head.title) || "No name"}
      at={isAhead ? undefined : head.waits_since}
    >
      {isAhead && (
        <span class="hint due">
          <Appointment at={head.waits_since} />
        </span>
      )}
      <span class="hint about">
        {aboutOf(head)}
        {head.by_agent && <span class="hidden"> (agent)</span>}
      </span>
      {text !== "" && <span class="hint said">{text}</span>}
    </QueueRow>
  );
}

/** The contact that a message goes to, or who proposed it. */
function QueueMark({ head: { kind, title, proposed_by, by_agent } }: { head: Head }) {
  if (kind === "sequence") return <Icon name="sequences" />;
  if (kind === "action" || kind === "answer") return <Mark name={title} small />;
  return <Mark name={proposed_by} kind={by_agent ? "agent" : "person"} small />;
}

/** The first line of the text, unless it is the title already. */
function startOf({ kind, title, text }: Head): string {
  const first = (text ?? "").split("\n").find((line) => line.trim() !== "") ?? "";
  return (kind === "post" || kind === "publish") && title.startsWith(first) ? "" : revealed(first);
}

/** What it is, and who proposed it. */
function aboutOf({ kind, about, proposed_by }: Head): string {
  if (kind === "sequence") return counted(Number(about), "contact");
  const by = `by ${proposed_by}`;
  const what = kind === "answer" ? revealed(about ?? "") : kind === "card" || about === null ? about : codeLabel(about);
  return what === null ? by : `${what}, ${by}`;
}

/** Links to the previous and the next proposal, with shortcuts. */
function Position({ queue, whole }: { queue: Queue; whole: Whole }) {
  const { href } = usePageContext();
  const { before, next } = neighbors(queue.heads, whole);
  const at = (head: Head | undefined) => head && href(pathOf(head), queueQuery(queue.page));
  return (
    <Neighbors
      of="item"
      list="#queue"
      listName="the review queue"
      position={positionOf(queue, whole)}
      before={at(before)}
      next={at(next)}
    />
  );
}

/** The proposal that a form of this section has just decided. The browser keeps only its id. */
async function readDecided({ call, outcome }: PageContext): Promise<Whole | undefined> {
  if (outcome === undefined || !isDeciding(outcome.operation)) return undefined;
  const asked = { kind: DECIDED_BY[outcome.operation], id: outcome.id };
  return call("get_review", asked).then(
    ({ data }) => data,
    () => undefined,
  );
}

/** The latest decision, shown above the next proposal. */
function Decided({ decided: { whole, around }, last }: { decided: ReviewData["decided"]; last: boolean }) {
  const { href, outcome, workspace } = usePageContext();
  if (outcome === undefined) return null;
  const focus = last ? { tabIndex: -1, autoFocus: true } : {};
  if (whole === undefined) {
    return (
      <p class="flash" role="status" id="told" {...focus}>
        {flashMessageText(outcome)}
      </p>
    );
  }
  const { operation } = outcome;
  const status = statusOf(whole);
  return (
    <div class="flash undo" role="status" id="told" {...focus}>
      <span>
        <strong>{headingOf(whole)}</strong>: {decisionLabel(whole.kind, status, operation)}
        {nextStepText(whole, { status, operation }, around, workspace)}. <a href={href(pathOf(whole))}>View</a>
      </span>
      <UndoDecision whole={whole} />
    </div>
  );
}

/** Takes back the approval that was just given, with the shortcut `z`, while nothing has acted on it. */
function UndoDecision({ whole: { kind, id, withdrawable, answer } }: { whole: Whole }) {
  if (kind === "answer") {
    if (answer?.status !== "approved" || answer.sends_at === null) return null;
    return <UndoForm does="cancel_answer" of="answer_id" id={id} then={`review/answer/${id}`} label="Undo send" />;
  }
  if (!withdrawable || (kind !== "card" && kind !== "post")) return null;
  const { does, of } = WITHDRAWS[kind];
  return <UndoForm does={does} of={of} id={id} then={`review/${kind}/${id}`} label="Undo approval" />;
}

interface UndoProps {
  does: OperationName;
  /** The field of the record's id. */
  of: string;
  id: string;
  then: string;
  label: string;
}

function UndoForm({ does, of, id, then, label }: UndoProps) {
  return (
    <Form does={does} id="undo" then={then} class="inline" label={label}>
      <Hidden name={of} value={id} />
      <Hidden name="note" value="Undone right after approval." />
      <button type="submit" {...shortcut("z", label)}>
        {label} <Key of="z" />
      </button>
    </Form>
  );
}

/** How long an approval that no agent has claimed can be undone. */
const UNDO_MS = 10_000;

interface ReviewData {
  queue: Queue;
  whole: Whole | undefined;
  around: Around;
  /** An action that was just approved and can still be undone. */
  undo: Whole | undefined;
  /** The proposal that a form of this section has just decided. */
  decided: { whole: Whole | undefined; around: Around };
}

async function loadReview(ctx: PageContext, at: Pick<Whole, "kind" | "id"> | undefined): Promise<ReviewData> {
  const queue = await loadQueue(ctx);
  const chosen = at ?? queue.heads[0];
  const { data: whole } =
    chosen === undefined
      ? { data: undefined }
      : await ctx.call("get_review", { kind: chosen.kind, id: chosen.id, offset: pageOf(ctx).offset });
  const surroundings = surroundingsReader(ctx);
  const around = whole === undefined ? NOTHING_AROUND : await surroundings(whole);
  const last = await readDecided(ctx);
  const decided = { whole: last, around: last === undefined ? NOTHING_AROUND : await surroundings(last) };
  return { queue, whole, around, undo: await justApproved(ctx), decided };
}

async function justApproved({ call, query, now }: PageContext): Promise<Whole | undefined> {
  const id = query.get("undo");
  if (id === null) return undefined;
  const { data } = await call("get_review", { kind: "action", id }).catch(() => ({ data: undefined }));
  const at = data?.action?.status === "approved" ? data.action.approved_at : null;
  return at !== null && at !== undefined && now - Date.parse(at) < UNDO_MS ? data : undefined;
}

function ReviewPage({ queue, whole, around, undo, decided }: ReviewData) {
  return (
    <>
      {undo === undefined && <Decided decided={decided} last={whole === undefined} />}
      {undo !== undefined && <Undo whole={undo} />}
      {whole === undefined ? (
        <Empty title="You're all caught up">
          <p>Answers, actions, audiences, documents and posts that need a decision appear here.</p>
          <p>
            <DecidedLink />
          </p>
        </Empty>
      ) : (
        <div class="panes">
          <QueueList queue={queue} at={whole} />
          <ReviewItem whole={whole} around={around} queue={queue} />
        </div>
      )}
    </>
  );
}

function ReviewItem({ whole, around, queue }: { whole: Whole; around: Around; queue: Queue }) {
  const { query } = usePageContext();
  const { onward } = neighbors(queue.heads, whole);
  const cameFrom = query.get("from") === "sequence" && whole.sequence ? `sequences/${whole.sequence.id}` : undefined;
  const after = cameFrom ?? (onward === undefined ? "review" : pathOf(onward).slice(1));
  const isEditing = useView(whole) === "edit";
  return (
    <article class="one" aria-labelledby="one">
      <Proposal whole={whole} around={around} />
      <Explanation whole={whole} around={around} />
      <ConversationSoFar whole={whole} around={around} />
      {!isEditing && (
        <>
          {whole.waiting && <Consequence whole={whole} around={around} />}
          <Decide whole={whole} around={around} then={after} />
        </>
      )}
    </article>
  );
}

/** The decision and who made it, after the proposal has left the queue. */
function DecisionStatus({ whole }: { whole: Whole }) {
  if (whole.waiting) return null;
  const { answer, action, card, post } = whole;
  const status = statusOf(whole);
  const kind: { kind?: StatusOf } = action === null ? {} : { kind: "action" };
  // An action only records who approved it, not who made its other changes.
  const by = (card ?? post)?.decided_by?.name ?? (status === "approved" ? (answer ?? action)?.approved_by : null);
  return <Status of={status} {...kind} label={`${statusLabel(status, kind.kind)}${by == null ? "" : ` by ${by}`}`} />;
}

function Undo({ whole }: { whole: Whole }) {
  const { may, href } = usePageContext();
  if (!may("withdraw_socialnet_action")) return null;
  return (
    <div class="undo" id="told" role="status" data-gone-after={String(UNDO_MS)}>
      <span>
        <strong>{headingOf(whole)}</strong> is approved. No agent has claimed it yet.{" "}
        <a href={href(pathOf(whole))}>View</a>
      </span>
      <UndoForm
        does="withdraw_socialnet_action"
        of="action_id"
        id={whole.id}
        then={pathOf(whole).slice(1)}
        label="Undo approval"
      />
    </div>
  );
}
