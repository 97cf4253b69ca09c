import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "../../src/core/operation.ts";
import { acceptedOutputKinds } from "../../src/domain/checklist/item.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { operations } from "../../src/tools/index.ts";
import { deadPort } from "../http-client/receiver.ts";
import { DOCUMENT, newCard, newPost } from "../support/checklist.ts";
import { byDoor, signIn } from "../support/console.ts";
import { isPostgres } from "../support/engine-under-test.ts";
import { newAccount, RECONNECT, startLocal } from "../support/events.ts";
import { newAnswer, newConversation } from "../support/inbox.ts";
import { member } from "../support/member.ts";
import { Receiver } from "../support/receiver.ts";
import { unknownSend } from "../support/sends.ts";
import { armed, enroll, newContact, newSequence, STEPS } from "../support/sequences.ts";
import { FakeClock, type TestServer } from "../support/server.ts";
import { Agent, ON } from "../support/socialnet.ts";
import { until } from "../support/until.ts";

/** A call that changes something, and the fields that its audit row must have. */
interface Change {
  input: object;
  /** Null if there was nothing before. */
  before: object | null;
  after: object | null;
  /** The record that the row names, if it is not the answer's id. */
  record?: string;
}

const ADA = { email: "ada@b.example", name: "Ada", role: "rep" };
const DATE = "2026-11-19";
const FINGERPRINT = "ab".repeat(32);
const takes = (kind: "document" | "social_post") =>
  shippedCatalog().items.find((item) => acceptedOutputKinds(item).includes(kind))?.id;
const CARD_ITEM = takes("document");
const POST_ITEM = takes("social_post");
const answer = { confirmed: true, note: "asked" };
const bant = { budget: answer, authority: answer, need: answer, timeline: answer };

const invited = async (server: TestServer) => (await server.operator("invite_member", ADA)).id;

const agentOf = async (server: TestServer) => {
  const agent = await Agent.of(server, new FakeClock());
  await agent.heartbeat();
  return agent;
};

