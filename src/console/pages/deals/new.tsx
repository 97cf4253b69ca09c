/** @jsxRuntime automatic @jsxImportSource preact */
import { DEAL_STAGES } from "../../../domain/deal.ts";
import { type Contact, inWords } from "../../names.ts";
import { Section } from "../../parts/basics.tsx";
import { Hidden, Select, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Chooser, chooseContact } from "../contacts/chooser.tsx";

const stages = DEAL_STAGES.map((value) => ({ value, label: inWords(value) }));

export const newDeal = screen({
  path: "/deals/new",
  title: "Add a deal",
  needs: "create_deal",
  forms: ["create_deal"],
  load: (visit) => chooseContact(visit),
  view: (choice) => (
    <>
      <Chooser title="Who is it with?" {...choice} />
      {choice.chosen !== undefined && <TheDeal contact={choice.chosen} />}
    </>
  ),
});

function TheDeal({ contact }: { contact: Contact }) {
  const { href } = useVisit();
  return (
    <Section title="The deal">
      <Form does="create_deal" then="deals" class="card" label="The deal">
        <Hidden name="contact_id" value={contact.id} />
        <TextField name="title" label="Title" required />
        <div class="pair">
          <TextField name="value" kind="number" type="number" label="Value" />
          <TextField name="currency" kind="optional" label="Currency" value="USD" />
        </div>
        <div class="pair">
          <Select name="stage" label="Stage" choices={stages} />
          <TextField name="probability" kind="limit" type="number" label="Likely, in percent" />
          <TextField name="expected_close_date" kind="optional" type="date" label="Expected to close" />
        </div>
        {contact.lifecycle === "lead" && (
          <p class="hint">
            A lead needs a BANT assessment that a member has confirmed, on{" "}
            <a href={href(`/contacts/${contact.id}`)}>its page</a>.
          </p>
        )}
        <button type="submit" class="primary">
          Add the deal
        </button>
      </Form>
    </Section>
  );
}
