/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { accountsOf, inShort, isLive } from "../access/scopes.tsx";
import { type Account, at } from "./labels.ts";
import { AccountSummary, HeldFor, Limits } from "./state.tsx";

/** Each card calls several operations. */
const CARDS = 12;

export const agents = screen({
  path: "/agents",
  title: "Agents",
  needs: "list_socialnet_accounts",
  async load(ctx) {
    const { data, meta } = await ctx.call("list_socialnet_accounts", pageOf(ctx, CARDS));
    const whole = await Promise.all(data.map(({ id }) => ctx.call("get_socialnet_account", { account_id: id })));
    return { accounts: whole.map((answer) => answer.data), meta, byKey: await loadByKey(ctx) };
  },
  action: (_, { may, href }) =>
    may("create_socialnet_account") && (
      <a class="button primary" href={href("/agents/new")}>
        Add a social account
      </a>
    ),
  view: ({ accounts, meta, byKey }, { may, href }) => (
    <>
      <p class="lead">
        Some agents act for an account on the social network, in a browser that the account's owner signed in: what they
        may send, when and how often is decided here. Others come in with a key alone.{" "}
        <a href={href("/agents/work")}>What agents did</a>
      </p>
      {accounts.length === 0 ? (
        <Empty title="No social account yet">
          <p>
            A social account is a sender: somebody's profile on the social network, and the rules that its agent keeps.{" "}
            {may("create_socialnet_account") ? "Add the first above." : "An administrator adds the first."}
          </p>
        </Empty>
      ) : (
        <div class="tiles">
          {accounts.map((account) => (
            <Card key={account.id} account={account} />
          ))}
        </div>
      )}
      <Pager meta={meta} />
      {byKey !== undefined && <ByKey {...byKey} />}
    </>
  ),
});

/** How many of the newest keys are searched for live ones; settings list all. */
const LOOKED_AT = 100;

/** The keys and connected clients of agents; nothing for members who may not list them. */
async function loadByKey(ctx: PageContext) {
  if (!ctx.may("list_keys")) return undefined;
  const { data } = await ctx.call("list_keys", { limit: LOOKED_AT });
  const live = data.filter((key) => isLive(key, ctx.now));
  return { keys: live, accounts: await accountsOf(ctx, live) };
}

function ByKey({ keys, accounts }: NonNullable<Awaited<ReturnType<typeof loadByKey>>>) {
  const { href } = usePageContext();
  return (
    <Section title="Agents by key" id="by-key" action={<a href={href("/settings/keys")}>Keys and connected clients</a>}>
      {keys.length === 0 ? (
        <Empty title="No agent has a key">
          <p>
            Whatever works with contacts, deals, sequences or the checklist comes in with a key.{" "}
            <a href={href("/settings/keys")}>Make one</a>.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Agents by key"
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              name: "Agent",
              cell: ({ name, connector_name }) =>
                connector_name === null ? (
                  name
                ) : (
                  <>
                    {connector_name} <span class="quiet">let in by a sign-in</span>
                  </>
                ),
            },
            { name: "What it may do", cell: ({ scopes }) => inShort(scopes) },
            {
              name: "Acts for",
              cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") ?? <span class="quiet">no account</span>,
            },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "Did",
              cell: ({ id, name }) => (
                <a href={href("/agents/work", { key: id })}>
                  What it did<span class="hidden">: {name}</span>
                </a>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

function Card({ account }: { account: Account }) {
  const { href } = usePageContext();
  const { id, label, held_reason, reconnect } = account;
  return (
    <article class="card stack">
      <h2>
        <a href={href(at(id))}>{label}</a>
      </h2>
      {held_reason !== null && <HeldFor reason={held_reason} />}
      {reconnect !== null && <Chip tone="needs">A reconnect is asked for</Chip>}
      <AccountSummary account={account} />
      <Limits {...account} />
    </article>
  );
}
