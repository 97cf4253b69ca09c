import assert from "node:assert/strict";
import { test } from "node:test";
import { valueText } from "../../src/console/pages/access/audit-values.tsx";
import { asOwner } from "../support/http-browser.ts";
import { newConversation } from "../support/inbox.ts";
import { armed, newContact } from "../support/sequences.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const NETWORK = "https://socialnet.example/in";

test("the audit describes a change of state in words, shows user text unchanged, and links to the record", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { id } = await server.operator("create_sequence", { name: "ada", steps: [{ type: "wait", days: 3 }] });
  await server.operator("set_sequence_status", { sequence_id: id, status: "paused" });
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit`);
  assert.ok(text.includes("<summary>Draft → Paused</summary>"));
  assert.ok(text.includes(`/sequences/${id}">ada</a>`));
});

test("the audit names the contact that was changed, and says when without a hover", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { id } = await newContact(server, { first_name: "Ada", last_name: "Byron" });
  await server.operator("confirm_company", { contact_id: id, company: "Engines" });
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit`);
  assert.ok(text.includes(`/contacts/${id}">Ada Byron</a>`));
  assert.match(text, /<time [^>]*data-zoned[^>]*>\w{3} \d+, \d\d:\d\d UTC<\/time>/);
});

test("a flood of sign-ins and refusals is one line with a count, a network, and no single address", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const event = { code: "scope_denied", keyPrefix: "ros_live_abcde", memberId: null, workspaceId: server.workspaceId };
  const rows = [
    { ...event, at: 1, address: "192.0.2.1", route: "GET /deals", count: 1 },
    { ...event, at: 2, address: "192.0.2.0/24", route: "*", count: 12_345 },
  ];
  await server.running.store.recordUse(new Map(), rows);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit/sign-ins?code=scope_denied`);
  assert.match(text, /12,345 times/);
  assert.match(text, /192\.0\.2\.0\/24.*Several pages or requests/s);
  assert.equal(text.match(/ times/g)?.length, 1, "a single event has no count");
  const [flood] = await server.operator("list_auth_events", { code: "scope_denied" });
  assert.deepEqual([flood.count, flood.route], [12_345, "*"]);
});

test("the audit names people, contacts and records instead of their ids, and says what exactly was done", async (t) => {
  const { server } = await withAgent(t);
  const owner = await asOwner(server);
  const { id: member_id } = await server.operator("invite_member", { email: "l@b.example", name: "Luca", role: "rep" });
  const conversation = await newConversation(server);
  await server.operator("assign_conversation", { contact_id: conversation.id, member_id });
  for (const as of ["read", "unread", "done", "open"]) {
    await server.operator("mark_conversation", { contact_id: conversation.id, as });
  }
  const { sequence } = await armed(server);
  await server.operator("mark_checklist_item", { item_id: "OT-01", status: "done" });
  const account = await server.operator("create_socialnet_account", { label: "A", profile_url: `${NETWORK}/a` });
  const contact = await newContact(server, {
    first_name: "Aiko",
    last_name: "Mori",
    socialnet_url: `${NETWORK}/aiko-m`,
  });
  const planned = { account_id: account.id, contact_id: contact.id, kind: "message", copy: "Hello." };
  const action = await server.operator("plan_socialnet_action", planned);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit`);
  assert.match(text, /<summary>Assignee: None → Luca<\/summary>/);
  for (const done of ["as read", "as unread", "as done"])
    assert.ok(text.includes(`>Mark conversation ${done}</a>`), done);
  assert.match(text, />Open conversation again<\/a>/);
  assert.match(text, /<summary>Unread: Yes → No<\/summary>/);
  assert.ok(text.includes(`/review/action/${action.id}">Aiko Mori</a>`), "not the name in the address of the profile");
  assert.match(text, /<dt>Status set by<\/dt><dd> ?<span>A teammate<\/span>/);
  assert.match(text, /<dt>Email delivery<\/dt><dd> ?<span>(Send|Save to files)<\/span>/);
  assert.ok(text.includes(`/sequences/${sequence.id}">${sequence.name}</a>`));
  assert.ok(text.includes(`<dt>Sequence</dt><dd> <span>${sequence.name}</span>`), "of the approval");
  assert.doesNotMatch(text, /View record|Assignee ID|aiko-m<\/a>|Former teammate/);
});

test("the audit shows times, steps and codes as other pages do", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { id: contact_id } = await newContact(server);
  const body = { contact_id, title: "Engine", stage: "proposal" };
  const deal = (await server.rest("POST", "/deals", { body })).body.data;
  await server.operator("set_deal_stage", { deal_id: deal.id, stage: "closed_won" });
  await server.operator("confirm_meeting", { contact_id, held_on: "2026-11-19" });
  await server.operator("pause_outreach", { reason: "Holiday" });
  const steps = [{ type: "email", subject: "Hello", body: "First line.", delay_days: 2 }];
  await server.operator("create_sequence", { name: "ada", steps });
  await armed(server);
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit`);
  const rows = text.slice(text.indexOf("<tbody>"), text.indexOf("</tbody>"));
  const shown = rows.replaceAll(/<[^>]+>/g, " ");
  assert.match(shown, /Proposal → Closed won/);
  assert.ok(rows.includes(`/deals/${deal.id}"`), "of the deal that was moved");
  const links = [...rows.matchAll(/\/contacts\/([\w-]+)"/g)].map(([, id]) => id);
  assert.deepEqual(new Set(links), new Set([contact_id]), "of the meeting, which has no page, too");
  assert.match(shown, /1\. Email, after 2 days\nHello\nFirst line\./);
  assert.match(shown, /Activated by\s+None\s+Server admin \(/);
  assert.match(shown, /Fingerprint of the steps/, "of the approval, which doesn't list them");
  assert.match(shown, /Workspace\s+Paused at, Pause reason/);
  assert.doesNotMatch(shown, /\d{4}-\d\d-\d\dT|closed_won|Updated at|Steps hash|[[{]"/);
});

test("the audit calls a status what its record's page calls it, whatever changed the record", () => {
  const row = {
    ...{ at: "2026-11-20T12:00:00.000Z", action: "reap_leases", actor_kind: "system", actor_id: "engine" },
    ...{ record_id: "a", contact: null, before: null },
  };
  const statusIn = (fields: object, action = row.action) =>
    valueText({ ...row, action, after: { ...fields } }, "status", "needs_review", new Map());
  assert.equal(statusIn({ recipient_url: `${NETWORK}/a` }), "Unconfirmed");
  assert.equal(statusIn({ address: "a@b.example" }), "Needs review");
});
