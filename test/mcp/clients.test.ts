import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CLIENTS, connect, keyWithoutScopes, type ToolResult } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";

/** The envelope of a result, which is there twice: as structured content and as text. */
function envelopeOf(result: ToolResult) {
  assert.deepEqual(
    result.content.map(({ type }) => type),
    ["text"],
  );
  assert.deepEqual(JSON.parse(result.content[0]?.text ?? ""), result.structuredContent);
  assert.ok(result.structuredContent);
  return result.structuredContent;
}

for (const client of CLIENTS) {
  suite(client.label, () => {
    test("negotiates the newest version that it supports, and lists the tools", async (t) => {
      const server = await startServer(t);
      const { agent, version } = await client.connect(server.mcpUrl, server.key);
      t.after(() => agent.close());
      assert.equal(version, client.era);
      const { tools } = await agent.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          ...["list_contacts", "get_contact", "list_sequences"],
          ...["list_checklist_items", "list_due_checklist_items", "get_checklist_item_context"],
          ...["list_socialnet_actions", "brain_contact", "brain_account", "brain_opportunity"],
          ...["submit_checklist_output", "record_checklist_evidence", "socialnet_command"],
        ],
      );
    });

    test("reads what REST reads", async (t) => {
      const server = await startServer(t);
      const created = await server.rest("POST", "/contacts", { body: { email: "ada@lovelace.example" } });
      const { id } = created.body.data;
      const agent = await connect(t, client, server);
      await agent.listTools();
      const got = await agent.callTool({ name: "get_contact", arguments: { id } });
      assert.deepEqual(envelopeOf(got), (await server.rest("GET", `/contacts/${id}`)).body);
      const list = await agent.callTool({ name: "list_contacts", arguments: { limit: 1, detail: "full" } });
      assert.deepEqual(envelopeOf(list), (await server.rest("GET", "/contacts?limit=1")).body);
      assert.ok(!got.isError && !list.isError);
      const bare = await agent.callTool({ name: "list_contacts" });
      assert.equal(envelopeOf(bare).meta.total, 1);
    });

    test("receives a refusal as a result, the same that REST answers", async (t) => {
      const server = await startServer(t);
      const agent = await connect(t, client, server);
      await agent.listTools();
      for (const [id, code] of [
        [UNKNOWN, "contact_not_found"],
        ["nonsense", "invalid_id"],
      ] as const) {
        const refused = await agent.callTool({ name: "get_contact", arguments: { id } });
        assert.equal(refused.isError, true);
        assert.equal(envelopeOf(refused).code, code);
        assert.deepEqual(envelopeOf(refused), (await server.rest("GET", `/contacts/${id}`)).body);
      }
      const incomplete = await agent.callTool({ name: "get_contact", arguments: {} });
      assert.equal(incomplete.isError, true);
      assert.equal(envelopeOf(incomplete).code, "validation_failed");
    });

    test("gets -32602 for an unknown tool, even if it is a REST operation", async (t) => {
      const agent = await connect(t, client, await startServer(t));
      for (const name of ["nonsense", "create_contact", "create_key", "__proto__", "constructor", "toString", ""]) {
        await assert.rejects(agent.callTool({ name, arguments: {} }), { code: -32602 }, name);
      }
    });

    test("neither sees nor can call a tool whose scope the key lacks", async (t) => {
      const server = await startServer(t);
      const agent = await connect(t, client, server, await server.mint(["contacts.write"]));
      assert.deepEqual((await agent.listTools()).tools, []);
      const refused = await agent.callTool({ name: "list_contacts" });
      assert.equal(refused.isError, true);
      assert.equal(envelopeOf(refused).code, "insufficient_scope");
      assert.match(envelopeOf(refused).error ?? "", /contacts\.read/);
    });

    test("connects with a key without scopes, and sees no tools", async (t) => {
      const server = await startServer(t);
      const agent = await connect(t, client, server, await keyWithoutScopes(server));
      assert.deepEqual((await agent.listTools()).tools, []);
    });

    test("never sees another workspace's records", async (t) => {
      const server = await startServer(t);
      const created = await server.rest("POST", "/contacts", { body: { first_name: "Ada" } });
      const { key } = await server.neighbour();
      const agent = await connect(t, client, server, key);
      const got = await agent.callTool({ name: "get_contact", arguments: { id: created.body.data.id } });
      assert.equal(envelopeOf(got).code, "contact_not_found");
      assert.deepEqual(envelopeOf(await agent.callTool({ name: "list_contacts" })).data, []);
    });

    test("is refused at its next call when the key is revoked", async (t) => {
      const server = await startServer(t);
      const { id, key } = await server.operator("create_key", { name: "short", scopes: ["contacts.read"] });
      const agent = await connect(t, client, server, key);
      await agent.callTool({ name: "list_contacts" });
      await server.operator("revoke_key", { key_id: id });
      await assert.rejects(agent.callTool({ name: "list_contacts" }), /revoked/);
    });
  });
}
