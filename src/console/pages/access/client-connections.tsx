/** @jsxRuntime automatic @jsxImportSource preact */

import type { ConnectionStage } from "../../../domain/access/connections.ts";
import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Pager, Table, Time, type Tone } from "../../ui/basics.tsx";
import { revealed } from "../../ui/labels.ts";
import { SettingsTabs } from "./tabs.tsx";

type Attempt = DataOf<"list_client_connections">[number];

const STAGES: Record<ConnectionStage, string> = {
  unauthorized: "Not signed in",
  metadata: "Read sign-in metadata",
  registration: "Registered",
  consent: "Sign-in page opened",
  key: "Has a key",
  first_list: "Listed tools",
  first_call: "Connected",
};

const SHOWN = 50;

export const clientConnections = screen({
  path: "/settings/client-connections",
  title: "Connection log",
  needs: "list_client_connections",
  load: (ctx) => ctx.call("list_client_connections", { ...pageOf(ctx), limit: SHOWN }),
  view: ({ data, meta }, { href, may }) => (
    <>
      <SettingsTabs />
      <p class="lead">
        Attempts by MCP clients to connect to this server, in any workspace, and how to fix each problem. The list shows
        the latest 500 since the server started.
      </p>
      {data.length === 0 ? (
        <Empty title="No connections yet">
          <p>
            Connect a client with {may("create_key") ? <a href={href("/settings/keys")}>an API key</a> : "an API key"},
            then reload this page.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Connection attempts, newest first"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Client", wrap: true, cell: Client },
            {
              name: "Status",
              phone: "end",
              cell: (attempt) => <Chip tone={toneOf(attempt)}>{STAGES[attempt.stage]}</Chip>,
            },
            { name: "Error", wrap: true, cell: Fault },
            {
              name: "Next step",
              grow: "wrap",
              cell: ({ next_step }) => next_step ?? <span class="quiet">Connecting</span>,
            },
            { name: "Key", wide: true, cell: Key },
            { name: "Network", wide: true, cell: ({ network }) => network },
            { name: "Last activity", cell: ({ last_at }) => <Time at={last_at} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

function Client({ client, user_agent }: Attempt) {
  if (client === null) return user_agent === null ? <span class="quiet">Unknown</span> : revealed(user_agent);
  return (
    <>
      {revealed(client)}
      {user_agent !== null && <p class="hint">{revealed(user_agent)}</p>}
    </>
  );
}

function toneOf({ error, next_step, stage }: Attempt): Tone {
  if (error !== null) return "stopped";
  if (stage === "first_call") return "done";
  return next_step === null ? "plain" : "needs";
}

function Fault({ error }: Attempt) {
  if (error === null) return <span class="quiet">None</span>;
  return (
    <>
      {revealed(error.message)}
      <p class="hint">
        <code>{error.code}</code>
      </p>
    </>
  );
}

function Key({ key_name, key_prefix }: Attempt) {
  if (key_prefix === null) return <span class="quiet">None</span>;
  return (
    <>
      {key_name}
      <p class="hint">
        <code class="nowrap">{key_prefix}…</code>
      </p>
    </>
  );
}
