/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { CursorPager, Empty, Table, Time } from "../../ui/basics.tsx";
import { Status } from "../../ui/status.tsx";

type Row = DataOf<"list_agent_work">[number];
type Written = NonNullable<Row["record"]>;

/** All writes of agents in one list. */
export const agentWork = screen({
  path: "/agents/work",
  title: "What agents did",
  needs: "list_agent_work",
  async load({ call, query }) {
    const [key_id, before] = [query.get("key") ?? undefined, query.get("before") ?? undefined];
    const { data, meta } = await call("list_agent_work", { ...(key_id && { key_id }), ...(before && { before }) });
    return { data, next: meta.next, key: key_id === undefined ? undefined : data[0]?.key };
  },
  view: ({ data, next, key }, { href, query }) => (
    <>
      <p class="lead">
        Whatever came with an API key and changed something, newest first, for 400 days. What people did is in the
        audit.
      </p>
      {query.has("key") && (
        <p>
          Of {key?.name ?? "one key"} alone. <a href={href("/agents/work")}>Show all agents</a>
        </p>
      )}
      {data.length === 0 ? (
        <Empty title={next === null ? "Agents have changed nothing yet" : "Nothing lately"}>
          <p>
            {next === null
              ? "What an agent writes, proposes or reports is listed here from its first call on."
              : "Look further back below."}
          </p>
        </Empty>
      ) : (
        <Table
          caption="What agents did, newest first"
          rows={data}
          keyOf={({ at, operation, record }) => `${at} ${operation} ${record?.id}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            { name: "Agent", cell: Who },
            { name: "What", cell: What },
            { name: "Of what", cell: ({ record }) => (record === null ? null : <Of record={record} />) },
            { name: "Over", wide: true, cell: ({ surface }) => surface.toUpperCase() },
          ]}
        />
      )}
      <CursorPager next={next} />
    </>
  ),
});

function Who({ key }: Row) {
  const { href } = usePageContext();
  return (
    <>
      <a href={href("/agents/work", { key: key.id })} title={`Only ${key.name}`}>
        {key.name}
      </a>{" "}
      {key.revoked && <Status of="revoked" />}
    </>
  );
}

function What({ operation }: Row) {
  const { titleOf } = usePageContext();
  return <>{titleOf(operation)}</>;
}

const PAGES: Record<Written["kind"], (id: string) => `/${string}`> = {
  contact: (id) => `/contacts/${id}`,
  deal: () => "/deals",
  card: (id) => `/review/card/${id}`,
  post: (id) => `/review/post/${id}`,
  action: (id) => `/review/action/${id}`,
  account: (id) => `/agents/${id}`,
};

function Of({ record: { kind, id, title } }: { record: Written }) {
  const { href } = usePageContext();
  return <a href={href(PAGES[kind](id))}>{title ?? `The ${kind}`}</a>;
}
