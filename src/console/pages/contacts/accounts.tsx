/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Mark } from "../../ui/mark.tsx";

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
            {
              name: "Name",
              cell: ({ id, name }) => (
                <span class="named">
                  <Mark name={name} kind="company" small /> <a href={href(`/accounts/${id}`)}>{name}</a>
                </span>
              ),
            },
            { name: "Domain", cell: ({ domain }) => domain },
            { name: "Industry", cell: ({ industry }) => industry },
            { name: "Added", phone: "end", cell: ({ created_at }) => <Time at={created_at} /> },
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
