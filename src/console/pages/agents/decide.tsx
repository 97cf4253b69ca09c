/** @jsxRuntime automatic @jsxImportSource preact */
import { type ActionMove, COPY_LIMITS, MOVES } from "../../../domain/socialnet-action.ts";
import type { OperationName } from "../../answers.ts";
import { amount } from "../../figures.ts";
import { Section } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { Own } from "../../parts/own.tsx";
import { useVisit } from "../../visit.ts";
import type { WholeAction } from "./action.tsx";

/** What a person can do with an action, each in the states that allow it. */
export function Decide({ action }: { action: WholeAction }) {
  const { may } = useVisit();
  const { id, status, copy, copy_hash, account_label, kind, own_proposal } = action;
  const can = (...moves: ActionMove[]) => moves.some((move) => MOVES[status][move] !== undefined);
  const editable = status === "planned" || status === "held" || can("void_approval");
  const offered = (
    [
      ["approve_socialnet_action", can("approve")],
      ["edit_socialnet_action", editable],
      ["hold_socialnet_action", can("hold")],
      ["release_socialnet_action", can("release", "resume")],
      ["cancel_socialnet_action", can("cancel")],
    ] satisfies [OperationName, boolean][]
  ).some(([name, possible]) => possible && may(name));
  if (!offered) return null;
  return (
    <Section title="What may happen with it">
      {can("approve") && (
        <Form does="approve_socialnet_action" class="card spaced" label="Approve">
          <Hidden name="action_id" value={id} />
          <Hidden name="copy_hash" value={copy_hash} />
          <p>
            {account_label}'s agent may send this once, as it reads here, to this profile. A change of either takes the
            approval back.
          </p>
          {own_proposal && <Own />}
          <button type="submit" class="primary">
            Approve and let the agent send it
          </button>
        </Form>
      )}
      <div class="bar">
        {can("release", "resume") && (
          <Confirm does="release_socialnet_action" opens="Release…" submit="Release it">
            <Hidden name="action_id" value={id} />
            <p>
              It goes back to where it was held: one that was approved, and was not changed since, can go out at once.
            </p>
            <Why />
          </Confirm>
        )}
        {editable && (
          <Confirm does="edit_socialnet_action" opens="Edit…" submit="Change what it says">
            <Hidden name="action_id" value={id} />
            <TextArea
              name="copy"
              label="Copy"
              hint={`At most ${amount(COPY_LIMITS[kind])} characters. An approval that it has is void.`}
              value={copy}
              rows={8}
              mono
            />
          </Confirm>
        )}
        {can("hold") && (
          <Confirm does="hold_socialnet_action" opens="Hold…" submit="Hold it">
            <Hidden name="action_id" value={id} />
            <p>No agent can claim it until somebody releases it.</p>
            <Why />
          </Confirm>
        )}
        {can("cancel") && (
          <Confirm does="cancel_socialnet_action" opens="Cancel…" submit="Cancel it for good" danger>
            <Hidden name="action_id" value={id} />
            <p>It is never sent. This cannot be undone; the same can be planned anew.</p>
            <Why />
          </Confirm>
        )}
      </div>
    </Section>
  );
}

export function Why() {
  return <TextField name="note" kind="optional" label="Why" hint="For whoever looks back; may be left out." />;
}
