/** @jsxRuntime automatic @jsxImportSource preact */
import { type Contact, inWords, nameOf, pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../parts/basics.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";

const MOST_FOUND = 50;

export const contacts = screen({
  path: "/contacts",
  title: "Contacts",
  needs: "list_contacts",
  forms: ["create_contact"],
  async load(visit) {
    const text = visit.query.get("q")?.trim() ?? "";
    if (text === "") return { text, ...(await visit.call("list_contacts", pageOf(visit, 50))) };
    const { data } = await visit.call("search_contacts", { text: text.slice(0, 200), limit: MOST_FOUND });
    return { text, data, meta: undefined };
  },
  view: ({ text, data, meta }) => (
    <>
      <div id="results" aria-live="polite">
        {text !== "" && <Found text={text} count={data.length} />}
        {data.length > 0 && <ContactTable caption="Contacts, newest first" rows={data} />}
        {data.length === 0 && text === "" && (
          <Empty title="Nobody here yet">
            <p>
              Contacts are the people you sell to. Make the first below, or bring a file:{" "}
              <code>rostrum import people.csv</code>
            </p>
          </Empty>
        )}
        {meta !== undefined && <Pager meta={meta} />}
      </div>
      <NewContact />
    </>
  ),
});

function Found({ text, count }: { text: string; count: number }) {
  const { href } = useVisit();
  const many = count === MOST_FOUND ? `The ${MOST_FOUND} newest` : count === 0 ? "Nobody" : String(count);
  return (
    <p class="bar">
      <span>
        {many} whose address, name or company begins with <strong>{text}</strong>
      </span>
      <a href={href("/contacts")}>Show everybody</a>
    </p>
  );
}

export function ContactTable({ caption, rows }: { caption: string; rows: readonly Contact[] }) {
  const { href } = useVisit();
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { name: "Name", cell: (contact) => <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a> },
        { name: "Company", cell: ({ company }) => company },
        { name: "E-mail address", wide: true, cell: ({ email }) => email },
        { name: "Stage", cell: ({ lifecycle }) => lifecycle !== null && <Chip>{inWords(lifecycle)}</Chip> },
        { name: "Tags", wide: true, cell: ({ tags }) => tags?.join(", ") },
        { name: "Updated", wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
    />
  );
}

function NewContact() {
  const { may } = useVisit();
  if (!may("create_contact")) return null;
  return (
    <Section title="Add a contact">
      <Form does="create_contact" then="contacts/{id}" class="card" label="Add a contact">
        <div class="pair">
          <TextField name="first_name" label="First name" />
          <TextField name="last_name" label="Last name" />
          <TextField name="email" type="email" label="E-mail address" />
        </div>
        <div class="pair">
          <TextField name="company" label="Company" />
          <TextField name="job_title" label="Job title" />
          <TextField name="socialnet_url" type="url" label="Profile on the social network" />
        </div>
        <button type="submit" class="primary">
          Add the contact
        </button>
      </Form>
    </Section>
  );
}
