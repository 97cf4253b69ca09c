/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Section, Table, Time } from "../../ui/basics.tsx";
import { counted } from "../../ui/format.ts";
import { AgentName, accountsOf, isLive, scopeSummary } from "../access/scopes.tsx";
import { type Account, at } from "./labels.ts";
import { AccountSummary, HoldChip, Limits, SessionChip } from "./state.tsx";

/** Each card calls several operations. */
const CARDS = 12;

export const agents = screen({
  path: "/agents",
  title: "Agents",
  needs: "list_socialnet_accounts",
  async load(ctx) {
    const { data, meta } = await ctx.call("list_socialnet_accounts", pageOf(ctx, CARDS));
    const accounts = await Promise.all(
      data.map(async ({ id: account_id }) => (await ctx.call("get_socialnet_account", { account_id })).data),
    );
    return { accounts, meta, byKey: await loadByKey(ctx) };
  },
  action: (_, { may, href }) =>
    may("create_socialnet_account") && (
      <a class="button primary" href={href("/agents/new")}>
        Add social account
      </a>
    ),
  view: ({ accounts, meta, byKey }, { may, href }) => (
    <>
      <p class="lead">
        Social agents send messages and connection requests from a social account: a profile on the professional network
        where you reach your contacts. They follow the limits you set here, and send sequence steps only within the
        sending hours. Any AI assistant that supports MCP (Model Context Protocol), such as Claude Code, can be an
        agent. <a href={href("/agents/work")}>View agent activity</a>
      </p>
      {accounts.length === 0 ? (
        <Empty title="No social accounts yet">
          <p>
            A social account is a profile that an agent sends from, with its own hours and limits.{" "}
            {may("create_socialnet_account") ? (
              <a href={href("/agents/new")}>Add your first social account</a>
            ) : (
              "Ask an admin to add one."
            )}
          </p>
        </Empty>
      ) : (
        <Section title="Social accounts">
          <div class="tiles">
            {accounts.map((account) => (
              <Card key={account.id} account={account} />
            ))}
          </div>
        </Section>
      )}
      <Pager meta={meta} />
      {byKey !== undefined && <ByKey {...byKey} />}
    </>
  ),
});

/** Only the newest keys are listed here. The settings list all of them. */
const MAX_KEYS = 100;

/** Members without permission to list keys see none. */
async function loadByKey(ctx: PageContext) {
  if (!ctx.may("list_keys")) return undefined;
  const { data } = await ctx.call("list_keys", { limit: MAX_KEYS });
  const live = data.filter((key) => isLive(key, ctx.now));
  return { keys: live, accounts: await accountsOf(ctx, live) };
}

function ByKey({ keys, accounts }: NonNullable<Awaited<ReturnType<typeof loadByKey>>>) {
  const { href } = usePageContext();
  return (
    <Section
      title="Agents and connected clients"
      id="by-key"
      action={<a href={href("/settings/keys")}>Manage API keys</a>}
    >
      {keys.length === 0 ? (
        <Empty title="No API keys yet">
          <p>
            Agents connect with an API key to work with contacts, deals, sequences and the checklist.{" "}
            <a href={href("/settings/keys")}>Create your first API key</a>
          </p>
        </Empty>
      ) : (
        <Table
          caption="Agents and connected clients"
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              name: "Agent",
              wrap: true,
              cell: AgentName,
            },
            { name: "Permissions", grow: "wrap", cell: ({ scopes }) => scopeSummary(scopes) },
            {
              name: "Social account",
              phone: "named",
              cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") ?? <span class="quiet">None</span>,
            },
            { name: "Last used", phone: "end", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "Activity",
              act: true,
              cell: ({ id, name }) => (
                <a href={href("/agents/work", { key: id })}>
                  View activity<span class="hidden"> of {name}</span>
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
  const { id, label, held_reason } = account;
  return (
    <article class="card agent-card">
      <header>
        <h2>
          <a href={href(at(id))}>{label}</a>
        </h2>
        {held_reason === null ? <SessionChip {...account} /> : <HoldChip reason={held_reason} />}
      </header>
      <AccountSummary
        account={account}
        session={account.session_at === null || account.session === null ? undefined : "text"}
      />
      <Limits {...account} />
      <NextAction account={account} />
    </article>
  );
}

/** The one thing to do next about an account. */
function NextAction({ account: { id, session, session_at, reconnect, approved } }: { account: Account }) {
  const { href, may } = usePageContext();
  if (reconnect !== null) {
    return (
      <p class="todo">
        <Chip tone="needs">Sign-in requested</Chip>{" "}
        <a class="button" href={href(at(id))}>
          View request
        </a>
      </p>
    );
  }
  const [name, path] =
    session_at === null && may("create_key")
      ? ["Connect agent", at(id, "/connect")]
      : session_at !== null && session !== "ready" && may("request_reconnect")
        ? ["Request sign-in", at(id)]
        : approved > 0
          ? [`View ${counted(approved, "approved action")}`, `${at(id)}?status=approved`]
          : may("plan_socialnet_action")
            ? ["Plan action", at(id, "/plan")]
            : ["View account", at(id)];
  return (
    <p class="todo">
      <a class="button" href={href(path as `/${string}`)}>
        {name}
      </a>
    </p>
  );
}
