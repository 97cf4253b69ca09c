/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { COPY_LIMITS } from "../../../domain/socialnet-action.ts";
import type { OperationName } from "../../answers.ts";
import { amount } from "../../figures.ts";
import { inWords } from "../../names.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Key } from "../../parts/key.tsx";
import { useVisit } from "../../visit.ts";
import { Approve, type Deciding, Deny, Judge, Primary } from "./judge.tsx";
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

/** What a person can do with it. Everything that approves pins what is shown. */
export function Decide({ whole, then }: Deciding) {
  const { may } = useVisit();
  if (!whole.waiting && whole.action?.status !== "held") return null;
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

/** What each kind takes, that which lets it pass first. */
const OFFERED: Record<Whole["kind"], OperationName[]> = {
  action: ["approve_socialnet_action", "hold_socialnet_action", "edit_socialnet_action", "cancel_socialnet_action"],
  sequence: ["apply_sequence_approval", "withdraw_sequence_approval", "update_sequence"],
  card: ["decide_card"],
  post: ["decide_post"],
  publish: ["mark_post"],
};

/** Whoever is not offered a button is told why, and who is. */
function Unoffered({ kind, reads }: { kind: Whole["kind"]; reads: boolean }) {
  const { actor } = useVisit();
  const grant = kind === "action" || kind === "sequence";
  const who = grant ? "members who may approve what is sent out" : "reps and administrators";
  return (
    <p class="quiet">
      {reads ? `Your role, ${inWords(actor.role).toLowerCase()}, reads here` : "You may not approve this"}: {who}{" "}
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
          says="Approve and let the agent send it"
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
        <Deny does="cancel_socialnet_action" then={then} says={DENIED_ACTION}>
          {id}
        </Deny>
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
        <Deny
          does="withdraw_sequence_approval"
          then={then}
          says="This approval is withdrawn, and never put into force. The sequence can be approved anew."
        >
          {id}
        </Deny>
      </>
    );
  },
  card: (props) => <Judge does="decide_card" of="card_id" says="Approve and record it as done" {...props} />,
  post: (props) => (
    <Judge does="decide_post" of="post_id" says="Approve for a person to publish" {...props}>
      <TextField name="scheduled_for" kind="moment" type="datetime-local" label="To be published (UTC), optional" />
    </Judge>
  ),
  publish: ({ whole, then }) => (
    <>
      <Form does="mark_post" id="published" then={then} class="inline" label="Say that it is published">
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="published" />
        <Primary says="Record it as published" />
      </Form>
      <Confirm does="mark_post" id="cancelled" then={then} opens="Cancel…" submit="Cancel the post" hotkey="d" danger>
        <Hidden name="post_id" value={whole.id} />
        <Hidden name="status" value="cancelled" />
        <p>It is not published, and leaves the queue.</p>
      </Confirm>
    </>
  ),
};

function EditSequence({ id }: { id: string }) {
  const { href, may } = useVisit();
  if (!may("update_sequence")) return null;
  return (
    <a class="button" href={href(`/sequences/${id}/edit`)} data-key="e" data-says="Edit the sequence">
      Edit the sequence <Key of="e" />
    </a>
  );
}

const DENIED_ACTION = "It is cancelled, and never sent. The same can be planned anew.";

function Held({ whole, then }: Deciding) {
  const id = <Hidden name="action_id" value={whole.id} />;
  return (
    <>
      <Form does="release_socialnet_action" then={then} class="inline" label="Release">
        {id}
        <Primary says="Release it" />
      </Form>
      <Deny does="cancel_socialnet_action" then={then} says={DENIED_ACTION}>
        {id}
      </Deny>
    </>
  );
}
