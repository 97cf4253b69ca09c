/** @jsxRuntime automatic @jsxImportSource preact */
// Long because each kind of entry has its own forms, and all of them share their buttons and keys.

import type { ComponentChildren } from "preact";
import type { OperationName } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Key } from "../../ui/basics.tsx";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { counted } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { AskAnother, needsAnother } from "../../ui/own-proposal.tsx";
import { shortcut } from "../../ui/shortcuts.ts";
import { ShownRecipients } from "../outreach/recipients.tsx";
import { ReadState, releaseText, useReleaseRefusal } from "../socialnet/decide.tsx";
import { sendingWaitsFor } from "../socialnet/sending.ts";
import { useEditable } from "./editor.tsx";
import { type Around, isPartial, needsChanges, pathOf, type Whole } from "./load.ts";
import { WITHDRAWALS, Withdraw } from "./withdraw.tsx";

interface Deciding {
  whole: Whole;
  /** Where to go afterwards. */
  then: string;
}

interface ChoiceProps extends Deciding {
  around: Around;
}

interface SubmissionProps extends Deciding {
  does: "decide_card" | "decide_post";
  of: "card_id" | "post_id";
  /** The label of the approve button. */
  text: string;
  children?: ComponentChildren;
}

/** Approves or rejects a document or a post, or requests changes. */
function SubmissionDecision({ does, of, text, whole, then, children }: SubmissionProps) {
  const id = <Hidden name={of} value={whole.id} />;
  return (
    <>
      <Approve does={does} whole={whole} then={then} text={text}>
        {id}
        <Hidden name="decision" value="approve" />
        <Hidden name="content_hash" value={whole.version} />
        {children}
      </Approve>
      <RequestChanges does={does} then={then} hint="The agent reads this before it submits again.">
        {id}
        <Hidden name="decision" value="request_change" />
        <Hidden name="content_hash" value={whole.version} />
      </RequestChanges>
      <Reject does={does} id="deny" then={then} text={rejectionText(whole)}>
        {id}
        <Hidden name="decision" value="deny" />
        <Hidden name="content_hash" value={whole.version} />
      </Reject>
    </>
  );
}

interface RequestProps {
  does: OperationName;
  then: string;
  /** Who reads the note, and what it leads to. */
  hint: string;
  children: ComponentChildren;
}

/** Sends a proposal back with a note, with the shortcut `c`. */
function RequestChanges({ does, then, hint, children }: RequestProps) {
  return (
    <Confirm does={does} id="change" then={then} opens="Request changes…" submit="Request changes" hotkey="c">
      {children}
      <TextArea name="note" label="Changes needed" hint={hint} rows={4} required />
    </Confirm>
  );
}

/** Opens the editor in place of the text, with the shortcut `e`. */
function Edit({ whole }: Pick<Deciding, "whole">) {
  const { href } = usePageContext();
  if (!useEditable(whole)) return null;
  return (
    <a class="button" href={href(pathOf(whole), { view: "edit" })} {...shortcut("e", "Edit text")}>
      Edit <Key of="e" />
    </a>
  );
}

/** A rejection closes a one-time item, but the agent may still submit a new version. */
function rejectionText({ kind, item }: Whole): string {
  if (item === null) return "This version won't be used.";
  return kind === "card" && item.kind === "one_time"
    ? `This version won't be used. ${item.id} is closed until an agent submits a new version. Items that depend on ${item.id} keep waiting until ${item.id} is done or doesn't apply.`
    : `This version won't be used. The agent can submit a new version for ${item.id}.`;
}

interface ApproveProps extends Deciding {
  does: OperationName;
  text: string;
  children: ComponentChildren;
}

function Approve({ does, whole, then, text, children }: ApproveProps) {
  const { workspace } = usePageContext();
  if (needsAnother(whole, workspace)) return <AskAnother isAudience={whole.kind === "sequence"} />;
  return (
    <Form does={does} id="approve" then={then} class="approve" label={text}>
      {children}
      <Primary text={text} />
    </Form>
  );
}

