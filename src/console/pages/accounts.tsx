/** @jsxRuntime automatic @jsxImportSource preact */
import { inWords, money, pageOf } from "../names.ts";
import { Chip, Empty, Facts, Pager, Section, Table, Time } from "../parts/basics.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { Hidden, TextField } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { screen } from "../screen.ts";
import { useVisit } from "../visit.ts";
import { ContactTable } from "./contacts/list.tsx";

export const accounts = screen({
  path: "/accounts",
  title: "Accounts",
  needs: "list_accounts",
  forms: ["create_account"],
  load: (visit) => visit.call("list_accounts", pageOf(visit, 50)),
  view: ({ data, meta }, { href }) => (
    <>
      {data.length === 0 ? (
        <Empty title="No company yet">
          <p>Accounts are the companies that contacts belong to. Add the first below.</p>
        </Empty>
      ) : (
        <Table
          caption="Accounts, newest first"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ id, name }) => <a href={href(`/accounts/${id}`)}>{name}</a> },
            { name: "Domain", cell: ({ domain }) => domain },
            { name: "Industry", cell: ({ industry }) => industry },
            { name: "Updated", cell: ({ updated_at }) => <Time at={updated_at} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
      <NewAccount />
    </>
  ),
});

function NewAccount() {
  const { may } = useVisit();
  if (!may("create_account")) return null;
  return (
    <Section title="Add an account">
      <Form does="create_account" then="accounts/{id}" class="card" label="Add an account">
        <div class="pair">
          <TextField name="name" label="Name" required />
          <TextField name="domain" label="Domain" placeholder="acme.example" />
          <TextField name="industry" label="Industry" />
        </div>
        <button type="submit" class="primary">
          Add the account
        </button>
      </Form>
    </Section>
  );
}

export const account = screen({
  path: "/accounts/:id",
  needs: "brain_account",
  forms: ["update_account"],
  load: async ({ call, params }) => (await call("brain_account", { id: params.id ?? "" })).data,
  title: ({ account: { name } }) => name,
  view: ({ account, contacts, deals, activities, suppressed }) => (
    <div class="sides">
      <div>
        <Section title={`Contacts (${contacts.total})`}>
          {contacts.recent.length === 0 ? (
            <Empty title="Nobody of this company yet" />
          ) : (
            <ContactTable caption="Contacts of the account" rows={contacts.recent} />
          )}
        </Section>
        <Section title="Latest">
          <ol class="line">
            {activities.map(({ id, type, subject, created_at }) => (
              <li key={id}>
                <Time at={created_at} />
                <span>
                  <strong>{inWords(type)}</strong>
                  {subject !== null && `: ${subject}`}
                </span>
              </li>
            ))}
          </ol>
          {activities.length === 0 && <Empty title="Nothing has happened yet" />}
        </Section>
      </div>
      <div>
        <Section title="Record">
          <div class="card stack">
            <Facts
              facts={[
                ["Domain", account.domain],
                ["Website", account.website],
                ["Industry", account.industry],
                ["Do not contact", suppressed === 0 ? "nobody" : `${suppressed} of the contacts`],
                ["Since", <Time at={account.created_at} />],
              ]}
            />
            <Confirm does="update_account" opens="Edit…" submit="Save the changes">
              <Hidden name="account_id" value={account.id} />
              <TextField name="name" label="Name" value={account.name} />
              <TextField name="domain" label="Domain" value={account.domain} />
              <TextField name="website" label="Website" value={account.website} />
              <TextField name="industry" label="Industry" value={account.industry} />
            </Confirm>
          </div>
        </Section>
        {deals.length > 0 && (
          <Section title="Deals">
            <ul class="tasks">
              {deals.map(({ id, title, value, currency, stage }) => (
                <li key={id}>
                  <span>
                    {title}, {money(value, currency)}
                  </span>
                  <Chip>{inWords(stage)}</Chip>
                </li>
              ))}
            </ul>
          </Section>
        )}
      </div>
    </div>
  ),
});
