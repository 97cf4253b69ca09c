import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENTS, connect, ERAS, keyWithoutScopes, post } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

const AGENT = ["rostrum://agent-instructions", "rostrum://socialnet-commands"];
const CHECKLIST = ["rostrum://brand-voice", "rostrum://profile-facts", "rostrum://checklist-catalog"];
const namesOf = (listed: { name: string }[]) => listed.map(({ name }) => name);

test("a key sees the resources of its scopes, and can read no others", async (t) => {
  const server = await startServer(t);
  const keys: [string, string[]][] = [
    [await server.mint(["socialnet.execute"]), AGENT],
    [await server.mint(["social_checklist.read"]), CHECKLIST],
    [await server.mint(["contacts.read"]), []],
    [await keyWithoutScopes(server), []],
  ];
  for (const era of ERAS) {
    for (const [key, uris] of keys) {
      const { body } = await post(server, era, "resources/list", {}, { key });
      assert.deepEqual(
        body.result.resources.map(({ uri }: { uri: string }) => uri),
        uris,
      );
      for (const uri of [...AGENT, ...CHECKLIST, "rostrum://nothing"]) {
        const { body: read } = await post(server, era, "resources/read", { uri }, { key });
        if (uris.includes(uri)) {
          const [content] = read.result.contents;
          assert.deepEqual([content.uri, content.mimeType], [uri, "text/markdown"]);
          assert.ok(content.text.length > 20);
        } else {
          assert.equal(read.error.code, -32602, uri);
          assert.equal(read.error.message, `No resource has the uri "${uri}". List the uris with resources/list.`);
          assert.deepEqual(read.error.data, { uri });
        }
      }
    }
  }
});

test("resources contain what people saved, with hidden characters shown", async (t) => {
  const server = await startServer(t);
  await server.operator("save_brand_voice", { text: "Plain. Warm.\u202e" });
  await server.operator("save_profile_facts", { facts: ["Founded in 1815."] });
  const read = async (uri: string) =>
    (await post(server, "2026-07-28", "resources/read", { uri })).body.result.contents[0].text;
  assert.equal(await read("rostrum://profile-facts"), "- Founded in 1815.");
  const voice = await read("rostrum://brand-voice");
  assert.match(voice, /^Plain\. Warm\./);
  assert.ok(!voice.includes("\u202e"));
  const catalog = await read("rostrum://checklist-catalog");
  assert.match(catalog, /^# one_time\n\n- OT-01: /);
  assert.match(catalog, /\n# ongoing\n\n- ON-01: /);
});

test("a key sees the prompts of its scopes", async (t) => {
  const server = await startServer(t);
  const offered: [string[], string[]][] = [
    [["social_checklist.submit"], ["work-the-checklist"]],
    [["socialnet.execute"], ["run-as-the-accounts-agent"]],
    [["contacts.read"], []],
  ];
  for (const [scopes, names] of offered) {
    const key = await server.mint(scopes);
    const { body } = await post(server, "2026-07-28", "prompts/list", {}, { key });
    assert.deepEqual(namesOf(body.result.prompts), names);
    for (const name of ["work-the-checklist", "run-as-the-accounts-agent"]) {
      const { body: got } = await post(server, "2026-07-28", "prompts/get", { name }, { key });
      if (names.includes(name)) assert.ok(got.result.messages[0].content.text.length > 300);
      else
        assert.deepEqual(got.error, {
          code: -32602,
          message: `Unknown prompt "${name}". List the names with prompts/list.`,
        });
    }
  }
});

test("a prompt without a name is the caller's error, with a clear message", async (t) => {
  const server = await startServer(t);
  for (const era of ERAS) {
    for (const [params, shown] of [
      [{}, "name is required."],
      [{ name: null }, "Unknown prompt null."],
    ] as const) {
      const { error } = (await post(server, era, "prompts/get", params)).body;
      assert.deepEqual(error, { code: -32602, message: `${shown} List the names with prompts/list.` });
    }
  }
});

test("lists can be cached for five minutes, only by the caller", async (t) => {
  const server = await startServer(t);
  for (const method of [
    "tools/list",
    "resources/list",
    "prompts/list",
    "resources/templates/list",
    "server/discover",
  ]) {
    const { result } = (await post(server, "2026-07-28", method)).body;
    assert.deepEqual([result.ttlMs, result.cacheScope], [300_000, "private"], method);
  }
  const read = await post(server, "2026-07-28", "resources/read", { uri: "rostrum://brand-voice" });
  assert.equal(read.body.result.ttlMs, 0, "people change it");
});

test("the server's instructions have 600 to 1,000 characters", async (t) => {
  const server = await startServer(t);
  const { instructions } = (await post(server, "2026-07-28", "server/discover")).body.result;
  assert.ok(instructions.length >= 600 && instructions.length <= 1_000, `${instructions.length} characters`);
});

for (const client of CLIENTS) {
  test(`${client.label} lists and reads resources and prompts`, async (t) => {
    const server = await startServer(t);
    const agent = (await connect(t, client, server)) as any;
    const { resources } = await agent.listResources();
    assert.equal(resources.length, 5);
    const { contents } = await agent.readResource({ uri: resources[0].uri });
    assert.match(contents[0].text, /^# Instructions for the agent/);
    const { prompts } = await agent.listPrompts();
    const { messages } = await agent.getPrompt({ name: prompts[0].name });
    assert.equal(messages[0].role, "user");
  });
}
