/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import { COPY_LIMITS } from "../../../domain/socialnet/action.ts";
import type { OperationName } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Key } from "../../ui/basics.tsx";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { ShownRecipients } from "../outreach/recipients.tsx";
import { isPartial, pathOf, type Whole } from "./load.ts";
import { WITHDRAWALS, Withdraw } from "./withdraw.tsx";

export interface Deciding {
  whole: Whole;
  /** Where to go afterwards. */
  then: string;
}

interface SubmissionProps extends Deciding {
  does: "decide_card" | "decide_post";
  of: "card_id" | "post_id";
  /** What approving does. */
  text: string;
  children?: ComponentChildren;
}

/** Approves, sends back or denies a document or a post. */
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
      <Confirm does={does} id="change" then={then} opens="Send back…" submit="Send it back" hotkey="c">
        {id}
        <Hidden name="decision" value="request_change" />
        <Hidden name="content_hash" value={whole.version} />
        <TextArea name="note" label="What to change" hint="The agent reads this and submits again." rows={4} required />
      </Confirm>
      <Deny does={does} id="deny" then={then} text={denied(whole)}>
        {id}
        <Hidden name="decision" value="deny" />
        <Hidden name="content_hash" value={whole.version} />
      </Deny>
    </>
  );
}

/** A denial closes a one-time item, but the agent may still submit another version. */
function denied({ kind, item }: Whole): string {
  if (item === null) return "This version is never used.";
  return kind === "card" && item.kind === "one_time"
    ? `This version is never used, and ${item.id} is no longer asked for. An agent may hand in another all the same.`
    : `This version is never used. The agent may hand in another for ${item.id}.`;
}

interface ApproveProps extends Deciding {
  does: OperationName;
  text: string;
  children: ComponentChildren;
}

function Approve({ does, then, text, children }: ApproveProps) {
  return (
    <Form does={does} id="approve" then={then} class="approve" label={text}>
      {children}
      <Primary text={text} />
    </Form>
  );
}

/** The button that `a` presses. */
function Primary({ text }: { text: string }) {
  return (
    <button type="submit" class="primary" data-key="a" data-key-label={text}>
      {text} <Key of="a" />
    </button>
  );
}

interface DenyProps {
  does: OperationName;
  id?: string;
  then: string;
  /** What comes of it. */
  text: string;
  children: ComponentChildren;
}

function Deny({ does, id = does, then, text, children }: DenyProps) {
  return (
    <Confirm does={does} id={id} then={then} opens="Deny…" submit="Deny it" hotkey="d" danger>
      {children}
      <p>{text}</p>
      <TextField name="note" kind="optional" label="Why" hint="Shown if the same comes again; may be left out." />
    </Confirm>
  );
}

export const DECISIONS = [
  "approve_socialnet_action",
  "hold_socialnet_action",
  "cancel_socialnet_action",
  "edit_socialnet_action",
  "release_socialnet_action",
  "apply_sequence_approval",
  "withdraw_sequence_approval",
  "decide_card",
  "decide_post",
  "mark_post",
  ...WITHDRAWALS,
] as const satisfies readonly OperationName[];

/** The decisions that a person can make. Every approval names the version that is shown. */
export function Decide({ whole, then }: Deciding) {
  const { may } = usePageContext();
  if (!whole.waiting && whole.action?.status !== "held") return <Decided whole={whole} />;
  const offered = OFFERED[whole.kind].filter(may);
  return (
    <>
      {!OFFERED[whole.kind].slice(0, 1).every(may) && <Unoffered kind={whole.kind} reads={offered.length === 0} />}
      {offered.length > 0 && (
        <div class="decide">
          {whole.waiting ? CHOICES[whole.kind]({ whole, then }) : <Held whole={whole} then={then} />}
        </div>
      )}
    </>
  );
}

/** What a person can still do once it is decided. */
function Decided({ whole: { kind, id, withdrawable } }: Pick<Deciding, "whole">) {
  if (!withdrawable || kind === "sequence") return null;
  return (
    <div class="decide">
      <Withdraw kind={kind} id={id} />
    </div>
  );
}

/** What each kind takes, that which lets it pass first. */
const OFFERED: Record<Whole["kind"], OperationName[]> = {
  action: ["approve_socialnet_action", "hold_socialnet_action", "edit_socialnet_action", "cancel_socialnet_action"],
  sequence: ["apply_sequence_approval", "withdraw_sequence_approval", "update_sequence"],
  card: ["decide_card"],
  post: ["decide_post"],
  publish: ["mark_post"],
};

