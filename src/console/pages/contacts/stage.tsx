/** @jsxRuntime automatic @jsxImportSource preact */
import { BANT } from "../../../domain/bant.ts";
import { LIFECYCLE } from "../../../domain/lifecycle.ts";
import type { DataOf } from "../../answers.ts";
import { money } from "../../figures.ts";
import { inWords } from "../../names.ts";
import { Chip, Section } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Check, Hidden, Select, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { useVisit } from "../../visit.ts";
import { Actions, Enrollments, Plan } from "./ways.tsx";

type Known = DataOf<"brain_contact">;

const NEEDS: Record<string, string> = {
  meeting_required: "a meeting that was held, on your word",
  bant_required: "a BANT assessment, on your word",
  won_deal_required: "a deal that is won",
};

interface Props {
  known: Known;
  sequences: DataOf<"list_sequences">;
  holds: ReadonlyMap<string, string | null>;
  /** Accounts on the social network, for whoever may plan what their agents send. */
  senders: DataOf<"list_socialnet_accounts">;
}

/** How far the contact has come, and what the next stage still needs. */
export function Stage({ known, sequences, holds, senders }: Props) {
  const { stage, next } = known.lifecycle;
  const at = LIFECYCLE.indexOf(stage);
  const { href } = useVisit();
  const { id } = known.contact;
  // What the next stage waits for is what there is to do here.
  const first = next?.needs[0];
  return (
    <Section title="Stage">
      <div class="card stack">
        <ol class="ladder">
          {LIFECYCLE.map((step, i) => (
            <li key={step} class={i <= at ? "reached" : undefined} aria-current={i === at ? "step" : undefined}>
              {inWords(step)}
            </li>
          ))}
        </ol>
        {next !== null && next.needs.length > 0 && (
          <p>
            <Chip tone="needs">Waits for you</Chip> To become {article(next.stage)}, this contact needs{" "}
            {next.needs.map((need) => NEEDS[need] ?? need).join(" and ")}.
          </p>
        )}
        <div class="bar">
          {next !== null && next.needs.length === 0 && (
            <Form does="update_contact" id="advance" class="inline" label="Move up">
              <Hidden name="id" value={id} />
              <Hidden name="lifecycle" value={next.stage} />
              <button type="submit" class="primary">
                Make it {article(next.stage)}
              </button>
            </Form>
          )}
          <Meeting id={id} primary={first === "meeting_required"} />
          <Bant known={known} primary={first === "bant_required"} />
          <NewDeal known={known} primary={first === "won_deal_required" && known.deals.length === 0} />
          {first === "won_deal_required" && known.deals.length > 0 && (
            <a class="button primary" href={href("/deals")}>
              Move the deal on the board
            </a>
          )}
          <Enroll id={id} sequences={sequences} />
          <Plan contact={known.contact} senders={senders} />
        </div>
        {senders.length > 0 && known.contact.socialnet_url === null && (
          <p class="hint">With the address of a profile on record, an agent can write on the social network.</p>
        )}
        <Deals known={known} />
        <Enrollments known={known} holds={holds} />
        <Actions known={known} />
      </div>
    </Section>
  );
}

const article = (stage: string) => `${stage === "opportunity" ? "an" : "a"} ${stage}`;

function Meeting({ id, primary }: { id: string; primary: boolean }) {
  const { now } = useVisit();
  return (
    <Confirm does="confirm_meeting" opens="Confirm a meeting…" submit="Confirm that it was held" primary={primary}>
      <Hidden name="contact_id" value={id} />
      <TextField
        name="held_on"
        type="date"
        label="Held on"
        value={new Date(now).toISOString().slice(0, 10)}
        suggested
      />
      <TextArea name="note" label="What is worth knowing" rows={3} />
    </Confirm>
  );
}

interface ActProps {
  known: Known;
  primary: boolean;
}

function Bant({ known: { contact, bant }, primary }: ActProps) {
  const before = bant.confirmed ?? bant.unconfirmed;
  return (
    <Confirm does="confirm_bant" opens="Confirm BANT…" submit="Confirm the assessment" primary={primary}>
      <Hidden name="contact_id" value={contact.id} />
      <p class="quiet">You judge; the four answers are the record.</p>
      {BANT.map((question) => (
        <div key={question} class="field">
          <Check
            name={`${question}.confirmed`}
            label={`${inWords(question)} stands`}
            checked={before?.[question].confirmed ?? false}
          />
          <TextField
            name={`${question}.note`}
            label={`${inWords(question)}: what is known`}
            value={before?.[question].note}
          />
        </div>
      ))}
    </Confirm>
  );
}

function NewDeal({ known: { contact, lifecycle, bant }, primary }: ActProps) {
  // A lead of whom nobody has confirmed an assessment needs one with the deal: confirm it first.
  if (lifecycle.stage === "lead" && bant.confirmed === null) return null;
  return (
    <Confirm does="create_deal" opens="Add a deal…" submit="Add the deal" primary={primary}>
      <Hidden name="contact_id" value={contact.id} />
      <TextField name="title" label="Title" required />
      <TextField name="value" kind="number" type="number" label="Value" />
      <TextField name="currency" kind="optional" label="Currency" value="USD" />
      <TextField name="expected_close_date" kind="optional" type="date" label="Expected to close" />
    </Confirm>
  );
}

function Enroll({ id, sequences }: { id: string; sequences: DataOf<"list_sequences"> }) {
  if (sequences.length === 0) return null;
  return (
    <Confirm does="enroll_contact" opens="Enroll…" submit="Enroll the contact">
      <Hidden name="contact_id" value={id} />
      <Select
        name="sequence_id"
        label="Sequence"
        hint="Only contacts of an applied approval can be enrolled."
        choices={sequences.map((sequence) => ({ value: sequence.id, label: sequence.name }))}
      />
    </Confirm>
  );
}

function Deals({ known: { deals } }: { known: Known }) {
  const { href } = useVisit();
  if (deals.length === 0) return null;
  return (
    <ul class="line">
      {deals.map(({ id, title, value, currency, stage }) => (
        <li key={id}>
          <span class="quiet">Deal</span>
          <span>
            <a href={href("/deals")}>{title}</a>, {money(value, currency)} <Chip>{inWords(stage)}</Chip>
          </span>
        </li>
      ))}
    </ul>
  );
}
