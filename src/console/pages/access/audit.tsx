/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorLabel } from "../../../core/actor.ts";
import { CHANNELS, type Channel } from "../../../domain/checklist/channel.ts";
import { actorNames, pageOf } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Empty, Moment, Pager, Table } from "../../ui/basics.tsx";
import { actorLabel, codeLabel } from "../../ui/labels.ts";
import { AGENT_MOVES } from "../socialnet/labels.ts";
import { type AuditRow, changedFields, fieldLabel, type Names, Value, valueText } from "./audit-values.tsx";
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
    const [page, names, keys, records] = await Promise.all([
      ctx.call("list_audit", { ...pageOf(ctx), ...filter }),
      actorNames(ctx),
      ctx.call("list_keys", { limit: 100 }),
      recordNames(ctx),
    ]);
    for (const { id, name, connector_name: client } of keys.data) {
      names.set(id, `${name} (${client === null ? "key" : "client"})`);
    }
    return { ...page, names, known: new Map([...records, ...names]), filter, day };
  },
  view: ({ data, meta, names, known, filter, day }, { titleOf }) => (
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
              cell: (row) => <FilterLink name="action" value={row.action} label={moveOf(row) ?? titleOf(row.action)} />,
            },
            { name: "Record", cell: (row) => <RecordLink row={row} names={known} /> },
            { name: "Changes", grow: "wrap", cell: (row) => <Change row={row} names={known} /> },
          ]}
        />
      )}
      <Pager meta={meta} />
    </>
  ),
});

/** The names of sequences and social accounts, which rows name by their id. */
async function recordNames({ call }: PageContext): Promise<Map<string, string>> {
  const [sequences, accounts] = await Promise.all([
    call("list_sequences", { limit: 100 }),
    call("list_socialnet_accounts", { limit: 100 }),
  ]);
  return new Map([
    ...sequences.data.map(({ id, name }) => [id, name] as const),
    ...accounts.data.map(({ id, label }) => [id, label] as const),
  ]);
}

/** What exactly was done, where one operation does several things. */
const moveOf = (row: AuditRow): string | undefined => agentMove(row) ?? conversationMove(row);

function conversationMove({ action, before, after }: AuditRow): string | undefined {
  if (action !== "mark_conversation" || after === null) return undefined;
  if (after.status !== before?.status) {
    return after.status === "done" ? "Mark conversation as done" : "Open conversation again";
  }
  if (after.unread !== before?.unread) return `Mark conversation as ${after.unread === true ? "unread" : "read"}`;
  return undefined;
}

/** The agent sends every command through one operation, so the row's title comes from what changed. */
function agentMove({ action, before, after }: AuditRow): string | undefined {
  if (action !== "socialnet_command") return undefined;
  if (typeof after?.status === "string" && after.status !== before?.status) return AGENT_MOVES[after.status];
  if (after !== null && "held_reason" in after) {
    return after.held_reason === null ? "Resume social account" : "Put social account on hold";
  }
  return after !== null && "resolved_at" in after ? "Complete sign-in request" : undefined;
}