/** The primary button, with the shortcut `a`. */
function Primary({ text }: { text: string }) {
  return (
    <button type="submit" class="primary" {...shortcut("a", text)}>
      {text} <Key of="a" />
    </button>
  );
}

interface RejectProps {
  does: OperationName;
  id?: string;
  then: string;
  /** The consequence. */
  text: string;
  children: ComponentChildren;
}

/** What is rejected, where it was approved before. */
const REJECTS: Partial<Record<OperationName, string>> = { withdraw_sequence_approval: "Reject audience" };
/** For decisions whose reason is not shown with a later proposal. */
const REASON_HINTS: Partial<Record<OperationName, string>> = { withdraw_sequence_approval: "Optional." };

function Reject({ does, id = does, then, text, children }: RejectProps) {
  return (
    <Confirm
      does={does}
      id={id}
      then={then}
      opens="Reject…"
      submit={REJECTS[does] ?? "Reject proposal"}
      hotkey="d"
      danger
    >
      {children}
      <p>{text}</p>
      <TextField
        name="note"
        kind="optional"
        label="Reason"
        hint={REASON_HINTS[does] ?? "Optional. Reviewers see the reason with the next submission for this item."}
      />
    </Confirm>
  );
}

export const DECISIONS = [
  "approve_answer",
  "edit_answer",
  "request_answer_change",
  "cancel_answer",
  "approve_socialnet_action",
  "hold_socialnet_action",
  "cancel_socialnet_action",
  "edit_socialnet_action",
  "request_action_change",
  "release_socialnet_action",
  "apply_sequence_approval",
  "withdraw_sequence_approval",
  "decide_card",
  "decide_post",
  "mark_post",
  ...WITHDRAWALS,
] as const satisfies readonly OperationName[];

/** The decisions that a member can make. Every approval includes the version that is shown. */
export function Decide({ whole, then, around }: ChoiceProps) {
  const { may } = usePageContext();
  if (!whole.waiting && !needsChanges(whole) && whole.action?.status !== "held") return <Decided whole={whole} />;
  const offered = OPERATIONS_OF[whole.kind].filter(may);
  return (
    <>
      {!OPERATIONS_OF[whole.kind].slice(0, 1).every(may) && (
        <NoPermission kind={whole.kind} readOnly={offered.length === 0} />
      )}
      {offered.length > 0 && (
        <div class="decide">
          {whole.waiting ? (
            CHOICES[whole.kind]({ whole, then, around })
          ) : whole.kind === "answer" ? (
            <SentBackAnswer whole={whole} then={then} />
          ) : (
            <Held whole={whole} then={then} around={around} />
          )}
          <Others />
        </div>
      )}
    </>
  );
}

/** On a phone, opens the actions besides approving and rejecting. Wide screens always show them. */
function Others() {
  return (
    <details class="fold">
      <summary class="button">More</summary>
    </details>
  );
}

/** The actions that are left after a decision. */
function Decided({ whole: { kind, id, withdrawable, answer } }: Pick<Deciding, "whole">) {
  if (kind === "answer" && answer?.status === "approved" && answer.sends_at !== null) {
    return (
      <div class="decide">
        <CancelAnswer id={id} text={UNSENT} opens="Undo send…" submit="Undo send" />
      </div>
    );
  }
  if (!withdrawable || kind === "sequence" || kind === "answer") return null;
  return (
    <div class="decide">
      <Withdraw kind={kind} id={id} />
    </div>
  );
}

