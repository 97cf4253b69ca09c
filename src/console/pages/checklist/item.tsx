/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Facts, Section } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { ItemLink, ItemStatusChip, type Place } from "./chips.tsx";
import { ItemStatus } from "./item-status.tsx";
import { allDue, allItems, type Entry, ownerLabel, progressById } from "./items.ts";
import { needsReview, reviewOf, SubmittedCard, SubmittedPost } from "./submissions.tsx";

export const checklistItem = screen({
  path: "/checklist/:id",
  title: ({ item }: Awaited<ReturnType<typeof load>>) => headingOf(item.task),
  needs: "get_checklist_item_context",
  forms: ["mark_checklist_item", "mark_post", "withdraw_card", "withdraw_post"],
  load,
  view: ({ item, entries, after, due, progress, cards, posts }) => {
    const placeOf = ({ id }: Entry) => progress.get(id)?.place;
    const entry = entries.get(item.id);
    const before = item.executor.dependencies.flatMap((id) => entries.get(id) ?? []);
    return (
      <>
        <p class="lead">
          {item.id} · {item.area}
        </p>
        <NeedsReview cards={cards} posts={posts} />
        <div class="sides">
          <div>
            <Task item={item} />
            <Section title="What agents can submit">
              <ForAgents item={item} />
            </Section>
            {before.length + after.length > 0 && (
              <Section title="Dependencies">
                <Linked title="Directly depends on" entries={before} placeOf={placeOf} />
                <Linked title="Directly blocks" entries={after} placeOf={placeOf} />
              </Section>
            )}
            {(item.agent.accepts_output_kinds.length > 0 || cards.meta.total + posts.meta.total > 0) && (
              <Section title="Submissions">
                <Submissions cards={cards} posts={posts} />
              </Section>
            )}
          </div>
          {entry !== undefined && <ItemStatus entry={entry} due={due} progress={progress.get(item.id)} />}
        </div>
      </>
    );
  },
});

/** A heading of this length takes at most two lines. */
const MAX_HEADING = 80;
/** A shorter start, such as "In one document", doesn't say what the task is. */
const MIN_HEADING = 40;

/** The heading of an item: its task up to the end of the first sentence, or to the last comma that fits. */
export function headingOf(task: string): string {
  const [sentence = ""] = task.trim().split(/[.;:](?=\s|$)/);
  if (sentence.length <= MAX_HEADING) return sentence;
  const start = sentence.slice(0, MAX_HEADING);
  const comma = start.lastIndexOf(", ");
  return `${start.slice(0, comma >= MIN_HEADING ? comma : start.lastIndexOf(" "))}…`;
}

const MAX_SUBMISSIONS = 10;
/** More linked items than this are collapsed. */
const MAX_OPEN_LINKS = 5;

type Whole = DataOf<"get_checklist_item_context">["item"];

async function load(ctx: PageContext) {
  const { call, params } = ctx;
  const id = params.id ?? "";
  const submitted = { item_id: id, limit: MAX_SUBMISSIONS };
  const { item } = (await call("get_checklist_item_context", { id })).data;
  const [entries, due, progress, cards, posts] = await Promise.all([
    allItems(ctx),
    allDue(ctx),
    call("get_checklist_progress", {}),
    call("list_cards", submitted),
    call("list_posts", submitted),
  ]);
  return {
    item,
    entries: new Map(entries.map((entry) => [entry.id, entry])),
    after: entries.filter(({ executor }) => executor.dependencies.includes(id)),
    due: due.find((entry) => entry.id === id),
    progress: progressById(progress.data),
    cards,
    posts,
  };
}

function Task({ item }: { item: Whole }) {
  const { executor } = item;
  return (
    <Section title="Task">
      <div class="card stack">
        {executor.replaced_by !== null && (
          <p>
            <Chip tone="stopped">Replaced</Chip> by <ItemLink id={executor.replaced_by} />
          </p>
        )}
        <p class="task">{item.task}</p>
        <Facts
          facts={[
            ["Done when", item.done_when ?? "A teammate marks it done"],
            ["Why", item.why],
            ["Frequency", item.frequency_label],
            ["Done by", ownerLabel(item)],
            ["Applies to", item.applies_to],
            ["Channels", item.platforms],
            ...(executor.exceptions.length > 0 ? [["Exceptions", executor.exceptions.join(" ")] as const] : []),
            ["Priority", `${executor.priority} (lower numbers come first)`],
            ["Sources", <Sources sources={item.sources} />],
          ]}
        />
      </div>
    </Section>
  );
}

