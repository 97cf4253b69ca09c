/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { DAY_MS, iso } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Key, Time } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { nameOf } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { MoreActions } from "../../ui/more-actions.tsx";
import { OptOut } from "../../ui/opt-out.tsx";
import { Neighbors } from "../../ui/queue.tsx";
import { shortcut } from "../../ui/shortcuts.ts";
import { AnswerForms, Answers } from "./answer.tsx";
import { MARKS, type OpenConversation } from "./labels.ts";
import { Messages } from "./messages.tsx";
import { PersonPanel } from "./person.tsx";
import { loadQueue, pathInQueue, type Queue, QueueList, queueQuery } from "./queue.tsx";

interface Loaded {
  open: OpenConversation;
  members: DataOf<"list_members">;
  /** The list that it was opened from. */
  queue: Queue;
  /** Contacts of the next and the previous open conversation. */
  next: string | undefined;
  before: string | undefined;
  /** The first other contact with an unread reply. */
  unread: string | undefined;
}

export const conversation = screen({
  path: "/inbox/:id",
  needs: "get_conversation",
  sharesWithUp: ["view", "offset"],
  forms: [
    "mark_conversation",
    "snooze_conversation",
    "assign_conversation",
    "mark_not_interested",
    "mark_out_of_office",
    "add_suppression",
    "answer_by_email",
    "answer_on_network",
    "cancel_answer",
  ],
  async load(ctx): Promise<Loaded> {
    const contact_id = ctx.params.id ?? "";
    const [{ data: open }, listed, members] = await Promise.all([
      ctx.call("get_conversation", { contact_id }),
      loadQueue(ctx, false),
      ctx.may("list_members") ? ctx.call("list_members", { limit: 100 }).then(({ data }) => data) : [],
    ]);
    // Reading one moves it behind the unread ones. The list was read before that, so it stays where it was opened.
    const isRead = await markRead(ctx, open);
    const rows = listed.rows.map((row) => (isRead && row.contact_id === contact_id ? { ...row, unread: false } : row));
    const ids = rows.map((row) => row.contact_id);
    const at = ids.indexOf(contact_id);
    const unread = rows.find((row) => row.unread && row.contact_id !== contact_id)?.contact_id;
    const next = ids[at + 1] ?? unread;
    const onward = next === contact_id ? undefined : next;
    const before = at > 0 ? ids[at - 1] : undefined;
    return { open, members, queue: { ...listed, rows }, next: onward, before, unread };
  },
  title: ({ open }) => nameOf(open.contact),
  mark: ({ open }) => <Mark name={nameOf(open.contact)} large />,
  status: ({ open }) => <State open={open} />,
  action: (loaded) => (
    <div class="bar handle">
      <Position {...loaded} />
      <Handle {...loaded} />
    </div>
  ),
  view: (loaded) => (
    <div class="panes">
      <QueueList queue={loaded.queue} at={loaded.open.conversation.contact_id} />
      <div class="sides talk">
        <div>
          <div data-refresh="conversation">
            <Answers open={loaded.open} />
            <Messages open={loaded.open} />
          </div>
          <Triage {...loaded} />
          <AnswerForms open={loaded.open} />
        </div>
        <PersonPanel open={loaded.open} />
      </div>
    </div>
  ),
});

/** Where to go after a conversation is handled: first to an unread reply of its list. */
function thenOf({ next, before, unread, queue }: Loaded): string {
  const onward = unread ?? next ?? before;
  return pathInQueue(queue, onward === undefined ? "inbox" : `inbox/${onward}`);
}

/**
 * Marks the conversation as read if the member who opens it can handle it. If that can't be recorded, it stays unread.
 *
 * @returns whether it is read now
 */
async function markRead({ call, may }: PageContext, { conversation }: OpenConversation): Promise<boolean> {
  if (!conversation.unread) return true;
  if (conversation.snoozed_until !== null || !may("mark_conversation")) return false;
  const { contact_id } = conversation;
  return call("mark_conversation", { contact_id, read_reply_id: conversation.last_reply.id, as: "read" }).then(
    () => true,
    () => false,
  );
}

/** Whether it is closed or snoozed, and who handles it. */
function State({ open: { conversation } }: Pick<Loaded, "open">) {
  const { status, assignee, snoozed_until, mark } = conversation;
  return (
    <>
      {status === "done" && <Chip tone="done">Done</Chip>}
      {mark !== null && <Chip>{MARKS[mark]}</Chip>}
      {snoozed_until !== null && (
        <Chip>
          Snoozed, ends <Time at={snoozed_until} />
        </Chip>
      )}
      <span class="quiet small">{assignee === null ? "Unassigned" : `Assigned to ${assignee.name}`}</span>
    </>
  );
}

function Position({ open, next, before, queue }: Loaded) {
  const { href } = usePageContext();
  const { rows, meta } = queue;
  const query = queueQuery(queue);
  const at = rows.findIndex(({ contact_id }) => contact_id === open.conversation.contact_id);
  const to = (id: string | undefined) => (id === undefined ? undefined : href(`/inbox/${id}`, query));
  return (
    <Neighbors
      of="conversation"
      list={href("/inbox", query)}
      listName="the list"
      position={at === -1 ? undefined : { at: meta.offset + at + 1, of: meta.total }}
      before={to(before)}
      next={to(next)}
    />
  );
}

/** The fields that say which conversation a form is about, and which reply was read. */
function Read({ open: { conversation } }: Pick<Loaded, "open">) {
  return (
    <>
      <Hidden name="contact_id" value={conversation.contact_id} />
      <Hidden name="read_reply_id" value={conversation.last_reply.id} />
    </>
  );
}

