import assert from "node:assert/strict";
import { test } from "node:test";
import { asMember } from "../support/http-browser.ts";
import { startServer } from "../support/server.ts";

const member = (role: string) => ({ email: `${role}@b.example`, name: role, role });

test("the server admin sees a client's problem and its fix; a workspace administrator has no such page", async (t) => {
  const server = await startServer(t);
  const operator = await asMember(server, member("super_admin"));
  const path = `/console/w/${server.workspaceId}/settings/client-connections`;
  assert.match((await operator.get(path)).text, /No connections yet/);

  const key = server.key.slice(0, -1);
  const headers = { authorization: `Bearer ${key}`, "user-agent": "<img src=x>/1" };
  await fetch(server.mcpUrl, { method: "POST", headers });
  const { status, text } = await operator.get(path);
  assert.equal(status, 200);
  assert.match(text, /&lt;img src=x>\/1/);
  assert.match(text, /Not signed in/);
  assert.match(text, /The key is truncated: expected 52 characters, got 51/);
  assert.match(text, /Copy the key into the client again/);
  assert.match(text, /127\.0\.0\.0\/24/);
  assert.ok(!text.includes(key.slice(0, 20)) && !text.includes("<img"));

  const admin = await asMember(server, member("admin"));
  assert.equal((await admin.get(path)).status, 403);
  const settings = await admin.get(`/console/w/${server.workspaceId}/settings`);
  assert.ok(!settings.text.includes("client-connections"));
  assert.match((await operator.get(`/console/w/${server.workspaceId}/settings`)).text, /client-connections/);
});
