/** @jsxRuntime automatic @jsxImportSource preact */
import { MCP_PATH } from "../../../domain/connector.ts";
import { Empty, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden } from "../../parts/fields.tsx";
import { Status } from "../../parts/status.tsx";
import { useVisit, type Visit } from "../../visit.ts";
import { accountsOf, type Key } from "./live-keys.ts";

/** More than a team connects; older ones that matter are still in use, and are found by the API. */
const SHOWN = 100;

/** The MCP clients that people have let in, and the accounts that they act for. */
export async function loadConnected(visit: Visit) {
  const { data, meta } = await visit.call("list_keys", { minted_by: "sign_in", limit: SHOWN });
  return { keys: data, total: meta.total, accounts: await accountsOf(visit, data) };
}

export function Connected({ keys, total, accounts }: Awaited<ReturnType<typeof loadConnected>>) {
  const { address } = useVisit();
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
