import assert from "node:assert/strict";
import { test } from "node:test";
import { asMember, asOwner } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/server.ts";

const pathOf = ({ workspaceId }: TestServer, path: string) => `/console/w/${workspaceId}/settings/${path}`;

const asRep = (server: TestServer) => asMember(server, { email: "r@b.example", name: "Rhea", role: "rep" });
const asViewer = (server: TestServer) => asMember(server, { email: "v@b.example", name: "Vera", role: "viewer" });

test("the brand voice shows its text and who saved it, and can be replaced; viewers read it", async (t) => {
  const server = await startServer(t);
  const [rep, viewer] = [await asRep(server), await asViewer(server)];
  const path = pathOf(server, "brand");
  assert.match((await viewer.get(path)).text, /No brand voice yet/);
  const text = "Plain, warm.\n\n  Second <b>line</b>, with commas.";
  assert.equal((await rep.post(path, { _do: "save_brand_voice", text })).status, 303);
  for (const page of [await rep.get(path), await viewer.get(path)]) {
    assert.match(page.text, /Plain, warm\.\n\n {2}Second &lt;b>line&lt;\/b>, with commas\./);
    assert.match(page.text, /Saved by Rhea, <time/);
  }
  assert.doesNotMatch((await viewer.get(path)).text, /<textarea/);
  const empty = await rep.post(path, { _do: "save_brand_voice", _form: "save_brand_voice", text: " " });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /Enter the guidelines\./);
  assert.equal((await server.operator("get_voice", {})).brand_voice.text, text);
});

test("profile facts are one per line and may contain commas; an invalid one is reported, and an empty field means none", async (t) => {
  const server = await startServer(t);
  const rep = await asRep(server);
  const path = pathOf(server, "profile");
  const save = (facts: string) =>
    rep.post(path, { _do: "save_profile_facts", _form: "save_profile_facts", "facts:entries": facts });
  assert.equal((await save("We plan routes, shifts and rosters.\r\n\r\n  Data stays in London.  ")).status, 303);
  const facts = ["We plan routes, shifts and rosters.", "Data stays in London."];
  assert.deepEqual((await server.operator("get_voice", {})).profile_facts.facts, facts);
  const { text } = await rep.get(path);
  assert.ok(text.includes(facts.join("\n")));
  assert.match(text, /Saved by Rhea/);
  const long = await save(`Short.\n${"x".repeat(501)}`);
  assert.equal(long.status, 400);
  assert.match(long.text, /Facts \(entry 2\) must be 500 characters or fewer/);
  assert.ok(long.text.includes("x".repeat(501)), "what was typed stays");
  const viewer = await asViewer(server);
  assert.match((await viewer.get(path)).text, /<li>Data stays in London\.<\/li>/);
  assert.equal((await save("")).status, 303);
  assert.match((await viewer.get(path)).text, /No facts yet/);
});

test("each channel's connection is shown and set separately, and no field accepts a token", async (t) => {
  const server = await startServer(t);
  const rep = await asRep(server);
  const path = pathOf(server, "connections");
  const form = {
    _do: "save_social_connection",
    _form: "connection-x",
    channel: "x",
    state: "expired",
    handle: "@rota",
  };
  assert.equal((await rep.post(path, form)).status, 303);
  const { text } = await rep.get(path);
  const row = /<tr>(?:(?!<\/tr>)[\s\S])*@rota[\s\S]*?<\/tr>/.exec(text)?.[0] ?? "";
  assert.match(row, /expired/);
  assert.match(text, /Professional network<span class="hint beneath">[^<]*, such as LinkedIn/);
  assert.match(text, /Disconnected: your team lost access\./);
  assert.match(row, /data-label="Saved">Rhea</);
  assert.equal([...text.matchAll(/Not set/g)].length, 9);
  const fields = new Set([...text.matchAll(/ name="([a-z][^"]*)"/g)].map(([, name]) => name));
  assert.deepEqual(
    [...fields].filter((name) => /token|secret|password|key/.test(name ?? "")),
    [],
  );
  const sneaked = await rep.post(path, { ...form, token: "s3cr3t-token" });
  assert.equal(sneaked.status, 400);
  assert.doesNotMatch(sneaked.text, /s3cr3t-token/);
  assert.doesNotMatch((await (await asViewer(server)).get(path)).text, /save_social_connection/);
});

test("the end of a trial is accepted without seconds, as browsers send it", async (t) => {
  const server = await startServer(t);
  const form = { _do: "set_billing", _form: "set_billing", state: "trial", "ends_at:moment": "2099-12-31T18:30" };
  assert.equal((await (await asOwner(server)).post(pathOf(server, "workspace"), form)).status, 303);
  assert.equal((await server.operator("get_workspace", {})).billing.ends_at, "2099-12-31T18:30:00.000Z");
});

test("the plan shows the use of each allowance in words and as a bar, and says when it is used up", async (t) => {
  const server = await startServer(t);
  const owner = await asOwner(server);
  const path = pathOf(server, "workspace");
  await server.rest("POST", "/contacts", { body: { first_name: "Ada" } });
  assert.match((await owner.get(path)).text, /Contacts<\/span><span class="quiet">1 used, no limit/);
  const folded = /<details class="more"><summary>Plan and billing/;
  assert.match((await owner.get(path)).text, folded);
  const refused = await owner.post(path, { _do: "set_plan", _form: "set_plan", "contact_allowance:limit": "many" });
  assert.match(refused.text, /<details class="more" open><summary>Plan and billing/);
  const viewer = await asMember(server, { email: "v@b.example", name: "V", role: "viewer" });
  assert.match((await viewer.get(path)).text, /<dt>Plan<\/dt><dd>Self-hosted/);
  await server.operator("set_plan", { contact_allowance: 4, socialnet_allowance: 0 });
  const { text } = await owner.get(path);
  assert.doesNotMatch(text, folded);
  assert.match(text, /aria-label="Contacts: 1 of 4"/);
  assert.match(text, /class="accent" x="0" width="25"/);
  assert.match(text, /0 of 0, limit reached/);
  assert.equal((await server.operator("get_workspace", {})).usage.contacts, 1);
});
