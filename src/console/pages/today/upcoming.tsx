/** @jsxRuntime automatic @jsxImportSource preact */

import { iso } from "../../../lib/time.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Section, Time } from "../../ui/basics.tsx";
import { counted, exactly, scheduledAt } from "../../ui/format.ts";
import { nameOf, revealed } from "../../ui/labels.ts";
import { at as accountPath, KINDS } from "../socialnet/labels.ts";

/** Lines of each kind, and of all together. */
const EACH = 5;
const SHOWN = 8;

interface Item {
  /** Null: no time is set. */
  at: string | null;
  text: string;
  /** What it belongs to. */
  of: string | null;
  to: `/${string}`;
  /** When a meeting without a time was booked. */
  booked?: string;
}

export interface Upcoming {
  timeZone: string;
  items: readonly Item[];
}

const STEPS = {
  email: "Email to",
  socialnet_connect: "Connection request to",
  socialnet_message: "Social message to",
} as const;

/** What sequences, agents and people do next: the soonest first, then what has no time. */
export async function loadUpcoming(ctx: PageContext): Promise<Upcoming> {
  const [{ data }, actions, due] = await Promise.all([
    ctx.call("list_upcoming", { limit: EACH }),
    actionsOf(ctx),
    dueOf(ctx),
  ]);
  const steps = data.steps.map(({ at, type, step, sequence, contact }): Item => {
    const text = `${STEPS[type]} ${nameOf(contact)}`;
    return { at, text, of: `${sequence.name}, step ${step + 1}`, to: `/sequences/${sequence.id}` };
  });
  const posts = data.posts.map(
    ({ at, id, title }): Item => ({ at, text: `Publish ${titled(title)}`, of: "Post", to: `/review/publish/${id}` }),
  );
  const meetings = data.meetings.map(({ contact, booked_at }): Item => {
    const text = `Meeting with ${nameOf(contact)}`;
    return {
      at: null,
      text,
      of: "Confirm the meeting after it takes place",
      to: `/contacts/${contact.id}`,
      booked: booked_at,
    };
  });
  const timed = [...steps, ...posts, ...actions, ...due].sort((one, other) =>
    (one.at ?? "") < (other.at ?? "") ? -1 : 1,
  );
  // Meetings have no time, so that a long schedule must not push them out.
  const items = [...timed.slice(0, Math.max(EACH, SHOWN - meetings.length)), ...meetings.slice(0, SHOWN - EACH)];
  return { timeZone: data.time_zone, items };
}

const titled = (title: string | null) => (title === null ? "a post" : `“${revealed(title)}”`);

/** Approved actions that an agent can send, or that only time keeps it from sending. */
async function actionsOf({ call, now }: PageContext): Promise<Item[]> {
  const { data } = await call("list_planned_actions", { status: "approved", limit: EACH });
  return data.flatMap(({ id, kind, account_id, account_label, contact_name, recipient_url, blocked_by }): Item[] => {
    const at = blocked_by === null ? iso(now) : blocked_by.next_window_at;
    if (at === null) return [];
    const text = `${KINDS[kind]} to ${revealed(contact_name ?? recipient_url)}`;
    return [{ at, text, of: `by ${account_label}`, to: accountPath(account_id, `/actions/${id}`) }];
  });
}

/** What can be done on the checklist, in one line. Items that wait for others are told only where nothing else is due. */
async function dueOf(ctx: PageContext): Promise<Item[]> {
  if (!ctx.may("list_due_checklist_items") || !ctx.may("get_checklist_progress")) return [];
  const { ready, waiting } = (await ctx.call("get_checklist_progress", {})).data.due;
  if (ready + waiting === 0) return [];
  const text =
    ready > 0
      ? `${counted(ready, "checklist item")} ready`
      : `${counted(waiting, "checklist item")} waiting for other items`;
  return [{ at: iso(ctx.now), text, of: null, to: "/checklist/due" }];
}

export function Upcoming({ upcoming: { items, timeZone } }: { upcoming: Upcoming }) {
  const { href, now } = usePageContext();
  if (items.length === 0) return null;
  return (
    <Section title="Scheduled next">
      <ul class="agenda">
        {items.map(({ at, text, of, to, booked }) => (
          <li key={`${to} ${text}`}>
            <span class="when">
              {at === null ? (
                "No time set"
              ) : (
                <time dateTime={at} title={exactly(at)}>
                  {scheduledAt(Date.parse(at), now, timeZone)}
                </time>
              )}
            </span>
            <div>
              <a href={href(to)}>{text}</a>
              {of !== null && (
                <span class="hint">
                  {" "}
                  {of}
                  {booked !== undefined && (
                    <>
                      . Booked <Time at={booked} />
                    </>
                  )}
                </span>
              )}
            </div>
          </li>
        ))}
      </ul>
      <p class="hint below">Times are in {timeZone}.</p>
    </Section>
  );
}
