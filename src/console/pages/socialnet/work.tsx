/** @jsxRuntime automatic @jsxImportSource preact */

import { Fragment } from "preact";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { CursorPager, Empty, Table, Time } from "../../ui/basics.tsx";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel, revealed } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { Status } from "../../ui/status.tsx";
import { groupWork, lastOfEach, type Row, type WorkGroup, type Written } from "./work-phrases.ts";

/** The changes of all agents in one list. */
export const agentWork = screen({
  path: "/agents/work",
  title: "Agent activity",
  needs: "list_agent_work",
  async load(ctx) {
    const { call, query, titleOf } = ctx;
    const [key_id, before] = [query.get("key") ?? undefined, query.get("before") ?? undefined];
    const { data, meta } = await call("list_agent_work", { ...(key_id && { key_id }), ...(before && { before }) });
    return { groups: groupWork(data, titleOf), next: meta.next, agent: await agentOf(ctx, key_id, data[0]) };
  },
  view: ({ groups, next, agent }, { href, may, query }) => (
    <>
      <p class="lead">
        What agents and connected clients did in the last 400 days.{" "}
        {may("list_audit") && <a href={href("/audit")}>View all changes</a>}
      </p>
      {query.has("key") && (
        <p class="lead">
          Showing {agent ?? "one agent"} only. <a href={href("/agents/work")}>Show all agents</a>
        </p>
      )}
      {groups.length === 0 ? (
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
          rows={groups}
          keyOf={({ row: { at, operation, record } }) => `${at} ${operation} ${record?.id}`}
          columns={[
            {
              name: "Activity",
              cell: (group) => (
                <span class="entry">
                  <Done group={group} />
                </span>
              ),
            },
            { name: "Agent", cell: ({ row }) => <KeyLink row={row} /> },
            { name: "When", cell: ({ row }) => <Time at={row.at} /> },
            { name: "Protocol", wide: true, cell: ({ row }) => row.surface.toUpperCase() },
          ]}
        />
      )}
      <CursorPager next={next} />
    </>
  ),
});

/** Rows that are read for the front page: many of them say one thing together. */
const READ = 40;

/** The latest activity of agents, for the front page. */
export async function latestWork({ call, titleOf }: PageContext, limit: number): Promise<WorkGroup[]> {
  const { data } = await call("list_agent_work", { limit: READ });
  return groupWork(lastOfEach(data), titleOf).slice(0, limit);
}

export function WorkFeed({ groups }: { groups: readonly WorkGroup[] }) {
  return (
    <ol class="line timeline">
      {groups.map((group) => {
        const { at, operation, record, key } = group.row;
        return (
          <li key={`${at} ${operation} ${record?.id}`}>
            <Mark name={key.name} kind="agent" />
            <div>
              <p class="entry">
                <Done group={group} />
              </p>
              <p class="hint">
                <KeyLink row={group.row} /> · <Time at={at} />
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** The name of the agent that the page is about, also if it has no activity: members who may list keys see its name. */
async function agentOf({ call, may }: PageContext, keyId: string | undefined, row: Row | undefined) {
  if (keyId === undefined) return undefined;
  const keys = may("list_keys") ? (await call("list_keys", { limit: 100 })).data : [];
  const key = keys.find(({ id }) => id === keyId);
  return key?.name ?? row?.key.name;
}

function KeyLink({ row: { key } }: { row: Row }) {
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

/** The records that a line names. It counts the others. */
const NAMED = 3;

/** What was done, to what: "Claimed connection request to Yuki Tanaka". */
function Done({ group: { row, phrase, records, times } }: { group: WorkGroup }) {
  const named = records.slice(0, NAMED);
  const others = records.length - named.length;
  const last = others === 0 ? named.length - 1 : named.length;
  return (
    <>
      {phrase[records.length > 1 ? 1 : 0]}{" "}
      {named.map((record, i) => (
        <Fragment key={record.id}>
          {i === 0 ? "" : i === last ? " and " : ", "}
          <RecordLink record={record} />
        </Fragment>
      ))}
      {others > 0 && ` and ${amount(others)} more`}
      {records.length < 2 && times > 1 && <span class="quiet"> ({counted(times, "time")})</span>}
      {row.action?.status === "failed" && (
        <>
          {" "}
          <Status of="failed" />
        </>
      )}
    </>
  );
}

const PAGES: Record<Written["kind"], (id: string) => `/${string}`> = {
  contact: (id) => `/contacts/${id}`,
  deal: (id) => `/deals/${id}`,
  card: (id) => `/review/card/${id}`,
  post: (id) => `/review/post/${id}`,
  item: (id) => `/checklist/${id}`,
  action: (id) => `/review/action/${id}`,
  account: (id) => `/agents/${id}`,
};

/** Records whose titles are words of a sentence, and not names. */
const TITLED = new Set<Written["kind"]>(["card", "post"]);

function RecordLink({ record: { kind, id, title } }: { record: Written }) {
  const { href } = usePageContext();
  const name = title === null ? codeLabel(kind) : revealed(title);
  return <a href={href(PAGES[kind](id))}>{title !== null && TITLED.has(kind) ? `“${name}”` : name}</a>;
}
