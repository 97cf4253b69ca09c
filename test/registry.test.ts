import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inputSchema, type JsonSchema } from "../src/core/json-schema.ts";
import type { Operation } from "../src/core/operation.ts";
import { refusalsOf } from "../src/core/policy.ts";
import { problems } from "../src/core/problem.ts";
import { ALL_SCOPES } from "../src/domain/access/roles.ts";
import { operations } from "../src/tools/index.ts";
import { ROOT } from "./support/program.ts";

const list = operations as readonly Operation[];

test("names are unique and snake_case", () => {
  const names = list.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)+$/);
});

test("routes are unique, and only agent operations have them", () => {
  const routes = list.flatMap(({ http }) => (http ? [`${http.method} ${http.path}`] : []));
  assert.equal(new Set(routes).size, routes.length);
  for (const { http, access, tool } of list) {
    if (http !== undefined || tool) assert.ok("scope" in access);
    if ("scope" in access && access.scope !== null) assert.ok(ALL_SCOPES.includes(access.scope));
  }
});

test("an operation that stops something temporarily says so, and runs again if its form is resent", () => {
  const restricting = list.filter(({ name, restricts }) => {
    if (/^(pause|hold|withdraw)_(?!sequence_approval)/.test(name)) assert.equal(restricts?.({}), true, name);
    return restricts?.({}) === true;
  });
  assert.ok(restricting.length >= 5 && restricting.every(({ effect }) => effect === "write"));
  const restricts = (name: string, input: object) =>
    list.find((one) => one.name === name)?.restricts?.({ ...input }) ?? false;
  for (const [name, stops, starts] of [
    ["set_sequence_status", { status: "paused" }, { status: "active" }],
    ["set_own_proposals", { own_proposals: "forbidden" }, { own_proposals: "allowed" }],
    ["set_member", { approve_outbound: false }, { approve_outbound: true }],
    ["update_socialnet_account", { automation_mode: "manual" }, { automation_mode: "automatic" }],
  ] as const) {
    assert.deepEqual([restricts(name, stops), restricts(name, starts)], [true, false], name);
  }
});

test("reads change nothing: no gate, no idempotency, and a tool marked read-only", () => {
  for (const { name, effect, gates, idempotent, tool, http } of list) {
    if (effect === "write") {
      assert.notEqual(http?.method, "GET", name);
      continue;
    }
    assert.deepEqual([gates.length, idempotent ?? false], [0, false], name);
    if (tool) assert.deepEqual([tool.annotations.readOnlyHint, tool.annotations.destructiveHint], [true, false]);
  }
});

test("a write that can run as a read has no gate and stores no answers, since a read bypasses them", () => {
  const sometimes = list.filter(({ onlyReads }) => onlyReads !== undefined);
  assert.ok(sometimes.length > 0);
  for (const { name, effect, gates, idempotent } of sometimes) {
    assert.deepEqual([effect, gates.length, idempotent ?? false], ["write", 0, false], name);
  }
});

test("CRM writes are never tools", () => {
  for (const { name, tool, effect, access } of list) {
    if (!tool || effect === "read") continue;
    assert.match(
      "scope" in access ? (access.scope ?? "") : "",
      /^(social_checklist\.(submit|record)|socialnet\.execute)$/,
      name,
    );
  }
});

/** Opt-outs always work; a read-only workspace can still settle, remove access, and stop. */
const ALWAYS_OPEN = [
  ...[
    "add_suppression",
    ...["mark_conversation", "snooze_conversation", "assign_conversation", "mark_not_interested", "cancel_answer"],
    ...["request_action_change", "request_answer_change"],
    "stop_enrollment",
    "withdraw_sequence_approval",
    "settle_send",
    "settle_sends",
    "pause_outreach",
    "resume_outreach",
  ],
  ...[
    "withdraw_socialnet_action",
    "withdraw_card",
    "withdraw_post",
    "back_up_server",
    "set_mail_settings",
    "send_test_email",
    "set_setup_guide",
    "remove_sample_contacts",
  ],
  ...["create_workspace", "set_plan", "set_billing", "set_sending_policy", "set_own_proposals"],
  ...["create_key", "revoke_key", "invite_member", "renew_invitation", "set_member", "remove_member"],
  ...["subscribe_events", "unsubscribe_events", "create_webhook", "delete_webhook", "resend_delivery"],
  ...["request_reconnect", "hold_socialnet_action", "cancel_socialnet_action", "settle_socialnet_action"],
  // It stops what is open for the contact.
  "archive_contact",
  // It can also end automatic mode of an account.
  "update_socialnet_account",
  // The contract: no read-only billing gate applies to an agent's commands.
  "socialnet_command",
];

