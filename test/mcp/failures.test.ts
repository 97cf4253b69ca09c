import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { request } from "node:http";
import { suite, test } from "node:test";
import { isPostgres } from "../support/engine-under-test.ts";
import { ERAS, META, post } from "../support/mcp.ts";
import { startServer, type TestServer } from "../support/server.ts";

const SECRET = "near /srv/secret/rostrum.db";
const broken = () => {
  throw new Error(SECRET);
};
const gone = () => {
  throw Object.assign(new Error(SECRET), { code: isPostgres ? "58030" : "SQLITE_IOERR" });
};

for (const era of ERAS) {
  suite(era, () => {
    const call = (server: TestServer) => post(server, era, "tools/call", { name: "list_contacts" });

    test("an unexpected error shows only its correlation id", async (t) => {
      const server = await startServer(t);
      t.mock.method(server.running.store, "read", broken);
      const { status, body, text } = await call(server);
      const told = body.result.structuredContent;
      assert.deepEqual([status, body.result.isError, told.code], [200, true, "internal_error"]);
      assert.match(told.correlationId, /^[0-9a-f-]{36}$/);
      assert.ok(!text.includes(SECRET));
    });

    test("an unavailable database asks the client to retry, and does not reject the key", async (t) => {
      const server = await startServer(t);
      t.mock.method(server.running.store, "read", gone);
      const { body } = await call(server);
      assert.deepEqual([body.result.isError, body.result.structuredContent.code], [true, "db_unavailable"]);
      t.mock.method(server.running.store, "findKey", gone);
      const refused = await call(server);
      assert.deepEqual([refused.status, refused.body.error.code], [503, -32000]);
      assert.deepEqual(refused.body.error.data, { code: "db_unavailable" });
      assert.ok(!refused.text.includes(SECRET));
    });

    test("also outside any tool", async (t) => {
      const server = await startServer(t);
      t.mock.method(server.running.store, "findKey", broken);
      const { status, body, text } = await call(server);
      assert.deepEqual([status, body.error.code, body.error.data.code], [500, -32603, "internal_error"]);
      assert.match(body.error.data.correlationId, /^[0-9a-f-]{36}$/);
      assert.ok(!text.includes(SECRET));
    });

    test("a client that disconnects during its call affects no other", async (t) => {
      const server = await startServer(t);
      const { store } = server.running;
      const gate = new EventEmitter();
      const asked = once(gate, "asked");
      const slow = t.mock.method(store, "read", (workspaceId: string) => {
        slow.mock.restore();
        const bound = store.read(workspaceId);
        const list: typeof bound.contacts.list = async (page) => {
          const left = once(gate, "left");
          gate.emit("asked");
          await left;
          return store.read(workspaceId).contacts.list(page);
        };
        return { ...bound, contacts: { list } as typeof bound.contacts };
      });
      const params = { name: "list_contacts", ...(era === "2026-07-28" ? { _meta: META } : {}) };
      const leaving = request(server.mcpUrl, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.key}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": era,
          "mcp-method": "tools/call",
          "mcp-name": "list_contacts",
        },
      });
      leaving.on("error", () => undefined).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
      await asked;
      await new Promise((resolve) => leaving.on("close", resolve).destroy());
      gate.emit("left");
      assert.equal((await call(server)).body.result.structuredContent.error, null);
    });
  });
}

test("a client that disconnects during its message affects no other", async (t) => {
  const server = await startServer(t);
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json", "content-length": 99 };
  await new Promise<void>((resolve) => {
    const leaving = request(server.mcpUrl, { method: "POST", headers });
    leaving.on("error", () => undefined).on("close", resolve);
    leaving.write('{"jsonrpc":', () => leaving.destroy());
  });
  assert.equal((await post(server, "2025-11-25", "ping")).status, 200);
});
