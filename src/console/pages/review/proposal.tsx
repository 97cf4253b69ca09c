/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { emailPin } from "../../../domain/contacts/address.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Address, Chip, ProfileLink } from "../../ui/basics.tsx";
import { Diff } from "../../ui/diff.tsx";
import { amount } from "../../ui/format.ts";
import { channelPlace, nameOf, revealed } from "../../ui/labels.ts";
import { hasMarkdown, Markdown, rendersWhole } from "../../ui/markdown.tsx";
import { HasReplied, Marks, SimilarOptOut } from "../outreach/recipients.tsx";
import { FromAddress } from "../outreach/sender.tsx";
import { Steps } from "../outreach/steps.tsx";
import { ShownAudience } from "./audience.tsx";
import { Editor, useEditable } from "./editor.tsx";
import { type Around, pathOf, statusOf, type Whole } from "./load.ts";

type View = "read" | "raw" | "diff" | "edit";

/** The texts of a proposal, with their names. */
function textsOf({ answer, action, card, post }: Whole): [name: string, text: string][] {
  if (answer !== null) {
    return [
      ["Subject", answer.subject],
      ["Text", answer.body],
    ];
  }
  if (action !== null) return [[action.kind === "message" ? "Message" : "Note", action.copy]];
  const of = card ?? post;
  if (of === null) return [];
  return [
    ...(of.title === null ? [] : [["Title", of.title] as [string, string]]),
    ...(card?.summary == null ? [] : [["Summary", card.summary] as [string, string]]),
    ["Text", of.body],
  ];
}

/**
 * Shows the proposal as a preview, as raw text, or compared with the version for which changes were requested. Each view
 * has the approve button, so each shows everything that is sent, and to whom.
 */
export function Proposal({ whole, around, alone = true }: { whole: Whole; around: Around; alone?: boolean }) {
  const view = useView(whole, alone);
  return (
    <div class="thing">
      {alone && <Views whole={whole} view={view} />}
      {view === "edit" ? (
        <Sheet>
          <Destination whole={whole} />
          <Editor whole={whole} around={around} />
        </Sheet>
      ) : view === "diff" ? (
        <Changed whole={whole} />
      ) : view === "raw" ? (
        <Raw whole={whole} />
      ) : (
        <Rendered whole={whole} />
      )}
      <ShownAudience whole={whole} />
    </div>
  );
}

/** The view that the address asks for, if the proposal has it. */
export function useView(whole: Whole, alone = true): View {
  const { query } = usePageContext();
  const editable = useEditable(whole);
  const asked = alone ? query.get("view") : null;
  if (asked === "raw" || (asked === "diff" && isChanged(whole)) || (asked === "edit" && editable)) return asked;
  return "read";
}

