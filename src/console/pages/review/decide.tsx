/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { COPY_LIMITS } from "../../../domain/socialnet-action.ts";
import type { OperationName } from "../../answers.ts";
import { amount } from "../../figures.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Own } from "../../parts/own.tsx";
import { useVisit } from "../../visit.ts";
import type { Whole } from "./load.ts";

export const DECISIONS = [
  ...([
    "approve_socialnet_action",
    "hold_socialnet_action",
    "cancel_socialnet_action",
    "edit_socialnet_action",
  ] as const),
  ...(["release_socialnet_action", "apply_sequence_approval", "withdraw_sequence_approval"] as const),
  ...(["decide_card", "decide_post", "mark_post"] as const),
] satisfies OperationName[];

interface Props {
  whole: Whole;
  /** Where to go afterwards. */
  then: string;
}

/** What a person can do with it. Everything that approves pins what is shown. */
export function Decide({ whole, then }: Props) {
  if (!whole.waiting) return whole.action?.status === "held" ? <Held whole={whole} then={then} /> : null;
  return <div class="decide">{CHOICES[whole.kind]({ whole, then })}</div>;
}

const CHOICES: Record<Whole["kind"], (props: Props) => ComponentChildren> = {
  action: ({ whole, then }) => {
    const id = <Hidden name="action_id" value={whole.id} />;
    return (
      <>
        <Approve
          does="approve_socialnet_action"
          whole={whole}
          then={`${then}?undo={id}`}
          says="Approve and let the agent send it"
        >
          {id}
          <Hidden name="copy_hash" value={whole.version} />
        </Approve>
        <Confirm does="hold_socialnet_action" then={then} opens="Hold…" submit="Hold it back" hotkey="c">
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
        <Confirm
          does="cancel_socialnet_action"
          then={then}
          opens="Deny…"
          submit="Deny, and cancel it for good"
          hotkey="d"
          danger
        >
          {id}
          <Why />
        </Confirm>
      </>
    );
  },
  sequence: ({ whole, then }) => {
    const id = <Hidden name="approval_id" value={whole.id} />;
    return (
      <>
        <Approve does="apply_sequence_approval" whole={whole} then={then} says="Put it into force">
          {id}
          <Hidden name="steps_hash" value={whole.version} />
        </Approve>
        <EditSequence id={whole.sequence?.id ?? ""} />
        <Confirm
          does="withdraw_sequence_approval"
          then={then}
          opens="Deny…"
          submit="Deny, and withdraw the approval"
          hotkey="d"
          danger
        >
          {id}
          <Why />
        </Confirm>
      </>
    );
  },
  card: (props) => <Judge does="decide_card" of="card_id" says="Approve and record it as done" {...props} />,
  post: (props) => (
    <Judge does="decide_post" of="post_id" says="Approve for a person to publish" {...props}>
      <TextField name="scheduled_for" kind="moment" type="datetime-local" label="To be published (UTC)" />
    </Judge>
  ),
  publish: ({ whole, then }) => (
    <>
      <Form does="mark_post" id="published" then={then} class="inline" label="Say that it is published">
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="published" />
        <button type="submit" class="primary" data-key="a" data-says="Record it as published">
          Record it as published
        </button>
      </Form>
      <Confirm does="mark_post" id="cancelled" then={then} opens="Cancel…" submit="Cancel the post" hotkey="d" danger>
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="cancelled" />
        <p>It is not published, and leaves the queue.</p>
      </Confirm>
    </>
  ),
};

interface JudgeProps extends Props {
  does: "decide_card" | "decide_post";
  of: "card_id" | "post_id";
  /** What approving does. */
  says: string;
  children?: ComponentChildren;
}

function Judge({ does, of, says, whole, then, children }: JudgeProps) {
  const id = <Hidden name={of} value={whole.id} />;
  return (
    <>
      <Approve does={does} whole={whole} then={then} says={says}>
        {id}
        <Hidden name="decision" value="approve" />
        <Hidden name="content_hash" value={whole.version} />
        {children}
      </Approve>
      <Confirm does={does} id="change" then={then} opens="Request change…" submit="Send it back" hotkey="c">
        {id}
        <Hidden name="decision" value="request_change" />
        <Hidden name="content_hash" value={whole.version} />
        <TextArea name="note" label="What to change" rows={4} required />
      </Confirm>
      <Confirm does={does} id="deny" then={then} opens="Deny…" submit="Deny it for good" hotkey="d" danger>
        {id}
        <Hidden name="decision" value="deny" />
        <Hidden name="content_hash" value={whole.version} />
        <Why />
      </Confirm>
    </>
  );
}

interface ApproveProps extends Props {
  does: OperationName;
  says: string;
  children: ComponentChildren;
}

function Approve({ does, whole, then, says, children }: ApproveProps) {
  return (
    <Form does={does} id="approve" then={then} class="approve" label={says}>
      {children}
      {whole.own_proposal && whole.kind !== "sequence" && <Own />}
      <button type="submit" class="primary" data-key="a" data-says={says}>
        {says}
      </button>
    </Form>
  );
}

function Why() {
  return <TextField name="note" kind="optional" label="Why" hint="For whoever looks back; may be left out." />;
}

function EditSequence({ id }: { id: string }) {
  const { href, may } = useVisit();
  if (!may("update_sequence")) return null;
  return (
    <a class="button" href={href(`/sequences/${id}/edit`)} data-key="e" data-says="Edit the sequence">
      Edit the sequence
    </a>
  );
}

function Held({ whole, then }: Props) {
  return (
    <div class="decide">
      <Form does="release_socialnet_action" then={then} class="inline" label="Release">
        <Hidden name="action_id" value={whole.id} />
        <button type="submit" class="primary" data-key="a" data-says="Release it">
          Release it
        </button>
      </Form>
      <Confirm
        does="cancel_socialnet_action"
        then={then}
        opens="Deny…"
        submit="Deny, and cancel it for good"
        hotkey="d"
        danger
      >
        <Hidden name="action_id" value={whole.id} />
        <Why />
      </Confirm>
    </div>
  );
}
