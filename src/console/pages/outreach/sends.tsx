/** @jsxRuntime automatic @jsxImportSource preact */

import { SEND_STATUSES, type SendStatus } from "../../../domain/outreach/sending.ts";
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

const STATUSES = Object.keys(SEND_STATUSES) as SendStatus[];

/** The emails sent, of all sequences or of one, with their outcome. */
export const sends = screen({
  path: "/sequences/sends",
  title: "What was sent",
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
          <>E-mails of all sequences. What agents sent on the social network stands with each agent. </>
        ) : (
          <>
            E-mails of <a href={href(`/sequences/${sequence.id}`)}>{sequence.name}</a>.{" "}
            <a href={href("/sequences/sends")}>Show those of all sequences</a>
          </>
        )}
      </p>
      <Choices
        label="By what became of them"
        name="status"
        choices={[{ value: undefined, name: "All" }, ...STATUSES.map((value) => ({ value, name: statusLabel(value) }))]}
      />
      {status !== undefined && <p class="hint filter-means">{SEND_STATUSES[status]}</p>}
      {unknown > 1 && <ResolveSeveral total={unknown} listedAt={listedAt} sequence={sequence} />}
      <div data-refresh="sends">
        {data.length === 0 ? (
          <Empty
            title={
              status === undefined
                ? "Nothing was sent yet"
                : `No message is here as: ${statusLabel(status).toLowerCase()}`
            }
          >
            <p>Once a sequence is active and somebody is enrolled, every e-mail is listed here before it leaves.</p>
          </Empty>
        ) : (
          <Table
            caption="E-mails of sequences, newest first"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { name: "Subject", cell: (send) => <Subject send={send} selectable={unknown > 1} /> },
              { name: "To", cell: (send) => <To send={send} /> },
              { name: "What became of it", cell: (send) => <Outcome send={send} /> },
              { name: "Tried", figure: true, wide: true, cell: ({ attempts }) => `${attempts} ×` },
              { name: "When", cell: ({ updated_at }) => <Time at={updated_at} /> },
              { name: "Act", act: true, cell: (send) => send.status === "unknown" && <ResolveSend send={send} /> },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

/** Why a message was written to a file, and what the server admin can do about it. */
export function NoMailServer() {
  return (
    <>
      No mail server is set for this Rostrum (<code>SMTP_URL</code>), so it was written to a file, and not sent.
    </>
  );
}

/** The status of a message, the reason, and its text. */
function Outcome({ send: { status, detail, subject, text } }: { send: Send }) {
  return (
    <div>
      <span title={SEND_STATUSES[status]}>
        <Status of={status} />
      </span>
      {status === "written" ? <Written file={detail} /> : detail !== null && <p class="hint">{detail}</p>}
      {text !== null && (
        <details class="more">
          <summary>Read it</summary>
          <p>
            <strong>{subject}</strong>
          </p>
          <div class="copytext">{text}</div>
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
        <NoMailServer />
      </p>
      {file !== null && may("set_sending_policy") && (
        <p class="hint">
          As it would have gone out: <code>{file}</code>
        </p>
      )}
    </>
  );
}

type Send = DataOf<"list_sends">[number];

const OUTCOMES = [
  { value: "sent", label: "It arrived: the sequence goes on with its next step" },
  { value: "not_sent", label: "It did not arrive: the contact's way through it ends" },
];
const RETRY = { value: "retry", label: "Send it once more: it may then arrive twice" };

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

/** A message of unknown outcome has a checkbox of the form that resolves the selected ones. */
function Subject({ send: { id, subject, status, address }, selectable }: { send: Send; selectable: boolean }) {
  const { may, failed } = usePageContext();
  if (!selectable || status !== "unknown" || !may("settle_sends")) return <strong>{subject}</strong>;
  const selected = failed?.form === SELECTED_FORM && failed.typed.get("send_ids:list")?.includes(id);
  return (
    <label>
      <input type="checkbox" name="send_ids:list" value={id} form={SELECTED_FORM} checked={selected} />{" "}
      <strong>{subject}</strong>
      <span class="hidden"> to {address}</span>
    </label>
  );
}

interface SeveralProps {
  total: number;
  /** What became unknown later was not on the page. */
  listedAt: string;
  sequence: { id: string; name: string } | undefined;
}

function ResolveSeveral({ total, listedAt, sequence }: SeveralProps) {
  return (
    <div class="inline">
      <Confirm does="settle_sends" id={SELECTED_FORM} opens="Settle selected…" submit="Record for all selected">
        <Hidden name="send_ids" kind="list" value="" />
        <p>Select messages of unknown outcome in the list, then say what became of all of them.</p>
        <OutcomeFields />
      </Confirm>
      <Confirm does="settle_sends" id="settle-all" opens={`Settle all ${total}…`} submit={`Record for all ${total}`}>
        {sequence === undefined ? (
          <Hidden name="all" kind="flag" value="true" />
        ) : (
          <Hidden name="sequence_id" value={sequence.id} />
        )}
        <Hidden name="until" value={listedAt} />
        <p>
          This is for all {total} messages of unknown outcome
          {sequence === undefined ? ", of all sequences" : ` of ${sequence.name}`}. Up to 500 are recorded at a time.
        </p>
        <OutcomeFields />
      </Confirm>
    </div>
  );
}

function OutcomeFields() {
  const { actor } = usePageContext();
  return (
    <>
      <Select
        name="outcome"
        label="What you found"
        choices={actor.approveOutbound ? [...OUTCOMES, RETRY] : OUTCOMES}
        {...(!actor.approveOutbound && { hint: "Sending it again is for members who may approve what is sent out." })}
      />
      <TextField name="note" kind="optional" label="How you know" hint="For the audit; may be left out." />
    </>
  );
}

function ResolveSend({ send: { id, address } }: { send: Send }) {
  return (
    <Confirm
      does="settle_send"
      id={`settle-${id}`}
      opens="Settle…"
      about={`the e-mail to ${address}`}
      submit="Record this"
      align="right"
    >
      <Hidden name="send_id" value={id} />
      <p>
        It was handed to the mail server, and no answer came back. Look into the server's log or the Sent folder, or ask{" "}
        {address}.
      </p>
      <OutcomeFields />
    </Confirm>
  );
}
