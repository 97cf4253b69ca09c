/** @jsxRuntime automatic @jsxImportSource preact */

import { CONNECTOR_SCOPES } from "../../../domain/access/oauth.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Reveal, Section, Snippet, Table, Time } from "../../ui/basics.tsx";
import { Connecting, PLACEHOLDER } from "../../ui/connecting.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, Hidden } from "../../ui/form.tsx";
import { isLive } from "../access/scopes.tsx";
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
  title: ({ account }) => `Connect an agent to ${account.label}`,
  view: ({ account, keys }, { created }) => {
    const key = created === undefined ? undefined : String(created.data.key);
    return (
      <>
        <AccountTabs id={account.id} />
        <NotActivated account={account} />
        <Key account={account} keys={keys} created={key} />
        <Start account={account} bearer={key} />
        <Section title="3. See it arrive">
          <p class="card" data-refresh="arrival">
            <NetworkSession {...account} />{" "}
            {account.session_at === null ? (
              "Nothing was heard of an agent yet. Its first heartbeat shows here, and on the account's page."
            ) : (
              <>
                The last heartbeat came <Time at={account.session_at} />.
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
    <Section title="1. A key for it" action={<a href={href("/settings/keys")}>All keys</a>}>
      <p class="lead">
        The key lets an agent read and do the work of {account.label}, and of no other account. It opens nothing else:
        no contacts, no settings.
      </p>
      {created !== undefined && (
        <Reveal title="The agent's key." value={created}>
          <p>The commands below have it in them already.</p>
        </Reveal>
      )}
      {live.length > 0 && (
        <Table
          caption="Keys of this account"
          rows={live}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Begins with", cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "State",
              cell: ({ last_used_at }) => (
                <Chip tone={last_used_at === null ? "plain" : "done"}>
                  {last_used_at === null ? "not used yet" : "in use"}
                </Chip>
              ),
            },
          ]}
        />
      )}
      {live.length === 0 && created === undefined && <Empty title="No key acts for this account yet" />}
      {created === undefined && (
        <Form does="create_key" class="card narrow spaced" label="Make a key">
          <Hidden name="socialnet_account_id" value={account.id} />
          {CONNECTOR_SCOPES.map((scope) => (
            <Hidden key={scope} name="scopes" kind="list" value={scope} />
          ))}
          <TextField name="name" label="Name" value={`${account.label}'s agent`} hint="What you will know it by." />
          <TextField
            name="expires_in_days"
            kind="number"
            type="number"
            label="Ends after days"
            hint="Left empty, it does not end by itself."
          />
          <button type="submit" class="primary">
            Make the key
          </button>
        </Form>
      )}
    </Section>
  );
}

function Start({ account: { mcp_url, label }, bearer }: { account: Account; bearer: string | undefined }) {
  return (
    <Section title="2. Start it">
      <p class="lead">
        Any program that speaks MCP can be the agent. It needs this address and the key, and tells itself the rest: the
        command <code>setup</code> hands out its instructions.
      </p>
      <Connecting bearer={bearer} scopes={CONNECTOR_SCOPES} account={label}>
        <Snippet
          title="The browser agent that comes with Rostrum's source, which drives a network of its own to try it on"
          text={[
            "export NETWORK_URL=http://127.0.0.1:4600",
            "npx tsx examples/browser-agent/index.ts sign-in",
            `ROSTRUM_MCP_URL=${mcp_url} ROSTRUM_KEY=${bearer ?? PLACEHOLDER} npx tsx examples/browser-agent/index.ts`,
          ].join("\n")}
        >
          Its folder, <code>examples/browser-agent</code>, says how the network is started.
        </Snippet>
      </Connecting>
    </Section>
  );
}
