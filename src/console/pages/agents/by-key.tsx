/** @jsxRuntime automatic @jsxImportSource preact */
import { Empty, Section, Table, Time } from "../../parts/basics.tsx";
import { useVisit, type Visit } from "../../visit.ts";
import { accountsOf, isLive } from "../settings/live-keys.ts";
import { inShort } from "../settings/scopes.tsx";

/** Among as many of the newest are those that live: settings have every one. */
const LOOKED_AT = 100;

/** The keys and connected clients that agents come in by now; nothing for whoever may not list them. */
export async function loadByKey(visit: Visit) {
  if (!visit.may("list_keys")) return undefined;
  const { data } = await visit.call("list_keys", { limit: LOOKED_AT });
  const live = data.filter((key) => isLive(key, visit.now));
  return { keys: live, accounts: await accountsOf(visit, live) };
}

export function ByKey({ keys, accounts }: NonNullable<Awaited<ReturnType<typeof loadByKey>>>) {
  const { href } = useVisit();
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