/** A change for each person operation that writes, prepared by operations. */
const CHANGES: Record<string, (server: TestServer, receiver: Receiver) => Promise<Change> | Change> = {
  async archive_contact(server) {
    const { id } = await newContact(server);
    return { input: { contact_id: id }, before: { archived_at: null }, after: {} };
  },
  async confirm_meeting(server) {
    const { id } = await newContact(server);
    await server.rest("POST", `/contacts/${id}/activities`, { body: { type: "meeting_booked", subject: "Lunch" } });
    const held = { held_on: DATE, note: "in Lisbon" };
    return { input: { contact_id: id, ...held }, before: { held_on: null, confirmed_by: null }, after: held };
  },
  async confirm_bant(server) {
    const { id } = await newContact(server);
    return { input: { contact_id: id, ...bant }, before: null, after: { contact_id: id, ...bant } };
  },
  async confirm_company(server) {
    const { id } = await newContact(server, { company: "Old" });
    return { input: { contact_id: id, company: "New" }, before: { company: "Old" }, after: { company: "New" } };
  },
  async confirm_deal(server) {
    const { id } = await newContact(server);
    const body = { contact_id: id, title: "Engine", stage: "closed_won" };
    const deal = (await server.rest("POST", "/deals", { body })).body.data;
    return { input: { deal_id: deal.id }, before: null, after: { stage: "closed_won" } };
  },
  async set_deal_stage(server) {
    const { id } = await newContact(server);
    const body = { contact_id: id, title: "Engine", stage: "proposal" };
    const deal = (await server.rest("POST", "/deals", { body })).body.data;
    const after = { stage: "closed_won" };
    return { input: { deal_id: deal.id, ...after }, before: { stage: "proposal" }, after };
  },
  async update_deal(server) {
    const { id } = await newContact(server);
    const deal = (await server.rest("POST", "/deals", { body: { contact_id: id, title: "Engine", value: 1 } })).body
      .data;
    const after = { title: "Second engine", value: 2.5, currency: "EUR", owner_id: await invited(server) };
    const before = { title: "Engine", value: 1, currency: "USD", owner_id: null };
    return { input: { deal_id: deal.id, ...after }, before, after };
  },
  async add_deal(server) {
    const { id } = await newContact(server);
    const after = { contact_id: id, title: "Engine", value: 2.5, owner_id: await invited(server) };
    return { input: after, before: null, after };
  },
  import_contacts: () => ({
    input: { fingerprint: FINGERPRINT, from_row: 0, rows: [{ first_name: "Ada" }], last: true },
    before: null,
    after: { rows_done: 1, created: 1 },
    record: FINGERPRINT,
  }),
  async enroll_audience(server) {
    const { approval } = await armed(server);
    return { input: { approval_id: approval.id }, before: null, after: { enrolled: 1, left: 0 }, record: approval.id };
  },
  create_account: () => ({ input: { name: "Acme" }, before: null, after: { name: "Acme" } }),
  async update_account(server) {
    const { id } = await server.operator("create_account", { name: "Acme" });
    return { input: { account_id: id, name: "Apex" }, before: { name: "Acme" }, after: { name: "Apex" } };
  },
  create_sequence: () => ({ input: { name: "Hello", steps: STEPS }, before: null, after: { name: "Hello" } }),
  async update_sequence(server) {
    const { sequence, approval } = await armed(server);
    const steps = STEPS.slice(0, 1);
    const after = { steps, voided_approvals: [approval.id] };
    return { input: { sequence_id: sequence.id, steps }, before: { steps: STEPS }, after };
  },
  async set_sequence_status(server) {
    const { id } = await newSequence(server);
    const after = { status: "active" };
    return { input: { sequence_id: id, ...after }, before: { status: "draft" }, after };
  },
  async approve_sequence(server) {
    const ids = { sequence_id: (await newSequence(server)).id, contact_ids: [(await newContact(server)).id] };
    return { input: ids, before: null, after: { sequence_id: ids.sequence_id, status: "approved", contact_count: 1 } };
  },
  async apply_sequence_approval(server) {
    const ids = { sequence_id: (await newSequence(server)).id, contact_ids: [(await newContact(server)).id] };
    const { id } = await server.operator("approve_sequence", ids);
    return { input: { approval_id: id }, before: { status: "approved" }, after: { status: "applied" } };
  },
  async withdraw_sequence_approval(server) {
    const ids = { sequence_id: (await newSequence(server)).id, contact_ids: [(await newContact(server)).id] };
    const { id } = await server.operator("approve_sequence", ids);
    const after = { status: "voided", note: "Too many." };
    return { input: { approval_id: id, note: after.note }, before: { status: "approved" }, after };
  },
  async approve_review(server) {
    const card_id = await newCard(server, CARD_ITEM);
    const [{ content_hash: version }] = await server.operator("list_cards", {});
    return {
      input: { kind: "card", items: [{ id: card_id, version }] },
      before: { id: card_id, status: "pending" },
      after: { status: "approved" },
      record: card_id,
    };
  },
  async stop_enrollment(server) {
    const { data } = (await enroll(server, (await armed(server)).ids)).body;
    const after = { status: "stopped_by_member" };
    return { input: { enrollment_id: data.id }, before: { status: "active" }, after };
  },
  async decide_card(server) {
    const card_id = await newCard(server, CARD_ITEM);
    await server.operator("mark_checklist_item", { item_id: CARD_ITEM, status: "blocked", evidence: "No owner." });
    const mark = (await server.operator("list_audit", { limit: 1 }))[0].after;
    const by = { status_source: "member", recorded_by: "Grace" };
    const done = { status: "done", evidence: `Approved: ${DOCUMENT.title}`, last_done_on: "2026-11-20", ...by };
    const before = { id: card_id, item_id: CARD_ITEM, status: "pending", note: null, mark };
    return { input: { card_id, decision: "approve" }, before, after: { ...before, status: "approved", mark: done } };
  },
  async decide_post(server) {
    const post_id = await newPost(server, POST_ITEM);
    const said = { note: "Shorter." };
    return {
      input: { post_id, decision: "request_change", ...said },
      before: { status: "needs_review", note: null },
      after: { status: "changes_requested", ...said },
    };
  },
  async withdraw_card(server) {
    const card_id = await newCard(server, CARD_ITEM);
    await server.operator("decide_card", { card_id, decision: "approve" });
    return {
      input: { card_id, note: "Wrong." },
      before: { status: "approved" },
      after: { status: "pending", note: "Wrong." },
    };
  },
  async withdraw_post(server) {
    const post_id = await newPost(server, POST_ITEM);
    await server.operator("decide_post", { post_id, decision: "approve" });
    return { input: { post_id }, before: { status: "approved" }, after: { status: "needs_review" } };
  },
  async mark_post(server) {
    const post_id = await newPost(server, POST_ITEM);
    await server.operator("decide_post", { post_id, decision: "approve" });
    const after = { status: "published" };
    return { input: { post_id, ...after }, before: { status: "approved" }, after };
  },
  async mark_checklist_item(server) {
    const item_id = "OT-01";
    await server.operator("mark_checklist_item", { item_id, status: "in_progress" });
    const after = { status: "done", evidence: "It hangs there.", status_source: "member", recorded_by: "Grace" };
    return {
      input: { item_id, status: "done", evidence: after.evidence },
      before: { status: "in_progress", evidence: null },
      after,
    };
  },
  async save_brand_voice(server) {
    await server.operator("save_brand_voice", { text: "Plain." });
    return { input: { text: "Warm." }, before: { text: "Plain." }, after: { text: "Warm.", saved_by: "Grace" } };
  },
  save_profile_facts: () => ({ input: { facts: ["Sixty vans."] }, before: null, after: { facts: ["Sixty vans."] } }),
  async save_social_connection(server) {
    await server.operator("save_social_connection", { channel: "x", state: "connected" });
    const after = { state: "expired", handle: "@a" };
    return { input: { channel: "x", ...after }, before: { state: "connected", handle: null }, after, record: "x" };
  },
  run_assessment: () => ({ input: {}, before: null, after: { catalog_version: shippedCatalog().version } }),
  async release_enrollment(server) {
    const { ids } = await armed(server);
    await server.rest("PATCH", `/contacts/${ids.contact_id}`, { body: { first_name: "Augusta" } });
    const { data } = (await enroll(server, ids)).body;
    const before = { held_reason: "contact_changed" };
    return { input: { enrollment_id: data.id }, before, after: { held_reason: null } };
  },
  async settle_send(server) {
    const { data } = (await enroll(server, (await armed(server)).ids)).body;
    const input = { send_id: await unknownSend(server, data), outcome: "not_sent", note: "looked" };
    return { input, before: { status: "unknown" }, after: { status: "failed", note: "looked" } };
  },
  async settle_sends(server) {
    const { data } = (await enroll(server, (await armed(server)).ids)).body;
    const record = await unknownSend(server, data);
    const input = { send_ids: [record], outcome: "not_sent", note: "looked" };
    return { input, before: { status: "unknown" }, after: { status: "failed", note: "looked" }, record };
  },
  pause_outreach: () => ({
    input: { reason: "holiday" },
    before: { paused_at: null, pause_reason: null },
    after: { pause_reason: "holiday" },
  }),
  async resume_outreach(server) {
    await server.operator("pause_outreach", { reason: "holiday" });
    return { input: {}, before: { pause_reason: "holiday" }, after: { paused_at: null, pause_reason: null } };
  },
  create_workspace: () => ({ input: { name: "new" }, before: null, after: { name: "new" } }),
  set_own_proposals: () => ({
    input: { own_proposals: "forbidden" },
    before: { own_proposals: "allowed" },
    after: { own_proposals: "forbidden" },
  }),
  set_setup_guide: (server) => ({
    input: { hidden: true },
    before: { hidden: false },
    after: { hidden: true },
    record: member(server).id,
  }),
  add_sample_contacts: () => ({ input: {}, before: null, after: { added: 10 } }),
  async remove_sample_contacts(server) {
    await server.operator("add_sample_contacts", {});
    return { input: {}, before: null, after: { removed: 10 } };
  },
  async import_text(server) {
    const { fingerprint: record } = await server.operator("preview_import", { text: "ada@b.example" });
    return { input: { text: "ada@b.example" }, before: null, after: { created: 1, rejected: 0 }, record };
  },
  set_mail_settings: () => ({
    input: { from: { address: "ops@b.example" } },
    before: { from: null, smtp: null },
    after: { from: { name: "", address: "ops@b.example", source: "console" }, password_changed: false },
  }),
  async send_test_email(server) {
    const smtp = { host: "127.0.0.1", port: await deadPort(), security: "starttls" };
    await server.operator("set_mail_settings", { smtp, from: { address: "ops@b.example" } });
    return { input: { to: "a@b.example" }, before: null, after: { to: "a@b.example", status: "failed" } };
  },
  back_up_server: () => ({ input: {}, before: null, after: { failed: null } }),
  set_plan: () => ({
    input: { contact_allowance: 5 },
    before: { name: "self_hosted", contact_allowance: null },
    after: { name: "self_hosted", contact_allowance: 5 },
  }),
  set_billing: () => ({
    input: { state: "delinquent" },
    before: { state: "active", read_only_reason: null },
    after: { state: "delinquent", ends_at: null },
  }),
  set_sending_policy: () => ({
    input: { time_zone: "Europe/Berlin" },
    before: { time_zone: "UTC", windows: [] },
    after: { time_zone: "Europe/Berlin", windows: [] },
  }),
  create_key: () => ({
    input: { name: "agent", scopes: ["contacts.read"] },
    before: null,
    after: { name: "agent", scopes: ["contacts.read"] },
  }),
  async revoke_key(server) {
    const { id } = await server.operator("create_key", { name: "agent", scopes: ["contacts.read"] });
    return { input: { key_id: id }, before: { name: "agent", revoked_at: null }, after: { name: "agent" } };
  },
  create_webhook: (_, receiver) => ({
    input: { url: receiver.url, events: [RECONNECT] },
    before: null,
    after: { url: receiver.url, events: [RECONNECT] },
  }),
  async delete_webhook(server, receiver) {
    const { id, url } = await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
    return { input: { webhook_id: id }, before: { url }, after: null };
  },
  async resend_delivery(server, receiver) {
    await server.operator("create_webhook", { url: receiver.url, events: [RECONNECT] });
    await server.operator("request_reconnect", { account_id: (await newAccount(server)).id });
    await receiver.waitFor(1);
    const sent = () => server.operator("list_deliveries", { status: "delivered" });
    await until(async () => (await sent()).length === 1);
    return {
      input: { delivery_id: (await sent())[0].id },
      before: { status: "delivered" },
      after: { status: "pending" },
    };
  },
  create_socialnet_account: () => ({
    input: { label: "Ada", profile_url: "https://socialnet.example/in/ada" },
    before: null,
    after: { label: "Ada", automation_mode: "approve_each" },
  }),
  async request_reconnect(server) {
    const { id } = await newAccount(server);
    return { input: { account_id: id }, before: null, after: { account_id: id, acknowledged_at: null } };
  },
  async update_socialnet_account(server) {
    const { id } = await newAccount(server);
    const after = { automation_mode: "automatic" };
    return { input: { account_id: id, ...after }, before: { automation_mode: "approve_each" }, after };
  },
  async plan_socialnet_action(server) {
    const agent = await agentOf(server);
    const ids = { account_id: agent.account.id, contact_id: (await agent.contact()).id };
    return {
      input: { ...ids, kind: "message", copy: "Hello." },
      before: null,
      after: { status: "planned", copy: "Hello.", move: "plan" },
    };
  },
  async edit_socialnet_action(server) {
    const { id } = await (await agentOf(server)).approved();
    const after = { status: "planned", copy: "Other.", approved_by: null };
    return { input: { action_id: id, copy: "Other." }, before: { status: "approved", copy: "Hello." }, after };
  },
  async mark_conversation(server) {
    const { id } = await newConversation(server);
    return {
      input: { contact_id: id, as: "done" },
      before: { status: "open" },
      after: { status: "done", unread: false },
    };
  },
  async snooze_conversation(server) {
    const { id } = await newConversation(server);
    const snoozed_until = "2027-01-01T00:00:00.000Z";
    const input = { contact_id: id, until: snoozed_until };
    return { input, before: { snoozed_until: null }, after: { snoozed_until } };
  },
  async assign_conversation(server) {
    const { id } = await newConversation(server);
    const assignee_id = await invited(server);
    return {
      input: { contact_id: id, member_id: assignee_id },
      before: { assignee_id: null },
      after: { assignee_id },
    };
  },
  async mark_not_interested(server) {
    const { id } = await newConversation(server);
    return { input: { contact_id: id }, before: { mark: null }, after: { mark: "not_interested", status: "done" } };
  },
  async mark_out_of_office(server) {
    const { id } = await newConversation(server);
    return { input: { contact_id: id }, before: { mark: null }, after: { mark: "out_of_office", resumed: [] } };
  },
  async answer_by_email(server) {
    const { id } = await newConversation(server);
    const input = { contact_id: id, body: "Tuesday?", delivery: "files" };
    return { input, before: null, after: { status: "approved", body: "Tuesday?", own_proposal: true } };
  },
  async answer_on_network(server) {
    // Its approval is a change of its own.
    await server.operator("set_own_proposals", { own_proposals: "forbidden" });
    const { account } = await agentOf(server);
    const { id } = await newConversation(server, { socialnet_url: "https://socialnet.example/in/ada" });
    const input = { contact_id: id, account_id: account.id, copy: "Tuesday?" };
    return { input, before: null, after: { status: "planned", copy: "Tuesday?" } };
  },
  async approve_answer(server) {
    const { id } = await newAnswer(server, (await newConversation(server)).id);
    const before = { status: "needs_review", approved_by: null };
    return { input: { answer_id: id }, before, after: { status: "approved", approved_by: "Grace" } };
  },
  async edit_answer(server) {
    const { id, subject } = await newAnswer(server, (await newConversation(server)).id);
    const body = "Other.";
    return { input: { answer_id: id, subject, body }, before: { body: "Great. Tuesday?" }, after: { body } };
  },
  async cancel_answer(server) {
    const { id } = await newAnswer(server, (await newConversation(server)).id);
    const input = { answer_id: id, note: "No." };
    return { input, before: { status: "needs_review" }, after: { status: "cancelled", note: "No." } };
  },
  async request_answer_change(server) {
    const { id } = await newAnswer(server, (await newConversation(server)).id);
    const input = { answer_id: id, note: "Shorter." };
    return { input, before: { status: "needs_review" }, after: { status: "changes_requested", note: "Shorter." } };
  },
  async request_action_change(server) {
    const { id } = await (await agentOf(server)).planned();
    const input = { action_id: id, note: "Shorter." };
    return {
      input,
      before: { status: "planned" },
      after: { status: "held", note: "Shorter.", move: "request_change" },
    };
  },
  async approve_socialnet_action(server) {
    const { id } = await (await agentOf(server)).planned();
    const before = { status: "planned", approved_by: null };
    return { input: { action_id: id }, before, after: { status: "approved", approved_by: "Grace" } };
  },
  async withdraw_socialnet_action(server) {
    const { id } = await (await agentOf(server)).approved();
    return {
      input: { action_id: id },
      before: { status: "approved" },
      after: { status: "planned", approved_by: null },
    };
  },
  async hold_socialnet_action(server) {
    const { id } = await (await agentOf(server)).approved();
    const input = { action_id: id, note: "Later." };
    return { input, before: { status: "approved", note: null }, after: { status: "held", note: "Later." } };
  },
  async release_socialnet_action(server) {
    const { id } = await (await agentOf(server)).at("held");
    return { input: { action_id: id }, before: { status: "held" }, after: { status: "approved" } };
  },
  async cancel_socialnet_action(server) {
    const { id } = await (await agentOf(server)).planned();
    return { input: { action_id: id }, before: { status: "planned" }, after: { status: "cancelled" } };
  },
  async settle_socialnet_action(server) {
    const { id } = await (await agentOf(server)).at("needs_review");
    const after = { status: "completed", outcome: "message_sent", move: "settle_sent" };
    return { input: { action_id: id, outcome: "sent" }, before: { status: "needs_review" }, after };
  },
  invite_member: () => ({ input: ADA, before: null, after: { ...ADA, approve_outbound: false } }),
  async renew_invitation(server) {
    return { input: { member_id: await invited(server) }, before: null, after: ADA };
  },
  async set_member(server) {
    const after = { role: "viewer" };
    return { input: { member_id: await invited(server), ...after }, before: { role: "rep" }, after };
  },
  async remove_member(server) {
    return { input: { member_id: await invited(server) }, before: { ...ADA, removed_at: null }, after: ADA };
  },
};

