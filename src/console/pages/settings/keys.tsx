/** @jsxRuntime automatic @jsxImportSource preact */
import { SCOPES } from "../../../domain/scopes.ts";
import { pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Reveal, Section, Table, Time } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Checks, Hidden, TextField } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { Connected, loadConnected } from "./connected.tsx";
import { SettingsTabs } from "./tabs.tsx";

const scopes = Object.entries(SCOPES).map(([value, hint]) => ({ value, label: value, hint }));

export const keys = screen({
  path: "/settings/keys",
  title: "API keys",
  needs: "list_keys",
  forms: ["create_key", "revoke_key"],
  async load(visit) {
    const { data, meta } = await visit.call("list_keys", { ...pageOf(visit), minted_by: "settings" });
    return { data, meta, connected: await loadConnected(visit) };
  },
  view: ({ data, meta, connected }, { now, made }) => (
    <>
      <SettingsTabs />
      {made !== undefined && (
        <Reveal title={`The key of ${made.data.name}.`} value={String(made.data.key)}>
          <p>
            An agent sends it as <code>Authorization: Bearer …</code>; an MCP client takes it beside the address{" "}
            <code>/api/v1/mcp</code>.
          </p>
        </Reveal>
      )}
      <p class="lead">
        Agents come in with a key, and can do what its scopes say. People sign in; no key opens this console.
      </p>
      {data.length === 0 ? (
        <Empty title="No key yet">
          <p>
            Make the first below, or with <code>rostrum key create --name my-agent --scopes all</code>.
          </p>
        </Empty>
      ) : (
        <Table
          caption="API keys"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { name: "Name", cell: ({ name }) => name },
            { name: "Begins with", cell: ({ prefix }) => <code>{prefix}…</code> },
            { name: "Scopes", cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
            { name: "Made by", wide: true, cell: ({ creator }) => creator },
            { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            { name: "State", cell: (key) => <State {...key} now={now} /> },
            {
              name: "Revoke",
              cell: ({ id, name, revoked_at }) =>
                revoked_at === null && (
                  <Confirm
                    does="revoke_key"
                    id={`revoke-${id}`}
                    opens="Revoke…"
                    submit="Revoke the key"
                    danger
                    align="right"
                  >
                    <Hidden name="key_id" value={id} />
                    <p>The agent that uses {name} is refused from its next call on. This cannot be undone.</p>
                  </Confirm>
                ),
            },
          ]}
        />
      )}
      <Pager meta={meta} />
      <Section title="Make a key">
        <Form does="create_key" class="card" label="Make a key">
          <div class="pair">
            <TextField name="name" label="Name" hint="What the key is for." required />
            <TextField
              name="expires_in_days"
              kind="number"
              type="number"
              label="Ends after days"
              hint="Left empty, it does not end by itself."
            />
          </div>
          <Checks name="scopes" label="Scopes" hint="Each stands for itself: none implies another." choices={scopes} />
          <button type="submit" class="primary">
            Make the key
          </button>
        </Form>
      </Section>
      <Connected {...connected} />
    </>
  ),
});

function ScopeList({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length <= 2) return <>{scopes.join(", ")}</>;
  return <span title={scopes.join(", ")}>{scopes.length} scopes</span>;
}

interface StateProps {
  revoked_at: string | null;
  expires_at: string | null;
  now: number;
}

function State({ revoked_at, expires_at, now }: StateProps) {
  if (revoked_at !== null) return <Chip tone="stopped">revoked</Chip>;
  if (expires_at === null) return <Chip tone="done">active</Chip>;
  if (Date.parse(expires_at) <= now) return <Chip tone="stopped">expired</Chip>;
  return (
    <Chip tone="needs">
      ends <Time at={expires_at} />
    </Chip>
  );
}
