import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchemaType, Tool } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { z } from "zod";
import { type AgentOperation, agentOperation, type Operation, READ_ONLY } from "../../src/core/operation.ts";
import { acceptedOutputKinds, canRecordEvidence } from "../../src/domain/checklist/item.ts";
import { createToolbox } from "../../src/mcp/server.ts";
import { shippedCatalog } from "../../src/services/checklist/catalog-file.ts";
import { operations } from "../../src/tools/index.ts";
import { ERAS, keyWithoutScopes, post } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";
import { matchesEvents, matchesTools } from "../support/snapshot.ts";
import { SENDER, type Underway, withAgent } from "../support/socialnet.ts";

test("tools/list matches its snapshots (UPDATE_SNAPSHOTS=1 rewrites them)", async (t) => {
  const server = await startServer(t);
  const { body } = await post(server, "2026-07-28", "tools/list");
  matchesTools(body.result.tools);
  const older = await post(server, "2025-11-25", "tools/list");
  assert.deepEqual(older.body.result.tools, body.result.tools, "both eras list the same");
});

test("events/list matches its snapshots", async (t) => {
  const server = await startServer(t);
  const { body } = await post(server, "2026-07-28", "events/list");
  matchesEvents(body.result.events);
});

test("a list has exactly the tools of the key's scopes", async (t) => {
  const server = await startServer(t);
  for (const scopes of [["contacts.read"], ["contacts.write", "socialnet.execute"]]) {
    const key = await server.mint(scopes);
    const allowed = operations.filter(
      ({ tool, access }) => tool && "scope" in access && scopes.includes(access.scope ?? ""),
    );
    for (const era of ERAS) {
      const { body } = await post(server, era, "tools/list", {}, { key });
      assert.deepEqual(
        new Set(body.result.tools.map(({ name }: Tool) => name)),
        new Set(allowed.map(({ name }) => name)),
      );
    }
  }
  const none = await post(server, "2026-07-28", "tools/list", {}, { key: await keyWithoutScopes(server) });
  assert.deepEqual(none.body.result.tools, []);
});

test("read tools come first, and an unknown tool is not found", () => {
  const operation = (name: string, effect: Operation["effect"], tool: AgentOperation["tool"]) =>
    agentOperation({
      name,
      effect,
      tool,
      area: "contacts",
      title: name,
      description: name,
      access: { scope: "contacts.read" },
      budget: "none",
      idempotent: false,
      gates: [],
      errors: [],
      input: z.object({}),
      output: z.object({}),
      handler: async () => ({ data: {} }),
    });
  const tool = { annotations: READ_ONLY };
  const toolbox = createToolbox([
    operation("write", "write", tool),
    operation("hidden", "read", false),
    operation("read", "read", tool),
    operation("other", "write", tool),
    operation("view", "read", tool),
  ]);
  const operator = { kind: "local_operator", id: "", name: "", workspaceId: "" } as const;
  assert.deepEqual(
    toolbox.listFor(operator).tools.map(({ name }) => name),
    ["read", "view", "write", "other"],
  );
  assert.equal(toolbox.find("hidden"), undefined);
});

test("a tool's hints agree with what its operation does", () => {
  for (const { name, tool, effect } of operations) {
    if (tool) assert.equal(tool.annotations.readOnlyHint, effect === "read", name);
  }
});

test("CRM writes and member operations are never tools", () => {
  const offered = operations.filter(({ tool }) => tool);
  for (const { name, access, effect } of offered) {
    assert.ok("scope" in access, name);
    const writable = ["social_checklist.submit", "social_checklist.record", "socialnet.execute"];
    assert.ok(effect === "read" || writable.includes(access.scope ?? ""), name);
  }
});

/**
 * The keys of an answer, down to this depth, that its schema doesn't declare. A list's keys are those of its entries.
 */
function undeclared(value: unknown, schema: any, levels: number): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => undeclared(entry, schema.items ?? {}, levels));
  if (levels === 0 || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    schema.properties?.[name] === undefined
      ? [name]
      : undeclared(inner, schema.properties[name], levels - 1).map((below) => `${name}.${below}`),
  );
}