test("every write of business data has the billing gate", () => {
  for (const { name, effect, gates } of list) {
    if (effect === "write") assert.equal(gates.includes("billing"), !ALWAYS_OPEN.includes(name), name);
  }
});

/**
 * Permissions of person operations: administrators change settings, reps work, and the separate permission approves
 * sends.
 */
const PERMISSIONS = {
  view: [
    ...["get_setup_guide", "set_setup_guide"],
    ...[
      "list_accounts",
      "get_sequence",
      "summarize_sequences",
      "count_audience",
      "list_enrollments",
      "list_sends",
      "simulate_sequence",
      "list_suppressions",
      "get_workspace",
      "get_workspace_status",
      "list_members",
    ],
    ...["list_socialnet_accounts", "get_socialnet_account", "list_planned_actions"],
    ...["list_conversations", "get_conversation"],
    ...["list_review", "get_review", "list_decided_reviews", "get_digest", "get_daily_numbers", "list_agent_work"],
    ...["list_upcoming", "count_in_progress", "get_account_record"],
    ...["get_planned_action", "list_socialnet_runs", "list_socialnet_health"],
    ...["list_cards", "list_posts", "get_voice", "get_assessment", "get_checklist_progress"],
    ...["search_contacts", "find_records", "list_deals", "get_deal_record"],
    ...[
      "filter_contacts",
      "list_contact_tags",
      "find_suppressed_contacts",
      "list_activities",
      "get_contact_record",
      "list_deal_totals",
      "search_accounts",
      "preview_sequence",
      "preview_audience",
      "preview_automatic_mode",
    ],
  ],
  work: [
    ...["archive_contact", "confirm_meeting", "confirm_bant", "confirm_company", "confirm_deal", "set_deal_stage"],
    ...["add_deal", "update_deal"],
    ...[
      "import_contacts",
      "find_import",
      "import_text",
      "preview_import",
      "add_sample_contacts",
      "remove_sample_contacts",
      "create_account",
      "update_account",
    ],
    ...["create_sequence", "update_sequence", "set_sequence_status", "stop_enrollment", "request_reconnect"],
    ...["release_enrollment", "settle_send", "settle_sends", "enroll_audience"],
    ...["plan_socialnet_action", "edit_socialnet_action", "hold_socialnet_action", "release_socialnet_action"],
    ...["cancel_socialnet_action", "settle_socialnet_action"],
    ...["mark_conversation", "snooze_conversation", "assign_conversation", "mark_not_interested"],
    ...["answer_by_email", "answer_on_network", "edit_answer", "cancel_answer", "request_answer_change"],
    "request_action_change",
    "approve_review",
    ...["decide_card", "decide_post", "withdraw_card", "withdraw_post", "mark_post", "mark_checklist_item"],
    ...["save_brand_voice", "save_profile_facts", "save_social_connection"],
  ],
  approve_outbound: [
    ...[
      "approve_answer",
      "mark_out_of_office",
      "approve_sequence",
      "apply_sequence_approval",
      "withdraw_sequence_approval",
      "approve_socialnet_action",
      "withdraw_socialnet_action",
    ],
    "approve_connector",
  ],
  administer: [
    ...["pause_outreach", "resume_outreach", "set_plan", "set_billing", "set_sending_policy", "set_own_proposals"],
    ...["create_key", "list_keys", "revoke_key", "list_audit", "list_auth_events"],
    ...[
      "invite_member",
      "renew_invitation",
      "set_member",
      "remove_member",
      "create_socialnet_account",
      "update_socialnet_account",
    ],
    ...["run_assessment", "list_subscriptions"],
    ...["create_webhook", "list_webhooks", "delete_webhook", "list_deliveries", "resend_delivery"],
  ],
  operate: [
    "create_workspace",
    "list_client_connections",
    "get_server",
    "back_up_server",
    "get_mail_settings",
    "set_mail_settings",
    "send_test_email",
  ],
} as const;

