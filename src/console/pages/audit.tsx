/** @jsxRuntime automatic @jsxImportSource preact */
import { inWords, membersOf, pageOf } from "../names.ts";
import { Chip, Empty, Pager, Table, Tabs, Time } from "../parts/basics.tsx";
import { screen } from "../screen.ts";

const TABS = [
  { name: "Changes of settings", path: "/audit" },
  { name: "Sign-ins and refusals", path: "/audit/sign-ins" },
];

export const audit = screen({
  path: "/audit",
  title: "Audit",
  needs: "list_audit",
  async load(visit) {
    return { ...(await visit.call("list_audit", pageOf(visit))), names: await membersOf(visit) };
  },
  view: ({ data, meta, names }) => (
    <>
      <Tabs label="Audit" tabs={TABS} />
      {data.length === 0 ? (
        <Empty title="Nothing was changed yet" />
      ) : (
        <Table
          caption="Changes of settings, newest first"
          rows={data}
          keyOf={({ at, record_id, action }) => `${at} ${record_id} ${action}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            {
              name: "Who",
              cell: ({ actor_kind, actor_id }) => names.get(actor_id) ?? `${inWords(actor_kind)} ${shortly(actor_id)}`,
            },
            { name: "What", cell: ({ action }) => inWords(action) },
            { name: "From what to what", cell: (row) => <Change before={row.before} after={row.after} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

export const signIns = screen({
  path: "/audit/sign-ins",
  title: "Sign-ins and refusals",
  needs: "list_auth_events",
  async load(visit) {
    return { ...(await visit.call("list_auth_events", pageOf(visit))), names: await membersOf(visit) };
  },
  view: ({ data, meta, names }) => (
    <>
      <Tabs label="Audit" tabs={TABS} />
      {data.length === 0 ? (
        <Empty title="Nobody signed in or was refused in the last 90 days" />
      ) : (
        <Table
          caption="Sign-ins and refusals, newest first"
          rows={data}
          keyOf={({ at, code, route }) => `${at} ${code} ${route}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            {
              name: "What",
              cell: ({ code }) => <Chip tone={FINE.includes(code) ? "done" : "stopped"}>{inWords(code)}</Chip>,
            },
            {
              name: "Who",
              cell: ({ key_prefix, member_id }) =>
                key_prefix !== null ? (
                  <code>{key_prefix}…</code>
                ) : (
                  (names.get(member_id ?? "") ?? <span class="quiet">not known</span>)
                ),
            },
            { name: "From", cell: ({ address }) => address },
            { name: "Where", cell: ({ route }) => <code>{route}</code> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

const FINE = ["signed_in", "signed_out", "password_set"];

function shortly(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}

type Snapshot = Record<string, unknown> | null;

/** The fields that differ, and everything else a click away. */
function Change({ before, after }: { before: Snapshot; after: Snapshot }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return (
    <details class="more">
      <summary>
        {before === null ? "made" : after === null ? "deleted" : fields.map(inWords).join(", ") || "the same"}
      </summary>
      <dl class="facts small">
        {fields.map((name) => (
          <>
            <dt>{inWords(name)}</dt>
            <dd>
              {before !== null && <del>{show(before[name])}</del>} {after !== null && <span>{show(after[name])}</span>}
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

function show(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
