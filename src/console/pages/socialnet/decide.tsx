/** @jsxRuntime automatic @jsxImportSource preact */

import { type ActionMove, COPY_LIMITS, MOVES } from "../../../domain/socialnet/action.ts";
import type { OperationName } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Section } from "../../ui/basics.tsx";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { Withdraw } from "../review/withdraw.tsx";
import type { PlannedAction } from "./labels.ts";

/** What a person can do with an action, each in the states that allow it. */
export function Decide({ action }: { action: PlannedAction }) {
  const { may } = usePageContext();
  const { id, status, copy, copy_hash, account_label, kind } = action;
  const can = (...moves: ActionMove[]) => moves.some((move) => MOVES[status][move] !== undefined);
  const editable = status === "planned" || status === "held" || can("void_approval");
  const offered = (
    [
      ["approve_socialnet_action", can("approve")],
      ["edit_socialnet_action", editable],
      ["hold_socialnet_action", can("hold")],
      ["release_socialnet_action", can("release", "resume")],
      ["cancel_socialnet_action", can("cancel")],
      ["withdraw_socialnet_action", status === "approved"],
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
          <button type="submit" class="primary">
            Approve and let the agent send it
          </button>
        </Form>
      )}
      <div class="bar">
        {can("release", "resume") && (
          <Confirm does="release_socialnet_action" opens="Release…" submit="Release it">
            <Hidden name="action_id" value={id} />
            <Hidden name="copy_hash" value={copy_hash} />
            <p>
              It goes back to where it was held: one that was approved, and was not changed since, can go out at once.
            </p>
            <ReasonField />
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
            <ReasonField />
          </Confirm>
        )}
        {status === "approved" && <Withdraw kind="action" id={id} />}
        {can("cancel") && (
          <Confirm does="cancel_socialnet_action" opens="Cancel…" submit="Cancel it for good" danger>
            <Hidden name="action_id" value={id} />
            <p>It is never sent. This cannot be undone; the same can be planned anew.</p>
            <ReasonField />
          </Confirm>
        )}
      </div>
    </Section>
  );
}

function ReasonField() {
  return <TextField name="note" kind="optional" label="Why" hint="For whoever looks back; may be left out." />;
}

/** Only the network knows the outcome, so a person looks it up and records it. */
export function ResolveOutcome({ action }: { action: PlannedAction }) {
  const { actor, may } = usePageContext();
  if (!may("settle_socialnet_action")) return null;
  const { id, recipient_url, kind, contact_name } = action;
  const choices = [
    {
      outcome: "sent",
      opens: "It was sent…",
      submit: "Record that it was sent",
      means: `It is completed: logged with ${contact_name ?? "the contact"}, and their sequence goes on.`,
    },
    {
      outcome: "not_sent",
      opens: "It was not sent…",
      submit: "Record that it was not sent",
      means: "It has failed and is over: it is never tried again. To say the same after all, plan it anew.",
    },
    {
      outcome: "retry",
      opens: "Try it again…",
      submit: "Let the agent send it once more",
      means:
        "It is approved again, and the agent sends it once more. If it was sent after all, it arrives twice: choose this only after you have seen that it is not there.",
    },
  ] as const;
  return (
    <Section title="What became of it?">
      <div class="card stack">
        <p>
          The agent began, and cannot tell whether the {kind === "message" ? "message" : "request"} went out. Look at{" "}
          <code>{recipient_url}</code> on the social network, signed in as the account, and say what you see. Nothing is
          tried again by itself.
        </p>
        <dl class="settle">
          {choices
            .filter(({ outcome }) => outcome !== "retry" || actor.approveOutbound)
            .map(({ outcome, opens, submit, means }) => (
              <div key={outcome}>
                <dt>
                  <Confirm
                    does="settle_socialnet_action"
                    id={`settle-${outcome}`}
                    opens={opens}
                    submit={submit}
                    danger={outcome === "retry"}
                  >
                    <Hidden name="action_id" value={id} />
                    <Hidden name="outcome" value={outcome} />
                    <p>{means}</p>
                    <ReasonField />
                  </Confirm>
                </dt>
                <dd>{means}</dd>
              </div>
            ))}
        </dl>
        {!actor.approveOutbound && (
          <p class="small quiet">Having it tried again takes the permission to approve what goes out.</p>
        )}
      </div>
    </Section>
  );
}
