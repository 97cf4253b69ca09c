/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { CHANNELS } from "../../../domain/checklist/channel.ts";
import { POST_STATUSES } from "../../../domain/checklist/review.ts";
import { excerptOf } from "../../../domain/text/excerpt.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Appointment, Empty, Pager, Time } from "../../ui/basics.tsx";
import { Choices, Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { channelPlace, statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { Withdraw } from "../review/withdraw.tsx";
import { ChecklistTabs, ItemLink } from "./chips.tsx";
import { CHANNEL_CHOICES } from "./items.ts";

export const posts = screen({
  path: "/checklist/posts",
  title: "Posts",
  needs: "list_posts",
  forms: ["mark_post", "withdraw_post"],
  async load(ctx) {
    const asked = ctx.query.get("status");
    const status = POST_STATUSES.find((known) => known === asked);
    return { status, ...(await ctx.call("list_posts", { ...pageOf(ctx), ...(status && { status }) })) };
  },
  view: ({ status, data, meta }, { href }) => (
    <>
      <ChecklistTabs />
      <Choices
        label="Status"
        name="status"
        choices={[
          { value: undefined, name: "All" },
          ...POST_STATUSES.map((value) => ({ value, name: statusLabel(value) })),
        ]}
      />
      {data.length === 0 ? (
        <Empty title={status === undefined ? "No posts yet" : `No posts with status “${statusLabel(status)}”`}>
          <p>
            Agents submit drafts for checklist items. You review them, publish them on the channel, and mark them as
            published here. <a href={href("/checklist")}>View the checklist</a>
          </p>
        </Empty>
      ) : (
        <ul class="handedlist">
          {data.map((post) => (
            <li key={post.id}>
              <SubmittedPost post={post} ofItem />
            </li>
          ))}
        </ul>
      )}
      <Pager meta={meta} />
    </>
  ),
});

type ListedPost = Pick<DataOf<"list_posts">[number], "id" | "platform">;

/** The outcome of an approved post, as a person recorded it. */
function MarkPost({ post: { id, platform } }: { post: ListedPost }) {
  const own = platform === null ? "Not specified" : `Planned: ${CHANNELS[platform]}`;
  return (
    <div class="bar-inline wraps">
      <Confirm does="mark_post" id={`published-${id}`} opens="Mark as published…" submit="Mark as published">
        <Hidden name="post_id" value={id} />
        <Hidden name="status" value="published" />
        <Select
          name="platform"
          kind="optional"
          label="Channel"
          choices={[{ value: "", label: own }, ...CHANNEL_CHOICES]}
        />
        <TextField
          name="published_at"
          kind="moment"
          type="datetime-local"
          label="Published at (UTC)"
          hint="Leave blank to use the current time."
        />
        <TextField name="url" kind="optional" type="url" label="URL" hint="Optional. The link to the published post." />
      </Confirm>
      <Confirm does="mark_post" id={`cancelled-${id}`} opens="Cancel…" submit="Cancel post" danger>
        <Hidden name="post_id" value={id} />
        <Hidden name="status" value="cancelled" />
        <p>This post won't be published. It stays in the list as canceled.</p>
      </Confirm>
      <Withdraw kind="post" id={id} />
    </div>
  );
}

export type Card = DataOf<"list_cards">[number];
export type Post = DataOf<"list_posts">[number];

export const needsReview = ({ status }: Card | Post) => status === "pending" || status === "needs_review";

/** The page for the decision. */
export const reviewOf = (record: Card | Post): `/${string}` =>
  `/review/${"platform" in record ? "post" : "card"}/${record.id}`;

interface Props {
  what: string;
  record: Card | Post;
  title: string;
  /** On a page of many items. */
  ofItem?: boolean;
  summary?: string | null;
  /** A text that a person publishes by hand. */
  copies?: string | undefined;
  children?: ComponentChildren;
}

/** A submission with its decision. Its text is on its own page, because a list may have many. */
function Submission({ what, record, title, ofItem = false, summary = null, copies, children }: Props) {
  const { href } = usePageContext();
  const { id, item_id, status, redo_of, note, submitted_by, submitted_at, decided_by, decided_at } = record;
  const Heading = ofItem ? "h2" : "h3";
  return (
    <article class="card stack" id={id} aria-labelledby={`${id}-title`}>
      <header class="handed">
        <Heading id={`${id}-title`}>{title}</Heading>
        <Status of={status} />
      </header>
      <p class="small quiet">
        {what} by {submitted_by.name}, <Time at={submitted_at} />
        {ofItem && (
          <>
            {" · for "}
            <ItemLink id={item_id} />
          </>
        )}
        {redo_of !== null && (
          <>
            {" · "}
            <a href={`${href(`/checklist/${item_id}`)}#${redo_of}`}>revision of an earlier submission</a>
          </>
        )}
      </p>
      {decided_by !== null && (
        <p>
          {statusLabel(decision(status))} by {decided_by.name}, <Time at={decided_at} />
          {note !== null && <>: “{note}”</>}
        </p>
      )}
      {summary !== null && <p>{summary}</p>}
      <p>
        <a class="button" href={href(reviewOf(record))}>
          {needsReview(record) ? "Open in Review" : "View text"}
        </a>{" "}
        {copies !== undefined && (
          <button type="button" data-copy={copies} hidden>
            Copy text
          </button>
        )}
      </p>
      {children}
    </article>
  );
}

/** The decision on a post, also after the post has moved on. */
function decision(status: string): string {
  return status === "published" || status === "cancelled" ? "approved" : status;
}

interface CardProps {
  card: Card;
  /** Whether another card of the item needs review. Until then no other card can change. */
  blocked: boolean;
}

export function SubmittedCard({ card, blocked }: CardProps) {
  const { id, status, hidden, title, summary } = card;
  return (
    <Submission what="Document" record={card} title={hidden?.title ?? title} summary={hidden?.summary ?? summary}>
      {status === "approved" && !blocked && (
        <div class="bar-inline">
          <Withdraw kind="card" id={id} />
        </div>
      )}
    </Submission>
  );
}

export function SubmittedPost({ post, ofItem = false }: { post: Post; ofItem?: boolean }) {
  const { status, platform, scheduled_for, suggested_for, ended_at, published_url } = post;
  const on = platform === null ? "" : ` for ${channelPlace(platform)}`;
  return (
    <Submission
      what={`Post${on}`}
      record={post}
      ofItem={ofItem}
      copies={status === "approved" && post.hidden === null ? post.body : undefined}
      title={post.hidden?.title ?? post.title ?? excerptOf(post.hidden?.body ?? post.body)}
    >
      {status === "needs_review" && suggested_for !== null && (
        <p class="small">
          Suggested time: <Appointment at={suggested_for} />
        </p>
      )}
      {status === "approved" && (
        <p class="small">
          {scheduled_for === null ? (
            "No publish time set."
          ) : (
            <>
              Publish time: <Appointment at={scheduled_for} />.
            </>
          )}{" "}
          Publish it on the channel, then mark it as published.
        </p>
      )}
      {ended_at !== null && (
        <p class="small">
          {statusLabel(status)} <Time at={ended_at} />
          {status === "published" && platform !== null && ` on ${channelPlace(platform)}`}
          {published_url !== null && (
            <>
              {": "}
              <a href={published_url} rel="noopener noreferrer">
                {published_url}
              </a>
            </>
          )}
        </p>
      )}
      {status === "approved" && <MarkPost post={post} />}
    </Submission>
  );
}