/** The sequences that the page names as what “Out of office” resumes: the server refuses others. */
function Named({ open: { resumable } }: Pick<Loaded, "open">) {
  return (
    <>
      {["", ...resumable.map(({ sequence_id }) => sequence_id)].map((value) => (
        <Hidden key={value} name="read_resumable" kind="list" value={value} />
      ))}
    </>
  );
}

/** Closes, snoozes or assigns the conversation. What is rarely needed is behind “More”. */
function Handle(loaded: Loaded) {
  const { open, members } = loaded;
  const { may } = usePageContext();
  const { conversation, contact, resumable } = open;
  const { contact_id, status, assignee, mark } = conversation;
  const then = thenOf(loaded);
  if (!may("mark_conversation") && !may("mark_out_of_office")) return null;
  return (
    <>
      {status === "done" ? (
        <Form does="mark_conversation" id="open" class="inline" label="Reopen">
          <Hidden name="contact_id" value={contact_id} />
          <Hidden name="as" value="open" />
          <button type="submit">Reopen</button>
        </Form>
      ) : (
        <Form does="mark_conversation" id="done" then={then} class="inline" label="Done">
          <Read open={open} />
          <Hidden name="as" value="done" />
          <button type="submit" {...shortcut("x", "Done")}>
            Done <Key of="x" />
          </button>
        </Form>
      )}
      <Snooze then={then}>
        <Read open={open} />
      </Snooze>
      <Confirm does="assign_conversation" opens="Assign…" submit="Assign" align="right">
        <Hidden name="contact_id" value={contact_id} />
        <Select
          name="member_id"
          kind="nullable"
          label="Teammate"
          value={assignee?.id ?? ""}
          choices={[
            { value: "", label: "Unassigned" },
            ...members.map(({ id: value, name }) => ({ value, label: name })),
          ]}
        />
      </Confirm>
      <MoreActions forms={["unread", "away", "add_suppression"]}>
        <Form does="mark_conversation" id="unread" then={pathInQueue(loaded.queue, "inbox")} label="Mark as unread">
          <Hidden name="contact_id" value={contact_id} />
          <Hidden name="as" value="unread" />
          <button type="submit">Mark as unread</button>
        </Form>
        {mark === null && resumable.length > 0 && (
          <Confirm
            does="mark_out_of_office"
            id="away"
            then={then}
            opens="Out of office until…"
            submit="Mark as out of office"
          >
            <Read open={open} />
            <Named open={open} />
            <p>Marks the conversation as done, and resumes {sequenceNames(resumable)} after the time below.</p>
            <TextField
              name="until"
              kind="moment"
              type="datetime-local"
              label="Back on (UTC)"
              hint="The next step isn't sent before this time."
              required
            />
          </Confirm>
        )}
        {contact.email !== null && open.suppression === null && <OptOut email={contact.email} then={then} />}
      </MoreActions>
    </>
  );
}

/** Replies that need no answer: one click each, with what it does. */
function Triage(loaded: Loaded) {
  const { open } = loaded;
  const { may } = usePageContext();
  const { resumable, conversation } = open;
  const { mark } = conversation;
  const then = thenOf(loaded);
  const isOffered = {
    notInterested: may("mark_not_interested") && mark !== "not_interested",
    away: may("mark_out_of_office") && mark === null,
  };
  if (!isOffered.notInterested && !isOffered.away) return null;
  return (
    <div class="triage">
      {isOffered.notInterested && (
        <Form does="mark_not_interested" then={then} class="inline" label="Not interested">
          <Read open={open} />
          <button type="submit" aria-describedby="means-not-interested">
            Not interested
          </button>
          <p class="hint" id="means-not-interested">
            {NOT_INTERESTED}
          </p>
        </Form>
      )}
      {isOffered.away && (
        <Form does="mark_out_of_office" then={then} class="inline" label="Out of office">
          <Read open={open} />
          <Named open={open} />
          <button type="submit" aria-describedby="means-away">
            Out of office
          </button>
          <p class="hint" id="means-away">
            {outOfOfficeText(resumable)}
          </p>
        </Form>
      )}
    </div>
  );
}

const NOT_INTERESTED =
  "Marks the conversation as done, stops this contact's sequences, and cancels their social actions that haven't started. To enroll this contact again, a teammate must first approve and activate an audience that includes them. Doesn't add the contact to the do-not-contact list. You can't undo this.";

function outOfOfficeText(resumable: OpenConversation["resumable"]): string {
  const continues =
    resumable.length === 0 ? "There is no sequence to resume." : `Resumes ${sequenceNames(resumable)} in 7 days.`;
  return `Marks the conversation as done. ${continues}`;
}

const sequenceNames = (resumable: OpenConversation["resumable"]) =>
  LIST.format(resumable.map(({ name }) => `“${name}”`));

const LIST = new Intl.ListFormat("en-US");

function Snooze({ then, children }: { then: string; children: ComponentChildren }) {
  const { now } = usePageContext();
  const days = [
    [1, "Tomorrow"],
    [3, "In 3 days"],
    [7, "In a week"],
    [30, "In 30 days"],
  ] as const;
  // By the hour, so that the page stays the same while it is read.
  const hour = Math.floor(now / 3_600_000) * 3_600_000;
  return (
    <Confirm does="snooze_conversation" then={then} opens="Snooze…" submit="Snooze" hotkey="s" align="right">
      {children}
      <Select
        name="until"
        label="Until"
        hint="A new reply ends the snooze."
        choices={days.map(([count, label]) => ({ value: iso(hour + count * DAY_MS), label }))}
      />
    </Confirm>
  );
}
