/** @jsxRuntime automatic @jsxImportSource preact */
import { ACTION_KINDS, COPY_LIMITS } from "../../../domain/socialnet-action.ts";
import { type Contact, nameOf } from "../../names.ts";
import { Chip, Empty, Section, Table } from "../../parts/basics.tsx";
import { Hidden, Select, TextArea, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { type Account, at, KINDS, MODES } from "./words.ts";

const MOST_FOUND = 25;

export const planAction = screen({
  path: "/agents/:id/plan",
  needs: "plan_socialnet_action",
  forms: ["plan_socialnet_action"],
  async load(visit) {
    const { data: account } = await visit.call("get_socialnet_account", { account_id: visit.params.id ?? "" });
    const text = visit.query.get("q")?.trim().slice(0, 200) ?? "";
    const chosen = visit.query.get("contact");
    const contact = chosen === null ? undefined : (await visit.call("get_contact", { id: chosen })).data;
    const found = text === "" ? undefined : (await visit.call("search_contacts", { text, limit: MOST_FOUND })).data;
    return { account, text, contact, found };
  },
  title: ({ account, contact }) =>
    contact === undefined ? `Plan an action for ${account.label}` : `${account.label} writes to ${nameOf(contact)}`,
  view: ({ account, text, contact, found }, { href }) =>
    contact === undefined ? (
      <>
        <p class="lead">
          First, to whom? Anybody with an address of their profile can be written to.{" "}
          <a href={href(at(account.id))}>Back</a>
        </p>
        <form method="get" class="inline seek" action={href(at(account.id, "/plan"))}>
          <div class="field">
            <label for="whom">Contact</label>
            <input
              id="whom"
              type="search"
              name="q"
              value={text}
              placeholder="Name, company or address"
              maxLength={200}
            />
          </div>
          <button type="submit">Search</button>
        </form>
        {found !== undefined && <Found rows={found} account={account} />}
      </>
    ) : (
      <Write account={account} contact={contact} />
    ),
});

function Found({ rows, account }: { rows: readonly Contact[]; account: Account }) {
  const { href, path } = useVisit();
  if (rows.length === 0) return <Empty title="Nobody's address, name or company begins so" />;
  return (
    <Table
      caption={`Whom ${account.label} could write to`}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Name",
          cell: (contact) =>
            contact.socialnet_url === null ? (
              <a href={href(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>
            ) : (
              <a href={href(path, { contact: contact.id })}>{nameOf(contact)}</a>
            ),
        },
        { name: "Company", cell: ({ company }) => company },
        {
          name: "Profile",
          cell: ({ socialnet_url: url }) =>
            url === null ? <Chip tone="needs">No profile: set it on the contact's page</Chip> : <code>{url}</code>,
        },
      ]}
    />
  );
}

function Write({ account, contact }: { account: Account; contact: Contact }) {
  const { href, path } = useVisit();
  if (contact.socialnet_url === null) {
    return (
      <Empty title={`${nameOf(contact)} has no address of a profile`}>
        <p>
          Set it on <a href={href(`/contacts/${contact.id}`)}>the contact's page</a> first.
        </p>
      </Empty>
    );
  }
  return (
    <Section title="What it says" action={<a href={href(path)}>Somebody else</a>}>
      <Form
        does="plan_socialnet_action"
        then={`agents/${account.id}/actions/{id}`}
        class="card narrow"
        label="Plan an action"
      >
        <Hidden name="account_id" value={account.id} />
        <Hidden name="contact_id" value={contact.id} />
        <p class="small">
          To <code>{contact.socialnet_url}</code>
        </p>
        <Select name="kind" label="Kind" choices={ACTION_KINDS.map((value) => ({ value, label: KINDS[value] }))} />
        <TextArea
          name="copy"
          label="Copy"
          hint={`Sent exactly as it reads. With a connection request it is the note: at most ${COPY_LIMITS.connection_request} characters, or none.`}
          rows={6}
          mono
        />
        <TextField name="campaign" kind="optional" label="Part of" hint="What it belongs to; may be left out." />
        <p class="small quiet">
          {account.automation_mode === "automatic"
            ? "This account is automatic: it is approved at once."
            : `It then waits for somebody's approval. The account's mode: ${MODES[account.automation_mode].name}.`}
        </p>
        <button type="submit" class="primary">
          Plan it
        </button>
      </Form>
    </Section>
  );
}
