/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { isSystemActivity, memberOf } from "../../../domain/contacts/activity.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";
import type { DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Key, Section, Time } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel, isRepeated, nameOf, revealed, sourceLabel } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { shortcut } from "../../ui/shortcuts.ts";
import { AnswerForms, Answers } from "./answer.tsx";
import { MARKS, type OpenConversation } from "./labels.ts";
import { PersonPanel } from "./person.tsx";

/** Conversations among which the next one is looked for. */
const QUEUE = 50;

interface Loaded {
  open: OpenConversation;
  members: DataOf<"list_members">;
  /** Contacts of the next and the previous open conversation. */
  next: string | undefined;
  before: string | undefined;
  /** The first other contact with an unread reply. */
  unread: string | undefined;
}

export const conversation = screen({
  path: "/inbox/:id",
  needs: "get_conversation",
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
    const { data: open } = await ctx.call("get_conversation", { contact_id });
    await markRead(ctx, open);
    const [queue, members] = await Promise.all([
      ctx.call("list_conversations", { limit: QUEUE }),
      ctx.may("list_members") ? ctx.call("list_members", { limit: 100 }).then(({ data }) => data) : [],
    ]);
    const ids = queue.data.map((row) => row.contact_id);
    const at = ids.indexOf(contact_id);
    const next = ids[at + 1];
    const unread = queue.data.find((row) => row.unread && row.contact_id !== contact_id)?.contact_id;
    const onward = next === contact_id ? undefined : next;
    return { open, members, next: onward, before: at > 0 ? ids[at - 1] : undefined, unread };
  },
  title: ({ open }) => nameOf(open.contact),
  mark: ({ open }) => <Mark name={nameOf(open.contact)} large />,
  view: (loaded) => (
    <div class="sides">
      <div>
        <Bar {...loaded} />
        <div data-refresh="conversation">
          <Answers open={loaded.open} />
          <Messages open={loaded.open} />
        </div>
        <AnswerForms open={loaded.open} />
      </div>
      <PersonPanel open={loaded.open} />
    </div>
  ),
});

/** Where to go once a conversation is handled: to an unread reply, before others. */
function thenOf({ next, before, unread }: Pick<Loaded, "next" | "before" | "unread">): string {
  const onward = unread ?? next ?? before;
  return onward === undefined ? "inbox" : `inbox/${onward}`;
}

/** A member who can handle the conversation has read it by opening it. Where that can't be recorded, it stays unread. */
async function markRead({ call, may }: PageContext, { conversation }: OpenConversation): Promise<void> {
  if (!conversation.unread || conversation.snoozed_until !== null || !may("mark_conversation")) return;
  const { contact_id } = conversation;
  await call("mark_conversation", { contact_id, read_reply_id: conversation.last_reply.id, as: "read" }).catch(
    () => undefined,
  );
}

