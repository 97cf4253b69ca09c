import assert from "node:assert/strict";
import { test } from "node:test";
import { BUDGETS } from "../../src/core/policy.ts";
import { ERAS, post } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

test("a key can make 120 requests a minute across both eras; the next one is told when to retry", async (t) => {
  const server = await startServer(t, { budgets: true });
  const ask = (i: number) => post(server, ERAS[i % 2] ?? "2025-11-25", "tools/call", { name: "list_contacts" });
  assert.equal(BUDGETS.mcp, 120);
  for (let i = 0; i < 120; i += 1) assert.equal((await ask(i)).status, 200);
  for (const i of [120, 121]) {
    const refused = await ask(i);
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/);
    assert.match(refused.headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(refused.body.error.data, { code: "rate_limited" });
    assert.deepEqual([refused.body.jsonrpc, refused.body.error.code, refused.body.id], ["2.0", -32000, null]);
  }
  assert.equal((await server.rest("GET", "/contacts")).status, 200, "REST has budgets of its own");
  assert.equal((await post(server, "2026-07-28", "tools/list", {}, { key: await server.mint() })).status, 200);
});
