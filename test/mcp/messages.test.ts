import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MAX_BODY_BYTES } from "../../src/http/json.ts";
import { ERAS, META, post, type RpcReply, type Sending } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

/** Status and code of a refusal in JSON-RPC. */
function refusal({ status, body, headers }: RpcReply): [number, number] {
  assert.equal(body.jsonrpc, "2.0");
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  return [status, body.error?.code];
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

for (const era of ERAS) {
  suite(`a message of ${era}`, () => {
    test("is answered as one JSON document, without a stream and without a session", async (t) => {
      const server = await startServer(t);
      for (const [method, params] of [
        ["tools/list", {}],
        ["tools/call", { name: "list_contacts" }],
        ["tools/call", { name: "nonsense" }],
        ["nonsense", {}],
      ] as const) {
        const { headers } = await post(server, era, method, params);
        assert.match(headers.get("content-type") ?? "", /^application\/json/);
        assert.equal(headers.get("mcp-session-id"), null);
        assert.equal(headers.get("cache-control"), "no-store");
        assert.ok(headers.get("x-request-id"));
      }
    });

    test("keeps its id, of any type", async (t) => {
      const server = await startServer(t);
      for (const id of [0, -1, 7, "", "0", "a\u{1f600}"]) {
        for (const method of ["tools/list", "nonsense", "subscriptions/listen"]) {
          assert.strictEqual((await post(server, era, method, {}, { id })).body.id, id);
        }
      }
      for (const id of [1.5, true, {}, []]) {
        assert.deepEqual(refusal(await post(server, era, "tools/list", {}, { id })), [400, -32600]);
      }
    });

    test("is accepted and not answered if it has no id", async (t) => {
      const server = await startServer(t);
      for (const method of ["notifications/initialized", "notifications/cancelled", "notifications/nonsense"]) {
        const taken = await post(server, era, method, { requestId: 1 }, { id: null });
        assert.deepEqual([taken.status, taken.text, taken.headers.get("content-type")], [202, "", null]);
      }
    });

    test("cannot open a stream", async (t) => {
      const server = await startServer(t);
      const params = { notifications: { toolsListChanged: true } };
      assert.deepEqual(refusal(await post(server, era, "subscriptions/listen", params)), [404, -32601]);
    });

    test("is refused in JSON-RPC if the body can't be read", async (t) => {
      const server = await startServer(t);
      const refused = async (sending: Sending) => refusal(await post(server, era, "tools/list", {}, sending));
      for (const raw of ['{"jsonrpc":', "", "\ufeff{}x", new Uint8Array([0x22, 0xff, 0x22]), '{"id":1,"id":2}']) {
        assert.deepEqual(await refused({ raw }), [400, -32700], String(raw));
      }
      for (const raw of ["null", "5", '"text"', "{}", '{"id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":null}']) {
        assert.deepEqual(await refused({ raw }), [400, -32600], raw);
      }
      assert.deepEqual(await refused({ raw: JSON.stringify("x".repeat(MAX_BODY_BYTES)) }), [413, -32000]);
      for (const type of ["text/plain", "application/jsonx", "application/json; charset=latin1", ""]) {
        assert.deepEqual(await refused({ headers: { "content-type": type } }), [415, -32000], type);
      }
      assert.deepEqual(await refused({ headers: { "content-encoding": "gzip" } }), [415, -32000]);
    });

    test("must be single: batches are refused, whatever they contain", async (t) => {
      const server = await startServer(t);
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const modern = { ...ping, method: "tools/list", params: { _meta: META } };
      for (const batch of [[], [ping], [ping, ping], [modern], [[ping]], [1]]) {
        const raw = JSON.stringify(batch);
        assert.deepEqual(refusal(await post(server, era, "tools/list", {}, { raw })), [400, -32600], raw);
      }
    });

    test("is clearly refused if it is hostile", async (t) => {
      const server = await startServer(t);
      const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${nested(10_000)}}}`;
      assert.deepEqual(refusal(await post(server, era, "tools/call", {}, { raw: deep })), [400, -32700]);
      for (const given of [[], "text", 5, null]) {
        const call = await post(server, era, "tools/call", { name: "list_contacts", arguments: given });
        assert.deepEqual(call.body.error, { code: -32602, message: "params.arguments must be an object." });
      }
      if (era === "2025-11-25") {
        const { error } = (await post(server, era, "initialize", {})).body;
        const fields = ["protocolVersion", "capabilities", "clientInfo"];
        assert.equal(error.message, fields.map((name) => `params.${name} is required.`).join(" "));
      }
      for (const [given, told] of [
        [{ id: JSON.parse(nested(40)) }, /^id /],
        [{ id: "\ud800" }, /^id must be a UUID/],
        [{ "\udfff": 1 }, /^id is required/],
        [{ id: "\0" }, /^id must be a UUID/],
        [{ id: { toString: 1 } }, /^id /],
        [JSON.parse('{"__proto__":{"id":"x"},"constructor":1}'), /^id /],
      ] as const) {
        const call = await post(server, era, "tools/call", { name: "get_contact", arguments: given });
        assert.deepEqual([call.status, call.body.result.isError], [200, true]);
        const { code, error } = call.body.result.structuredContent;
        assert.equal(code, "id" in given && typeof given.id === "string" ? "invalid_id" : "validation_failed");
        assert.match(error, told);
      }
      for (const method of ["__proto__", "constructor", "toString"]) {
        assert.equal((await post(server, era, method)).body.error.code, -32601, method);
      }
    });
  });
}
