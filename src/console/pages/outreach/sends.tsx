/** @jsxRuntime automatic @jsxImportSource preact */

import { MAX_SETTLED, SEND_STATUSES, type SendStatus } from "../../../domain/outreach/sending.ts";
import { iso } from "../../../lib/time.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Choices, Select, TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { nameOf, statusLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { faultText } from "./hold-text.ts";

const STATUSES = Object.keys(SEND_STATUSES) as SendStatus[];

const UNCONFIRMED = "The mail server didn't confirm these emails. Mark each one as sent or not sent.";

const EMPTY_TITLES: Record<SendStatus, string> = {
  queued: "No queued emails",
  sending: "No emails being sent",
  retry: "No emails to retry",
  sent: "No sent emails",
  written: "No emails saved to files",
  failed: "No failed emails",
  unknown: "No unconfirmed emails",
  dropped: "No dropped emails",
};

/** The emails of all sequences or of one, with their status. */
export const sends = screen({
  path: "/sequences/sends",
  title: "Email log",
  needs: "list_sends",
  forms: ["settle_send", "settle_sends"],
  async load(ctx) {
    const { query, call } = ctx;
    const status = STATUSES.find((known) => known === query.get("status"));
    const sequence_id = query.get("sequence") ?? undefined;
    const listedAt = iso(Date.now());
    const [page, unknown, sequence] = await Promise.all([
      call("list_sends", { ...pageOf(ctx), ...(status && { status }), ...(sequence_id && { sequence_id }) }),
      call("list_sends", { status: "unknown", limit: 1, ...(sequence_id && { sequence_id }) }),
      sequence_id === undefined ? undefined : call("get_sequence", { sequence_id }),
    ]);
    return { ...page, unknown: unknown.meta.total, listedAt, status, sequence: sequence?.data };
  },
  view: ({ data, meta, unknown, listedAt, status, sequence }, { href }) => (
    <>
      <p class="lead">
        {sequence === undefined ? (
          <>
            Emails from all sequences, and answers to replies. Messages on the professional network are listed under{" "}
            <a href={href("/agents")}>Agents</a>.
          </>
        ) : (
          <>
            Emails from <a href={href(`/sequences/${sequence.id}`)}>{sequence.name}</a>.{" "}
            <a href={href("/sequences/sends")}>Show all sequences</a>
          </>
        )}
      </p>
      <Choices
        label="Status"
        name="status"
        choices={[{ value: undefined, name: "All" }, ...STATUSES.map((value) => ({ value, name: statusLabel(value) }))]}
      />
      {status !== undefined && (
        <p class="hint filter-means">{status === "unknown" ? UNCONFIRMED : SEND_STATUSES[status]}</p>
      )}
      {unknown > 1 && <ResolveSeveral total={unknown} listedAt={listedAt} sequence={sequence} />}
      <div data-refresh="sends">
        {data.length === 0 && status !== undefined ? (
          <Empty title={EMPTY_TITLES[status]} />
        ) : data.length === 0 ? (
          <Empty title="No emails yet">
            <p>
              Emails from active sequences and answers to replies appear here.{" "}
              <a href={href("/sequences")}>View sequences</a>
            </p>
          </Empty>
        ) : (
          <Table
            caption="Emails, newest first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Subject", wrap: true, cell: (send) => <Subject send={send} selectable={unknown > 1} /> },
              { name: "To", cell: (send) => <To send={send} /> },
              {
                name: "Status",
                phone: "end",
                cell: ({ status }) => (
                  <span title={SEND_STATUSES[status]}>
                    <Status of={status} />
                  </span>
                ),
              },
              { name: "Details", grow: "wrap", cell: (send) => <Outcome send={send} /> },
              {
                name: "Attempts",
                figure: true,
                wide: true,
                cell: ({ attempts }) => attempts > 1 && attempts,
              },
              { name: "Updated", cell: ({ updated_at }) => <Time at={updated_at} /> },
              { name: "Actions", act: true, cell: (send) => send.status === "unknown" && <ResolveSend send={send} /> },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

/** Why an email was saved to a file. */
export function NotSent() {
  return <>Not sent. The email was saved to a file.</>;
}

/** Why a message has its status, and its text. */
function Outcome({ send: { status, detail, subject, text } }: { send: Send }) {
  const reply = status === "sent" ? `Mail server's reply: ${detail}` : faultText(detail ?? "");
  return (
    <div>
      {status === "written" ? (
        <Written file={detail} />
      ) : (
        detail !== null && (status !== "sent" || text === null) && <p class="hint">{reply}</p>
      )}
      {text !== null && (
        <details class="more">
          <summary>View email</summary>
          {status === "sent" && detail !== null && <p class="hint">{reply}</p>}
          <p>
            <strong class="exact">{subject}</strong>
          </p>
          <div class="copytext letter-text">{text}</div>
        </details>
      )}
    </div>
  );
}

function Written({ file }: { file: string | null }) {
  const { may } = usePageContext();
  return (
    <>
      <p class="hint">
        <NotSent />
      </p>
      {file !== null && may("set_sending_policy") && (
        <p class="hint">
          Saved file: <code>{file}</code>
        </p>
      )}
    </>
  );
}

type Send = DataOf<"list_sends">[number];

/** What each outcome leads to: for an email of a sequence, for an answer to a reply, and for any of them. */
const OUTCOMES = {
  step: { sent: "Sent: continue with the next step", not_sent: "Not sent: stop the sequence for this contact" },
  answer: { sent: "Sent", not_sent: "Not sent: open the conversation again" },
  any: {
    sent: "Sent: sequences continue with the next step",
    not_sent: "Not sent: sequences stop for these contacts, and conversations of answers open again",
  },
};
const RETRY = { value: "retry", label: "Send again: the contact may get it twice" };

function To({ send: { contact_id, address, contact } }: { send: Send }) {
  const { href } = usePageContext();
  return (
    <>
      {contact !== null && <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>}
      <p class="hint">{address}</p>
    </>
  );
}

const SELECTED_FORM = "settle-selected";

/** An unconfirmed email has a checkbox that belongs to the form for the selected ones. */
function Subject({ send: { id, subject, status, address }, selectable }: { send: Send; selectable: boolean }) {
  const { may, failed } = usePageContext();
  if (!selectable || status !== "unknown" || !may("settle_sends")) return subject;
  const selected = failed?.form === SELECTED_FORM && failed.typed.get("send_ids:list")?.includes(id);
  return (
    <label>
      <input type="checkbox" name="send_ids:list" value={id} form={SELECTED_FORM} checked={selected} /> {subject}
      <span class="hidden"> to {address}</span>
    </label>
  );
}

interface SeveralProps {
  total: number;
  /** Emails that became unconfirmed later were not on the page. */
  listedAt: string;
  sequence: { id: string; name: string } | undefined;
}

function ResolveSeveral({ total, listedAt, sequence }: SeveralProps) {
  // A sequence has no answers.
  const of = sequence === undefined ? "any" : "step";
  const isMore = total > MAX_SETTLED;
  return (
    <div class="inline">
      <Confirm does="settle_sends" id={SELECTED_FORM} opens="Set outcome for selected…" submit="Save outcome">
        <Hidden name="send_ids" kind="list" value="" />
        <p>
          The mail server didn't confirm these emails. Select them in the list, then mark them as sent or not sent. The
          outcome applies to all that you select.
        </p>
        <OutcomeFields of={of} />
      </Confirm>
      <Confirm
        does="settle_sends"
        id="settle-all"
        opens={`Set outcome for all ${total}…`}
        submit={isMore ? `Save outcome for the first ${MAX_SETTLED}` : `Save outcome for all ${total}`}
      >
        {sequence === undefined ? (
          <Hidden name="all" kind="flag" value="true" />
        ) : (
          <Hidden name="sequence_id" value={sequence.id} />
        )}
        <Hidden name="until" value={listedAt} />
        <p>
          The outcome applies to {isMore ? `the first ${MAX_SETTLED} of` : "all"} {total} unconfirmed emails{" "}
          {sequence === undefined ? "in this workspace" : `of ${sequence.name}`}.
          {isMore && " Submit the form again for the others."}
        </p>
        <OutcomeFields of={of} />
      </Confirm>
    </div>
  );
}

function OutcomeFields({ of }: { of: keyof typeof OUTCOMES }) {
  const { actor } = usePageContext();
  const choices = Object.entries(OUTCOMES[of]).map(([value, label]) => ({ value, label }));
  return (
    <>
      <Select
        name="outcome"
        label="Outcome"
        choices={actor.approveOutbound ? [...choices, RETRY] : choices}
        {...(!actor.approveOutbound && {
          hint: "Only teammates who can approve outbound messages can send emails again.",
        })}
      />
      <TextField name="note" kind="optional" label="Note" hint="Optional. Shown in the audit log." />
    </>
  );
}

function ResolveSend({ send: { id, address, answer_id } }: { send: Send }) {
  return (
    <Confirm
      does="settle_send"
      id={`settle-${id}`}
      opens="Set outcome…"
      about={`for the email to ${address}`}
      submit="Save outcome"
      align="right"
    >
      <Hidden name="send_id" value={id} />
      <p>The mail server didn't confirm this email. Check its log or the Sent folder, or ask {address}.</p>
      <OutcomeFields of={answer_id === null ? "step" : "answer"} />
    </Confirm>
  );
}
