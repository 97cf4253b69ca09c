/** @jsxRuntime automatic @jsxImportSource preact */
import { REVIEW_KINDS, TOGETHER } from "../../../domain/review.ts";
import { amount, counted } from "../../figures.ts";
import { inWords } from "../../names.ts";
import { Time } from "../../parts/basics.tsx";
import { Key } from "../../parts/key.tsx";
import { useVisit } from "../../visit.ts";
import { DecidedLink } from "./decided.tsx";
import { seen } from "./diff.tsx";
import { type Head, KIND_NAMES, neighbours, pathOf, type Queue, type Whole } from "./load.ts";

/** What waits, the longest first, by kind with how many there are. */
export function QueueList({ queue, at }: { queue: Queue; at: Pick<Whole, "kind" | "id"> | undefined }) {
  const { href } = useVisit();
  const kinds = REVIEW_KINDS.filter((kind) => queue.counts[kind] > 0);
  return (
    <nav class="queue" aria-label="Queue">
      {kinds.map((kind) => {
        const heads = queue.heads.filter((head) => head.kind === kind);
        const together = TOGETHER.some((one) => one === kind) && heads.length > 1;
        return (
          <section key={kind}>
            <h2>
              {KIND_NAMES[kind][1]} <span class="count">{amount(queue.counts[kind])}</span>
            </h2>
            <ol>
              {heads.map((head) => (
                <QueueEntry key={head.id} head={head} here={head.kind === at?.kind && head.id === at.id} />
              ))}
            </ol>
            {heads.length < queue.counts[kind] && (
              <p class="hint">The longest waiting {heads.length}; the others come up as these are decided.</p>
            )}
            {together && <a href={href(`/review/${kind}`)}>Approve several</a>}
          </section>
        );
      })}
      <DecidedLink />
    </nav>
  );
}

function QueueEntry({ head, here }: { head: Head; here: boolean }) {
  const { href } = useVisit();
  return (
    <li>
      <a href={href(pathOf(head))} aria-current={here ? "true" : undefined}>
        <span class="title">{seen(head.title) || "No name"}</span>
        <span class="hint">
          {aboutOf(head)} · <Time at={head.waits_since} />
        </span>
      </a>
    </li>
  );
}

function aboutOf({ kind, about, proposed_by }: Head): string {
  if (kind === "sequence") return counted(Number(about), "contact");
  if (kind === "card") return `${about}, ${proposed_by}`;
  return about === null ? proposed_by : inWords(about);
}

/** The one before and the one after; keys lead there too. */
export function Neighbours({ queue, whole }: { queue: Queue; whole: Whole }) {
  const { href } = useVisit();
  const { before, next } = neighbours(queue.heads, whole);
  return (
    <nav class="bar-inline" aria-label="Next and previous">
      {before !== undefined && (
        <a class="button" href={href(pathOf(before))} data-key="k" data-says="The one before" rel="prev">
          Previous <Key of="k" />
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={href(pathOf(next))} data-key="j" data-says="The next one" rel="next">
          Next <Key of="j" />
        </a>
      )}
    </nav>
  );
}
