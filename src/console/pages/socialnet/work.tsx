/** @jsxRuntime automatic @jsxImportSource preact */

import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { CursorPager, Empty, Table, Time } from "../../ui/basics.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";

type Row = DataOf<"list_agent_work">[number];
type Written = NonNullable<Row["record"]>;

/** The changes of all agents in one list. */
export const agentWork = screen({
  path: "/agents/work",
  title: "Agent activity",
  needs: "list_agent_work",
  async load({ call, query }) {
    const [key_id, before] = [query.get("key") ?? undefined, query.get("before") ?? undefined];
    const { data, meta } = await call("list_agent_work", { ...(key_id && { key_id }), ...(before && { before }) });
    return { data, next: meta.next, key: key_id === undefined ? undefined : data[0]?.key };
  },
  view: ({ data, next, key }, { href, may, query }) => (
    <>
      <p class="lead">
        What agents did with an API key in the last 400 days.{" "}
        {may("list_audit") && <a href={href("/audit")}>View changes by teammates</a>}
      </p>
      {query.has("key") && (
        <p>
          Showing {key?.name ?? "one key"} only. <a href={href("/agents/work")}>Show all agents</a>
        </p>
      )}
      {data.length === 0 ? (
        <Empty title={next === null ? "No agent activity yet" : "No recent activity"}>
          <p>
            {next === null
              ? "Changes, proposals and reports appear here once an agent connects."
              : "Go to older activity below."}
          </p>
        </Empty>
      ) : (
        <Table
          caption="Agent activity, newest first"
          rows={data}
          keyOf={({ at, operation, record }) => `${at} ${operation} ${record?.id}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            { name: "Agent", cell: KeyLink },
            { name: "Activity", cell: OperationTitle },
            { name: "Record", cell: ({ record }) => (record === null ? null : <RecordLink record={record} />) },
            { name: "Protocol", wide: true, cell: ({ surface }) => surface.toUpperCase() },
          ]}
        />
      )}
      <CursorPager next={next} />
    </>
  ),
});

function KeyLink({ key }: Row) {
  const { href } = usePageContext();
  return (
    <>
      <a href={href("/agents/work", { key: key.id })} title={`Show only ${key.name}`}>
        {key.name}
      </a>{" "}
      {key.revoked && <Status of="revoked" />}
    </>
  );
}

/** The commands of a social agent are one operation. Its record tells whether it worked on an action or checked in. */
function OperationTitle({ operation, record }: Row) {
  const { titleOf } = usePageContext();
  if (operation === "socialnet_command" && record?.kind === "action") return <>Work on an action</>;
  if (operation === "socialnet_command" && record !== null) return <>Check in</>;
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

function RecordLink({ record: { kind, id, title } }: { record: Written }) {
  const { href } = usePageContext();
  return <a href={href(PAGES[kind](id))}>{title ?? codeLabel(kind)}</a>;
}
