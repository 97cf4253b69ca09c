/** @jsxRuntime automatic @jsxImportSource preact */
import { ALL_SCOPES } from "../../../domain/scopes.ts";
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Connecting, Reached } from "../../parts/connecting.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import type { Visit } from "../../visit.ts";
import { Connected, loadConnected } from "./connected.tsx";
import { accountsOf, isLive, type Key, sendersOf } from "./live-keys.ts";
import { MakeKey } from "./make-key.tsx";
import { ScopeList } from "./scopes.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const keys = screen({
  path: "/settings/keys",
  title: "API keys",
  needs: "list_keys",
  forms: ["create_key", "revoke_key"],
  async load(visit) {
    const { data, meta } = await visit.call("list_keys", { ...pageOf(visit), minted_by: "settings" });
    const [accounts, connected] = [await accountsOf(visit, data), await loadConnected(visit)];
    return { data, meta, accounts, connected, senders: await sendersOf(visit) };
  },
  view: ({ data, meta, accounts, connected, senders }, { now, made }) => (
    <>
      <SettingsTabs />
      {made !== undefined && <Made made={made} />}
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
      {made === undefined && data.some((key) => isLive(key, now)) && (
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

/** The key, what it can do, and all that a client needs to come in with it. */
function Made({ made: { data } }: { made: NonNullable<Visit["made"]> }) {
  const scopes = data.scopes as string[];
  return (
    <>
      <Reveal title={`The key of ${data.name}.`} value={String(data.key)} />
      <Section title="What it can call">
        <div class="card">
          <Reached scopes={scopes} />
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