/** The operations of each kind. The first one approves. */
const OPERATIONS_OF: Record<Whole["kind"], OperationName[]> = {
  answer: ["approve_answer", "edit_answer", "request_answer_change", "cancel_answer"],
  action: [
    ...(["approve_socialnet_action", "request_action_change", "edit_socialnet_action"] as const),
    ...(["hold_socialnet_action", "cancel_socialnet_action"] as const),
  ],
  sequence: ["apply_sequence_approval", "withdraw_sequence_approval", "update_sequence"],
  card: ["decide_card"],
  post: ["decide_post"],
  publish: ["mark_post"],
};

/** Explains why a member can't approve, and who can. */
function NoPermission({ kind, readOnly }: { kind: Whole["kind"]; readOnly: boolean }) {
  const { actor } = usePageContext();
  const isOutbound = kind === "answer" || kind === "action" || kind === "sequence";
  const who = isOutbound ? "a teammate who can approve outbound messages" : "a rep or an admin";
  const role = codeLabel(actor.role).toLowerCase();
  return (
    <p class="quiet">
      {readOnly ? `Your role (${role}) is read-only here.` : "You can't approve this."} Ask {who} to review this item.
    </p>
  );
}

const CHOICES: Record<Whole["kind"], (props: ChoiceProps) => ComponentChildren> = {
  answer: ({ whole, then }) => {
    const id = <Hidden name="answer_id" value={whole.id} />;
    const hash = <Hidden name="copy_hash" value={whole.version} />;
    const { answer } = whole;
    return (
      <>
        <Approve
          does="approve_answer"
          whole={whole}
          then={then}
          text={answer?.delivery === "files" ? "Approve" : "Approve and send"}
        >
          {id}
          {hash}
        </Approve>
        <RequestChanges
          does="request_answer_change"
          then={then}
          hint="The answer's author reads this in the conversation. The answer needs review again after an edit."
        >
          {id}
          {hash}
        </RequestChanges>
        <CancelAnswer id={whole.id} then={then} text={UNSENT} />
        <Edit whole={whole} />
      </>
    );
  },
  action: ({ whole, then, around }) => {
    const id = <Hidden name="action_id" value={whole.id} />;
    return (
      <>
        <Approve
          does="approve_socialnet_action"
          whole={whole}
          then={`${then}?undo={id}`}
          text={useApproveLabel(whole, around)}
        >
          {id}
          <Hidden name="copy_hash" value={whole.version} />
        </Approve>
        <RequestChanges
          does="request_action_change"
          then={then}
          hint="Your team sees this on the Today page until a teammate edits the text. Then the action needs review again."
        >
          {id}
          <Hidden name="copy_hash" value={whole.version} />
        </RequestChanges>
        <CancelAction id={whole.id} then={then} rejects />
        <Edit whole={whole} />
        <Confirm does="hold_socialnet_action" then={then} opens="Put on hold…" submit="Put on hold">
          {id}
          <TextArea name="note" label="Reason" rows={3} required />
        </Confirm>
      </>
    );
  },
  sequence: ({ whole, then }) => {
    const id = <Hidden name="approval_id" value={whole.id} />;
    const partial = isPartial(whole);
    return (
      <>
        {partial && whole.audience.length === 0 ? (
          <p class="quiet">No contact is shown here, so there is nothing to activate on this page.</p>
        ) : (
          <Approve
            does="apply_sequence_approval"
            whole={whole}
            then={partial ? pathOf(whole).slice(1) : then}
            text={partial ? `Activate ${counted(whole.audience.length, "contact")}` : "Activate audience"}
          >
            {id}
            <Hidden name="steps_hash" value={whole.version} />
            <ShownRecipients contacts={whole.audience} />
          </Approve>
        )}
        <EditSequence id={whole.sequence?.id ?? ""} />
        <Reject
          does="withdraw_sequence_approval"
          then={then}
          text="This audience won't be activated. You can approve a new audience for this sequence."
        >
          {id}
        </Reject>
      </>
    );
  },
  card: (props) => <SubmissionDecision does="decide_card" of="card_id" text="Approve document" {...props} />,
  post: (props) => (
    <SubmissionDecision does="decide_post" of="post_id" text="Approve post" {...props}>
      <TextField name="scheduled_for" kind="moment" type="datetime-local" label="Publish time (UTC)" hint="Optional." />
    </SubmissionDecision>
  ),
  publish: ({ whole, then }) => (
    <>
      <Form does="mark_post" id="published" then={then} class="inline" label="Mark as published">
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="published" />
        <button type="submit" class="primary" {...shortcut("p", "Mark as published")}>
          Mark as published <Key of="p" />
        </button>
      </Form>
      <Confirm does="mark_post" id="cancelled" then={then} opens="Cancel post…" submit="Cancel post" danger>
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="cancelled" />
        <p>The post won't be published.</p>
      </Confirm>
      <Withdraw kind="publish" id={whole.id} />
    </>
  ),
};