function Views({ whole, view }: { whole: Whole; view: View }) {
  const { href } = usePageContext();
  const views: [View, string][] = [
    ["read", "Preview"],
    ["raw", "Raw text"],
  ];
  if (isChanged(whole)) views.push(["diff", "Changes"]);
  if (view === "edit") views.push(["edit", "Edit"]);
  return (
    <nav class="tabs" aria-label="Views">
      {views.map(([name, label]) => (
        <a
          key={name}
          href={href(pathOf(whole), name === "read" ? {} : { view: name })}
          aria-current={name === view ? "page" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

function Rendered({ whole }: { whole: Whole }) {
  const { answer, action, card, post, sequence } = whole;
  if (sequence !== null) return <Steps steps={sequence.steps} />;
  if (answer !== null) {
    return (
      <Sheet>
        <AnswerAddress answer={answer} />
        <p>
          <strong class="exact">{revealed(answer.subject)}</strong>
        </p>
        <p class="reading proposed">{revealed(answer.body)}</p>
      </Sheet>
    );
  }
  if (action !== null) {
    return (
      <Sheet>
        <ActionAddress action={action} />
        <p class="reading proposed">{revealed(action.copy) || <span class="quiet">No note</span>}</p>
      </Sheet>
    );
  }
  const of = card ?? post;
  return of === null ? null : (
    <Sheet>
      <Destination whole={whole} />
      {of.title !== null && (
        <p>
          <strong class="exact">{revealed(of.title)}</strong>
        </p>
      )}
      {card?.summary != null && <p class="quiet exact">{revealed(card.summary)}</p>}
      <Body text={of.body} rendered={card !== null || post?.platform === "blog"} />
    </Sheet>
  );
}

type Action = Pick<
  NonNullable<Whole["action"]>,
  | "kind"
  | "contact_name"
  | "recipient_url"
  | "recipient_marks"
  | "similar_suppressed"
  | "not_interested"
  | "copy"
  | "campaign"
>;

/** Everything that an approval of an action covers but the sender and the last reply. */
export function ActionInFull({ action }: { action: Action }) {
  return (
    <>
      <Recipient action={action} />
      <p class="reading">{revealed(action.copy) || <span class="quiet">No note</span>}</p>
      {action.campaign !== null && <p class="quiet">Campaign: {revealed(action.campaign)}</p>}
    </>
  );
}

/** Who gets an action, and who it is from. */
function ActionAddress({ action }: { action: NonNullable<Whole["action"]> }) {
  const { href } = usePageContext();
  const { contact_id, contact_name, contact_company, recipient_url, recipient_marks } = action;
  const { account_id, account_label, account_profile_url, similar_suppressed, not_interested } = action;
  return (
    <>
      <dl class="envelope">
        <dt>To</dt>
        <dd>
          <a href={href(`/contacts/${contact_id}`)}>{revealed(contact_name ?? "No name")}</a>
          {contact_company !== null && `, ${revealed(contact_company)}`} <ProfileLink url={recipient_url} />
          <Marks of={recipient_marks} />
        </dd>
        <dt>From</dt>
        <dd>
          <a href={href(`/agents/${account_id}`)}>{account_label}</a> <ProfileLink url={account_profile_url} />
        </dd>
      </dl>
      <SimilarOptOut address={similar_suppressed} />
      <HasReplied at={null} notInterested={not_interested} />
    </>
  );
}

/** Who gets an answer, and who it is from. */
function AnswerAddress({ answer }: { answer: NonNullable<Whole["answer"]> }) {
  const { href } = usePageContext();
  const { contact_id, contact } = answer;
  const { address, address_marks, contact_email, sender_name, mail_from, similar_suppressed } = answer;
  const { in_reply_to, thread, not_interested } = answer;
  return (
    <>
      <dl class="envelope">
        <dt>To</dt>
        <dd>
          <a href={href(`/contacts/${contact_id}`)}>{contact === null ? "Archived contact" : nameOf(contact)}</a>{" "}
          <code>
            <Address text={revealed(address)} />
          </code>
          <Marks of={address_marks} />
          {(contact_email === null || emailPin(contact_email) !== emailPin(address)) && (
            <>
              {" "}
              <Chip tone="needs">Not the contact's address</Chip>
            </>
          )}{" "}
          <a class="small" href={href(`/inbox/${contact_id}`)}>
            View conversation
          </a>
        </dd>
        <dt>From</dt>
        <dd>
          <FromAddress name={sender_name} address={mail_from} />
        </dd>
      </dl>
      {contact_email !== null && contact_email !== address && (
        <p class="hint">
          The contact's address:{" "}
          <code>
            <Address text={revealed(contact_email)} />
          </code>
        </p>
      )}
      {(in_reply_to !== null || thread.length > 0) && (
        <p class="hint ids">
          In the contact's thread. Message IDs:{" "}
          {[...thread.filter((id) => id !== in_reply_to), in_reply_to].filter(Boolean).join(" ")}
        </p>
      )}
      <SimilarOptOut address={similar_suppressed} />
      <HasReplied at={null} notInterested={not_interested} />
    </>
  );
}

function Recipient({ action }: { action: Action }) {
  return (
    <>
      <p class="quiet">
        {action.kind === "message" ? "Message" : "Connection request"} to {revealed(action.contact_name ?? "no name")},{" "}
        <ProfileLink url={action.recipient_url} />
        <Marks of={action.recipient_marks} />
      </p>
      <SimilarOptOut address={action.similar_suppressed} />
      <HasReplied at={null} notInterested={action.not_interested} />
    </>
  );
}

/** The recipient of an action, or the channel of a post. */
function Destination({ whole: { answer, action, post } }: { whole: Whole }) {
  if (answer !== null) return <AnswerAddress answer={answer} />;
  if (action !== null) return <ActionAddress action={action} />;
  if (post === null) return null;
  return (
    <p class="quiet">{post.platform === null ? "Post without a channel" : `Post on ${channelPlace(post.platform)}`}</p>
  );
}

/** The text of a document or a post. Networks publish Markdown as it is written, so only documents and blogs show it rendered. */
function Body({ text, rendered }: { text: string; rendered: boolean }) {
  if (!hasMarkdown(text)) return <p class="reading proposed">{revealed(text)}</p>;
  if (rendered && rendersWhole(text)) {
    return (
      <>
        <Markdown text={text} below={2} />
        <p class="hint">Markdown is rendered. Raw text shows the exact characters.</p>
      </>
    );
  }
  return (
    <>
      <p class="reading proposed">{revealed(text)}</p>
      <p class="hint">
        {rendered
          ? "Markdown isn't rendered here, because the preview would hide part of the text."
          : "Markdown isn't rendered here. Characters like # and ** are part of the text."}
      </p>
    </>
  );
}

function Sheet({ children }: { children: ComponentChildren }) {
  return <div class="card stack">{children}</div>;
}

function Raw({ whole }: { whole: Whole }) {
  const texts = whole.sequence === null ? textsOf(whole) : stepTexts(whole.sequence);
  return (
    <div class="stack">
      <Destination whole={whole} />
      {texts.map(([name, text]) => (
        <div key={name}>
          <p class="hint">
            {name}: {amount([...text].length)} characters, {amount(Buffer.byteLength(text))} bytes
          </p>
          <div class="copytext">{revealed(text)}</div>
        </div>
      ))}
      <Pinned whole={whole} />
    </div>
  );
}

/** Statuses that need an approval first. The approval of an action has a time. */
const AFTER_APPROVAL = ["approved", "applied", "published"];

/** Which version an approval covers. */
function Pinned({ whole }: { whole: Whole }) {
  const what = whole.sequence === null ? "this text" : "these steps";
  const version = <code>{whole.version}</code>;
  const isApproved =
    whole.action === null ? AFTER_APPROVAL.includes(statusOf(whole)) : whole.action.approved_at !== null;
  return (
    <p class="hint">
      {isApproved || whole.waiting ? (
        <>
          {isApproved ? "The" : "An"} approval covers exactly {what} (fingerprint {version}). A later version needs its
          own approval.
        </>
      ) : (
        <>
          Fingerprint of {what}: {version}.
        </>
      )}{" "}
      Invisible characters are shown as codes.
    </p>
  );
}

function stepTexts({ steps }: NonNullable<Whole["sequence"]>): [string, string][] {
  return steps.map((step, i) => [`Step ${i + 1}`, JSON.stringify(step, null, 2)]);
}

/** The texts of the earlier version and of this one, with their names. */
function comparedTexts(whole: Whole): [name: string, before: string, after: string][] {
  const { before } = whole;
  if (before === null) return [];
  const was: Record<string, string | null> = { Subject: before.title, Title: before.title, Summary: before.summary };
  const now = new Map(textsOf(whole));
  const names = [...now.keys()];
  // A submission may have lost its title or its summary.
  if (before.title !== null && whole.post !== null && !now.has("Title")) names.unshift("Title");
  if (before.summary !== null && !now.has("Summary")) names.splice(names.length - 1, 0, "Summary");
  return names.map((name) => [name, Object.hasOwn(was, name) ? (was[name] ?? "") : before.body, now.get(name) ?? ""]);
}

const isChanged = (whole: Whole) => comparedTexts(whole).some(([, before, after]) => before !== after);

function Changed({ whole }: { whole: Whole }) {
  const { before } = whole;
  if (before === null) return null;
  const { note, decided_by } = before;
  return (
    <div class="stack">
      <Destination whole={whole} />
      <p class="hint">
        {note === null
          ? "Compared with the text as first proposed."
          : `${decided_by ?? "A teammate"} requested changes: “${revealed(note)}”${/[.!?…]$/.test(note) ? "" : "."}`}{" "}
        Removed text is struck through. New text is underlined.
      </p>
      {comparedTexts(whole).map(([name, was, now]) => (
        <Diff key={name} name={name} before={was} after={now} />
      ))}
    </div>
  );
}
