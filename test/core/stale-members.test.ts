import assert from "node:assert/strict";
import { test } from "node:test";
import { actorOf } from "../support/console.ts";
import { callAs } from "../support/member.ts";
import { startServer } from "../support/server.ts";
import { withAgent } from "../support/socialnet.ts";

const REP = { email: "rep@rostrum.example", name: "Rep", role: "rep", approve_outbound: true };

test("a call authorized before its member was demoted or removed writes nothing", async (t) => {
  const agent = await withAgent(t);
  const { server } = agent;
  const action = await agent.planned();
  const rep = await server.operator("invite_member", REP);
  const before = actorOf(server, rep);
  const approve = () => callAs(server, before, "approve_socialnet_action", { action_id: action.id });

  await server.operator("set_member", { member_id: rep.id, approve_outbound: false });
  const demoted = await approve();
  assert.deepEqual([demoted.status, demoted.body.code], [403, "insufficient_scope"]);
  assert.match(demoted.body.error ?? "", /needs the permission approve_outbound/);

  // The permission that this operation needs is checked, but handlers read the others too.
  await server.operator("set_member", { member_id: rep.id, approve_outbound: true, role: "viewer" });
  const changed = await approve();
  assert.deepEqual([changed.status, changed.body.code], [403, "insufficient_scope"]);
  assert.match(changed.body.error ?? "", /Your permissions changed/);

  await server.operator("remove_member", { member_id: rep.id });
  const removed = await approve();
  assert.deepEqual([removed.status, removed.body.code], [401, "not_signed_in"]);
  assert.equal((await agent.look(action)).status, "planned");
});

test("a member demoted in their own workspace can't create a new one", async (t) => {
  const server = await startServer(t);
  const chief = await server.operator("invite_member", { ...REP, role: "super_admin" });
  const create = () => callAs(server, actorOf(server, chief), "create_workspace", { name: "Second" });
  assert.equal((await create()).status, 200);
  await server.operator("invite_member", { email: "other@rostrum.example", name: "Other", role: "super_admin" });
  await server.operator("set_member", { member_id: chief.id, role: "rep" });
  assert.equal((await create()).status, 403);
  assert.equal((await server.running.store.workspaces()).length, 2);
});
