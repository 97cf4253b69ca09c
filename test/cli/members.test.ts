import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOf } from "../support/http-browser.ts";
import { temporaryFolder } from "../support/server.ts";
import { document, rostrum, serve } from "./process.ts";

const FORM = "application/x-www-form-urlencoded";

/** What a browser sends with a form of the server's own. */
function post(url: string, form: Record<string, string>): Promise<Response> {
  const headers = { origin: new URL(url).origin, "content-type": FORM };
  return fetch(url, { method: "POST", headers, redirect: "manual", body: new URLSearchParams(form) });
}

const cookieOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");

test("start --demo prints a sign-in link to a console with sample data", async (t) => {
  const { ready } = await serve(t, ["--demo"], { cwd: temporaryFolder(t) });
  const link = ready.setup_url ?? "";
  assert.match(await (await fetch(link)).text(), /Open demo/);
  const entered = await post(link, { as: "demo" });
  assert.equal(entered.status, 303);
  const headers = { cookie: cookieOf(entered) };
  const front = await fetch(ready.console_url ?? "", { headers });
  assert.equal(front.status, 200);
  assert.match(await front.text(), /Robin Ashworth/);
  const contacts = await fetch(`${front.url}/contacts`, { headers });
  assert.match(await contacts.text(), /Amara/);
});

test("member reset-password links to the running server's port, and is recorded in the audit and the auth log", async (t) => {
  const cwd = temporaryFolder(t);
  const server = await serve(t, [], { cwd });
  const owner = { name: "Olive", email: "olive@b.example", password: "correct horse battery" };
  assert.equal((await post(server.ready.setup_url ?? "", owner)).status, 303);
  const reset = document(await rostrum(["member", "reset-password", owner.email, "--json"], { cwd })).data.reset_url;
  assert.equal(new URL(reset).origin, server.ready.url);
  assert.equal((await post(reset, { password: "another password entirely" })).status, 303);
  const invite = JSON.stringify({ email: "grace@b.example", name: "Grace", role: "rep" });
  await rostrum(["call", "invite_member", "--input", invite], { cwd });
  const again = document(await rostrum(["member", "reset-password", "grace@b.example", "--json"], { cwd }));
  const unknown = await rostrum(["member", "reset-password", "nobody@b.example", "--json"], { cwd });
  assert.deepEqual([unknown.status, JSON.parse(unknown.stdout).code], [1, "member_not_found"]);
  assert.match(pathOf(again.data.invitations[0].invitation_url), /^\/console\/invitation\//);
  const listed = async (name: string) => document(await rostrum(["call", name, "--json"], { cwd })).data;
  const audit: { action: string; actor_kind: string }[] = await listed("list_audit");
  for (const action of ["issue_password_reset", "renew_invitation"]) {
    assert.equal(audit.find((row) => row.action === action)?.actor_kind, "local_operator", action);
  }
  const authLog: { code: string; member_id: string | null }[] = await listed("list_auth_events");
  assert.ok(authLog.some(({ code, member_id }) => code === "reset_issued" && member_id !== null));
  await server.stop("SIGTERM");
  const stopped = document(await rostrum(["member", "reset-password", owner.email, "--json"], { cwd }));
  assert.equal(new URL(stopped.data.reset_url).port, "8787", "where the next start would be");
});