/** A summary of what changed, with each field one click away. */
function Change({ row, names }: { row: AuditRow; names: Names }) {
  const { contact, before, after } = row;
  const known = contact === null ? names : new Map([...names, [contact.id, contact.name]]);
  const fields = changedFields(row);
  const nameField = (name: string) => fieldLabel(row, name, known);
  const text = (name: string, value: unknown) => valueText(row, name, value, known);
  return (
    <details class="more">
      <summary>
        <Summary row={row} fields={fields} text={text} nameField={nameField} />
      </summary>
      <dl class="facts small">
        {fields.map((name) => (
          <>
            <dt>{nameField(name)}</dt>
            <dd>
              {before !== null && name in before && (
                <del>
                  <Value name={name} text={text(name, before[name])} />
                </del>
              )}{" "}
              {after !== null && name in after && (
                <span>
                  <Value name={name} text={text(name, after[name])} />
                </span>
              )}
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

interface SummaryProps {
  row: AuditRow;
  fields: readonly string[];
  text: (name: string, value: unknown) => string;
  nameField: (name: string) => string;
}

/** Longer values are one click away. */
const MAX_VALUE = 40;

/** Operations that add a record. Without an earlier state, others have only done something. */
const ADDS = /^(create|add_(?!sample)|invite|plan|set_up|answer|approve_sequence)/;

function Summary({ row: { action, before, after }, fields, text, nameField }: SummaryProps) {
  if (after === null) return "Deleted";
  if (before === null) {
    if (ADDS.test(action)) return "New";
    return typeof after.status === "string" ? text("status", after.status) : "Details";
  }
  if (fields.includes("status")) return `${text("status", before.status)} → ${text("status", after.status)}`;
  const [only = "", ...others] = fields;
  const values = [before, after].map((side) => text(only, side[only]));
  if (fields.length > 0 && others.length === 0 && values.every((value) => value.length <= MAX_VALUE)) {
    const [was = "", is = ""] = values;
    return (
      <>
        {nameField(only)}: <Value name={only} text={was} /> → <Value name={only} text={is} />
      </>
    );
  }
  return fields.map(nameField).join(", ") || "No changes";
}

/** The page of the changed record, by the last word of the operation's name. */
const PAGES: readonly (readonly [RegExp, (row: AuditRow) => `/${string}` | undefined])[] = [
  [/^(create|update)_account$/, ({ record_id }) => `/accounts/${record_id}`],
  [/^((create|update)_sequence|set_sequence_status)$/, ({ record_id }) => `/sequences/${record_id}`],
  [/_deal(_stage)?$/, ({ record_id }) => `/deals/${record_id}`],
  [/^create_webhook$/, () => "/events"],
  [/^resend_delivery$/, () => "/events/deliveries"],
  [/_sequence(_approval)?$/, ({ before, after }) => within("/sequences/", (after ?? before)?.sequence_id)],
  [
    /^(\w+_socialnet_action|request_action_change|socialnet_command)$/,
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
function RecordLink({ row, names }: { row: AuditRow; names: Names }) {
  const { href, workspace } = usePageContext();
  const page = recordPage(row, names);
  const known = labelOf(row) ?? names.get(row.record_id) ?? names.get(String((row.after ?? row.before)?.sequence_id));
  const label =
    known ??
    (row.record_id === workspace.id ? "Workspace" : undefined) ??
    (page === undefined ? shortId(row.record_id) : "View record");
  return page === undefined ? <span class="quiet">{label}</span> : <a href={href(page)}>{label}</a>;
}

/** An operation may also change other records than its own: a meeting moves its contact, a reply stops actions. */
function recordPage(row: AuditRow, names: Names): `/${string}` | undefined {
  const { action, record_id, before, after } = row;
  const fields = after ?? before ?? {};
  if ("recipient_url" in fields) return `/review/action/${record_id}`;
  if ("lifecycle" in fields || "archived_at" in fields) return `/contacts/${record_id}`;
  // The request itself has no page.
  if ("resolved_at" in fields && !("account_id" in fields)) return undefined;
  return PAGES.find(([actions]) => actions.test(action))?.[1](row) ?? ownPageOf(row, names);
}

/** The page of the contact, teammate or key that was changed. */
function ownPageOf({ action, record_id, contact }: AuditRow, names: Names) {
  if (contact !== null) return `/contacts/${contact.id}` as const;
  if (/_key$/.test(action)) return "/settings/keys";
  return names.has(record_id) && /member|invitation|set_up/.test(action) ? "/settings" : undefined;
}

function labelOf({ action, record_id, contact, before, after }: AuditRow): string | undefined {
  if (action === "run_assessment") return "Checklist";
  if (action === "mark_checklist_item") return record_id;
  if (action === "set_plan") return "Workspace";
  if (/^import_/.test(action)) return "Import";
  if (after !== null && "resolved_at" in after) return "Sign-in request";
  if (action === "resend_delivery") return "Delivery";
  if (action === "save_social_connection") return CHANNELS[record_id as Channel];
  for (const side of [after, before]) {
    const label = side?.name ?? side?.title ?? side?.label ?? side?.item_id ?? side?.url;
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

/** Who isn't in the lists any more, and who is in none. */
const OTHER_ACTORS: Record<string, string> = { member: "Former teammate", key: "API key", system: "Rostrum" };

const actorOf = ({ actor_kind, actor_id }: AuditRow, names: Names) =>
  names.get(actor_id) ??
  (actor_kind === "local_operator" ? operatorLabel(actor_id) : (OTHER_ACTORS[actor_kind] ?? codeLabel(actor_kind)));

interface FiltersProps {
  names: Names;
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
