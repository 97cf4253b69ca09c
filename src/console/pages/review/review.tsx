/** @jsxRuntime automatic @jsxImportSource preact */

import { DECIDED_BY } from "../../../domain/review.ts";
import { problem } from "../../../problem.ts";
import { type StatusOf, statusInWords } from "../../names.ts";
import { Empty } from "../../parts/basics.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Key } from "../../parts/key.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { useVisit, type Visit } from "../../visit.ts";
import { DECISIONS, Decide } from "./decide.tsx";
import { DecidedLink } from "./decided.tsx";
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
import { readTold, Told } from "./told.tsx";
import { Consequence, Why } from "./why.tsx";
import { headingOf, statusOf } from "./words.ts";

/** So long an approval can be taken back by the way, where no agent has taken it up. */
const UNDO_MS = 10_000;

interface Opened {
  queue: Queue;
  whole: Whole | undefined;
  around: Around;
  /** An action that was approved just now, and can still be held back. */
  undo: Whole | undefined;
  /** What was decided on to come here. */
  told: Whole | undefined;
}

async function open(visit: Visit, at: Pick<Whole, "kind" | "id"> | undefined): Promise<Opened> {
  const queue = await loadQueue(visit);
  const chosen = at ?? queue.heads[0];
  const { data: whole } =
    chosen === undefined ? { data: undefined } : await visit.call("get_review", { kind: chosen.kind, id: chosen.id });
  const around = whole === undefined ? { account: undefined, said: undefined } : await aroundThings(visit)(whole);
  return { queue, whole, around, undo: await justApproved(visit), told: await readTold(visit) };
}

async function justApproved({ call, query, now }: Visit): Promise<Whole | undefined> {
  const id = query.get("undo");
  if (id === null) return undefined;
  const { data } = await call("get_review", { kind: "action", id }).catch(() => ({ data: undefined }));
  const at = data?.action?.status === "approved" ? data.action.approved_at : null;
  return at !== null && at !== undefined && now - Date.parse(at) < UNDO_MS ? data : undefined;
}

const shared = {
  needs: "list_review",
  forms: DECISIONS,
  tells: Object.keys(DECIDED_BY),
  view: (opened: Opened) => <Room {...opened} />,
} as const;

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

function Room({ queue, whole, around, undo, told }: Opened) {
  return (
    <>
      {undo === undefined && <Told whole={told} last={whole === undefined} />}
      {undo !== undefined && <Undo whole={undo} />}
      {whole === undefined ? (
        <Empty title="Nothing waits for you">
          <p>What agents hand in and plan comes here, before anything of it goes out.</p>
          <p>
            <DecidedLink />
          </p>
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
  const { told } = useVisit();
  const { onward } = neighbours(queue.heads, whole);
  // After a decision whoever has no mouse stands before the next thing, and is told of the last one with its name.
  const next = told === undefined ? {} : { tabIndex: -1, autoFocus: true, "aria-describedby": "told" };
  return (
    <article class="one" aria-labelledby="one">
      <header class="bar">
        <h2 id="one" {...next}>
          {headingOf(whole)}
        </h2>
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

/** What became of something that waits no longer. */
function Standing({ whole }: { whole: Whole }) {
  if (whole.waiting) return null;
  const { action, card, post } = whole;
  const status = statusOf(whole);
  const kind: { kind?: StatusOf } = action === null ? {} : { kind: "action" };
  // Of an action the one who approved it is known, and no other move of it is theirs.
  const by = (card ?? post)?.decided_by?.name ?? (status === "approved" ? action?.approved_by : null);
  return <Status of={status} {...kind} word={`${statusInWords(status, kind.kind)}${by == null ? "" : ` by ${by}`}`} />;
}

function Undo({ whole }: { whole: Whole }) {
  const { may, href } = useVisit();
  if (!may("hold_socialnet_action")) return null;
  return (
    <div class="undo" id="told" role="status" data-gone-after={String(UNDO_MS)}>
      <span>
        <strong>{headingOf(whole)}</strong> is approved, and no agent has taken it up yet.{" "}
        <a href={href(pathOf(whole))}>Look at it</a>
      </span>
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
          Undo: hold it back <Key of="z" />
        </button>
      </Form>
    </div>
  );
}