/** Who handles it, and everything that one click does. */
function Bar({ open, members, next, before, unread }: Loaded) {
  const { href, may } = usePageContext();
  const { conversation, contact, resumable } = open;
  const { contact_id, status, assignee, snoozed_until, mark } = conversation;
  const id = <Hidden name="contact_id" value={contact_id} />;
  const read = <Hidden name="read_reply_id" value={conversation.last_reply.id} />;
  const then = thenOf({ next, before, unread });
  const continues = ["", ...resumable.map(({ sequence_id }) => sequence_id)].map((value) => (
    <Hidden key={value} name="read_resumable" kind="list" value={value} />
  ));
  return (
    <>
      <p class="bar">
        {status === "done" && <Chip tone="done">Done</Chip>}
        {mark !== null && <Chip>{MARKS[mark]}</Chip>}
        {snoozed_until !== null && (
          <Chip tone="needs">
            Snoozed until <Time at={snoozed_until} />
          </Chip>
        )}
        <span class="quiet">{assignee === null ? "Unassigned" : `Assigned to ${assignee.name}`}</span>
        {before !== undefined && (
          <a class="button" rel="prev" href={href(`/inbox/${before}`)} {...shortcut("k", "Previous conversation")}>
            Previous <Key of="k" />
          </a>
        )}
        {next !== undefined && (
          <a class="button" rel="next" href={href(`/inbox/${next}`)} {...shortcut("j", "Next conversation")}>
            Next <Key of="j" />
          </a>
        )}
      </p>
      {(may("mark_conversation") || may("mark_out_of_office")) && (
        <div class="bar">
          {status === "done" ? (
            <Form does="mark_conversation" id="open" class="inline" label="Reopen">
              {id}
              <Hidden name="as" value="open" />
              <button type="submit">Reopen</button>
            </Form>
          ) : (
            <Form does="mark_conversation" id="done" then={then} class="inline" label="Done">
              {id}
              {read}
              <Hidden name="as" value="done" />
              <button type="submit" {...shortcut("x", "Done")}>
                Done <Key of="x" />
              </button>
            </Form>
          )}
          <Form does="mark_conversation" id="unread" then="inbox" class="inline" label="Mark as unread">
            {id}
            <Hidden name="as" value="unread" />
            <button type="submit">Mark as unread</button>
          </Form>
          <Snooze then={then}>
            {id}
            {read}
          </Snooze>
          <Confirm does="assign_conversation" opens="Assign…" submit="Assign">
            {id}
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
          {mark !== "not_interested" && (
            <Form does="mark_not_interested" then={then} class="inline" label="Not interested">
              {id}
              {read}
              <button type="submit" title={NOT_INTERESTED} aria-describedby="means">
                Not interested
              </button>
            </Form>
          )}
          {mark === null && (
            <Form does="mark_out_of_office" then={then} class="inline" label="Out of office">
              {id}
              {read}
              {continues}
              <button type="submit" title={outOfOfficeText(resumable)} aria-describedby="means">
                Out of office
              </button>
            </Form>
          )}
          {mark === null && resumable.length > 0 && (
            <Confirm
              does="mark_out_of_office"
              id="away"
              then={then}
              opens="Out of office until…"
              submit="Mark as out of office"
            >
              {id}
              {read}
              {continues}
              <p>Closes the conversation, and continues {sequenceNames(resumable)} after the time below.</p>
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
          {contact.email !== null && open.suppression === null && (
            <Confirm
              does="add_suppression"
              then={then}
              opens="Do not contact…"
              submit="Add to do-not-contact list"
              danger
            >
              <Hidden name="email" value={contact.email} />
              <p>
                Rostrum stops all messages and sequences to {contact.email}, and cancels answers that are not sent yet.
                This can't be undone.
              </p>
              <TextField name="reason" kind="optional" label="Reason" hint="Optional." />
            </Confirm>
          )}
        </div>
      )}
      {(may("mark_not_interested") || may("mark_out_of_office")) && (
        <p class="hint" id="means">
          {may("mark_not_interested") && `Not interested: ${NOT_INTERESTED} `}
          {may("mark_out_of_office") && `Out of office: ${outOfOfficeText(resumable)}`}
        </p>
      )}
    </>
  );
}

const NOT_INTERESTED =
  "stops every sequence of this contact, cancels their planned social messages and withdraws approvals. It doesn't add them to the do-not-contact list.";

function outOfOfficeText(resumable: OpenConversation["resumable"]): string {
  return resumable.length === 0
    ? "closes the conversation. This reply didn't stop any sequence that can continue."
    : `closes the conversation, and continues ${sequenceNames(resumable)} in 7 days.`;
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
    <Confirm does="snooze_conversation" then={then} opens="Snooze…" submit="Snooze" hotkey="s">
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

/** What was written in both directions, newest first. */
function Messages({ open: { messages, member_names, conversation } }: { open: OpenConversation }) {
  const { href } = usePageContext();
  return (
    <Section title="Messages">
      <ol class="line">
        {messages.map(({ id, type, subject, body, metadata, created_at }) => (
          <li key={id} class={INBOUND.includes(type) ? "inbound" : undefined}>
            <Time at={created_at} />
            <div>
              <strong>{codeLabel(type)}</strong>
              {subject !== null && !isRepeated(type, subject) && <>: {revealed(subject)}</>}
              {body !== null && <p class="reading">{revealed(body)}</p>}
              <p class="hint">{writerOf({ type, metadata }, member_names)}</p>
            </div>
          </li>
        ))}
      </ol>
      <p class="hint below">
        <a href={href(`/contacts/${conversation.contact_id}`)}>View the full timeline</a>
      </p>
    </Section>
  );
}

type Message = OpenConversation["messages"][number];

const INBOUND = ["email_reply", "socialnet_reply", "socialnet_message_received", "email_auto_reply"];

function writerOf({ type, metadata }: Pick<Message, "type" | "metadata">, names: Record<string, string>): string {
  // The metadata of other entries is their writer's own.
  if (isSystemActivity(type) && typeof metadata.from === "string") return revealed(metadata.from);
  const id = memberOf(metadata) ?? "";
  if (Object.hasOwn(names, id)) return String(names[id]);
  return typeof metadata.source === "string" ? sourceLabel(metadata.source) : "";
}