test("every tool's answer fits its output schema, refusals too, and its schemas are objects", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const [planned, approved] = [await agent.planned(), await agent.approved()];
  const [claimed, started] = [await agent.claimed(), await agent.started()];
  const token = ({ id: actionId, leaseToken }: Underway) => ({ actionId, leaseToken });
  const report = { runId: planned.id, startedAt: "2026-11-20T08:00:00Z", finishedAt: "2026-11-20T08:00:00Z" };
  const seen = { profileUrl: planned.contact.socialnet_url, observedAt: "2026-11-20T08:00:00Z", externalKey: "k" };
  const cohort = { windowStartedAt: "2026-11-01T00:00:00Z", windowEndedAt: "2026-11-08T00:00:00Z" };
  const counts = { invitationsSent: 1, invitationsAccepted: 0, invitationsWithdrawn: null, warnings: null };
  const body = { email: "ada@lovelace.example", first_name: "Ada" };
  const { id } = (await server.rest("POST", "/contacts", { body })).body.data;
  await server.rest("POST", `/contacts/${id}/tags`, { body: { tag: "vip" } });
  const account = await server.operator("create_account", { name: "Acme" });
  await server.rest("PATCH", `/contacts/${id}`, { body: { account_id: account.id } });
  const deal = await server.operator("create_deal", { contact_id: id, title: "Engine" });
  await server.operator("confirm_meeting", { contact_id: id, held_on: "2026-01-02" });
  await server.operator("add_suppression", { contact_id: id });
  const { items } = shippedCatalog();
  const outputs = items.flatMap((item) =>
    acceptedOutputKinds(item).map((output_kind) => {
      return { id: item.id, output_kind, body: "x", ...(output_kind === "document" ? { title: "t" } : {}) };
    }),
  );
  const observed = items.filter(canRecordEvidence).map((item) => item.id);
  const calls: Record<string, Record<string, unknown>[]> = {
    list_contacts: [{}, { limit: 1, offset: 1, detail: "full" }],
    get_contact: [{ id }, { id: "nonsense" }, { id: server.workspaceId }],
    list_sequences: [{}, { limit: 1, offset: 1, detail: "full" }],
    list_checklist_items: [{}, { kind: "ongoing", limit: 100, detail: "full" }, { status: "none" }],
    list_due_checklist_items: [{ limit: 100 }, { limit: 100, detail: "full" }, { stranger: 1 }],
    get_checklist_item_context: [{ id: "OT-01" }, { id: "OT-99" }, {}],
    submit_checklist_output: outputs,
    record_checklist_evidence: [
      ...observed.map((id) => ({ id, status: "done", evidence: "It hangs there." })),
      { id: "OT-99", status: "done", evidence: "x" },
    ],
    brain_contact: [{ id }, { email: body.email }, {}, { id: server.workspaceId }],
    brain_account: [{ id: account.id }, { name: "Nobody" }],
    brain_opportunity: [{ id: deal.id }, { id: "nonsense" }, { id: server.workspaceId }],
    list_socialnet_actions: [{}, { detail: "full" }, { status: "approved", offset: 0 }, { status: "nonsense" }],
    socialnet_command: [
      { command: "setup" },
      { command: "brief" },
      { command: "heartbeat", session: "ready", profileUrl: SENDER },
      { command: "heartbeat", session: "ready", profileUrl: "https://socialnet.example/in/other" },
      {
        command: "health_observation",
        observation: {
          observationId: planned.id,
          profileUrl: SENDER,
          observedAt: "2026-11-20T08:00:00Z",
          evidence: "Seen.",
          ...cohort,
          ...counts,
          accountAgeDays: 3,
        },
      },
      { command: "connection_accepted", profileUrl: seen.profileUrl },
      { command: "schedule_report", schedules: [], checkInMinutes: 60 },
      { command: "run_report", ...report, status: "ok", claimed: 0, completed: 0, failed: 0, synced: 0 },
      { command: "sync", observations: [{ kind: "reply", ...seen }] },
      { command: "reconnect_ack" },
      { command: "claim", actionId: approved.id },
      { command: "claim", actionId: claimed.id },
      { command: "claim", actionId: server.workspaceId },
      { command: "start", ...token(claimed) },
      { command: "result", ...token(started), outcome: "message_sent", evidence: "Seen." },
      { command: "result" },
    ],
  };
  const { tools } = (await post(server, "2026-07-28", "tools/list")).body.result as { tools: Tool[] };
  const ajv = new AjvJsonSchemaValidator();
  for (const { name, inputSchema, outputSchema = {} } of tools) {
    assert.deepEqual([inputSchema.type, outputSchema.type, outputSchema.required], ["object", "object", ["error"]]);
    const fits = ajv.getValidator(outputSchema as JsonSchemaType);
    assert.ok(calls[name], `${name} is not called here yet`);
    for (const given of calls[name]) {
      const { body } = await post(
        ...([server, "2026-07-28", "tools/call", { name, arguments: given }, { key: agent.key }] as const),
      );
      const { result } = body;
      assert.ok(result, `${name}: ${JSON.stringify(body)}`);
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      assert.equal(fits(result.structuredContent).errorMessage, undefined, name);
      assert.deepEqual(undeclared(result.structuredContent, outputSchema, 3), [], name);
    }
  }
});
