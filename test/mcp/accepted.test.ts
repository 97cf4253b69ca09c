import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { suite, test } from "node:test";
import { requestKey } from "../../src/mcp/accepted.ts";
import { ERAS, type Era, META, post, type RpcReply, type Sending } from "../support/mcp.ts";
import { startServer, type TestServer } from "../support/server.ts";

const namesOf = ({ body }: RpcReply): string[] => body.result.tools.map(({ name }: { name: string }) => name);

for (const era of ERAS) {
  suite(era, () => {
    test("the list is answered the same each time, with the id of its request", async (t) => {
      const server = await startServer(t);
      const first = await post(server, era, "tools/list", {}, { id: 1 });
      for (const id of [2, "three", "__proto__"]) {
        const again = await post(server, era, "tools/list", {}, { id });
        assert.deepEqual([again.status, again.body.id], [200, id]);
        assert.deepEqual({ ...again.body, id: 1 }, first.body);
        assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
      }
    });

    test("a key sees the tools of its own scopes, whatever was requested before", async (t) => {
      const server = await startServer(t);
      const key = await server.mint(["contacts.read"]);
      for (let round = 0; round < 2; round++) {
        assert.ok(namesOf(await post(server, era, "tools/list")).includes("socialnet_command"));
        const own = namesOf(await post(server, era, "tools/list", {}, { key }));
        assert.ok(own.includes("get_contact") && !own.includes("socialnet_command"));
      }
    });

    test("simultaneous lists each have their own id, and the tools of their own key", async (t) => {
      const server = await startServer(t);
      const reader = await server.mint(["contacts.read"]);
      const ids = Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? `list ${at}` : at));
      const list = (id: string | number, at: number) =>
        post(server, era, "tools/list", {}, { id, ...(at % 2 === 1 && { key: reader }) });
      const [all, own] = [namesOf(await list(0, 0)), namesOf(await list(0, 1))];
      assert.ok(all.length > own.length);
      const got = await Promise.all(ids.map(list));
      assert.deepEqual(
        got.map(({ body }) => body.id),
        ids,
      );
      for (const [at, listed] of got.entries()) assert.deepEqual(namesOf(listed), at % 2 === 1 ? own : all);
    });

    test("a list is refused as before, once an equal one was answered", async (t) => {
      const server = await startServer(t);
      await post(server, era, "tools/list");
      for (const [what, { params, ...options }] of Object.entries(LISTS)) {
        const again = await ask(server, era, params, options, {}, "tools/list");
        const own = await ask(server, era, params, options, { "mcp-x-unseen": what }, "tools/list");
        assert.deepEqual(again, own, what);
      }
    });

    test("a revoked key is refused after a similar valid one was accepted", async (t) => {
      const server = await startServer(t);
      const { key, id } = await server.operator("create_key", { name: "short", scopes: ["contacts.read"] });
      const both = async () => [
        (await post(server, era, "tools/list", {}, { key })).status,
        (await post(server, era, "tools/call", { name: "list_contacts" }, { key })).status,
      ];
      assert.deepEqual(await both(), [200, 200]);
      assert.deepEqual(await both(), [200, 200]);
      await server.operator("revoke_key", { key_id: id });
      assert.deepEqual(await both(), [401, 401]);
    });

    test("simultaneous calls with the same id each get their own answer", async (t) => {
      const server = await startServer(t);
      const emails = Array.from({ length: 12 }, (_, at) => `c${at}@example.com`);
      const ids: string[] = [];
      for (const email of emails) {
        const { body } = await server.rest("POST", "/contacts", { body: { email } });
        ids.push((body.data as { id: string }).id);
      }
      const get = (id = "") => post(server, era, "tools/call", call("get_contact", { id }), { id: 7 });
      await get(ids[0]);
      const got = await Promise.all(ids.map(get));
      assert.deepEqual(got.map(emailOf), emails);
      const reader = await server.mint(["contacts.read"]);
      const denied = await Promise.all([
        post(server, era, "tools/call", call("list_contacts", {}), { key: reader, id: 7 }),
        post(server, era, "tools/call", call("socialnet_command", {}), { key: reader, id: 7 }),
      ]);
      assert.deepEqual(
        denied.map(({ body }) => [body.id, body.result.isError === true]),
        [
          [7, false],
          [7, true],
        ],
      );
    });

    test("a request gets the same answer, whether or not the server has answered an equal one", async (t) => {
      const server = await startServer(t);
      for (const name of ["list_contacts", "no_such_tool", "get_contact"]) {
        await post(server, era, "tools/call", call(name, {}));
      }
      for (const [what, { params, ...options }] of Object.entries(REQUESTS)) {
        const again = await ask(server, era, params, options);
        const own = await ask(server, era, params, options, { "mcp-x-unseen": what });
        assert.deepEqual(again, own, what);
      }
    });
  });
}

const call = (name: unknown, args?: unknown) => ({ name, arguments: args });

const emailOf = ({ body }: RpcReply) => body.result.structuredContent.data.email;

interface Asked extends Sending {
  params: Record<string, unknown>;
}

