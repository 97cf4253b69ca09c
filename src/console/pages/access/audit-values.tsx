/** @jsxRuntime automatic @jsxImportSource preact */

import { operatorLabel } from "../../../core/actor.ts";
import { CHANNELS } from "../../../domain/checklist/channel.ts";
import type { Step } from "../../../domain/outreach/sequence.ts";
import { writeWeek } from "../../app/form-data.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { Moment } from "../../ui/basics.tsx";
import { counted, shortDay } from "../../ui/format.ts";
import { actorLabel, codeLabel, isGuid, type StatusOf, statusLabel } from "../../ui/labels.ts";
import { foundText } from "../checklist/items.ts";
import { MODES, outcomeLabel } from "../socialnet/labels.ts";
import { type Key, scopeSummary } from "./scopes.tsx";

export type AuditRow = DataOf<"list_audit">[number];
export type Names = ReadonlyMap<string, string>;

/** What the engine notes for itself, and what the row says already: its time, its actor and its workspace. */
const INTERNAL = new Set([
  ...["move", "changed", "stop_wanted", "recorded", "approval_id"],
  ...["workspace_id", "updated_at", "saved_at", "saved_by"],
]);

/** The fields that a change set. A field without a value in either state says nothing. */
export function changedFields({ action, record_id, before, after }: AuditRow): string[] {
  const hasSteps = "steps" in (after ?? {});
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) =>
      !INTERNAL.has(name) &&
      // The record itself, which the row links to.
      !(name === "id" && (after ?? before)?.id === record_id) &&
      !(name === "created_at" && before === null) &&
      // The steps themselves are shown. An approval has only their fingerprint.
      !(name === "steps_hash" && hasSteps) &&
      !(name === "password_changed" && after?.[name] === false) &&
      // The note, again.
      !(name === "detail" && /^settle_/.test(action)) &&
      JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null),
  );
}

/** Fields that the console calls something else than the API does. */
const FIELDS: Record<string, string> = {
  acknowledged_at: "Confirmed by the agent at",
  applied_at: "Activated at",
  applied_by: "Activated by",
  approve_outbound: "Can approve outbound",
  assessed_at: "Checked at",
  assignee_id: "Assignee",
  automation_mode: "Mode",
  body: "Text",
  connector_name: "Client",
  contact_allowance: "Contact limit",
  contact_count: "Contacts",
  copy: "Text",
  creator: "Created by",
  daily_cap: "Daily limit",
  delivery: "Email delivery",
  due_at: "Next step due",
  failed: "Error",
  from: "Sender",
  held_from: "On hold from",
  held_on: "Meeting date",
  held_reason: "Reason for hold",
  held_since: "On hold since",
  held_until: "On hold until",
  hidden: "Setup guide hidden",
  label: "Name",
  left: "Can still be enrolled",
  mail_from: "Sender of emails",
  mark: "Marked as",
  own_proposals: "Approving your own proposals",
  owner_id: "Owner",
  owner_member_id: "Account holder",
  platform: "Channel",
  prefix: "Key starts with",
  read_only_reason: "Reason for read-only",
  recipient_url: "Profile URL",
  released_enrollments: "Contacts released from hold",
  resolved_at: "Signed in at",
  resumed: "Sequences resumed",
  scheduled_for: "Publish time",
  scopes: "Permissions",
  session_at: "Session checked at",
  smtp: "Mail server",
  socialnet_allowance: "Monthly social actions",
  states: "Result",
  status_source: "Status set by",
  steps_hash: "Fingerprint of the steps",
  voided_approvals: "Approvals canceled",
  voided_at: "Canceled at",
  windows: "Sending hours",
};

/** Names of the record's own kind: of a plan, or of a document's checklist item. */
const FIELDS_OF: Record<string, Record<string, string>> = {
  set_plan: { name: "Plan" },
  set_billing: { state: "Billing" },
  decide_card: { mark: "Checklist status" },
  decide_post: { mark: "Checklist status" },
  mark_post: { mark: "Checklist status", ended_at: "Published at" },
  withdraw_card: { mark: "Checklist status" },
  withdraw_post: { mark: "Checklist status" },
  approve_review: { mark: "Checklist status" },
};

/** The label of a field. A field whose value is shown by its name is no ID. */
export function fieldLabel({ action, before, after }: AuditRow, name: string, names: Names): string {
  const isNamed = [before?.[name], after?.[name]].some((value) => nameOf(action, name, value, names) !== undefined);
  const known = FIELDS_OF[action]?.[name] ?? FIELDS[name];
  return known ?? codeLabel(isNamed || name === "socialnet_account_id" ? name.replace(/_id$/, "") : name);
}

/** Fields that hold a person. */
const PERSON = /^(assignee_id|owner_id|owner_member_id|.*_by)$/;