test("every person operation requires its intended permission", () => {
  const declared = list.flatMap(({ name, access }) => ("permission" in access ? [[name, access.permission]] : []));
  const meant = Object.entries(PERMISSIONS).flatMap(([permission, names]) => names.map((name) => [name, permission]));
  const byName = (pairs: string[][]) => pairs.sort().map(String);
  assert.deepEqual(byName(declared as string[][]), byName(meant as string[][]));
});

test("every input is an object on the wire, and its path parameters are fields of it", () => {
  for (const operation of list) {
    const schema = inputSchema(operation);
    assert.equal(schema.type, "object", operation.name);
    for (const [, field] of operation.http?.path.matchAll(/\{(\w+)\}/g) ?? []) {
      assert.ok(schema.required?.includes(field as string), `${operation.name} ${field}`);
    }
  }
});

test("every field of an input has a description", () => {
  const undescribed = (schema: JsonSchema, path: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description === undefined && field.properties === undefined && field.enum === undefined
        ? [`${path}.${name}`]
        : []),
      ...undescribed(field, `${path}.${name}`),
    ]);
  const plain = /\.(limit|offset|name)$/;
  for (const operation of list) {
    const missing = undescribed(inputSchema(operation), operation.name).filter((path) => !plain.test(path));
    assert.deepEqual(missing, []);
  }
});

test("secrets are never part of an answer stored for replay", () => {
  for (const { name, idempotent, output } of list) {
    const { shape = {} } = output as { shape?: Record<string, { meta(): { secret?: boolean } | undefined }> };
    if (idempotent)
      assert.ok(
        Object.values(shape).every((field) => field.meta()?.secret !== true),
        name,
      );
  }
});

test("every error code is used", () => {
  const answered = new Set<string>(list.flatMap(refusalsOf));
  const ofTheEdge = ["route_not_found", "method_not_allowed", "wrong_credentials", "link_spent", "provider_failed"];
  const unused = Object.keys(problems).filter((code) => !answered.has(code) && !ofTheEdge.includes(code));
  assert.deepEqual(unused, []);
});

test("an operation is declared in tools/<area>/<its name>.ts, and all are in the list", async () => {
  const tools = new URL("src/tools/", pathToFileURL(ROOT));
  const declared = new Map<string, string>();
  for (const area of await readdir(tools, { withFileTypes: true })) {
    if (!area.isDirectory()) continue;
    const files = await readdir(new URL(`${area.name}/`, tools));
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      const path = `${area.name}/${file}`;
      const text = await readFile(new URL(path, tools), "utf8");
      for (const [, name] of text.matchAll(/^export const \w+ = (?:agent|person)Operation\(\{\n {2}name: "(\w+)"/gm)) {
        assert.ok(!declared.has(name as string), `${name} is declared twice`);
        declared.set(name as string, path);
      }
    }
  }
  // The MCP Events methods are declared beside their protocol.
  const elsewhere = ["list_events", "subscribe_events", "unsubscribe_events"];
  for (const { name } of list) {
    if (elsewhere.includes(name)) continue;
    assert.match(declared.get(name) ?? "", new RegExp(`^\\w+/${name.replaceAll("_", "-")}\\.ts$`), name);
  }
  const unlisted = [...declared.keys()].filter((name) => !list.some((operation) => operation.name === name));
  assert.deepEqual(unlisted, []);
});
