/** @jsxRuntime automatic @jsxImportSource preact */

import { BANT, LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import { type HoldReason, POSTPONEMENTS } from "../../../domain/outreach/sending.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Chip, Time } from "../../ui/basics.tsx";
import { Check, Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { money } from "../../ui/format.ts";
import { codeLabel, nameOf, revealed } from "../../ui/labels.ts";
import { EnrollmentStatus, Status } from "../../ui/status.tsx";
import { EnrollBlocked } from "../outreach/approvals.tsx";
import { ApproveAgain, HoldReasonText } from "../outreach/enrollments.tsx";
import { holdText, wayOutOf } from "../outreach/hold-text.ts";
import { HasReplied } from "../outreach/recipients.tsx";
import { outcomeLabel } from "../socialnet/labels.ts";
import { needsReview } from "./review-strip.tsx";

type ContactRecord = DataOf<"get_contact_record">;

/** What a member does to move the contact to the next stage. */
function requirementText(need: string, hasWonDeal: boolean): string {
  if (need === "meeting_required") return "confirm a meeting";
  if (need === "bant_required") return "confirm a BANT assessment";
  if (need === "won_deal_required") return hasWonDeal ? "confirm a won deal" : "move a deal to Closed won";
  return need;
}

interface Props {
  record: ContactRecord;
}

/** What moves the contact to the next stage, or starts work with them: the main action of the page. */
function NextAction({ record }: Props) {
  const { contact, deals, lifecycle } = record;
  const { next } = lifecycle;
  const { href, may } = usePageContext();
  if (next === null) return null;
  const [first] = next.needs;
  if (first === undefined) return <Advance id={contact.id} stage={next.stage} />;
  if (first === "meeting_required") return <Meeting id={contact.id} primary />;
  if (first === "bant_required") return <Bant record={record} primary />;
  const won = deals.find(({ stage }) => stage === "closed_won");
  if (won !== undefined) return <WonDeal deal={won} primary />;
  if (deals.length === 0) return <NewDeal record={record} primary />;
  return may("list_deals") ? (
    <a class="button primary" href={href("/deals")}>
      View deals
    </a>
  ) : null;
}

function Advance({ id, stage }: { id: string; stage: string }) {
  return (
    <Form does="update_contact" id="advance" class="inline" label="Move to next stage">
      <Hidden name="id" value={id} />
      <Hidden name="lifecycle" value={stage} />
      <button type="submit" class="primary">
        Move to {codeLabel(stage)}
      </button>
    </Form>
  );
}

/** The stage of the contact, what the next stage requires, and what is in progress. */
export function Stage({ record }: Props) {
  const { contact, deals } = record;
  const { stage, next } = record.lifecycle;
  const at = LIFECYCLE.indexOf(stage);
  const { may } = usePageContext();
  const senders = may("plan_socialnet_action") ? record.socialnet_accounts : [];
  // The first requirement of the next stage is the main action, at the top of the page.
  const first = next?.needs[0];
  const won = deals.filter(({ stage }) => stage === "closed_won");
  return (
    <section aria-label="Stage">
      <ol class="ladder">
        {LIFECYCLE.map((step, i) => (
          <li key={step} class={i <= at ? "reached" : undefined} aria-current={i === at ? "step" : undefined}>
            {codeLabel(step)}
          </li>
        ))}
      </ol>
      {next !== null && (
        <div class="next">
          <p>
            <strong>Next step</strong>{" "}
            {next.needs.length === 0
              ? `This contact can move to ${codeLabel(next.stage)}.`
              : `To move to ${codeLabel(next.stage)}, ${next.needs.map((need) => requirementText(need, won.length > 0)).join(" and ")}.`}
          </p>
          <NextAction record={record} />
        </div>
      )}
      <div class="bar">
        {first !== "meeting_required" && <Meeting id={contact.id} primary={false} />}
        {first !== "bant_required" && <Bant record={record} primary={false} />}
        {(first !== "won_deal_required" || deals.length > 0) && <NewDeal record={record} primary={false} />}
        {first === "won_deal_required" &&
          won.slice(1).map((deal) => <WonDeal key={deal.id} deal={deal} primary={false} />)}
        <Enroll record={record} />
        <Plan contact={contact} senders={senders} />
      </div>
      {senders.length > 0 && contact.socialnet_url === null && (
        <p class="hint">Add a profile URL to message this contact on the professional network.</p>
      )}
      <Deals record={record} />
      <Enrollments record={record} />
      <Actions record={record} />
    </section>
  );
}

interface WonDealProps {
  deal: Props["record"]["deals"][number];
  /** Whether this is the main action of the page. */
  primary: boolean;
}

/** Confirms a deal that an agent recorded as won. */
function WonDeal({ deal: { id, title }, primary }: WonDealProps) {
  return (
    <Confirm
      does="confirm_deal"
      id={`confirm-deal-${id}`}
      opens="Confirm won deal…"
      about={revealed(title)}
      submit="Confirm deal"
      primary={primary}
    >
      <Hidden name="deal_id" value={id} />
      <p>An agent recorded “{revealed(title)}” as won. Confirm only if this is correct.</p>
    </Confirm>
  );
}

function Meeting({ id, primary }: { id: string; primary: boolean }) {
  const { now } = usePageContext();
  return (
    <Confirm does="confirm_meeting" opens="Confirm meeting…" submit="Confirm meeting" primary={primary}>
      <Hidden name="contact_id" value={id} />
      <TextField
        name="held_on"
        type="date"
        label="Meeting date"
        value={new Date(now).toISOString().slice(0, 10)}
        suggested
      />
      <TextArea name="note" label="Notes" rows={3} />
    </Confirm>
  );
}

interface ActionProps extends Props {
  /** Whether this is the main action of the page. */
  primary: boolean;
}

function Bant({ record: { contact, bant }, primary }: ActionProps) {
  const before = bant.confirmed ?? bant.unconfirmed;
  return (
    <Confirm does="confirm_bant" opens="Confirm BANT…" submit="Confirm BANT" primary={primary}>
      <Hidden name="contact_id" value={contact.id} />
      <p class="quiet">BANT is budget, authority, need and timeline. Select what the contact has confirmed.</p>
      {BANT.map((question) => (
        <div key={question} class="field">
          <Check
            name={`${question}.confirmed`}
            label={`${codeLabel(question)} confirmed`}
            checked={before?.[question].confirmed ?? false}
          />
          <TextField name={`${question}.note`} label={`${codeLabel(question)} notes`} value={before?.[question].note} />
        </div>
      ))}
    </Confirm>
  );
}

function NewDeal({ record: { contact, lifecycle, bant }, primary }: ActionProps) {
  // A lead needs a confirmed BANT assessment before it can have a deal.
  if (lifecycle.stage === "lead" && bant.confirmed === null) return null;
  return (
    <Confirm does="create_deal" opens="Add deal…" submit="Add deal" primary={primary}>
      <Hidden name="contact_id" value={contact.id} />
      <TextField name="title" label="Title" required />
      <TextField name="value" kind="number" type="number" label="Value" />
      <TextField name="currency" kind="optional" label="Currency" value="USD" />
      <TextField name="expected_close_date" kind="optional" type="date" label="Expected close" />
    </Confirm>
  );
}

function Enroll({ record: { contact, sequences, last_reply_at, not_interested } }: Props) {
  if (sequences.length === 0) return null;
  return (
    <Confirm does="enroll_contact" opens="Enroll…" submit="Enroll contact">
      <Hidden name="contact_id" value={contact.id} />
      <EnrollBlocked />
      <HasReplied at={last_reply_at} notInterested={not_interested} />
      <Select
        name="sequence_id"
        label="Sequence"
        hint="The contact must be in an activated audience of the sequence."
        choices={sequences.map((sequence) => ({ value: sequence.id, label: sequence.name }))}
      />
    </Confirm>
  );
}

function Deals({ record: { deals } }: Props) {
  const { href } = usePageContext();
  if (deals.length === 0) return null;
  return (
    <ul class="line">
      {deals.map(({ id, title, value, currency, stage }) => (
        <li key={id}>
          <span class="quiet">Deal</span>
          <span>
            <a href={href(`/deals/${id}`)}>{title}</a>, {money(value, currency)} <Chip>{codeLabel(stage)}</Chip>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Current and past sequences of the contact, and why an enrollment is on hold. */
function Enrollments({ record: { enrollments, contact, last_reply_at } }: Props) {
  const page = usePageContext();
  const { href } = page;
  if (enrollments.length === 0) return null;
  return (
    <ul class="line">
      {enrollments.map((enrollment) => {
        const { id, sequence_id, sequence_name, status, current_step, due_at, waits, ended_at } = enrollment;
        const { held_reason, held_detail, hold_cause, delivery, enrolled_at } = enrollment;
        const until = waits === null ? due_at : waits.until;
        const isHeld = held_reason !== null;
        return (
          <li key={id}>
            <span class="quiet">Sequence</span>
            <div class="stack">
              <p>
                <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>,{" "}
                {status === "completed" ? "all steps" : `step ${current_step + 1}`}{" "}
                <EnrollmentStatus
                  status={status}
                  held={held_reason !== null}
                  replied={last_reply_at !== null && last_reply_at >= enrolled_at}
                />{" "}
                {held_reason === null && until !== null && (
                  <span class="quiet">
                    next step <Time at={until} />
                  </span>
                )}
              </p>
              {isHeld && (
                <HoldReasonText
                  reason={held_reason as HoldReason}
                  detail={held_detail}
                  contactId={contact.id}
                  cause={hold_cause}
                />
              )}
              {ended_at === null && delivery === "files" && (
                <p class="hint">Emails in this sequence are saved to files, not sent.</p>
              )}
              {waits !== null && <p class="hint">{POSTPONEMENTS[waits.reason]}</p>}
              {ended_at === null && (
                <div class="bar-inline">
                  {isHeld && wayOutOf(hold_cause) === "approve" && (
                    <ApproveAgain sequenceId={sequence_id} contactId={contact.id} />
                  )}
                  {isHeld && held_reason !== "send_unknown" && wayOutOf(hold_cause) === "release" && (
                    <Confirm does="release_enrollment" id={`release-${id}`} opens="Release…" submit="Release contact">
                      <Hidden name="enrollment_id" value={id} />
                      {hold_cause === null && (
                        <p>{holdText({ reason: held_reason as HoldReason, detail: held_detail, cause: null }, page)}</p>
                      )}
                      <p class="quiet">If the problem remains, the contact goes back on hold and gets no message.</p>
                    </Confirm>
                  )}
                  <Confirm does="stop_enrollment" id={`stop-${id}`} opens="Remove…" submit="Remove contact" danger>
                    <Hidden name="enrollment_id" value={id} />
                    <p>
                      {nameOf(contact)} gets no more messages from {sequence_name}.
                    </p>
                  </Confirm>
                </div>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** Planned and past actions on the professional network. */
function Actions({ record: { actions } }: Props) {
  // Those that need review are at the top of the page.
  const others = actions.filter((action) => !needsReview(action));
  if (others.length === 0) return null;
  return (
    <ul class="line">
      {others.map(({ id, kind, account_label, status, outcome, copy, created_at }) => (
        <li key={id}>
          <Time at={created_at} />
          <div>
            <p>
              {codeLabel(kind)} by {account_label}{" "}
              <Status of={status} kind="action" {...(outcome !== null && { label: outcomeLabel(outcome) })} />
            </p>
            {copy !== "" && <p class="hint">{copy}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

interface PlanProps {
  contact: ContactRecord["contact"];
  /** Accounts on the professional network, for members who may plan actions. */
  senders: ContactRecord["socialnet_accounts"];
}

/** Links to the page that plans an action, for each account. */
function Plan({ contact, senders }: PlanProps) {
  const { href } = usePageContext();
  if (senders.length === 0 || contact.socialnet_url === null) return null;
  return (
    <details class="menu">
      <summary class="button">
        Message…<span class="hidden"> on the professional network</span>
      </summary>
      <ul>
        {senders.map(({ id, label }) => (
          <li key={id}>
            <a href={href(`/agents/${id}/plan`, { contact: contact.id })}>As {label}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
