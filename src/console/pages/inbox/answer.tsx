/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import { usePageContext } from "../../app/page-context.ts";
import type { WorkspaceStatus } from "../../app/sidebar.ts";
import { Address, Chip, Key, Section, Time } from "../../ui/basics.tsx";
import { closedSettings } from "../../ui/closed-settings.ts";
import { ConnectEmail } from "../../ui/delivery.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { revealed, statusLabel } from "../../ui/labels.ts";
import { shortcut } from "../../ui/shortcuts.ts";
import { Status } from "../../ui/status.tsx";
import { faultText } from "../outreach/hold-text.ts";
import { Marks, marksText, SimilarOptOut } from "../outreach/recipients.tsx";
import { From } from "../outreach/sender.tsx";
import { Said } from "../review/context.tsx";
import type { OpenConversation } from "./labels.ts";

interface Props {
  open: OpenConversation;
}

/** Answers that are not part of the messages yet, or never will be. */
export function Answers({ open: { answers } }: { open: OpenConversation }) {
  const { href, may } = usePageContext();
  const sends = useSends();
  const shown = answers.filter(({ status }) => status !== "sent" && status !== "written");
  if (shown.length === 0) return null;
  return (
    <Section title="Answers not sent">
      <ul class="plain">
        {shown.map(({ id, status, address, subject, body, delivery, planned_by, sends_at, note, updated_at }) => (
          <li key={id} class="card stack">
            <p class="bar">
              <Status of={status} label={status === "approved" && sends(delivery) ? "Sending" : statusLabel(status)} />
              <span class="quiet">
                To <Address text={revealed(address)} />, proposed by {planned_by.name}, <Time at={updated_at} />
              </span>
            </p>
            {note !== null && <p class="needs-note">{revealed(faultText(note))}</p>}
            <p>
              <strong class="exact">{revealed(subject)}</strong>
            </p>
            <p class="reading">{revealed(body)}</p>
            <div class="bar">
              {status === "needs_review" && may("list_review") && (
                <a class="button" href={href(`/review/answer/${id}`)}>
                  Review
                </a>
              )}
              {status === "changes_requested" && may("edit_answer") && (
                <a class="button" href={href(`/review/answer/${id}`, { view: "edit" })}>
                  Edit answer
                </a>
              )}
              {(status === "needs_review" ||
                status === "changes_requested" ||
                (status === "approved" && sends_at !== null)) && (
                <Form
                  does="cancel_answer"
                  id={`cancel-${id}`}
                  class="inline"
                  label={status === "approved" ? "Undo send" : "Cancel answer"}
                >
                  <Hidden name="answer_id" value={id} />
                  {status === "approved" ? (
                    <button type="submit" {...shortcut("z", "Undo send")}>
                      Undo send <Key of="z" />
                    </button>
                  ) : (
                    <button type="submit">Cancel answer</button>
                  )}
                </Form>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The forms that answer the contact, on the channel of the last reply first. */
export function AnswerForms({ open }: Props) {
  const { may } = usePageContext();
  const { suppression, similar_suppressed, email, network, conversation, contact } = open;
  if (!may("answer_by_email") && !may("answer_on_network")) return null;
  if (suppression !== null) {
    return (
      <Section title="Answer">
        <p>
          <Chip tone="stopped">Do not contact</Chip> This contact is on the do-not-contact list. You can't answer here.
        </p>
      </Section>
    );
  }
  const byEmail = conversation.last_reply.type === "email_reply";
  const [emailFirst, networkFirst] = [byEmail || network === null, !byEmail || email === null];
  const forms = [
    email !== null && <EmailForm key="email" open={open} email={email} isFirst={emailFirst} />,
    network !== null && <NetworkForm key="network" open={open} network={network} isFirst={networkFirst} />,
  ];
  if (!byEmail) forms.reverse();
  return (
    <>
      <SimilarOptOut address={similar_suppressed} />
      <NewestReply open={open} />
      {email === null && network === null && (
        <Section title="Answer">
          <p class="quiet">
            {contact.socialnet_url === null
              ? "You can't answer here, because this contact has no email address or profile URL."
              : "You can't answer here, because this contact has no email address, and the workspace has no social account."}
          </p>
        </Section>
      )}
      {forms}
    </>
  );
}

/** The contact's last reply, if it isn't among the messages: another contact may have written it. */
function NewestReply({ open: { newest_reply: newest, messages, conversation } }: Props) {
  if (newest === null || messages.some(({ id }) => id === newest.id)) return null;
  return (
    <p class="needs-note">
      Last reply <Said entry={newest} of={conversation.contact_id} />
    </p>
  );
}

/** Whether an approved answer is sent as soon as it can't be undone. */
function useSends(): (delivery: string) => boolean {
  const { deployment, outreach } = usePageContext().workspace;
  const isOpen = deployment.outbound_gate === "open" && outreach.paused_at === null;
  return (delivery) => isOpen && delivery === "send";
}

/** What delays an answer, in a sentence. Undefined: nothing. */
function delayText({ deployment, outreach }: WorkspaceStatus, by: "email" | "network" | "file"): string | undefined {
  if (by === "network" && closedSettings(deployment).length > 0)
    return "Social sending is off on this server, so your answer waits until your server admin turns it on.";
  if (deployment.outbound_gate === "closed") {
    return by === "file"
      ? "It will be saved once your server admin turns sending on."
      : "Sending is turned off, so your answer waits until your server admin turns sending on.";
  }
  if (outreach.paused_at === null) return undefined;
  return by === "file"
    ? "It will be saved once an admin resumes outreach."
    : "Outreach is paused, so your answer waits until an admin resumes it.";
}

interface SubmitProps {
  label: string;
  /** What happens to the answer. */
  children: ComponentChildren;
}

/** The button, and beside it everything that happens to the answer. */
function Submit({ label, children }: SubmitProps) {
  return (
    <div class="submit">
      <button type="submit" class="primary">
        {label}
      </button>
      <p class="hint">{children}</p>
    </div>
  );
}

interface ChannelProps {
  does: "answer_by_email" | "answer_on_network";
  title: string;
  id: string;
  /** Whether it is the channel of the last reply. The other one is closed, unless its form was refused. */
  isFirst: boolean;
  children: ComponentChildren;
}

function Channel({ does, title, id, isFirst, children }: ChannelProps) {
  const { failed } = usePageContext();
  if (isFirst) {
    return (
      <Section title={title} id={id}>
        {children}
      </Section>
    );
  }
  return (
    <details class="more" id={id} open={failed?.form === does}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Characters of a subject that a field of one line shows on any screen. The contact chose them, and they are sent. */
const MAX_LINE = 40;

interface EmailProps extends Props {
  /** It is the first form, so `r` focuses it. */
  isFirst: boolean;
  email: NonNullable<OpenConversation["email"]>;
}

function EmailForm({ open: { conversation, newest_reply, contact }, email, isFirst }: EmailProps) {
  const { workspace } = usePageContext();
  const replyKey = isFirst ? ({ hotkey: "r" } as const) : {};
  const { to, to_marks, from, subject, delivery, sends } = email;
  const [only, ...others] = to;
  const isSaved = delivery === "files";
  const delay = delayText(workspace, isSaved ? "file" : "email");
  const submit = !sends ? "Send to review" : isSaved ? "Approve and save to file" : "Send";
  return (
    <Channel does="answer_by_email" title="Answer by email" id="answer" isFirst={isFirst}>
      <Form does="answer_by_email" class="card composer" label="Answer by email">
        <Hidden name="contact_id" value={conversation.contact_id} />
        <Hidden name="read_reply_id" value={conversation.last_reply.id} />
        <Hidden name="read_last_reply" kind="nullable" value={newest_reply?.id ?? ""} />
        <Hidden name="read_sends" kind="flag" value={String(sends)} />
        <Hidden name="read_from" kind="nullable" value={from ?? ""} />
        {isSaved && <Hidden name="delivery" value="files" />}
        {(isSaved || delay !== undefined) && (
          <p class="needs-note">
            {isSaved && (
              <>
                No mail server is connected, so your answer will be saved to a file. {delay} It won't be sent, even if a
                mail server is connected later. If it should be sent, don't submit it yet. <ConnectEmail />
              </>
            )}
            {!isSaved && delay}
          </p>
        )}
        {others.length === 0 ? (
          <>
            <Hidden name="to" value={only ?? ""} />
            <p class="small">
              To{" "}
              <code>
                <Address text={revealed(only ?? "")} />
              </code>
              <Marks of={to_marks[0] ?? []} />
              {contact.email !== only && (
                <>
                  {" "}
                  <Chip tone="needs">Not the contact's address</Chip>
                </>
              )}
            </p>
          </>
        ) : (
          <Select
            name="to"
            label="To"
            hint="The last reply came from a different address than the contact's."
            choices={to.map((value, i) => ({
              value,
              label: `${revealed(value)} (${i === 0 ? "the contact's address" : "where the reply came from"}${marksText(to_marks[i] ?? [])})`,
            }))}
          />
        )}
        <p class="small">
          <From address={from} />
        </p>
        {subject.length > MAX_LINE ? (
          <TextArea
            name="subject"
            label="Subject"
            value={subject}
            rows={Math.ceil(subject.length / MAX_LINE)}
            required
          />
        ) : (
          <TextField name="subject" label="Subject" value={subject} required />
        )}
        <TextArea
          name="body"
          label="Text"
          {...(!isSaved && { hint: "Sent exactly as written, in the contact's thread." })}
          rows={6}
          required
          {...replyKey}
        />
        <Submit label={submit}>
          {!sends && "A teammate who can approve outbound messages reviews your answer first."}
          {sends &&
            (delay === undefined
              ? "You have at least 10 seconds to undo this."
              : `You can undo this until the answer is ${isSaved ? "saved to the file" : "sent"}.`)}
        </Submit>
      </Form>
    </Channel>
  );
}

interface NetworkProps extends Props {
  isFirst: boolean;
  network: NonNullable<OpenConversation["network"]>;
}

function NetworkForm({ open: { conversation, newest_reply }, network, isFirst }: NetworkProps) {
  const { workspace } = usePageContext();
  const replyKey = isFirst ? ({ hotkey: "r" } as const) : {};
  const { accounts, recipient_url, recipient_marks, sends } = network;
  const delay = delayText(workspace, "network");
  const [first, ...others] = accounts;
  if (first === undefined) return null;
  return (
    <Channel does="answer_on_network" title="Answer on the professional network" id="answer-network" isFirst={isFirst}>
      <Form does="answer_on_network" class="card composer" label="Answer on the professional network">
        <Hidden name="contact_id" value={conversation.contact_id} />
        <Hidden name="read_reply_id" value={conversation.last_reply.id} />
        <Hidden name="read_last_reply" kind="nullable" value={newest_reply?.id ?? ""} />
        <Hidden name="read_sends" kind="flag" value={String(sends)} />
        {accounts.map(({ id, profile_url }) => (
          <Hidden key={id} name="read_profile_urls" kind="hashes" value={`${id} ${profile_url}`} />
        ))}
        <Hidden name="recipient_url" value={recipient_url} />
        {delay !== undefined && <p class="needs-note">{delay}</p>}
        <p class="small">
          To{" "}
          <code>
            <Address text={revealed(recipient_url)} />
          </code>
          <Marks of={recipient_marks} />
        </p>
        {others.length === 0 ? (
          <>
            <Hidden name="account_id" value={first.id} />
            <p class="small">
              From {first.label},{" "}
              <code>
                <Address text={revealed(first.profile_url)} />
              </code>
            </p>
          </>
        ) : (
          <Select
            name="account_id"
            label="From"
            choices={accounts.map(({ id, label, profile_url }) => ({
              value: id,
              label: `${label}, ${revealed(profile_url)}`,
            }))}
          />
        )}
        <TextArea
          name="copy"
          label="Message"
          hint={`Sent exactly as written, up to ${amount(COPY_LIMITS.message)} characters.`}
          rows={5}
          required
          {...replyKey}
        />
        <Submit label={sends ? "Approve and send" : "Send to review"}>
          {!sends && "A teammate who can approve outbound messages reviews your answer first."}
          {sends && "The account's agent sends your answer as soon as sending is possible."}
        </Submit>
      </Form>
    </Channel>
  );
}
