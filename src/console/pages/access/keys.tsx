/** @jsxRuntime automatic @jsxImportSource preact */

import { MCP_PATH } from "../../../domain/access/oauth.ts";
import { ACCOUNT_SCOPES, ALL_SCOPES } from "../../../domain/access/roles.ts";
import { pageOf } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { AllowedCalls, Connecting } from "../../ui/connecting.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { Status } from "../../ui/status.tsx";
import { CreateKey, WITHOUT_ACCOUNT } from "./create-key.tsx";
import { accountsOf, isLive, type Key, ScopeList, sendersOf } from "./scopes.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const keys = screen({
  path: "/settings/keys",
  title: "API keys",
  needs: "list_keys",
  forms: ["create_key", "revoke_key"],
  async load(ctx) {
    const { data, meta } = await ctx.call("list_keys", { ...pageOf(ctx), minted_by: "settings" });
    const [accounts, connected] = [await accountsOf(ctx, data), await loadConnected(ctx)];
    return { data, meta, accounts, connected, senders: await sendersOf(ctx) };
  },
  action: ({ data }, { may }) =>
    data.length > 0 &&
    may("create_key") && (
      <a class="button primary" href="#create">
        Create API key
      </a>
    ),
  view: ({ data, meta, accounts, connected, senders }, { now, created }) => (
    <>
      <SettingsTabs />
      {created !== undefined && <CreatedKey created={created} />}
      <p class="lead">
        Agents connect with an API key. The key's permissions decide what the agent can do. People sign in to the
        console instead. Any AI assistant that supports MCP (Model Context Protocol), such as Claude Code, can be an
        agent.
      </p>
      {data.length === 0 ? (
        <Empty title="No API keys yet">
          <p>
            <a href="#create">Create an API key</a> to connect your first agent.
          </p>
        </Empty>
      ) : (
        <Table
          caption="API keys"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              name: "Name",
              cell: ({ name, creator }) => (
                <>
                  {name}
                  <p class="hint">By {creator}</p>
                </>
              ),
            },
            { name: "Key", cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: "Permissions", cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
            {
              name: "Social account",
              phone: "named",
              cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") ?? <span class="quiet">None</span>,
            },
            { name: "Last used", phone: "named", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            { name: "Status", phone: "end", cell: (key) => <KeyStatus {...key} now={now} /> },
            { name: "Actions", act: true, cell: Revoke },
          ]}
        />
      )}
      <Pager meta={meta} />
      {created === undefined && data.some((key) => isLive(key, now)) && (
        <details class="more">
          <summary>Connect a client</summary>
          <Connecting scopes={ALL_SCOPES} />
        </details>
      )}
      <CreateKey senders={senders} open={data.length === 0} />
      <Connected {...connected} />
    </>
  ),
});

/** More than a team connects. The API lists all of them. */
const SHOWN = 100;

/** The connected MCP clients, and the accounts that they act for. */
async function loadConnected(ctx: PageContext) {
  const { data, meta } = await ctx.call("list_keys", { minted_by: "sign_in", limit: SHOWN });
  return { keys: data, total: meta.total, accounts: await accountsOf(ctx, data) };
}

function Connected({ keys, total, accounts }: Awaited<ReturnType<typeof loadConnected>>) {
  const { address } = usePageContext();
  return (
    <Section title="Connected clients" id="connected">
      {keys.length === 0 ? (
        <Empty title="No connected clients yet">
          <p>
            To connect an MCP client without an API key, add <code>{address(MCP_PATH)}</code> to the client. You then
            sign in here and choose one of your own social accounts. You need the permission to approve outbound
            messages.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Connected clients"
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            { name: "Client", cell: ({ connector_name }) => connector_name },
            { name: "Social account", phone: "named", cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") },
            { name: "Connected by", phone: "named", cell: ({ creator }) => creator },
            { name: "Connected", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            { name: "Last used", phone: "named", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "Status",
              phone: "end",
              cell: ({ revoked_at, last_used_at }) =>
                revoked_at !== null ? (
                  <Status of="revoked" />
                ) : last_used_at === null ? (
                  <Chip>Connected, not used yet</Chip>
                ) : (
                  <Status of="connected" />
                ),
            },
            { name: "Actions", act: true, cell: Disconnect },
          ]}
        />
      )}
      {total > keys.length && (
        <p class="quiet">
          Showing the newest {SHOWN} of {total}
        </p>
      )}
    </Section>
  );
}

function Disconnect({ id, connector_name, revoked_at }: Key) {
  if (revoked_at !== null) return null;
  return (
    <Confirm does="revoke_key" id={`revoke-${id}`} opens="Revoke…" submit="Revoke access" danger align="right">
      <Hidden name="key_id" value={id} />
      <p>{connector_name} loses access right away. To reconnect it, sign in from the client again.</p>
    </Confirm>
  );
}

/** The new key, its permissions, and how to connect a client with it. */
function CreatedKey({ created: { data } }: { created: NonNullable<PageContext["created"]> }) {
  const scopes = data.scopes as string[];
  return (
    <>
      <Reveal title={`API key “${data.name}” created.`} value={String(data.key)} />
      {data.socialnet_account_id === null && ACCOUNT_SCOPES.some((scope) => scopes.includes(scope)) && (
        <p class="notice">
          <Chip tone="needs">No social account</Chip> {WITHOUT_ACCOUNT}
        </p>
      )}
      <Section title="Available calls">
        <div class="card">
          <AllowedCalls scopes={scopes} />
        </div>
      </Section>
      <Section title="Connect a client">
        <p class="lead">These commands already include your key. Copy the one for your client.</p>
        <Connecting bearer={String(data.key)} scopes={scopes} />
      </Section>
    </>
  );
}

function Revoke({ id, name, revoked_at }: Key) {
  if (revoked_at !== null) return null;
  return (
    <Confirm does="revoke_key" id={`revoke-${id}`} opens="Revoke…" submit="Revoke key" danger align="right">
      <Hidden name="key_id" value={id} />
      <p>Agents that use the key “{name}” lose access right away. This can't be undone.</p>
    </Confirm>
  );
}

function KeyStatus({ revoked_at, expires_at, now }: Pick<Key, "revoked_at" | "expires_at"> & { now: number }) {
  if (revoked_at !== null) return <Status of="revoked" />;
  if (expires_at === null) return <Status of="active" />;
  if (Date.parse(expires_at) <= now) return <Status of="expired" />;
  return (
    <Chip tone="needs">
      Expires <Time at={expires_at} />
    </Chip>
  );
}
