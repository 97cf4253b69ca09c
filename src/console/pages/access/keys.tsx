/** @jsxRuntime automatic @jsxImportSource preact */

import { MCP_PATH } from "../../../domain/access/oauth.ts";
import { ALL_SCOPES } from "../../../domain/access/roles.ts";
import { pageOf } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../ui/basics.tsx";
import { AllowedCalls, Connecting } from "../../ui/connecting.tsx";
import { Confirm, Hidden } from "../../ui/form.tsx";
import { Status } from "../../ui/status.tsx";
import { MakeKey } from "./create-key.tsx";
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
  view: ({ data, meta, accounts, connected, senders }, { now, created }) => (
    <>
      <SettingsTabs />
      {created !== undefined && <CreatedKey created={created} />}
      <p class="lead">
        Agents come in with a key, and can do what its scopes say. People sign in; no key opens this console.
      </p>
      {data.length === 0 ? (
        <Empty title="No key yet">
          <p>Make the first below.</p>
        </Empty>
      ) : (
        <Table
          caption="API keys"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Begins with", cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: "May", cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
            {
              name: "Acts for",
              cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") ?? <span class="quiet">no account</span>,
            },
            { name: "Made by", wide: true, cell: ({ creator }) => creator },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            { name: "State", cell: (key) => <State {...key} now={now} /> },
            { name: "Revoke", act: true, cell: Revoke },
          ]}
        />
      )}
      <Pager meta={meta} />
      {created === undefined && data.some((key) => isLive(key, now)) && (
        <details class="more">
          <summary>Connect a client or a program with a key that you have</summary>
          <Connecting scopes={ALL_SCOPES} />
        </details>
      )}
      <MakeKey senders={senders} />
      <Connected {...connected} />
    </>
  ),
});

/** More than a team connects; older ones that matter are still in use, and are found by the API. */
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
        <Empty title="No client is connected">
          <p>
            An MCP client that is given the address <code>{address(MCP_PATH)}</code>, and no key, has somebody sign in
            here, and asks whether it may act for an account on the social network.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Connected clients"
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            { name: "Client", cell: ({ connector_name }) => connector_name },
            { name: "Acts for", cell: ({ socialnet_account_id: id }) => accounts.get(id ?? "") },
            { name: "Let in by", cell: ({ creator }) => creator },
            { name: "Since", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              name: "State",
              cell: ({ revoked_at }) => (revoked_at === null ? <Status of="connected" /> : <Status of="revoked" />),
            },
            { name: "Revoke", act: true, cell: Disconnect },
          ]}
        />
      )}
      {total > keys.length && (
        <p class="quiet">
          The newest {SHOWN} of {total}.
        </p>
      )}
    </Section>
  );
}

function Disconnect({ id, connector_name, revoked_at }: Key) {
  if (revoked_at !== null) return null;
  return (
    <Confirm does="revoke_key" id={`revoke-${id}`} opens="Revoke…" submit="Revoke its key" danger align="right">
      <Hidden name="key_id" value={id} />
      <p>{connector_name} is refused from its next call on. Somebody can let it in again by signing in from it.</p>
    </Confirm>
  );
}

/** The key, its scopes, and everything that a client needs to connect with it. */
function CreatedKey({ created: { data } }: { created: NonNullable<PageContext["created"]> }) {
  const scopes = data.scopes as string[];
  return (
    <>
      <Reveal title={`The key of ${data.name}.`} value={String(data.key)} />
      <Section title="What it can call">
        <div class="card">
          <AllowedCalls scopes={scopes} />
        </div>
      </Section>
      <Section title="Connect with it">
        <p class="lead">The key is in these lines already; copy what your client or program takes.</p>
        <Connecting bearer={String(data.key)} scopes={scopes} />
      </Section>
    </>
  );
}

function Revoke({ id, name, revoked_at }: Key) {
  if (revoked_at !== null) return null;
  return (
    <Confirm does="revoke_key" id={`revoke-${id}`} opens="Revoke…" submit="Revoke the key" danger align="right">
      <Hidden name="key_id" value={id} />
      <p>The agent that uses {name} is refused from its next call on. This cannot be undone.</p>
    </Confirm>
  );
}

function State({ revoked_at, expires_at, now }: Pick<Key, "revoked_at" | "expires_at"> & { now: number }) {
  if (revoked_at !== null) return <Status of="revoked" />;
  if (expires_at === null) return <Status of="active" />;
  if (Date.parse(expires_at) <= now) return <Status of="expired" />;
  return (
    <Chip tone="needs">
      Ends <Time at={expires_at} />
    </Chip>
  );
}
