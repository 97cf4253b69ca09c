import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { META, post } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Tools, and events under both names that clients look for. */
const ALL = { tools: {}, resources: {}, prompts: {}, events: {}, extensions: { "io.modelcontextprotocol/events": {} } };

suite("2026-07-28", () => {
  test("needs no earlier message: each message is complete", async (t) => {
    const server = await startServer(t);
    const { body } = await post(server, "2026-07-28", "server/discover");
    assert.deepEqual(body.result.supportedVersions, ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS]);
    assert.deepEqual(body.result.capabilities, ALL);
    assert.equal(body.result._meta["io.modelcontextprotocol/serverInfo"].name, "rostrum");
    const list = await post(server, "2026-07-28", "tools/list");
    assert.deepEqual([list.body.result.resultType, list.body.result.cacheScope], ["complete", "private"]);
  });

  test("requires headers that match the body", async (t) => {
    const server = await startServer(t);
    for (const headers of [
      { "mcp-protocol-version": undefined },
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-method": undefined },
      { "mcp-method": "tools/list" },
      { "mcp-method": "TOOLS/CALL" },
      { "mcp-name": undefined },
      { "mcp-name": "get_contact" },
    ]) {
      const refused = await post(server, "2026-07-28", "tools/call", { name: "list_contacts" }, { headers, id: 7 });
      assert.deepEqual([refused.status, refused.body.error.code], [400, HEADER_MISMATCH], JSON.stringify(headers));
      assert.equal(refused.body.id, 7);
    }
  });

  test("requires version and capabilities with each request", async (t) => {
    const server = await startServer(t);
    for (const _meta of [undefined, { ...META, [VERSION]: undefined }, { ...META, [CAPABILITIES]: undefined }]) {
      const refused = await post(server, "2026-07-28", "tools/list", { _meta });
      assert.deepEqual([refused.status, refused.body.error.code], [400, -32602]);
    }
  });

  test("does not accept an unknown version", async (t) => {
    const server = await startServer(t);
    const _meta = { ...META, [VERSION]: "2099-01-01" };
    const headers = { "mcp-protocol-version": "2099-01-01" };
    const { status, body } = await post(server, "2026-07-28", "tools/list", { _meta }, { headers });
    assert.deepEqual([status, body.error.code], [400, UNSUPPORTED_VERSION]);
    assert.deepEqual(body.error.data, { supported: ["2026-07-28"], requested: "2099-01-01" });
  });

  test("does not answer a notification, whatever its method", async (t) => {
    const server = await startServer(t);
    for (const method of ["server/discover", "tools/list"]) {
      const { status, text } = await post(server, "2026-07-28", method, {}, { id: null });
      assert.deepEqual([status, text], [202, ""], method);
    }
  });

  test("has no handshake and no ping", async (t) => {
    const server = await startServer(t);
    for (const method of ["initialize", "ping", "logging/setLevel"]) {
      const { status, body } = await post(server, "2026-07-28", method);
      assert.deepEqual([status, body.error.code], [404, -32601], method);
    }
  });
});

suite("2025-11-25 and older", () => {
  const handshake = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo: META });

  test("negotiate the client's version, or the newest", async (t) => {
    const server = await startServer(t);
    for (const [asked, agreed] of [
      ["2025-11-25", "2025-11-25"],
      ["2025-06-18", "2025-06-18"],
      ["2025-03-26", "2025-03-26"],
      ["2024-11-05", "2024-11-05"],
      ["2099-01-01", "2025-11-25"],
    ] as const) {
      const clientInfo = { name: "test", version: "1" };
      const { body } = await post(server, "2025-11-25", "initialize", { ...handshake(asked), clientInfo });
      assert.equal(body.result.protocolVersion, agreed);
      assert.equal(body.result.serverInfo.name, "rostrum");
      assert.deepEqual(body.result.capabilities, ALL);
      assert.match(body.result.instructions, /people decide/);
    }
  });

  test("need no handshake: every message is independent", async (t) => {
    const server = await startServer(t);
    const bare = { "mcp-protocol-version": undefined };
    assert.equal((await post(server, "2025-11-25", "tools/list", {}, { headers: bare })).status, 200);
    assert.deepEqual((await post(server, "2025-11-25", "ping")).body.result, {});
  });

  test("are refused under an unknown version", async (t) => {
    const server = await startServer(t);
    const headers = { "mcp-protocol-version": "1999-01-01" };
    assert.equal((await post(server, "2025-11-25", "tools/list", {}, { headers })).status, 400);
  });

  test("require a client that accepts both response types", async (t) => {
    const server = await startServer(t);
    for (const accept of [undefined, "application/json", "text/event-stream", "text/html"]) {
      const refused = await post(server, "2025-11-25", "tools/list", {}, { headers: { accept } });
      assert.deepEqual([refused.status, refused.body.error.code], [406, -32000], accept);
    }
  });
});
