/** @jsxRuntime automatic @jsxImportSource preact */

import { CONVERSATION_VIEWS, type ConversationView } from "../../../domain/outreach/conversation.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Time } from "../../ui/basics.tsx";
import { Choices } from "../../ui/fields.tsx";
import { nameOf, revealed } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { CHANNELS, type ListedConversation, MARKS } from "./labels.ts";

const NAMES: Record<ConversationView, string> = {
  to_answer: "To answer",
  open: "Open",
  mine: "Mine",
  unassigned: "Unassigned",
  snoozed: "Snoozed",
  done: "Done",
};
/** The same conversations as in the sidebar's badge and on Today. */
const DEFAULT_VIEW: ConversationView = "to_answer";
const VIEWS = Object.keys(CONVERSATION_VIEWS) as ConversationView[];

const EMPTY: Record<ConversationView, string> = {
  to_answer: "You're all caught up",
  open: "No open conversations",
  mine: "Nothing is assigned to you",
  unassigned: "Every open conversation is assigned",
  snoozed: "No snoozed conversations",
  done: "No closed conversations",
};

export const inbox = screen({
  path: "/inbox",
  title: "Inbox",
  needs: "list_conversations",
  async load(ctx) {
    const view = VIEWS.find((known) => known === ctx.query.get("view")) ?? DEFAULT_VIEW;
    const page = await ctx.call("list_conversations", { view, ...pageOf(ctx) });
    return { ...page, view };
  },
  view: ({ data, meta, view }) => (
    <>
      <Choices
        label="Conversations"
        name="view"
        choices={VIEWS.map((value) => ({
          value: value === DEFAULT_VIEW ? undefined : value,
          name: NAMES[value],
          count: meta.counts[value],
        }))}
      />
      <p class="hint filter-means">{CONVERSATION_VIEWS[view]}</p>
      <div data-refresh="inbox">
        {data.length === 0 ? (
          <Empty title={EMPTY[view]}>
            {view === DEFAULT_VIEW && (
              <p>
                Replies by email and on the professional network appear here. Automatic replies don't. They are on the
                contact's timeline.
              </p>
            )}
          </Empty>
        ) : (
          <ul class="conversations">
            {data.map((row, i) => (
              <li key={row.contact_id} class={row.unread ? "unread" : undefined}>
                <Entry row={row} isFirst={i === 0} />
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
  row: DataOf<"list_conversations">[number];
  /** The key that opens the next conversation opens it. */
  isFirst: boolean;
}

function Entry({ row, isFirst }: EntryProps) {
  const { href, query } = usePageContext();
  const { contact, company, unread, last_reply, assignee, snoozed_until, mark } = row;
  const name = contact === null ? "Archived contact" : nameOf(contact);
  return (
    <a
      href={href(`/inbox/${row.contact_id}`, { view: query.get("view") ?? undefined })}
      {...(isFirst && { "data-key": "j", "data-key-label": "Next conversation" })}
    >
      <Mark name={name} />
      <span class="who">
        <strong>{name}</strong>
        {unread && (
          <span class="dot">
            <span class="hidden">Unread</span>
          </span>
        )}
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

export function saidIn({ subject, excerpt }: ListedConversation["last_reply"]): string {
  return revealed(excerpt ?? subject ?? "No text");
}
