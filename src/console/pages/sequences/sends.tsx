/** @jsxRuntime automatic @jsxImportSource preact */
import { SEND_STATUSES, type SendStatus } from "../../../domain/sending.ts";
import type { DataOf } from "../../answers.ts";
import { type Contact, contactsOf, nameOf, pageOf, statusInWords } from "../../names.ts";
import { Empty, Pager, Table, Time } from "../../parts/basics.tsx";
import { Choices } from "../../parts/choices.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select, TextField } from "../../parts/fields.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Outcome, textsOf } from "./sent.tsx";

type Send = DataOf<"list_sends">[number];

const STATUSES = Object.keys(SEND_STATUSES) as SendStatus[];

const OUTCOMES = [
  { value: "sent", label: "It arrived: the sequence goes on with its next step" },
  { value: "not_sent", label: "It did not arrive: the contact's way through it ends" },
];
const RETRY = { value: "retry", label: "Send it once more: it may then arrive twice" };

/** What left by e-mail, of all sequences or of one, and what became of it. */
export const sends = screen({
  path: "/sequences/sends",
  title: "What was sent",
  needs: "list_sends",
  forms: ["settle_send"],
  async load(visit) {
    const { query, call } = visit;
    const status = STATUSES.find((known) => known === query.get("status"));
    const sequence_id = query.get("sequence") ?? undefined;
    const [page, sequence] = await Promise.all([
      call("list_sends", { ...pageOf(visit), ...(status && { status }), ...(sequence_id && { sequence_id }) }),
      sequence_id === undefined ? undefined : call("get_sequence", { sequence_id }),
    ]);
    const [people, texts] = await Promise.all([
      contactsOf(
        visit,
        page.data.map(({ contact_id }) => contact_id),
      ),
      textsOf(visit, page.data),
    ]);
    return { ...page, status, people, texts, sequence: sequence?.data };
  },
  view: ({ data, meta, status, people, texts, sequence }, { href }) => (
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
        choices={[
          { value: undefined, name: "All" },
          ...STATUSES.map((value) => ({ value, name: statusInWords(value) })),
        ]}
      />
      {status !== undefined && <p class="hint filter-means">{SEND_STATUSES[status]}</p>}
      <div data-refresh="sends">
        {data.length === 0 ? (
          <Empty
            title={
              status === undefined
                ? "Nothing was sent yet"
                : `No message is here as: ${statusInWords(status).toLowerCase()}`
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
              { name: "Subject", cell: ({ subject }) => <strong>{subject}</strong> },
              { name: "To", cell: (send) => <To send={send} contact={people.get(send.contact_id)} /> },
              { name: "What became of it", cell: (send) => <Outcome send={send} text={texts.get(send.id)} /> },
              { name: "Tried", figure: true, wide: true, cell: ({ attempts }) => `${attempts} ×` },
              { name: "When", cell: ({ updated_at }) => <Time at={updated_at} /> },
              { name: "Act", act: true, cell: (send) => send.status === "unknown" && <Settle send={send} /> },
            ]}
          />
        )}
        <Pager meta={meta} />
      </div>
    </>
  ),
});

function To({ send: { contact_id, address }, contact }: { send: Send; contact: Contact | undefined }) {
  const { href } = useVisit();
  return (
    <>
      {contact !== undefined && <a href={href(`/contacts/${contact_id}`)}>{nameOf(contact)}</a>}
      <p class="hint">{address}</p>
    </>
  );
}

function Settle({ send: { id, address } }: { send: Send }) {
  const { actor } = useVisit();
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
      <Select
        name="outcome"
        label="What you found"
        choices={actor.approveOutbound ? [...OUTCOMES, RETRY] : OUTCOMES}
        {...(!actor.approveOutbound && { hint: "Sending it again is for members who may approve what is sent out." })}
      />
      <TextField name="note" kind="optional" label="How you know" hint="For the audit; may be left out." />
    </Confirm>
  );
}
