import assert from "node:assert/strict";
import { test } from "node:test";
import { fillDemo } from "../../src/cli/demo/fill.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { engineEnv, openStoreOf } from "../support/engine-under-test.ts";
import { Browser, freshSetupLink } from "../support/http-browser.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

test("the demo has replies in every state, the first thing on Today, and nothing in it contradicts itself", async (t) => {
  const folder = temporaryFolder(t);
  await (await openStoreOf(folder)).close();
  await fillDemo(readConfig({ data: folder }, engineEnv(folder)), createLog("silent"));
  const server = await startServer(t, { folder, env: { ROSTRUM_WORKERS: "off" } });
  const views: Record<string, any[]> = {};
  for (const view of ["open", "snoozed", "done"]) views[view] = await server.operator("list_conversations", { view });
  const { open = [], snoozed = [], done = [] } = views;
  const [unread, read] = [open.filter((row) => row.unread), open.filter((row) => !row.unread)];
  assert.deepEqual(unread.map(({ last_reply, assignee }) => `${last_reply.type} ${assignee}`).sort(), [
    "email_reply null",
    "socialnet_reply null",
  ]);
  assert.deepEqual(
    read.map(({ assignee }) => assignee?.name),
    ["Luca Ferri"],
  );
  assert.equal(snoozed.length, 1);
  assert.deepEqual(done.map(({ last_reply }) => last_reply.type).sort(), ["email_reply", "socialnet_reply"]);

  const owner = new Browser(server);
  await owner.post(await freshSetupLink(server, true), { as: "demo" });
  const { text } = await owner.get(`/console/w/${server.workspaceId}`);
  const [, first = ""] = /Needs attention.*?<li[^>]*><a [^>]*>(.*?)<\/a>/s.exec(text) ?? [];
  assert.match(first, /replied: “/);

  const keys: any[] = await server.operator("list_keys", {});
  const acted = new Set((await server.operator("list_agent_work", { limit: 100 })).map(({ key }: any) => key.id));
  assert.ok(acted.size >= 3, "several agents act in the story");
  for (const { id, name, last_used_at } of keys) assert.equal(last_used_at !== null, acted.has(id), name);

  // Who proposed and who approved, of sequences and of actions.
  const audit: any[] = [];
  for (const action of ["create_sequence", "approve_sequence", "plan_socialnet_action", "approve_socialnet_action"])
    audit.push(...(await server.operator("list_audit", { action, limit: 100 })));
  const actors = (name: string) => new Set(audit.filter(({ action }) => action === name).map((row) => row.actor_id));
  for (const [proposes, approves] of [
    ["create_sequence", "approve_sequence"],
    ["plan_socialnet_action", "approve_socialnet_action"],
  ] as const) {
    const [by, approvedBy] = [actors(proposes), actors(approves)];
    assert.ok(by.size > 0 && approvedBy.size > 0, proposes);
    assert.deepEqual(
      [...by].filter((id) => approvedBy.has(id)),
      [],
      `${proposes} and ${approves} by one person`,
    );
  }
});