const REQUESTS: Record<string, Asked> = {
  plain: { params: call("list_contacts", {}) },
  "without arguments": { params: { name: "list_contacts" } },
  "arguments that are no object": { params: call("list_contacts", []) },
  "arguments that are null": { params: call("list_contacts", null) },
  "an argument named __proto__": { params: call("list_contacts", JSON.parse('{"__proto__":{"limit":3}}')) },
  "full detail": { params: call("list_contacts", { detail: "full" }) },
  "unknown argument": { params: call("list_contacts", { limt: 3 }) },
  "fault in an argument": { params: call("get_contact", { id: "nobody" }) },
  "unknown tool": { params: call("no_such_tool", {}) },
  "no name": { params: { arguments: {} } },
  "name that is no text": { params: call(7, {}), headers: { "mcp-name": "7" } },
  "another name in the header": { params: call("list_contacts", {}), headers: { "mcp-name": "get_contact" } },
  "another method in the header": { params: call("list_contacts", {}), headers: { "mcp-method": "tools/list" } },
  "another version in the header": {
    params: call("list_contacts", {}),
    headers: { "mcp-protocol-version": "2024-01-01" },
  },
  "accepts nothing known": { params: call("list_contacts", {}), headers: { accept: "text/html" } },
  "no id": { params: call("list_contacts", {}), id: undefined },
  "id null": { params: call("list_contacts", {}), id: null },
  "id of half": { params: call("list_contacts", {}), id: 1.5 },
  "id of an object": { params: call("list_contacts", {}), id: {} },
  "id of text": { params: call("list_contacts", {}), id: "a" },
  "progress token": { params: { ...call("list_contacts", {}), _meta: { ...META, progressToken: "p" } } },
  "progress token of an object": { params: { ...call("list_contacts", {}), _meta: { ...META, progressToken: {} } } },
  "a vendor's field": { params: { ...call("list_contacts", {}), _meta: { ...META, "example.com/use": 1 } } },
  "metadata that is null": { params: { ...call("list_contacts", {}), _meta: null } },
  "metadata that is a list": { params: { ...call("list_contacts", {}), _meta: [] } },
  "metadata as a list of its members": { params: { ...call("list_contacts", {}), _meta: Object.entries(META) } },
  "a client without a name": {
    params: { ...call("list_contacts", {}), _meta: { ...META, "io.modelcontextprotocol/clientInfo": {} } },
  },
  "a task": { params: { ...call("list_contacts", {}), task: {} } },
  "a state of before": { params: { ...call("list_contacts", {}), requestState: 7 } },
  "a field nobody knows": { params: { ...call("list_contacts", {}), more: true } },
};

const LISTS: Record<string, Asked> = {
  plain: { params: {} },
  "a cursor": { params: { cursor: "next" } },
  "a cursor that is no text": { params: { cursor: 7 } },
  "another method in the header": { params: {}, headers: { "mcp-method": "tools/call" } },
  "another version in the header": { params: {}, headers: { "mcp-protocol-version": "2024-01-01" } },
  "accepts nothing known": { params: {}, headers: { accept: "text/html" } },
  "no id": { params: {}, id: undefined },
  "id null": { params: {}, id: null },
  "metadata that is a list": { params: { _meta: [] } },
  "a client without a name": { params: { _meta: { ...META, "io.modelcontextprotocol/clientInfo": {} } } },
};

test("requests have the same key only if they differ in nothing that the SDK reads", () => {
  const base = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: { x: 1 }, _meta: {} } };
  const sent = { accept: "application/json", host: "a.example", authorization: "Bearer a" };
  const keyOf = (body: unknown, headers = {}) =>
    requestKey({ headers: { ...sent, ...headers } } as IncomingMessage, body);
  const told = (more: object, params: object = {}) => ({ ...base, ...more, params: { ...base.params, ...params } });
  const known = keyOf(base);
  assert.ok(known);
  const equal = [
    told({ id: "two" }),
    told({}, { arguments: {} }),
    told({}, { _meta: { "example.com/x": 1, progressToken: 7, traceparent: "a" } }),
  ];
  for (const body of equal) assert.equal(keyOf(body), known, JSON.stringify(body));
  assert.equal(keyOf(base, { authorization: "Bearer b", "user-agent": "c" }), known);
  const others: [body: unknown, headers?: object][] = [
    [told({ method: "tools/list" })],
    [told({ x: "y" })],
    [told({}, { x: "y" })],
    [told({}, { _meta: { x: "y" } })],
    [{ ...told({ name: "a" }), params: {} }],
    [{ ...base, params: { _meta: { name: "a" } } }],
    [told({}, { name: "a\naccept: application/json" })],
    [base, { accept: "text/html" }],
    [base, { "mcp-name": "a" }],
    [base, { "mcp-name": "a", "mcp-method": "b" }],
    [base, { "mcp-name": "a, mcp-method: b" }],
  ];
  const keys = others.map(([body, headers]) => keyOf(body, headers));
  assert.ok(!keys.includes(undefined));
  assert.equal(new Set([known, ...keys]).size, others.length + 1);
  for (const body of [told({ x: 1 }), told({}, { x: 1 }), told({ id: null })]) assert.equal(keyOf(body), undefined);
});

/** Status and message of the answer, without values that differ per request. */
async function ask(
  server: TestServer,
  era: Era,
  params: Record<string, unknown>,
  options: Omit<Asked, "params">,
  more = {},
  method = "tools/call",
) {
  const { headers, ...rest } = options;
  const { status, body } = await post(server, era, method, params, { ...rest, headers: { ...headers, ...more } });
  return { status, body: JSON.stringify(body)?.replace(/req_[\w-]+|[0-9a-f-]{36}/g, "id") };
}
