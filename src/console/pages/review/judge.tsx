/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { OperationName } from "../../answers.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Key } from "../../parts/key.tsx";
import { Own } from "../../parts/own.tsx";
import type { Whole } from "./load.ts";

export interface Deciding {
  whole: Whole;
  /** Where to go afterwards. */
  then: string;
}

interface JudgeProps extends Deciding {
  does: "decide_card" | "decide_post";
  of: "card_id" | "post_id";
  /** What approving does. */
  says: string;
  children?: ComponentChildren;
}

/** A document or a post: approved, sent back or denied. */
export function Judge({ does, of, says, whole, then, children }: JudgeProps) {
  const id = <Hidden name={of} value={whole.id} />;
  return (
    <>
      <Approve does={does} whole={whole} then={then} says={says}>
        {id}
        <Hidden name="decision" value="approve" />
        <Hidden name="content_hash" value={whole.version} />
        {children}
      </Approve>
      <Confirm does={does} id="change" then={then} opens="Send back…" submit="Send it back" hotkey="c">
        {id}
        <Hidden name="decision" value="request_change" />
        <Hidden name="content_hash" value={whole.version} />
        <TextArea
          name="note"
          label="What to change"
          hint="The agent reads this, and hands in anew."
          rows={4}
          required
        />
      </Confirm>
      <Deny does={does} id="deny" then={then} says={denied(whole)}>
        {id}
        <Hidden name="decision" value="deny" />
        <Hidden name="content_hash" value={whole.version} />
      </Deny>
    </>
  );
}

/** A denial is of this version: it closes what is done once, and another can be handed in all the same. */
function denied({ kind, item }: Whole): string {
  if (item === null) return "This version is never used.";
  return kind === "card" && item.kind === "one_time"
    ? `This version is never used, and ${item.id} is no longer asked for. An agent may hand in another all the same.`
    : `This version is never used. The agent may hand in another for ${item.id}.`;
}

interface ApproveProps extends Deciding {
  does: OperationName;
  says: string;
  children: ComponentChildren;
}

export function Approve({ does, whole, then, says, children }: ApproveProps) {
  return (
    <Form does={does} id="approve" then={then} class="approve" label={says}>
      {children}
      {whole.own_proposal && whole.kind !== "sequence" && <Own />}
      <Primary says={says} />
    </Form>
  );
}

/** The button that `a` presses. */
export function Primary({ says }: { says: string }) {
  return (
    <button type="submit" class="primary" data-key="a" data-says={says}>
      {says} <Key of="a" />
    </button>
  );
}

interface DenyProps {
  does: OperationName;
  id?: string;
  then: string;
  /** What comes of it. */
  says: string;
  children: ComponentChildren;
}

export function Deny({ does, id = does, then, says, children }: DenyProps) {
  return (
    <Confirm does={does} id={id} then={then} opens="Deny…" submit="Deny it" hotkey="d" danger>
      {children}
      <p>{says}</p>
      <TextField name="note" kind="optional" label="Why" hint="Shown if the same comes again; may be left out." />
    </Confirm>
  );
}
