import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLIENT_COMMANDS, CLIENT_STEPS } from "../../src/domain/access/client-commands.ts";
import { ALL_SCOPES } from "../../src/domain/access/roles.ts";
import { asOwner, type Browser, type Page } from "../support/http-browser.ts";
import { asApprover, connected, keyOf, NAME } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** The visible text, without tags. */
const text = ({ text: html }: Page) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");

async function start(t: TestContext) {
  const server = await startServer(t);
  const owner = await asOwner(server);
  return { server, owner, path: `/console/w/${server.workspaceId}/settings/keys` };
}

const make = (owner: Browser, path: string, scopes: readonly string[], more = {}) =>
  owner.post(path, { _do: "create_key", name: "first agent", "scopes:list": ["", ...scopes], ...more });

const ticked = ({ text: html }: Page) =>
  [...html.matchAll(/<input type="checkbox"[^>]*value="([^"]+)"[^>]*>/g)].flatMap(([tag, value]) =>
    tag.includes(" checked") ? [value] : [],
  );

test("a new key is shown in settings and a command that work unchanged, with the tools it can call", async (t) => {
  const { server, owner, path } = await start(t);
  const made = text(await make(owner, path, ["sequences.read", "contacts.write"]));
  const key = /ros_live_[\w-]{43}/.exec(made)?.[0] ?? "";
  assert.ok(made.includes(`"url": "${server.listening}/api/v1/mcp"`), made);
  assert.ok(made.includes(`"Authorization": "Bearer ${key}"`));
  assert.match(made, /MCP \(1 tool\) list_sequences REST \(5 calls\) POST \/contacts/);
  for (const { name, command } of CLIENT_COMMANDS) {
    assert.ok(made.includes(`Connect ${name} ${command(server.mcpUrl.href, key)}`), name);
  }
  for (const { name } of CLIENT_STEPS) assert.ok(made.includes(`${name} Not tested`), name);
  const [, url = ""] = /curl -s (\S+) -H 'Authorization: Bearer ros_live_/.exec(made) ?? [];
  assert.equal(url, `${server.listening}/api/v1/sequences`);
  assert.equal((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status, 200);
  const later = text(await owner.get(path));
  assert.ok(!later.includes(key));
  assert.ok(later.includes('"Authorization": "Bearer ros_live_…"'), "the settings stay, without the key");
});

test("a key with only write scopes is described as a REST key, and no test call is suggested", async (t) => {
  const { owner, path } = await start(t);
  const made = text(await make(owner, path, ["deals.write"]));
  assert.match(made, /MCP \(0 tools\) None REST \(1 call\) POST \/deals/);
  assert.match(made, /No MCP tool needs them/);
  assert.doesNotMatch(made, /curl|mcpServers|claude mcp/);
});

test("each scope describes its purpose and which APIs it applies to, and the table links to them", async (t) => {
  const { owner, path } = await start(t);
  const form = text(await owner.get(path));
  assert.match(form, /Contacts and deals Read contacts.{0,40} contacts\.read over MCP and REST/);
  assert.match(form, /Create deals deals\.write over REST/);
  await make(owner, path, ["deals.write", "sequences.read"]);
  assert.match(
    text(await owner.get(path)),
    /2 permissions Create deals deals\.write Read sequences sequences\.read|2 permissions Read sequences sequences\.read Create deals deals\.write/,
  );
});

test("a button selects all scopes, or the read scopes, without a script, and keeps the typed text", async (t) => {
  const { owner, path } = await start(t);
  const tick = (_again: string) => make(owner, path, ["deals.write"], { _again, name: "typed already" });
  const all = await tick("all");
  assert.deepEqual([all.status, ticked(all).length], [200, ALL_SCOPES.length]);
  assert.match(all.text, /value="typed already"/);
  assert.match(all.text, /<button(?=[^>]*value="all")(?=[^>]*autofocus)/i, "the page stays where the ticks are");
  const reading = ticked(await tick("read"));
  assert.ok(reading.includes("contacts.read") && reading.every((scope) => scope?.endsWith(".read")));
  assert.deepEqual(ticked(await tick("none")), []);
  const refused = await make(owner, path, ["deals.write"], { _form: "create_key", name: " " });
  assert.deepEqual([refused.status, ticked(refused)], [400, ["deals.write"]]);
});

test("a key is bound to an account only if one is chosen", async (t) => {
  const { server, owner, path } = await start(t);
  assert.match(
    text(await owner.get(path)),
    /Without a social account, the key can't read or send actions.* First add an account under/,
  );
  const profile_url = "https://socialnet.example/in/robin";
  const { id } = await server.operator("create_socialnet_account", { label: "Robin", profile_url });
  const page = await owner.get(path);
  assert.match(page.text, new RegExp(`<option value selected>No account</option><option value="${id}">Robin<`));
  const newest = async () => (await server.operator("list_keys", {}))[0].socialnet_account_id;
  await make(owner, path, ["socialnet.read"], { "socialnet_account_id:optional": id });
  assert.equal(await newest(), id);
  const kept = await make(owner, path, [], { _again: "read", "socialnet_account_id:optional": id });
  assert.match(kept.text, new RegExp(`<option value="${id}" selected>Robin<`));
  const without = { "socialnet_account_id:optional": "" };
  const unrelated = await make(owner, path, ["contacts.read"], without);
  assert.doesNotMatch(unrelated.text, />No social account</);
  assert.equal(await newest(), null);
  const useless = await make(owner, path, ["socialnet.read"], without);
  assert.match(text(useless), /No social account Without a social account, the key can't read or send actions/);
});

test("the list of refusals names the key or the client by its shown prefix", async (t) => {
  const { server, owner } = await start(t);
  const { id, key } = await server.operator("create_key", { name: "Old assistant", scopes: ["contacts.read"] });
  const client = await connected(server, await asApprover(server));
  await server.operator("revoke_key", { key_id: id });
  await server.operator("revoke_key", { key_id: (await keyOf(server, client.key)).id });
  for (const revoked of [key, client.key]) {
    assert.equal((await server.rest("GET", "/contacts", { key: revoked })).body.code, "revoked_key");
  }
  const trail = `/console/w/${server.workspaceId}/audit/sign-ins?code=revoked_key`;
  await until(async () => (await server.operator("list_auth_events", { code: "revoked_key" })).length === 2);
  const shown = text(await owner.get(trail));
  assert.match(shown, new RegExp(`Revoked client ${NAME} ros_live_`));
  assert.match(shown, /Revoked key used Old assistant ros_live_/);
});
