/** @jsxRuntime automatic @jsxImportSource preact */

import { type ActionMove, actionHold, COPY_LIMITS, MOVES } from "../../../domain/socialnet/action.ts";
import type { OperationName } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { ProfileLink, Section } from "../../ui/basics.tsx";
import { TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { amount } from "../../ui/format.ts";
import { AskAnother, authorText, needsAnother } from "../../ui/own-proposal.tsx";
import { Withdraw } from "../review/withdraw.tsx";
import type { Account, PlannedAction } from "./labels.ts";
import { sendingText, sendingWaitsFor } from "./sending.ts";

/** The decisions that the action's status allows. */
export function Decide({ action, account }: { action: PlannedAction; account: Account }) {
  const { may } = usePageContext();
  const { id, status, copy, copy_hash, kind } = action;
  const notReleasable = useReleaseRefusal({ action, own_proposal: action.own_proposal }, account);
  const edit = useEdit(action, account);
  const can = (...moves: ActionMove[]) => moves.some((move) => MOVES[status][move] !== undefined);
  const editable = status === "planned" || status === "held" || can("void_approval");
  const offered = (
    [
      ["approve_socialnet_action", can("approve")],
      ["edit_socialnet_action", editable],
      ["request_action_change", can("request_change")],
      ["hold_socialnet_action", can("hold")],
      ["release_socialnet_action", can("release", "resume")],
      ["cancel_socialnet_action", can("cancel")],
      ["withdraw_socialnet_action", status === "approved"],
    ] satisfies [OperationName, boolean][]
  ).some(([name, possible]) => possible && may(name));
  if (!offered) return null;
  return (
    <Section title="Decision">
      {can("approve") && <Approve action={action} account={account} />}
      <div class="bar">
        {can("release", "resume") && notReleasable}
        {can("release", "resume") && notReleasable === null && (
          <Confirm does="release_socialnet_action" opens="Release…" submit="Release action">
            <Hidden name="action_id" value={id} />
            <Hidden name="copy_hash" value={copy_hash} />
            <ReadState action={action} account={account} />
            <p>{releaseText(action, account)}</p>
            <ReasonField />
          </Confirm>
        )}
        {editable && (
          <Confirm does="edit_socialnet_action" opens="Edit…" submit={edit.submit}>
            <Hidden name="action_id" value={id} />
            <Hidden name="copy_hash" value={copy_hash} />
            <ReadState action={action} account={account} />
            <TextArea
              name="copy"
              label="Text"
              hint={`Up to ${amount(COPY_LIMITS[kind])} characters. ${edit.text}`}
              value={copy}
              rows={8}
            />
          </Confirm>
        )}
        {can("request_change") && (
          <Confirm does="request_action_change" opens="Request changes…" submit="Request changes">
            <Hidden name="action_id" value={id} />
            <Hidden name="copy_hash" value={copy_hash} />
            <TextArea
              name="note"
              label="Changes needed"
              hint="Your team sees this on the Today page until a teammate edits the text."
              rows={4}
              required
            />
          </Confirm>
        )}
        {can("hold") && (
          <Confirm does="hold_socialnet_action" opens="Put on hold…" submit="Put on hold">
            <Hidden name="action_id" value={id} />
            <p>The agent can't send this action until a teammate releases it.</p>
            <ReasonField />
          </Confirm>
        )}
        {status === "approved" && <Withdraw kind="action" id={id} />}
        {can("cancel") && (
          <Confirm does="cancel_socialnet_action" opens="Cancel action…" submit="Cancel action" danger>
            <Hidden name="action_id" value={id} />
            <p>This action won't be sent. You can't undo this, but you can plan a new action.</p>
            <ReasonField />
          </Confirm>
        )}
      </div>
    </Section>
  );
}

function Approve({ action, account }: { action: PlannedAction; account: Account }) {
  const { may, workspace } = usePageContext();
  if (!may("approve_socialnet_action")) return null;
  const effect = (
    <p>{sendingText(action, account, workspace)} Changing the text or the profile cancels the approval.</p>
  );
  if (needsAnother(action, workspace)) {
    return (
      <div class="card spaced">
        {effect}
        <AskAnother />
      </div>
    );
  }
  return (
    <Form does="approve_socialnet_action" class="card spaced" label="Approve">
      <Hidden name="action_id" value={action.id} />
      <Hidden name="copy_hash" value={action.copy_hash} />
      {effect}
      <button type="submit" class="primary">
        {sendingWaitsFor(action, account, workspace) === null ? "Approve and send" : "Approve"}
      </button>
    </Form>
  );
}

/** Releasing an action without an approval approves it, if its account is automatic. */
const releaseApproves = ({ approved_at }: Pick<PlannedAction, "approved_at">, account: Account) =>
  account.automation_mode === "automatic" && approved_at === null;

/** What releasing an action means. */
export function releaseText(action: Pick<PlannedAction, "approved_at">, account: Account): string {
  if (releaseApproves(action, account))
    return "Releasing this action also approves it, because the account sends automatically.";
  return action.approved_at === null ? "The action returns to review." : "The action keeps its approval.";
}

/** What editing an action means, and the label of its button. On an automatic account, it approves most new texts. */
export function useEdit(
  { status, approved_by }: Pick<PlannedAction, "status" | "approved_by">,
  account: Account | undefined,
): { submit: string; text: string } {
  const { actor, workspace } = usePageContext();
  if (account?.automation_mode !== "automatic" || status === "held") {
    return { submit: "Save text", text: `Editing cancels an existing approval. ${authorText(workspace)}` };
  }
  const isForbidden = workspace.own_proposals === "forbidden";
  const isForPerson = status === "planned" || approved_by !== null;
  if (isForPerson && isForbidden) return { submit: "Save text", text: authorText(workspace) };
  if (isForPerson && !actor.approveOutbound)
    return { submit: "Save text", text: "The new text needs review, because you can't approve outbound messages." };
  const approves = "The account sends automatically, so saving also approves the new text";
  if (!actor.approveOutbound)
    return {
      submit: "Save text",
      text: `${approves}. If the contact has replied or might have opted out, it needs review instead.`,
    };
  const answers = isForbidden ? " An answer from the Inbox needs review instead." : "";
  return { submit: "Save and approve", text: `${approves}.${answers}` };
}

/** A form whose meaning depends on the account's mode is refused if the mode changed. */
export function ReadMode({ account }: { account: Account | undefined }) {
  return account === undefined ? null : <Hidden name="read_automation_mode" value={account.automation_mode} />;
}

interface ReadStateProps {
  action: Pick<PlannedAction, "status" | "approved_at"> | null;
  account: Account | undefined;
}

/** The same for an action: what an edit or a release does also depends on its hold and its approval. */
export function ReadState({ action, account }: ReadStateProps) {
  return (
    <>
      <ReadMode account={account} />
      {action !== null && <Hidden name="read_hold" value={actionHold(action.status, action.approved_at !== null)} />}
    </>
  );
}

interface Released {
  action: Pick<PlannedAction, "approved_at"> | null;
  own_proposal: boolean;
}

/** Shown instead of the button that releases an action, if the member can't release it. */
export function useReleaseRefusal({ action, own_proposal }: Released, account: Account | undefined) {
  const { actor, may, workspace } = usePageContext();
  if (!may("release_socialnet_action") || action === null || account === undefined) return null;
  if (!releaseApproves(action, account)) return null;
  if (needsAnother({ own_proposal }, workspace)) return <AskAnother />;
  if (actor.approveOutbound) return null;
  return (
    <p class="quiet">
      Releasing this action also approves it. Ask a teammate who can approve outbound messages to release it.
    </p>
  );
}

function ReasonField() {
  return <TextField name="note" kind="optional" label="Reason" hint="Optional. Shown in the history." />;
}

/** Only the professional network knows the outcome, so a person checks and records it. */
export function ResolveOutcome({ action }: { action: PlannedAction }) {
  const { actor, may, workspace } = usePageContext();
  const mayRetry = actor.approveOutbound && !needsAnother(action, workspace);
  if (!may("settle_socialnet_action")) return null;
  const { id, recipient_url, kind, contact_name, copy_hash, enrollment_id } = action;
  const isStep = enrollment_id !== null;
  const what = kind === "message" ? "message" : "request";
  const logs = `logs it for ${contact_name ?? "the contact"}`;
  const choices = [
    {
      outcome: "sent",
      opens: "Mark as sent…",
      submit: "Mark as sent",
      means: isStep
        ? `Completes the action, ${logs}, and continues their sequence.`
        : `Completes the action and ${logs}.`,
    },
    {
      outcome: "not_sent",
      opens: "Mark as not sent…",
      submit: "Mark as not sent",
      means: `Marks the action as failed${isStep ? " and stops its sequence for this contact" : ""}. The action isn't retried, but you can plan a new one.`,
    },
    {
      outcome: "retry",
      opens: "Send again…",
      submit: "Send again",
      means: `Approves the action again. If the ${what} was already sent, the contact gets it twice. Check the professional network first.`,
    },
  ] as const;
  return (
    <Section title="Confirm the outcome">
      <div class="card stack">
        <p>
          The agent couldn't confirm whether the {what} was sent. Sign in to the account and check{" "}
          <ProfileLink url={recipient_url} />. Rostrum doesn't retry on its own.
        </p>
        <dl class="settle">
          {choices
            .filter(({ outcome }) => outcome !== "retry" || mayRetry)
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
                    <Hidden name="copy_hash" value={copy_hash} />
                    <p>{means}</p>
                    <ReasonField />
                  </Confirm>
                </dt>
                <dd>{means}</dd>
              </div>
            ))}
        </dl>
        {!mayRetry && (
          <p class="small quiet">
            {actor.approveOutbound
              ? "Sending again approves the action, and you can't approve your own proposal. Ask another teammate."
              : "Only teammates who can approve outbound messages can send this action again."}
          </p>
        )}
      </div>
    </Section>
  );
}