/** Operations that record the id of who approved or confirmed. Others record the name. */
const RECORDS_ACTOR_ID = /sequence|^confirm_/;

/** The name of the person, key, contact or other record that a field holds the id of. */
function nameOf(action: string, field: string, value: unknown, names: Names): string | undefined {
  if (typeof value !== "string" || !/(_id|_by)$/.test(field)) return undefined;
  if (isGuid(value)) return PERSON.test(field) ? actorLabel(value, names, true) : names.get(value);
  return RECORDS_ACTOR_ID.test(action) && /_by$/.test(field) ? operatorLabel(value) : undefined;
}

/** Codes that stand for more than their words say. */
const VALUES: Record<string, Record<string, string>> = {
  status_source: { member: "A teammate", agent: "An agent", system: "Rostrum (auto-check)" },
  delivery: { send: "Send", files: "Save to files" },
  own_proposals: { allowed: "Allowed", forbidden: "Require another teammate" },
  security: { tls: "TLS", starttls: "STARTTLS" },
  platform: CHANNELS,
  channel: CHANNELS,
  state: { financed: "Fixed term", delinquent: "Payment overdue" },
};

/** Fields with a code, which is shown as a label. Text that people wrote is shown unchanged. */
const CODES = new Set(["status", "role", "state", "stage", "lifecycle", "session", "mark", "held_reason", "held_from"]);

/** The kind of record, where its statuses mean something else than on other records. */
function kindOf({ action, before, after }: AuditRow): StatusOf | undefined {
  if ("recipient_url" in (after ?? before ?? {})) return "action";
  return /enrollment/.test(action) ? "enrollment" : /delivery/.test(action) ? "delivery" : undefined;
}

type Week = Parameters<typeof writeWeek>[0];
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function weekText(windows: Week): string {
  const open = writeWeek(windows).flatMap((hours, i) => (hours === "" ? [] : [`${DAYS[i]} ${hours}`]));
  return open.join("; ") || "Always open";
}

const stepText = (step: Step, i: number): string => {
  const days = step.type === "wait" ? step.days : step.delay_days;
  const head = `${i + 1}. ${codeLabel(step.type)}${days > 0 ? `, ${step.type === "wait" ? "" : "after "}${counted(days, "day")}` : ""}`;
  if (step.type === "wait") return head;
  const texts =
    step.type === "email" ? [step.subject, step.body] : [step.type === "socialnet_connect" ? step.note : step.body];
  return [head, ...texts].join("\n");
};

const count = (value: unknown) => String((value as unknown[]).length);

/** Fields with a list or a record. */
const WHOLE: Record<string, (value: never) => string> = {
  states: foundText,
  steps: (steps: readonly Step[]) => steps.map(stepText).join("\n\n"),
  windows: weekText,
  scopes: (scopes: Key["scopes"]) => scopeSummary(scopes),
  resumed: count,
  voided_approvals: count,
  mark: ({ status, evidence }: { status: string; evidence: string | null }) =>
    `${statusLabel(status, "assessment")}${evidence === null ? "" : ` (${evidence})`}`,
  from: ({ name, address }: { name: string; address: string }) => (name === "" ? address : `${name} <${address}>`),
};

/** The value of a field as text. Times are still as the API has them. */
export function valueText(row: AuditRow, name: string, value: unknown, names: Names): string {
  const named = nameOf(row.action, name, value, names);
  if (named !== undefined) return named;
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "object") return WHOLE[name]?.(value as never) ?? recordText(row, value);
  if (typeof value !== "string") return String(value);
  if (name === "automation_mode") return MODES[value as keyof typeof MODES]?.name ?? value;
  if (name === "outcome") return outcomeLabel(value);
  return VALUES[name]?.[value] ?? (CODES.has(name) ? statusLabel(value, kindOf(row)) : value);
}

/** `Host: mail.example, port: 587`. */
function recordText(row: AuditRow, value: object): string {
  if (Array.isArray(value)) return value.map(String).join(", ") || "None";
  const parts = Object.entries(value).flatMap(([name, part]) =>
    part === null || name === "source" ? [] : [`${codeLabel(name)}: ${valueText(row, name, part, new Map())}`],
  );
  return parts.map((part, i) => (i === 0 ? part : part.charAt(0).toLowerCase() + part.slice(1))).join(", ");
}

const TIMED = /_(at|since|until|for)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The value of a field, with times and dates as on every page. */
export function Value({ name, text }: { name: string; text: string }) {
  const { now } = usePageContext();
  if (TIMED.test(name) && MOMENT.test(text)) return <Moment at={text} alone />;
  if (/_(on|date)$/.test(name) && DAY.test(text)) return shortDay(text, now);
  // Steps and other texts of several lines.
  return text.includes("\n") ? <span class="words">{text}</span> : text;
}
