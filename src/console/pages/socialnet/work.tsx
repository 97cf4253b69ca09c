/** @jsxRuntime automatic @jsxImportSource preact */

import type { CallOperation, DataOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { CursorPager, Empty, Table, Time } from "../../ui/basics.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { AGENT_MOVES } from "./labels.ts";

type Row = DataOf<"list_agent_work">[number];
type Written = NonNullable<Row["record"]>;

/** The changes of all agents in one list. */
export const agentWork = screen({
  path: "/agents/work",
  title: "Agent activity",
  needs: "list_agent_work",
  async load(ctx) {
    const { call, query } = ctx;
    const [key_id, before] = [query.get("key") ?? undefined, query.get("before") ?? undefined];
    const { data, meta } = await loadWork(call, { ...(key_id && { key_id }), ...(before && { before }) });
    return { data, next: meta.next, agent: await agentOf(ctx, key_id, data[0]) };
  },
  view: ({ data, next, agent }, { href, may, query }) => (
    <>
      <p class="lead">
        What agents and connected clients did in the last 400 days.{" "}
        {may("list_audit") && <a href={href("/audit")}>View changes by teammates</a>}
      </p>
      {query.has("key") && (
        <p>
          Showing {agent ?? "one agent"} only. <a href={href("/agents/work")}>Show all agents</a>
        </p>
      )}
      {data.length === 0 ? (
        <Empty title={next === null ? "No agent activity yet" : "No recent activity"}>
          <p>
            {next === null
              ? `Changes, proposals and reports appear here once ${query.has("key") ? "this" : "an"} agent makes one.`
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
            { name: "Activity", cell: Activity },
            { name: "Record", cell: ({ record }) => (record === null ? null : <RecordLink record={record} />) },
            { name: "Protocol", wide: true, cell: ({ surface }) => surface.toUpperCase() },
          ]}
        />
      )}
      <CursorPager next={next} />
    </>
  ),
});

/** What agents did, newest first, with the move of each row that is about an action. */
async function loadWork(call: CallOperation, input: { key_id?: string; before?: string; limit?: number }) {
  const { data, meta } = await call("list_agent_work", input);
  const moves = await movesOf(call, data);
  return { data: data.map((row, i) => ({ ...row, move: moves[i] })), meta };
}

type Work = Row & { move: string | undefined };

/** The latest activity of agents, for the front page. */
export async function latestWork({ call }: PageContext, limit: number): Promise<Work[]> {
  return (await loadWork(call, { limit })).data;
}

export function WorkFeed({ rows }: { rows: readonly Work[] }) {
  return (
    <ul class="tasks">
      {rows.map((row) => (
        <li key={`${row.at} ${row.operation} ${row.record?.id}`}>
          <span>
            <KeyLink {...row} /> · <Activity {...row} />
            {row.record && (
              <>
                : <RecordLink record={row.record} />
              </>
            )}
          </span>
          <span class="quiet">
            <Time at={row.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The name of the agent that the page is about, also if it has no activity: members who may list keys see its name. */
async function agentOf({ call, may }: PageContext, keyId: string | undefined, row: Row | undefined) {
  if (keyId === undefined) return undefined;
  const keys = may("list_keys") ? (await call("list_keys", { limit: 100 })).data : [];
  const key = keys.find(({ id }) => id === keyId);
  return key?.name ?? row?.key.name;
}

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

const COMMAND = "socialnet_command";

/** What agents did with the actions of these rows, as the histories of the actions tell it; undefined for other rows. */
async function movesOf(call: CallOperation, rows: readonly Row[]): Promise<(string | undefined)[]> {
  const actionOf = ({ operation, record }: Row) =>
    operation === COMMAND && record?.kind === "action" ? record.id : undefined;
  const ids = [...new Set(rows.flatMap((row) => actionOf(row) ?? []))];
  const actions = await Promise.all(ids.map((action_id) => call("get_planned_action", { action_id })));
  // Several moves of one action may have the same time, so each row takes the newest that is left.
  const left = new Map<string, string[]>();
  for (const { data } of actions) {
    for (const { at, by, from, to } of data.history) {
      const move = to === null || to === from ? undefined : AGENT_MOVES[to];
      const key = `${data.id} ${at} ${by.id}`;
      if (move !== undefined) left.set(key, [...(left.get(key) ?? []), move]);
    }
  }
  return rows.map((row) => left.get(`${actionOf(row)} ${row.at} ${row.key.id}`)?.shift());
}

/** The commands of a social agent are one operation, so their records tell what it did. */
function Activity({ operation, record, move }: Work) {
  const { titleOf } = usePageContext();
  if (operation !== COMMAND || record === null) return <>{titleOf(operation)}</>;
  return <>{record.kind === "action" ? (move ?? "Report on action") : "Check in"}</>;
}

const PAGES: Record<Written["kind"], (id: string) => `/${string}`> = {
  contact: (id) => `/contacts/${id}`,
  deal: (id) => `/deals/${id}`,
  card: (id) => `/review/card/${id}`,
  post: (id) => `/review/post/${id}`,
  action: (id) => `/review/action/${id}`,
  account: (id) => `/agents/${id}`,
};

function RecordLink({ record: { kind, id, title } }: { record: Written }) {
  const { href } = usePageContext();
  return <a href={href(PAGES[kind](id))}>{title ?? codeLabel(kind)}</a>;
}