function EditSequence({ id }: { id: string }) {
  const { href, may } = usePageContext();
  if (!may("update_sequence")) return null;
  return (
    <a class="button" href={href(`/sequences/${id}/edit`)} {...shortcut("e", "Edit sequence")}>
      Edit sequence <Key of="e" />
    </a>
  );
}

interface CancelProps {
  id: string;
  text: string;
  then?: string;
  opens?: string;
  submit?: string;
}

function CancelAnswer({ id, text, then, opens = "Reject…", submit = "Reject answer" }: CancelProps) {
  return (
    <Confirm does="cancel_answer" {...(then !== undefined && { then })} opens={opens} submit={submit} hotkey="d" danger>
      <Hidden name="answer_id" value={id} />
      <p>{text}</p>
      <TextField name="note" kind="optional" label="Reason" hint="Optional. Shown in the conversation." />
    </Confirm>
  );
}

/** What rejecting an answer leads to. */
const UNSENT = "The answer won't be sent. The conversation opens again.";

/** Canceling an action in review is its rejection. */
function CancelAction({ id, then, rejects = false }: { id: string; then: string; rejects?: boolean }) {
  return (
    <Confirm
      does="cancel_socialnet_action"
      then={then}
      opens={rejects ? "Reject…" : "Cancel action…"}
      submit={rejects ? "Reject action" : "Cancel action"}
      {...(rejects && { hotkey: "d" })}
      danger
    >
      <Hidden name="action_id" value={id} />
      <p>This action won't be sent. You can't undo this, but you can plan a new action.</p>
      <TextField
        name="note"
        kind="optional"
        label="Reason"
        hint="Optional. Reviewers see the reason with the next action for this contact."
      />
    </Confirm>
  );
}

/** Approving sends only if the agent can send now. */
function useApproveLabel({ action }: Whole, { account }: Around): string {
  const { workspace } = usePageContext();
  const waits = action !== null && account !== undefined && sendingWaitsFor(action, account, workspace) !== null;
  return waits ? "Approve" : "Approve and send";
}

/** An answer for which changes were requested: an edit returns it to review. */
function SentBackAnswer({ whole, then }: Deciding) {
  return (
    <>
      <Edit whole={whole} />
      <CancelAnswer id={whole.id} then={then} text={UNSENT} />
    </>
  );
}

function Held({ whole, then, around: { account } }: ChoiceProps) {
  const id = <Hidden name="action_id" value={whole.id} />;
  const refusal = useReleaseRefusal(whole, account);
  return (
    <>
      {refusal ?? (
        <Form does="release_socialnet_action" then={then} class="inline" label="Release">
          {id}
          <Hidden name="copy_hash" value={whole.version} />
          <ReadState action={whole.action} account={account} />
          {whole.action !== null && account !== undefined && <p>{releaseText(whole.action, account)}</p>}
          <button type="submit" class={needsChanges(whole) ? undefined : "primary"}>
            {needsChanges(whole) ? "Release without changes" : "Release action"}
          </button>
        </Form>
      )}
      <Edit whole={whole} />
      <CancelAction id={whole.id} then={then} />
    </>
  );
}
