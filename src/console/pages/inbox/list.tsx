/** @jsxRuntime automatic @jsxImportSource preact */

import { CONVERSATION_VIEWS } from "../../../domain/outreach/conversation.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { revealed } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { UnreadDot } from "../../ui/queue.tsx";
import {
  CHANNELS,
  DEFAULT_VIEW,
  EMPTY_VIEW,
  type ListedConversation,
  MARKS,
  saidIn,
  VIEW_NAMES,
  VIEWS,
  whoOf,
} from "./labels.ts";
import { loadQueue, type QueueQuery, queueQuery } from "./queue.tsx";

export const inbox = screen({
  path: "/inbox",
  title: "Inbox",
  needs: "list_conversations",
  load: loadQueue,
  view: ({ rows, meta, view }) => (
    <>
      <Choices
        label="Conversations"
        name="view"
        choices={VIEWS.map((value) => ({
          value: value === DEFAULT_VIEW ? undefined : value,
          name: VIEW_NAMES[value],
          ...(meta.counts !== null && { count: meta.counts[value] }),
        }))}
      />
      <p class="hint filter-means">{CONVERSATION_VIEWS[view]}</p>
      <div data-refresh="inbox">
        {rows.length === 0 ? (
          <Empty title={EMPTY_VIEW[view]}>
            {view === DEFAULT_VIEW && (
              <p>
                Replies by email and on the professional network appear here. Automatic replies appear only on the
                contact's timeline.
              </p>
            )}
          </Empty>
        ) : (
          <ul class="conversations">
            {rows.map((row, i) => (
              <li key={row.contact_id} class={row.unread ? "unread" : undefined}>
                <Entry row={row} query={queueQuery({ view, meta })} isFirst={i === 0} />
              </li>
            ))}
          </ul>
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

interface EntryProps {
  row: ListedConversation;
  /** Keeps the view and the page of the list. */
  query: QueueQuery;
  /** The key that opens the next conversation opens it. */
  isFirst: boolean;
}

function Entry({ row, query, isFirst }: EntryProps) {
  const { href } = usePageContext();
  const { company, unread, last_reply, assignee, snoozed_until, mark } = row;
  return (
    <a
      href={href(`/inbox/${row.contact_id}`, query)}
      {...(isFirst && { "data-key": "j", "data-key-label": "Next conversation" })}
    >
      <Mark name={whoOf(row)} />
      <span class="who">
        <strong>{whoOf(row)}</strong>
        {unread && <UnreadDot />}
        {company !== null && <span class="quiet">{revealed(company)}</span>}
        <span class="quiet when">
          {CHANNELS[last_reply.type]} · <Time at={last_reply.at} />
        </span>
      </span>
      <span class="said">
        <Subject of={last_reply} />
        {saidIn(last_reply)}
      </span>
      <span class="hint">
        {assignee === null ? "Unassigned" : assignee.name}
        {mark !== null && ` · ${MARKS[mark]}`}
        {snoozed_until !== null && (
          <>
            {" "}
            · Snoozed, ends <Time at={snoozed_until} />
          </>
        )}
      </span>
    </a>
  );
}

/** The subject of an email, before its text. Rostrum itself writes that of other replies. */
function Subject({ of: { type, subject, excerpt } }: { of: ListedConversation["last_reply"] }) {
  if (type !== "email_reply" || subject === null || excerpt === null) return null;
  return <span class="subject">{revealed(subject)}: </span>;
}
