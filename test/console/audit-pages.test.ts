import assert from "node:assert/strict";
import { test } from "node:test";
import { asOwner } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";

test("the audit tells a change of state in words, what people wrote as they wrote it, and leads to the record", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const { id } = await server.operator("create_sequence", { name: "ada", steps: [{ type: "wait", days: 3 }] });
  await server.operator("set_sequence_status", { sequence_id: id, status: "paused" });
  const { text } = await owner.get(`/console/w/${server.workspaceId}/audit`);
  assert.ok(text.includes("<summary>Draft → Paused</summary>"));
  assert.ok(text.includes(`/sequences/${id}">ada</a>`));
});
