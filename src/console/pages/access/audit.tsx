/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorLabel } from "../../../core/actor.ts";
import { actorNames, pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Moment, Pager, Table } from "../../ui/basics.tsx";
import { actorLabel, codeLabel, type StatusOf, statusLabel } from "../../ui/labels.ts";
import { foundText } from "../checklist/items.ts";
import { AGENT_MOVES, MODES, outcomeLabel } from "../socialnet/labels.ts";
import { AuditTabs } from "./tabs.tsx";

export const audit = screen({
  path: "/audit",
  title: "Audit log",
  needs: "list_audit",
  async load(ctx) {
    const { query } = ctx;
    const action = query.get("action") ?? undefined;
    const actor_id = query.get("by") ?? undefined;
    const day = /^\d{4}-\d\d-\d\d$/.exec(query.get("until") ?? "")?.[0];
    const until = day !== undefined && !Number.isNaN(Date.parse(day)) ? `${day}T23:59:59.999Z` : undefined;
    const filter = { ...(action && { action }), ...(actor_id && { actor_id }), ...(until && { until }) };
    const [page, names, keys] = await Promise.all([
      ctx.call("list_audit", { ...pageOf(ctx), ...filter }),
      actorNames(ctx),
      ctx.call("list_keys", { limit: 100 }),
    ]);
    for (const { id, name, connector_name: client } of keys.data) {
      names.set(id, `${name} (${client === null ? "key" : "client"})`);
    }
    return { ...page, names, filter, day };
  },
  view: ({ data, meta, names, filter, day }, { titleOf }) => (
    <>
      <AuditTabs />
      <Filters names={names} filter={filter} day={day} />
      {data.length === 0 ? (
        <Empty title={Object.keys(filter).length > 0 ? "No matching changes" : "No changes yet"}>
          <p>This log shows changes by teammates, agents and the server admin.</p>
        </Empty>
      ) : (
        <Table
          caption="Changes, newest first"
          rows={data}
          keyOf={({ at, record_id, action }) => `${at} ${record_id} ${action}`}
          columns={[
            { name: "Time", phone: "end", cell: ({ at }) => <Moment at={at} /> },
            { name: "Actor", cell: (row) => <FilterLink name="by" value={row.actor_id} label={actorOf(row, names)} /> },
            {
              name: "Action",
              phone: "title",
              cell: (row) => (
                <FilterLink name="action" value={row.action} label={agentMove(row) ?? titleOf(row.action)} />
              ),
            },
            { name: "Record", cell: (row) => <RecordLink row={row} names={names} /> },
            { name: "Changes", grow: "wrap", cell: (row) => <Change row={row} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

type Snapshot = Record<string, unknown> | null;

/** The agent sends every command through one operation, so the row's title comes from what changed. */
function agentMove({ action, before, after }: RecordRow): string | undefined {
  if (action !== "socialnet_command") return undefined;
  if (typeof after?.status === "string" && after.status !== before?.status) return AGENT_MOVES[after.status];
  if (after !== null && "held_reason" in after) {
    return after.held_reason === null ? "Resume social account" : "Put social account on hold";
  }
  return after !== null && "resolved_at" in after ? "Complete sign-in request" : undefined;
}

/** A summary of what changed, with each field one click away. */
function Change({ row }: { row: RecordRow }) {
  const { action, before, after } = row;
  const kind = /socialnet_(action|command)/.test(action) ? "action" : undefined;
  const show = (name: string, value: unknown) => shown(name, value, kind);
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !INTERNAL.has(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return (
    <details class="more">
      <summary>{summaryOf(before, after, fields, show)}</summary>
      <dl class="facts small">
        {fields.map((name) => (
          <>
            <dt>{fieldLabel(name)}</dt>
            <dd>
              {before !== null && <del>{show(name, before[name])}</del>}{" "}
              {after !== null && <span>{show(name, after[name])}</span>}
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

type Show = (name: string, value: unknown) => string;

function summaryOf(before: Snapshot, after: Snapshot, fields: readonly string[], show: Show): string {
  if (before === null) return "New";
  if (after === null) return "Deleted";
  if (fields.includes("status")) return `${show("status", before.status)} → ${show("status", after.status)}`;
  return fields.map(fieldLabel).join(", ") || "No changes";
}

/** What the engine notes for itself. */
const INTERNAL = new Set(["move", "changed", "stop_wanted"]);

/** Fields that the console calls something else than the API does. */
const FIELDS: Record<string, string> = {
  copy: "Text",
  windows: "Sending hours",
  approve_outbound: "Can approve outbound",
  recipient_url: "Profile URL",
  owner_member_id: "Account holder ID",
  assessed_at: "Checked at",
  states: "Result",
  scheduled_for: "Publish time",
  applied_by: "Activated by",
  applied_at: "Activated at",
  voided_at: "Canceled at",
  held_from: "On hold from",
  held_reason: "Reason for hold",
  held_since: "On hold since",
  held_until: "On hold until",
};

function fieldLabel(name: string): string {
  return FIELDS[name] ?? codeLabel(name);
}

/** Fields with a code, which is shown as a label. Text that people wrote is shown unchanged. */
const CODES = new Set(["status", "role", "state", "held_reason", "held_from"]);

function shown(name: string, value: unknown, kind: StatusOf | undefined): string {
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (name === "states") return foundText(value as Parameters<typeof foundText>[0]);
  if (typeof value !== "string") return JSON.stringify(value);
  if (name === "automation_mode") return MODES[value as keyof typeof MODES]?.name ?? value;
  if (name === "outcome") return outcomeLabel(value);
  return CODES.has(name) ? statusLabel(value, kind) : value;
}

type RecordRow = DataOf<"list_audit">[number];

/** The page of the changed record, by the last word of the operation's name. */
const PAGES: readonly (readonly [RegExp, (row: RecordRow) => `/${string}` | undefined])[] = [
  [/^(archive_contact|confirm_\w+)$/, ({ record_id }) => `/contacts/${record_id}`],
  [/^(create|update)_account$/, ({ record_id }) => `/accounts/${record_id}`],
  [/^((create|update)_sequence|set_sequence_status)$/, ({ record_id }) => `/sequences/${record_id}`],
  [/_sequence(_approval)?$/, ({ before, after }) => within("/sequences/", (after ?? before)?.sequence_id)],
  [
    /^(\w+_socialnet_action|socialnet_command)$/,
    ({ record_id, after }) =>
      after !== null && "status" in after ? `/review/action/${record_id}` : `/agents/${record_id}`,
  ],
  [/^request_reconnect$/, ({ after }) => within("/agents/", after?.account_id)],
  [/^decide_card$/, ({ record_id }) => `/review/card/${record_id}`],
  [/^(decide|mark)_post$/, ({ record_id }) => `/review/post/${record_id}`],
  [/^mark_checklist_item$/, ({ record_id }) => `/checklist/${record_id}`],
  [/^run_assessment$/, () => "/checklist"],
];

/** The name of the changed record where the log has one, linked where the record has a page. */
function RecordLink({ row, names }: { row: RecordRow; names: ReadonlyMap<string, string> }) {
  const { href } = usePageContext();
  const page = PAGES.find(([actions]) => actions.test(row.action))?.[1](row) ?? ownPageOf(row, names);
  const known = labelOf(row) ?? names.get(row.record_id);
  const label = known ?? (page === undefined ? shortId(row.record_id) : "View record");
  return page === undefined ? <span class="quiet">{label}</span> : <a href={href(page)}>{label}</a>;
}

/** The page of the contact, teammate or key that was changed. */
function ownPageOf({ action, record_id, contact }: RecordRow, names: ReadonlyMap<string, string>) {
  if (contact !== null) return `/contacts/${contact.id}` as const;
  if (/_key$/.test(action)) return "/settings/keys";
  return names.has(record_id) && /member|invitation|set_up/.test(action) ? "/settings" : undefined;
}

function labelOf({ action, record_id, contact, before, after }: RecordRow): string | undefined {
  if (action === "run_assessment") return "Checklist";
  if (action === "mark_checklist_item") return record_id;
  for (const side of [after, before]) {
    const label = side?.name ?? side?.title ?? side?.label ?? side?.item_id;
    if (typeof label === "string") return label;
  }
  if (contact !== null && contact.name !== "") return contact.name;
  for (const side of [after, before]) {
    // A profile is shown by the name in its address.
    if (typeof side?.recipient_url === "string") return side.recipient_url.split("/").findLast((part) => part !== "");
  }
  return undefined;
}

function within(section: `/${string}`, id: unknown): `/${string}` | undefined {
  return typeof id === "string" ? `${section}${id}` : undefined;
}

function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}

type Row = DataOf<"list_audit">[number];

const actorOf = ({ actor_kind, actor_id }: Row, names: ReadonlyMap<string, string>) =>
  names.get(actor_id) ?? (actor_kind === "local_operator" ? operatorLabel(actor_id) : codeLabel(actor_kind));

interface FiltersProps {
  names: ReadonlyMap<string, string>;
  filter: { action?: string; actor_id?: string };
  day: string | undefined;
}

function Filters({ names, filter: { action, actor_id }, day }: FiltersProps) {
  const { href, titleOf } = usePageContext();
  const isKnown = actor_id === undefined || names.has(actor_id);
  return (
    <form method="get" action={href("/audit")} class="sieve" aria-label="Filter the audit log">
      <div class="field">
        <label for="audit-by">Actor</label>
        <select id="audit-by" name="by">
          <option value="">Anyone</option>
          {!isKnown && (
            <option value={actor_id} selected>
              {actorLabel(actor_id, names, true)}
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
        <label for="audit-until">Until</label>
        <input type="date" id="audit-until" name="until" value={day ?? ""} />
      </div>
      {action !== undefined && <input type="hidden" name="action" value={action} />}
      <div class="bar-inline">
        <button type="submit">Apply filters</button>
        {action !== undefined && <Chip>{titleOf(action)}</Chip>}
        {(action ?? actor_id ?? day) !== undefined && <a href={href("/audit")}>Clear filters</a>}
      </div>
    </form>
  );
}

/** A cell that filters the list by its value. */
function FilterLink({ name, value, label }: { name: string; value: string; label: string }) {
  const { href, path, query } = usePageContext();
  const { offset: _, ...kept } = Object.fromEntries(query);
  return (
    <a href={href(path, { ...kept, [name]: value })} title={`Show only ${label}`}>
      {label}
    </a>
  );
}
