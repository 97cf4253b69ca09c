/** @jsxRuntime automatic @jsxImportSource preact */

import { CONNECTOR_SCOPES } from "../../../domain/access/oauth.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Reveal, Section, Snippet, Table, Time } from "../../ui/basics.tsx";
import { Connecting, PLACEHOLDER } from "../../ui/connecting.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { AgentName, isLive } from "../access/scopes.tsx";
import type { Account } from "./labels.ts";
import { AccountTabs, NetworkSession, NotActivated } from "./state.tsx";

export const connectAgent = screen({
  path: "/agents/:id/connect",
  needs: "create_key",
  forms: ["create_key"],
  async load(ctx) {
    const { data } = await ctx.call("get_socialnet_account", { account_id: ctx.params.id ?? "" });
    const keys = ctx.may("list_keys") ? (await ctx.call("list_keys", { limit: 100 })).data : [];
    return { account: data, keys: keys.filter((key) => key.socialnet_account_id === data.id) };
  },
  up: ({ account }) => account.label,
  title: ({ account }) => `Connect agent to ${account.label}`,
  view: ({ account, keys }, { created }) => {
    const key = created === undefined ? undefined : String(created.data.key);
    return (
      <>
        <AccountTabs id={account.id} />
        <NotActivated />
        <Key account={account} keys={keys} created={key} />
        <Start account={account} bearer={key} />
        <Section title="3. Wait for the first check-in">
          <p class="card" data-refresh="arrival">
            <NetworkSession {...account} />{" "}
            {account.session_at === null ? (
              "No agent has checked in yet. This page updates at the first check-in."
            ) : (
              <>
                Last check-in: <Time at={account.session_at} />
              </>
            )}
          </p>
        </Section>
      </>
    );
  },
});

interface KeyProps {
  account: Account;
  keys: DataOf<"list_keys">;
  created: string | undefined;
}

function Key({ account, keys, created }: KeyProps) {
  const { href, now } = usePageContext();
  const live = keys.filter((key) => isLive(key, now));
  return (
    <Section title="1. Create an API key" action={<a href={href("/settings/keys")}>View all keys</a>}>
      <p class="lead">
        With this key, an agent can read and send actions for {account.label} only. It can't access contacts or
        settings.
      </p>
      {created !== undefined && (
        <Reveal title="API key created." value={created}>
          <p>The commands below already include this key.</p>
        </Reveal>
      )}
      {live.length > 0 && (
        <Table
          caption="API keys and connected clients for this account"
          rows={live}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: AgentName },
            {
              name: "Key",
              cell: ({ prefix, connector_name }) =>
                connector_name === null ? <code>{prefix}…</code> : <span class="quiet">None</span>,
            },
            { name: "Last used", phone: "named", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "Status",
              phone: "end",
              cell: ({ last_used_at }) => (
                <Chip tone={last_used_at === null ? "plain" : "done"}>
                  {last_used_at === null ? "Not used yet" : "Active"}
                </Chip>
              ),
            },
          ]}
        />
      )}
      {live.length === 0 && created === undefined && (
        <Empty title="No API key or connected client for this account yet" />
      )}
      {created === undefined && (
        <Form does="create_key" class="card narrow spaced" label="Create key">
          <Hidden name="socialnet_account_id" value={account.id} />
          {CONNECTOR_SCOPES.map((scope) => (
            <Hidden key={scope} name="scopes" kind="list" value={scope} />
          ))}
          <TextField
            name="name"
            label="Name"
            value={`${account.label}'s agent`}
            hint="Helps you tell your keys apart."
          />
          <TextField
            name="expires_in_days"
            kind="number"
            type="number"
            label="Expires after (days)"
            hint="Leave blank for no expiry."
          />
          <button type="submit" class="primary">
            Create key
          </button>
        </Form>
      )}
    </Section>
  );
}

function Start({ account: { mcp_url, label }, bearer }: { account: Account; bearer: string | undefined }) {
  return (
    <Section title="2. Start the agent">
      <p class="lead">
        Any AI assistant that supports MCP (Model Context Protocol), such as Claude Code, can be the agent. Connect it
        with the endpoint and the key, then paste the prompt. Rostrum sends the agent its instructions.
      </p>
      <Connecting bearer={bearer} scopes={CONNECTOR_SCOPES} account={label}>
        <Snippet
          title="Run the sample browser agent from the Rostrum source"
          text={[
            "export NETWORK_URL=http://127.0.0.1:4600",
            "npx tsx examples/browser-agent/index.ts sign-in",
            `ROSTRUM_MCP_URL=${mcp_url} ROSTRUM_KEY=${bearer ?? PLACEHOLDER} npx tsx examples/browser-agent/index.ts`,
          ].join("\n")}
        >
          The README in <code>examples/browser-agent</code> explains how to start the sample network first.
        </Snippet>
      </Connecting>
    </Section>
  );
}