/** Why a member has no buttons here, and who has. */
function Unoffered({ kind, reads }: { kind: Whole["kind"]; reads: boolean }) {
  const { actor } = usePageContext();
  const grant = kind === "action" || kind === "sequence";
  const who = grant ? "members who may approve what is sent out" : "reps and administrators";
  return (
    <p class="quiet">
      {reads ? `Your role, ${codeLabel(actor.role).toLowerCase()}, reads here` : "You may not approve this"}: {who}{" "}
      decide.
    </p>
  );
}

const CHOICES: Record<Whole["kind"], (props: Deciding) => ComponentChildren> = {
  action: ({ whole, then }) => {
    const id = <Hidden name="action_id" value={whole.id} />;
    return (
      <>
        <Approve
          does="approve_socialnet_action"
          whole={whole}
          then={`${then}?undo={id}`}
          text="Approve and let the agent send it"
        >
          {id}
          <Hidden name="copy_hash" value={whole.version} />
        </Approve>
        <Confirm does="hold_socialnet_action" then={then} opens="Hold back…" submit="Hold it back" hotkey="c">
          {id}
          <TextArea name="note" label="What is to be changed, or why it waits" rows={3} required />
        </Confirm>
        <Confirm does="edit_socialnet_action" opens="Edit…" submit="Change the text" hotkey="e">
          {id}
          <TextArea
            name="copy"
            label="The exact text"
            hint={`At most ${whole.action === null ? "" : amount(COPY_LIMITS[whole.action.kind])} characters. Whoever edits it has written it.`}
            value={whole.action?.copy ?? ""}
            rows={6}
            mono
          />
        </Confirm>
        <Deny does="cancel_socialnet_action" then={then} text={DENIED_ACTION}>
          {id}
        </Deny>
      </>
    );
  },
  sequence: ({ whole, then }) => {
    const id = <Hidden name="approval_id" value={whole.id} />;
    const partial = isPartial(whole);
    return (
      <>
        {partial && whole.audience.length === 0 ? (
          <p class="quiet">No contact is shown here, so there is nothing to approve on this page.</p>
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
        <Deny
          does="withdraw_sequence_approval"
          then={then}
          text="This approval is withdrawn and can't be activated. The sequence can be approved again."
        >
          {id}
        </Deny>
      </>
    );
  },
  card: (props) => (
    <SubmissionDecision does="decide_card" of="card_id" text="Approve and record it as done" {...props} />
  ),
  post: (props) => (
    <SubmissionDecision does="decide_post" of="post_id" text="Approve for a person to publish" {...props}>
      <TextField name="scheduled_for" kind="moment" type="datetime-local" label="To be published (UTC), optional" />
    </SubmissionDecision>
  ),
  publish: ({ whole, then }) => (
    <>
      <Form does="mark_post" id="published" then={then} class="inline" label="Say that it is published">
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="published" />
        <Primary text="Record it as published" />
      </Form>
      <Confirm does="mark_post" id="cancelled" then={then} opens="Cancel…" submit="Cancel the post" hotkey="d" danger>
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="cancelled" />
        <p>It is not published, and leaves the queue.</p>
      </Confirm>
      <Withdraw kind="publish" id={whole.id} />
    </>
  ),
};

function EditSequence({ id }: { id: string }) {
  const { href, may } = usePageContext();
  if (!may("update_sequence")) return null;
  return (
    <a class="button" href={href(`/sequences/${id}/edit`)} data-key="e" data-key-label="Edit the sequence">
      Edit the sequence <Key of="e" />
    </a>
  );
}

const DENIED_ACTION = "It is cancelled, and never sent. The same can be planned again.";

function Held({ whole, then }: Deciding) {
  const id = <Hidden name="action_id" value={whole.id} />;
  return (
    <>
      <Form does="release_socialnet_action" then={then} class="inline" label="Release">
        {id}
        <Hidden name="copy_hash" value={whole.version} />
        <Primary text="Release it" />
      </Form>
      <Deny does="cancel_socialnet_action" then={then} text={DENIED_ACTION}>
        {id}
      </Deny>
    </>
  );
}
