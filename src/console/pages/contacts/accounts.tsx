/** @jsxRuntime automatic @jsxImportSource preact */

import { LIFECYCLE } from "../../../domain/contacts/lifecycle.ts";
import { pageOf } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Chip, CursorPager, Empty, Facts, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { Choices, TextField } from "../../ui/fields.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { amount, counted, money } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { EnrollmentStatus } from "../../ui/status.tsx";
import { ContactTable } from "./list.tsx";
import { LatestActivity } from "./timeline.tsx";

export const accounts = screen({
  path: "/accounts",
  title: "Companies",
  needs: "list_accounts",
  forms: ["create_account"],
  async load(ctx) {
    const text = ctx.query.get("q")?.trim().slice(0, 200) ?? "";
    if (text === "") return { text, ...(await ctx.call("list_accounts", pageOf(ctx, 50))) };
    return { text, ...(await ctx.call("search_accounts", { text, limit: 50 })), meta: undefined };
  },
  action: () => <NewAccount />,
  view: ({ text, data, meta }, { href, may }) => (
    <>
      <form method="get" action={href("/accounts")} class="inline seek" role="search" aria-label="Search companies">
        <div class="field">
          <label for="accounts-q">Name or domain</label>
          <input type="search" id="accounts-q" name="q" value={text} maxLength={200} />
        </div>
        <button type="submit">
          Search <span class="hidden">companies</span>
        </button>
        {text !== "" && <a href={href("/accounts")}>Clear search</a>}
      </form>
      {data.length === 0 ? (
        <Empty title={text === "" ? "No companies yet" : "No matches"}>
          <p>
            {text === ""
              ? `Companies group your contacts and deals.${may("create_account") ? " Add one above." : ""}`
              : "Try the start of the name or domain."}
          </p>
        </Empty>
      ) : (
        <Table
          caption={text === "" ? "Companies, newest first" : "Companies by name"}
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ id, name }) => <a href={href(`/accounts/${id}`)}>{name}</a> },
            { name: "Domain", cell: ({ domain }) => domain },
            { name: "Industry", cell: ({ industry }) => industry },
            { name: "Added", cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
        />
      )}
      {meta !== undefined && <Pager meta={meta} />}
    </>
  ),
});

function NewAccount() {
  return (
    <Confirm does="create_account" then="accounts/{id}" opens="Add company…" submit="Add company" primary align="right">
      <TextField name="name" label="Name" required />
      <TextField name="domain" label="Domain" placeholder="acme.example" />
      <TextField name="industry" label="Industry" />
    </Confirm>
  );
}

export const account = screen({
  path: "/accounts/:id",
  needs: "brain_account",
  forms: ["update_account"],
  async load({ call, params, query }) {
    const account_id = params.id ?? "";
    const stage = LIFECYCLE.find((known) => known === query.get("stage"));
    const before = query.get("before") ?? undefined;
    const [known, people] = await Promise.all([
      call("brain_account", { id: account_id }),
      call("filter_contacts", { account_id, ...(stage && { stage }), ...(before && { before }), limit: 25 }),
    ]);
    if ("candidates" in known.data) throw new Error("An id finds one account.");
    return { ...known.data, people: people.data, next: people.meta.next, stage };
  },
  title: ({ account: { name } }) => name,
  view: ({ account, contacts, people, next, stage, deals, enrollments, activities, suppressed }, { href }) => (
    <div class="sides">
      <div>
        <Section title={`Contacts (${amount(contacts.total)})`}>
          <Choices
            label="Filter by stage"
            name="stage"
            choices={[
              { value: undefined, name: "All" },
              ...LIFECYCLE.map((value) => ({ value, name: `${codeLabel(value)} (${contacts.by_stage[value]})` })),
            ]}
          />
          {people.length === 0 ? (
            <Empty title={stage === undefined ? "No contacts yet" : "No matches"}>
              <p>
                {stage === undefined
                  ? "Agents link contacts to this company through the API. A company name on a contact doesn't link it."
                  : "Select another stage to see this company's contacts."}
              </p>
            </Empty>
          ) : (
            <ContactTable caption="Contacts of this company" rows={people} within />
          )}
          <CursorPager next={next} label="Contact pages" />
        </Section>
        <Section title="Activity">
          <LatestActivity activities={activities} />
          {activities.length === 0 && <Empty title="No activity yet" />}
        </Section>
      </div>
      <div>
        <Section title="Details">
          <div class="card stack">
            <Facts
              facts={[
                ["Domain", account.domain],
                ["Website", account.website],
                ["Industry", account.industry],
                ["On do-not-contact list", suppressed === 0 ? "None" : counted(suppressed, "contact")],
                ["Added", <Time at={account.created_at} />],
              ]}
            />
            <Confirm does="update_account" opens="Edit…" submit="Save changes">
              <Hidden name="account_id" value={account.id} />
              <TextField name="name" label="Name" value={account.name} />
              <TextField name="domain" label="Domain" value={account.domain} />
              <TextField name="website" label="Website" value={account.website} />
              <TextField name="industry" label="Industry" value={account.industry} />
            </Confirm>
          </div>
        </Section>
        <Section title="Deals">
          {deals.length === 0 ? (
            <p class="quiet">No deals yet</p>
          ) : (
            <ul class="tasks">
              {deals.map(({ id, title, value, currency, stage }) => (
                <li key={id}>
                  <span>
                    <a href={href(`/deals/${id}`)}>{title}</a>, {money(value, currency)}
                  </span>
                  <Chip>{codeLabel(stage)}</Chip>
                </li>
              ))}
            </ul>
          )}
        </Section>
        {enrollments.length > 0 && (
          <Section title="Sequences">
            <ul class="tasks">
              {enrollments.map(({ id, sequence_id, sequence_name, status, held_reason }) => (
                <li key={id}>
                  <a href={href(`/sequences/${sequence_id}`)}>{sequence_name}</a>
                  <EnrollmentStatus status={status} held={held_reason !== null} />
                </li>
              ))}
            </ul>
          </Section>
        )}
      </div>
    </div>
  ),
});
