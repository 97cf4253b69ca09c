/** @jsxRuntime automatic @jsxImportSource preact */
import { problem } from "../../../problem.ts";
import { inWords } from "../../names.ts";
import { Chip, Empty } from "../../parts/basics.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit, type Visit } from "../../visit.ts";
import { DECISIONS, Decide } from "./decide.tsx";
import { seen } from "./diff.tsx";
import {
  type Around,
  aroundThings,
  KIND_NAMES,
  kindOf,
  loadQueue,
  neighbours,
  pathOf,
  type Queue,
  type Whole,
} from "./load.ts";
import { Neighbours, QueueList } from "./queue.tsx";
import { Thing } from "./thing.tsx";
import { Consequence, Why } from "./why.tsx";

/** So long an approval can be taken back by the way, where no agent has taken it up. */
const UNDO_MS = 10_000;

interface Opened {
  queue: Queue;
  whole: Whole | undefined;
  around: Around;
  /** An action that was approved just now, and can still be held back. */
  undo: Whole | undefined;
}

async function open(visit: Visit, at: Pick<Whole, "kind" | "id"> | undefined): Promise<Opened> {
  const queue = await loadQueue(visit);
  const chosen = at ?? queue.heads[0];
  const { data: whole } =
    chosen === undefined ? { data: undefined } : await visit.call("get_review", { kind: chosen.kind, id: chosen.id });
  const around = whole === undefined ? { account: undefined, said: undefined } : await aroundThings(visit)(whole);
  return { queue, whole, around, undo: await justApproved(visit) };
}

async function justApproved({ call, query, now }: Visit): Promise<Whole | undefined> {
  const id = query.get("undo");
  if (id === null) return undefined;
  const { data } = await call("get_review", { kind: "action", id }).catch(() => ({ data: undefined }));
  const at = data?.action?.status === "approved" ? data.action.approved_at : null;
  return at !== null && at !== undefined && now - Date.parse(at) < UNDO_MS ? data : undefined;
}

const shared = { needs: "list_review", forms: DECISIONS, view: (opened: Opened) => <Room {...opened} /> } as const;

export const review = screen({
  ...shared,
  path: "/review",
  title: "Review",
  load: (visit) => open(visit, undefined),
});

export const reviewOne = screen({
  ...shared,
  path: "/review/:kind/:id",
  title: ({ whole }) => (whole === undefined ? "Review" : `Review: ${KIND_NAMES[whole.kind][0].toLowerCase()}`),
  load(visit) {
    const kind = kindOf(visit.params.kind);
    if (kind === undefined) throw problem("route_not_found", "There is no such queue.");
    return open(visit, { kind, id: visit.params.id ?? "" });
  },
});

function Room({ queue, whole, around, undo }: Opened) {
  return (
    <>
      {undo !== undefined && <Undo whole={undo} />}
      {whole === undefined ? (
        <Empty title="Nothing waits for you">
          <p>What agents hand in and plan comes here, before anything of it goes out.</p>
        </Empty>
      ) : (
        <div class="review">
          <QueueList queue={queue} at={whole} />
          <One whole={whole} around={around} queue={queue} />
        </div>
      )}
    </>
  );
}

function One({ whole, around, queue }: { whole: Whole; around: Around; queue: Queue }) {
  const { onward } = neighbours(queue.heads, whole);
  return (
    <article class="one" aria-labelledby="one">
      <header class="bar">
        <h2 id="one">{headingOf(whole)}</h2>
        <Standing whole={whole} />
        <Neighbours queue={queue} whole={whole} />
      </header>
      <Thing whole={whole} />
      <Why whole={whole} around={around} />
      {whole.waiting && <Consequence whole={whole} around={around} />}
      <Decide whole={whole} then={onward === undefined ? "review" : pathOf(onward).slice(1)} />
    </article>
  );
}

function headingOf({ action, card, post, sequence }: Whole): string {
  if (action !== null) return `${inWords(action.kind)} to ${action.contact_name ?? "no name"}`;
  if (sequence !== null) return sequence.name;
  return seen(card?.title ?? post?.title ?? (post === null ? "" : `A post of ${post.submitted_by.name}`));
}

/** What became of something that waits no longer. */
function Standing({ whole }: { whole: Whole }) {
  if (whole.waiting) return null;
  const { action, card, post, approval } = whole;
  const status = action?.status ?? card?.status ?? post?.status ?? approval?.status ?? "";
  const by = (card ?? post)?.decided_by?.name ?? action?.approved_by;
  return (
    <Chip>
      {inWords(status)}
      {by != null && ` by ${by}`}
    </Chip>
  );
}

function Undo({ whole }: { whole: Whole }) {
  const { may } = useVisit();
  if (!may("hold_socialnet_action")) return null;
  return (
    <div class="undo" data-gone-after={String(UNDO_MS)}>
      <span>{headingOf(whole)} is approved, and no agent has taken it up yet.</span>
      <Form
        does="hold_socialnet_action"
        id="undo"
        then={pathOf(whole).slice(1)}
        class="inline"
        label="Take the approval back"
      >
        <Hidden name="action_id" value={whole.id} />
        <Hidden name="note" value="Taken back right after the approval." />
        <button type="submit" data-key="z" data-says="Undo: hold what was just approved">
          Undo: hold it back
        </button>
      </Form>
    </div>
  );
}
