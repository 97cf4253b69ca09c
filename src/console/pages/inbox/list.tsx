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
  open: "Open",
  mine: "Mine",
  unassigned: "Unassigned",
  snoozed: "Snoozed",
  done: "Done",
};
const VIEWS = Object.keys(CONVERSATION_VIEWS) as ConversationView[];

const EMPTY: Record<ConversationView, string> = {
  open: "You're all caught up",
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
    const view = VIEWS.find((known) => known === ctx.query.get("view")) ?? "open";
    const page = await ctx.call("list_conversations", { view, ...pageOf(ctx) });
    return { ...page, view };
  },
  view: ({ data, meta, view }) => (
    <>
      <Choices
        label="Conversations"
        name="view"
        choices={VIEWS.map((value) => ({
          value: value === "open" ? undefined : value,
          name: NAMES[value],
          count: meta.counts[value],
        }))}
      />
      <p class="hint filter-means">{CONVERSATION_VIEWS[view]}</p>
      <div data-refresh="inbox">
        {data.length === 0 ? (
          <Empty title={EMPTY[view]}>
            {view === "open" && (
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
  const { contact, unread, last_reply, assignee, snoozed_until, mark } = row;
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
        <span class="quiet">
          {CHANNELS[last_reply.type]} · <Time at={last_reply.at} />
        </span>
      </span>
      <span class="said">{saidIn(last_reply)}</span>
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

export function saidIn({ subject, excerpt }: ListedConversation["last_reply"]): string {
  return revealed(excerpt ?? subject ?? "No text");
}