/** The contract: a key created by a sign-in is not in the audit; its revocation is. */
const MINTS = "approve_connector";
const AUDITED = (operations as readonly Operation[]).filter(
  ({ name, access, effect }) => "permission" in access && effect === "write" && name !== MINTS,
);

test("the table of changes names exactly the person operations that write", () => {
  assert.deepEqual(Object.keys(CHANGES).sort(), AUDITED.map(({ name }) => name).sort());
});

/** The fields of `shown` that `expected` names. */
const named = (expected: object, shown: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(expected).map((field) => [field, shown[field]]));

for (const { name } of AUDITED) {
  const skip = name === "back_up_server" && isPostgres && "backups of PostgreSQL are pg_dump's";
  test(`${name} adds one audit row with who did it and the state before and after`, { skip }, async (t) => {
    const clock = new FakeClock();
    const server = await startLocal(t, { signIn, clock, env: ON });
    const receiver = await Receiver.start(t);
    const as = member(server, { role: "super_admin", approveOutbound: true });
    const change = CHANGES[name];
    assert.ok(change, `${name} has no entry in the table of changes`);
    const { input, before, after, record } = await change(server, receiver);
    clock.advance(1_000);

    const earlier = await server.operator("list_audit", { limit: 100 });
    const reply = await byDoor(server, name, input, { as });
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.body;
    const rows =
      name === "create_workspace"
        ? await server.operator("list_audit", {}, data.id)
        : await server.operator("list_audit", { limit: 100 });
    const [row, ...rest] = rows;
    assert.deepEqual(rest, name === "create_workspace" ? [] : earlier);

    assert.deepEqual(
      [row.action, row.actor_kind, row.actor_id, row.at],
      [name, "member", as.id, new Date(clock.now()).toISOString()],
    );
    assert.equal(row.record_id, record ?? data.id ?? server.workspaceId);
    if (before === null) assert.equal(row.before, null);
    else assert.deepEqual(named(before, row.before), before);
    if (after === null) assert.equal(row.after, null);
    else assert.deepEqual(named(after, row.after), after);
    assert.notDeepEqual(row.before, row.after);
    for (const secret of [data.key, data.invitation_url].filter((shown) => shown !== undefined)) {
      assert.ok(!JSON.stringify(row).includes(secret), "what is shown once is in no log");
    }
  });
}

