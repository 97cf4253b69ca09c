/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorInWords } from "../../../context.ts";
import type { DataOf } from "../../answers.ts";
import { inWords, membersOf, pageOf } from "../../names.ts";
import { Chip, Empty, Pager, Table, Time } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Change } from "./change.tsx";
import { Record } from "./record.tsx";
import { AuditTabs } from "./tabs.tsx";

export const audit = screen({
  path: "/audit",
  title: "Audit",
  needs: "list_audit",
  async load(visit) {
    const { query } = visit;
    const action = query.get("action") ?? undefined;
    const actor_id = query.get("by") ?? undefined;
    const day = /^\d{4}-\d\d-\d\d$/.exec(query.get("until") ?? "")?.[0];
    const until = day !== undefined && !Number.isNaN(Date.parse(day)) ? `${day}T23:59:59.999Z` : undefined;
    const filter = { ...(action && { action }), ...(actor_id && { actor_id }), ...(until && { until }) };
    const [page, names, keys] = await Promise.all([
      visit.call("list_audit", { ...pageOf(visit), ...filter }),
      membersOf(visit),
      visit.call("list_keys", { limit: 100 }),
    ]);
    for (const { id, name } of keys.data) names.set(id, `${name} (key)`);
    return { ...page, names, filter, day };
  },
  view: ({ data, meta, names, filter, day }, { titleOf, href }) => (
    <>
      <AuditTabs />
      <Filters names={names} filter={filter} day={day} />
      {data.length === 0 ? (
        <Empty title={Object.keys(filter).length > 0 ? "No such change" : "Nothing was changed yet"}>
          <p>
            Whatever members change, and whatever they let out, is listed here, with who did it. What agents write by
            themselves is listed in <a href={href("/agents/work")}>What agents did</a>.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Changes that members made, newest first"
          rows={data}
          keyOf={({ at, record_id, action }) => `${at} ${record_id} ${action}`}
          columns={[
            { name: "When", cell: ({ at }) => <Time at={at} /> },
            { name: "Who", cell: (row) => <Only name="by" value={row.actor_id} say={whoOf(row, names)} /> },
            { name: "Did", cell: ({ action }) => <Only name="action" value={action} say={titleOf(action)} /> },
            { name: "To what", cell: (row) => <Record {...row} /> },
            { name: "What changed", cell: ({ before, after }) => <Change before={before} after={after} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

type Row = DataOf<"list_audit">[number];

const whoOf = ({ actor_kind, actor_id }: Row, names: ReadonlyMap<string, string>) =>
  names.get(actor_id) ?? (actor_kind === "local_operator" ? operatorInWords(actor_id) : inWords(actor_kind));

interface FiltersProps {
  names: ReadonlyMap<string, string>;
  filter: { action?: string; actor_id?: string };
  day: string | undefined;
}

function Filters({ names, filter: { action, actor_id }, day }: FiltersProps) {
  const { href, titleOf } = useVisit();
  const known = actor_id === undefined || names.has(actor_id);
  return (
    <form method="get" action={href("/audit")} class="sieve" aria-label="Filter the audit">
      <div class="field">
        <label for="audit-by">By</label>
        <select id="audit-by" name="by">
          <option value="">Anybody</option>
          {!known && (
            <option value={actor_id} selected>
              {actor_id}
            </option>
          )}
          {[...names].map(([id, name]) => (
            <option key={id} value={id} selected={id === actor_id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="audit-until">Up to the day</label>
        <input type="date" id="audit-until" name="until" value={day ?? ""} />
      </div>
      {action !== undefined && <input type="hidden" name="action" value={action} />}
      <div class="bar-inline">
        <button type="submit">Filter</button>
        {action !== undefined && <Chip>{titleOf(action)}</Chip>}
        {(action ?? actor_id ?? day) !== undefined && <a href={href("/audit")}>Show everything</a>}
      </div>
    </form>
  );
}

/** A cell that narrows the list to what it says. */
function Only({ name, value, say }: { name: string; value: string; say: string }) {
  const { href, path, query } = useVisit();
  const { offset: _, ...kept } = Object.fromEntries(query);
  return (
    <a href={href(path, { ...kept, [name]: value })} title={`Only ${say}`}>
      {say}
    </a>
  );
}