function Sources({ sources }: { sources: Whole["sources"] }) {
  return (
    <ul>
      {sources.map(({ name, url }) => (
        <li key={name}>
          {url === null ? (
            name
          ) : (
            <a href={url} rel="noopener noreferrer">
              {name}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const KINDS = { social_post: "a post", document: "a document" } as const;

function ForAgents({ item: { id, agent, executor } }: { item: Whole }) {
  const kinds = agent.accepts_output_kinds.map((kind) => KINDS[kind]).join(" or ");
  if (kinds !== "")
    return (
      <p>
        Agents can submit {kinds} for {id}. Submissions need a teammate's approval. Rostrum never publishes them.
      </p>
    );
  if (agent.can_record_evidence) return <p>Agents can record evidence for {id}. A teammate's status overrides it.</p>;
  const why =
    executor.replaced_by !== null
      ? "This item was replaced."
      : executor.evidence_verdict === "service"
        ? "Rostrum checks this item automatically."
        : "Only a teammate can mark this item as done.";
  return <p>Nothing. {why}</p>;
}

interface LinkedProps {
  title: string;
  entries: readonly Entry[];
  placeOf: (entry: Entry) => Place | undefined;
}

function Linked({ title, entries, placeOf }: LinkedProps) {
  if (entries.length === 0) return null;
  const list = (
    <ul class="plain">
      {entries.map((entry) => (
        <li key={entry.id}>
          <ItemLink id={entry.id} /> <span class="clamp">{entry.task}</span>{" "}
          <ItemStatusChip entry={entry} place={placeOf(entry)} />
        </li>
      ))}
    </ul>
  );
  if (entries.length > MAX_OPEN_LINKS) {
    return (
      <details class="more">
        <summary>
          {title}: {entries.length} items
        </summary>
        {list}
      </details>
    );
  }
  return (
    <>
      <h3>{title}</h3>
      {list}
    </>
  );
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** "A document and 2 posts need review." At most one document of an item needs review. */
function needText(hasDocument: boolean, posts: number): string {
  if (!hasDocument) return posts === 1 ? "A post needs review." : `${counted(posts, "post")} need review.`;
  if (posts === 0) return "A document needs review.";
  return `A document and ${posts === 1 ? "a post" : counted(posts, "post")} need review.`;
}

/** The submissions of this item that need a decision. */
function NeedsReview({ cards, posts }: Pick<Loaded, "cards" | "posts">) {
  const { href, may } = usePageContext();
  const [card] = cards.data.filter(needsReview);
  const waiting = posts.data.filter(needsReview);
  const [post] = waiting;
  const first = card ?? post;
  if (first === undefined) return null;
  return (
    <div class="notice bar">
      <p>{needText(card !== undefined, waiting.length)}</p>
      {may(card === undefined ? "decide_post" : "decide_card") && (
        <a class="button primary" href={href(reviewOf(first))}>
          Open in Review
        </a>
      )}
    </div>
  );
}

function Submissions({ cards, posts }: Pick<Loaded, "cards" | "posts">) {
  const more = cards.meta.total + posts.meta.total - cards.data.length - posts.data.length;
  if (cards.data.length + posts.data.length === 0) return <p class="quiet">No submissions yet.</p>;
  return (
    <ul class="handedlist">
      {cards.data.map((card) => (
        <li key={card.id}>
          <SubmittedCard card={card} blocked={cards.data.some(needsReview)} />
        </li>
      ))}
      {posts.data.map((post) => (
        <li key={post.id}>
          <SubmittedPost post={post} />
        </li>
      ))}
      {more > 0 && <li class="quiet">{counted(more, "older submission")} not shown</li>}
    </ul>
  );
}
