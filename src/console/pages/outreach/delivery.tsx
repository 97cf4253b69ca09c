/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren } from "preact";
import type { MailDelivery } from "../../../domain/outreach/sending.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip } from "../../ui/basics.tsx";
import { ConnectEmail } from "../../ui/delivery.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import type { Whole } from "./approvals.tsx";

export const hasEmails = ({ steps }: Pick<Whole, "steps">): boolean => steps.some(({ type }) => type === "email");

/** Whether activating a sequence again sends its emails, which were saved to files before. */
function useSendsFromNow({ status, delivery, ...whole }: Whole): boolean {
  const { workspace } = usePageContext();
  return hasEmails(whole) && status !== "active" && delivery === "files" && workspace.deployment.email === "send";
}

/** The same, as a warning in each form that activates. */
export function SendsFromNow({ whole }: { whole: Whole }) {
  if (!useSendsFromNow(whole)) return null;
  return (
    <p>
      <Chip tone="needs">Emails are sent</Chip> Emails in this sequence were saved to files. A mail server is connected
      now, so the next due emails are sent to contacts once the sequence is active.
    </p>
  );
}

/** Where the emails of a sequence go, if they are not sent. */
export function DeliveryNotice({ whole }: { whole: Whole }) {
  const { workspace } = usePageContext();
  const { status, delivery } = whole;
  const { email, outbound_gate } = workspace.deployment;
  const hasServer = email === "send";
  if (!hasEmails(whole) || status === "archived" || (hasServer && delivery === "send")) return null;
  if (status !== "active") {
    if (hasServer) return null;
    return (
      <p class="notice">
        <Chip tone="needs">No mail server</Chip> Emails can't be sent yet. <ConnectEmail />
      </p>
    );
  }
  if (delivery === "files") {
    return (
      <div class="notice">
        <p>
          <Chip tone="needs">Not sent</Chip> {!hasServer && "No mail server is connected. "}
          {outbound_gate === "closed"
            ? "Once sending is on, emails in this sequence will be saved to files instead of being sent."
            : "Emails in this sequence are saved to files."}{" "}
          {!hasServer && (
            <>
              <ConnectEmail /> The button “Send emails…” then appears here. It sends the emails that are due from then
              on.
            </>
          )}
        </p>
        {hasServer && (
          <SetDelivery id={whole.id} delivery="send" opens="Send emails…" submit="Send emails">
            <p>The next due emails in this sequence are sent to its contacts.</p>
          </SetDelivery>
        )}
      </div>
    );
  }
  return (
    <div class="notice">
      <p>
        <Chip tone="stopped">Emails wait</Chip> The emails in this sequence wait until a mail server is connected.{" "}
        <ConnectEmail />
      </p>
      <SetDelivery id={whole.id} delivery="files" opens="Save to files…" submit="Save emails to files">
        <p>Due emails are saved to files instead of being sent. The contacts move on to their next step.</p>
      </SetDelivery>
    </div>
  );
}

interface SetProps {
  id: string;
  delivery: MailDelivery;
  opens: string;
  submit: string;
  children: ComponentChildren;
}

function SetDelivery({ id, delivery, opens, submit, children }: SetProps) {
  return (
    <Confirm does="set_sequence_status" id="delivery" opens={opens} submit={submit}>
      <Hidden name="sequence_id" value={id} />
      <Hidden name="status" value="active" />
      <Hidden name="delivery" value={delivery} />
      {children}
    </Confirm>
  );
}