/** Operations whose repeat is a new change: saved again, or created again. */
const NEWS = [
  "confirm_meeting",
  "confirm_bant",
  "confirm_company",
  ...["create_account", "add_deal"],
  "create_sequence",
  "plan_socialnet_action",
  "answer_by_email",
  "answer_on_network",
];
const MADE = [
  ...NEWS,
  ...["approve_sequence", "create_workspace", "create_key", "create_webhook", "create_socialnet_account"],
  ...[
    "request_reconnect",
    "renew_invitation",
    "resend_delivery",
    "run_assessment",
    "back_up_server",
    "send_test_email",
  ],
  "set_setup_guide",
];

test("repeating a change adds no second row", async (t) => {
  for (const { name } of AUDITED.filter((operation) => !MADE.includes(operation.name))) {
    const server = await startLocal(t, { signIn, env: ON });
    const receiver = await Receiver.start(t);
    const as = member(server, { role: "super_admin", approveOutbound: true });
    const change = await CHANGES[name]?.(server, receiver);
    const input = change?.input;
    await byDoor(server, name, input, { as });
    const rows = await server.operator("list_audit", { limit: 100 });
    await byDoor(server, name, input, { as });
    assert.deepEqual(await server.operator("list_audit", { limit: 100 }), rows, name);
  }
});
