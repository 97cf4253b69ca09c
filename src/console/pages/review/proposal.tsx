/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { emailPin } from "../../../domain/contacts/address.ts";
import { HOLDS } from "../../../domain/outreach/sending.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip } from "../../ui/basics.tsx";
import { Diff } from "../../ui/diff.tsx";
import { amount } from "../../ui/format.ts";
import { channelPlace, codeLabel, revealed } from "../../ui/labels.ts";
import { HasReplied, Marks, RecipientValues, SimilarOptOut } from "../outreach/recipients.tsx";
import { FromAddress, SentAs } from "../outreach/sender.tsx";
import { Steps } from "../outreach/steps.tsx";
import { pathOf, statusOf, type Whole } from "./load.ts";

type View = "read" | "raw" | "diff";

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
export function Proposal({ whole, alone = true }: { whole: Whole; alone?: boolean }) {
  const { query } = usePageContext();
  const asked = alone ? query.get("view") : null;
  const view: View = asked === "raw" || (asked === "diff" && whole.before !== null) ? asked : "read";
  return (
    <div class="thing">
      {alone && <Views whole={whole} view={view} />}
      {view === "diff" ? (
        <Changed whole={whole} />
      ) : view === "raw" ? (
        <Raw whole={whole} />
      ) : (
        <Rendered whole={whole} />
      )}
      <Audience whole={whole} />
    </div>
  );
}

function Views({ whole, view }: { whole: Whole; view: View }) {
  const { href } = usePageContext();
  const views: [View, string][] = [
    ["read", "Preview"],
    ["raw", "Raw text"],
  ];
  if (whole.before !== null) views.push(["diff", "Changes"]);
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
          <strong>{revealed(answer.subject)}</strong>
        </p>
        <p class="reading">{revealed(answer.body)}</p>
      </Sheet>
    );
  }
  if (action !== null) {
    return (
      <Sheet>
        <ActionInFull action={action} />
      </Sheet>
    );
  }
  const of = card ?? post;
  return of === null ? null : (
    <Sheet>
      <Destination whole={whole} />
      {of.title !== null && (
        <p>
          <strong>{revealed(of.title)}</strong>
        </p>
      )}
      {card?.summary != null && <p class="quiet">{revealed(card.summary)}</p>}
      <p class="reading">{revealed(of.body)}</p>
      {MARKDOWN.test(of.body) && (
        <p class="hint">Markdown isn't rendered. Characters like # and ** are part of the text.</p>
      )}
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

/** Who gets an answer, and who it is from. */
function AnswerAddress({ answer }: { answer: NonNullable<Whole["answer"]> }) {
  const { address, address_marks, contact_email, sender_name, mail_from, similar_suppressed } = answer;
  const { in_reply_to, thread, not_interested } = answer;
  return (
    <>
      <p class="quiet">
        Email to <code>{revealed(address)}</code>
        <Marks of={address_marks} />
        {(contact_email === null || emailPin(contact_email) !== emailPin(address)) && (
          <>
            {" "}
            <Chip tone="needs">Not the contact's address</Chip>
          </>
        )}
        <br />
        From {sender_name !== null && `${revealed(sender_name)}, `}
        <FromAddress address={mail_from} />
      </p>
      {contact_email !== null && contact_email !== address && (
        <p class="hint">
          The contact's address: <code>{revealed(contact_email)}</code>
        </p>
      )}
      {(in_reply_to !== null || thread.length > 0) && (
        <p class="hint ids">
          In the thread of {[...thread.filter((id) => id !== in_reply_to), in_reply_to].filter(Boolean).join(" ")}
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
        <code>{revealed(action.recipient_url)}</code>
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
  if (action !== null) return <Recipient action={action} />;
  if (post === null) return null;
  return (
    <p class="quiet">{post.platform === null ? "Post without a channel" : `Post on ${channelPlace(post.platform)}`}</p>
  );
}

/** The sender and the contacts of an audience with all their values, and previews of the steps for some of them. */
function Audience({ whole }: { whole: Whole }) {
  const { sequence, sender, examples, audience, audience_page } = whole;
  if (sequence === null) return null;
  return (
    <>
      {sender !== null && <SentAs sender={sender} steps={sequence.steps} />}
      <ul class="stack" aria-label="Contacts">
        {audience.map((contact) => (
          <li key={contact.contact_id} class="card">
            {contact.name}{" "}
            {contact.changed && (
              <>
                <Chip tone="needs">Needs a new approval</Chip>
                <span class="hint">{HOLDS.contact_changed}</span>
              </>
            )}
            <RecipientValues contact={contact} />
          </li>
        ))}
      </ul>
      {audience_page !== null && <ContactPages whole={whole} page={audience_page} />}
      {examples.map((example) => (
        <details class="more" key={example.contact_id}>
          <summary>Preview for {example.contact}</summary>
          <ol class="stack">
            {example.steps.map((step, i) => (
              <li class="step" key={i}>
                <strong>
                  {i + 1}. {codeLabel(step.type)}
                </strong>
                {step.unfilled.length > 0 && (
                  <p>
                    <Chip tone="needs">Will be put on hold</Chip> No value for {step.unfilled.join(", ")}.
                  </p>
                )}
                {step.subject !== null && <p>{revealed(step.subject)}</p>}
                {step.text !== null && <div class="copytext">{revealed(step.text) || "No note"}</div>}
              </li>
            ))}
          </ol>
        </details>
      ))}
    </>
  );
}

/** Which contacts of an audience the page shows, with links to the others. */
function ContactPages({ whole, page }: { whole: Whole; page: NonNullable<Whole["audience_page"]> }) {
  const { href } = usePageContext();
  const { limit, offset, hasMore } = page;
  const total = page.total ?? 0;
  if (total <= limit && offset === 0) return null;
  const at = (start: number) => href(pathOf(whole), start > 0 ? { offset: start } : {});
  return (
    <nav class="pager" aria-label="Contacts">
      <span class="quiet">
        Contacts {amount(Math.min(offset + 1, total))}–{amount(Math.min(offset + limit, total))} of {amount(total)}
      </span>
      {offset > 0 && (
        <a class="button" rel="prev" href={at(Math.max(0, offset - limit))}>
          Previous contacts
        </a>
      )}
      {hasMore && (
        <a class="button" rel="next" href={at(offset + limit)}>
          Next contacts
        </a>
      )}
    </nav>
  );
}

/** Detects Markdown. It is never rendered, because exactly these characters are sent. */
const MARKDOWN = /^(#{1,6}|[-*+]|\d+\.) \S|\*\*\S|[^[\]]\]\(/m;

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

function Changed({ whole }: { whole: Whole }) {
  const { before } = whole;
  const after = whole.card ?? whole.post;
  if (before === null || after === null) return null;
  const summary = whole.card?.summary ?? null;
  return (
    <div class="stack">
      <Destination whole={whole} />
      <p class="hint">
        {before.decided_by} requested changes: “{before.note}”{/[.!?…]$/.test(before.note ?? "") ? "" : "."} Removed
        text is struck through. New text is underlined.
      </p>
      {(before.title ?? after.title) !== null && <Diff before={before.title ?? ""} after={after.title ?? ""} />}
      {(before.summary ?? summary) !== null && <Diff before={before.summary ?? ""} after={summary ?? ""} />}
      <Diff before={before.body} after={after.body} />
    </div>
  );
}
