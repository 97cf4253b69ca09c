/** @jsxRuntime automatic @jsxImportSource preact */

import type { ConversationView } from "../../../domain/outreach/conversation.ts";
import { pageOf } from "../../app/lookups.ts";
import type { MetaOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Pager, Time } from "../../ui/basics.tsx";
import { amount } from "../../ui/format.ts";
import { revealed } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { QueueRow } from "../../ui/queue.tsx";
import { DEFAULT_VIEW, EMPTY_VIEW, type ListedConversation, saidIn, VIEW_NAMES, VIEWS, whoOf } from "./labels.ts";

/** One page of a view of the Inbox. */
export interface Queue {
  view: ConversationView;
  rows: ListedConversation[];
  meta: MetaOf<"list_conversations">;
}

/** The page of the list that the address names. A conversation's address names the list that it was opened from. */
export async function loadQueue(ctx: PageContext, counts = true): Promise<Queue> {
  const view = VIEWS.find((known) => known === ctx.query.get("view")) ?? DEFAULT_VIEW;
  const { data, meta } = await ctx.call("list_conversations", { view, counts, ...pageOf(ctx) });
  return { view, rows: data, meta };
}

export type QueueQuery = Record<"view" | "offset", string | undefined>;

/** The query that keeps a page on this list. */
export function queueQuery({ view, meta: { offset } }: Pick<Queue, "view" | "meta">): QueueQuery {
  return { view: view === DEFAULT_VIEW ? undefined : view, offset: offset > 0 ? String(offset) : undefined };
}

/** The path that a form continues to, with the query that keeps the list. */
export function pathInQueue(queue: Queue, path: string): string {
  const given = Object.entries(queueQuery(queue)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The list that the open conversation is from, in its order, with links that keep the list. */
export function QueueList({ queue, at }: { queue: Queue; at: string }) {
  const { href } = usePageContext();
  const { view, rows, meta } = queue;
  const query = queueQuery(queue);
  return (
    <nav class="queue" data-refresh="queue" aria-label="Conversations">
      <section>
        <h2>
          <a href={href("/inbox", query)}>{VIEW_NAMES[view]}</a> <span class="count">{amount(meta.total)}</span>
        </h2>
        {rows.length === 0 ? (
          <p class="quiet">{EMPTY_VIEW[view]}</p>
        ) : (
          <ol>
            {rows.map((row) => (
              <QueueEntry
                key={row.contact_id}
                row={row}
                href={href(`/inbox/${row.contact_id}`, query)}
                isOpen={row.contact_id === at}
              />
            ))}
          </ol>
        )}
        <Pager meta={meta} />
      </section>
    </nav>
  );
}

function QueueEntry({ row, href, isOpen }: { row: ListedConversation; href: string; isOpen: boolean }) {
  const { company, unread, last_reply } = row;
  const { type, subject } = last_reply;
  return (
    <QueueRow href={href} isOpen={isOpen} isUnread={unread} mark={<Mark name={whoOf(row)} small />} title={whoOf(row)}>
      <span class="hint about">
        <Time at={last_reply.at} />
        {company !== null && ` · ${revealed(company)}`}
      </span>
      {/* If it isn't an email, Rostrum wrote its subject. */}
      <span class="hint said">
        {type === "email_reply" && subject !== null ? revealed(subject) : saidIn(last_reply)}
      </span>
    </QueueRow>
  );
}
