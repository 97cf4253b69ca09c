import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { byDoor, signIn } from "./support/console.ts";
import { engineEnv } from "./support/engine-under-test.ts";
import { member } from "./support/member.ts";
import { programArgs } from "./support/program.ts";
import { type Envelope, startServer, type TestServer } from "./support/server.ts";

async function byMcp(server: TestServer, name: string, input: Record<string, unknown>): Promise<Envelope> {
  const client = new Client({ name: "parity", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(server.mcpUrl, {
      requestInit: { headers: { authorization: `Bearer ${server.key}` } },
    }),
  );
  const result = await client.callTool({ name, arguments: input });
  await client.close();
  const { text } = (result.content as { text: string }[])[0] as { text: string };
  assert.deepEqual(JSON.parse(text), result.structuredContent);
  assert.equal(result.isError === true, (result.structuredContent as unknown as Envelope).error !== null);
  return result.structuredContent as unknown as Envelope;
}

function byCommand(server: TestServer, name: string, input: unknown): Promise<{ envelope: Envelope; status: number }> {
  const args = [
    ...programArgs("bin/rostrum.ts"),
    "call",
    name,
    "--workspace",
    "test",
    "--data",
    server.folder,
    "--json",
  ];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...engineEnv(server.folder) };
    const child = execFile(process.execPath, [...args, "--input", "-"], { env }, (error, stdout) => {
      if (stdout === "") return reject(error);
      resolve({ envelope: JSON.parse(stdout) as Envelope, status: Number(error?.code ?? 0) });
    });
    child.stdin?.end(JSON.stringify(input));
  });
}

/** Calls as a console page, for a member who can read and write what agents do. */
async function byPage(
  server: TestServer,
  name: string,
  input: unknown,
): Promise<{ envelope: Envelope; status: number }> {
  const { status, body } = await byDoor(server, name, input, { as: member(server) });
  return { envelope: body, status };
}

test("the same call gives the same answer over REST, MCP, the console and the command line", async (t) => {
  const server = await startServer(t, { signIn });
  const { id } = (await server.rest("POST", "/contacts", { body: { first_name: "Ada", email: "a@b.example" } })).body
    .data;
  const rest = await server.rest("GET", `/contacts/${id}`);
  assert.deepEqual(await byMcp(server, "get_contact", { id }), rest.body);
  assert.deepEqual(await byPage(server, "get_contact", { id }), { envelope: rest.body, status: 200 });
  assert.deepEqual(await byCommand(server, "get_contact", { id }), { envelope: rest.body, status: 0 });
  const list = await server.rest("GET", "/contacts?limit=5&offset=0");
  assert.deepEqual(await byMcp(server, "list_contacts", { limit: 5, offset: 0, detail: "full" }), list.body);
  assert.deepEqual(await byPage(server, "list_contacts", { limit: 5 }), { envelope: list.body, status: 200 });
  assert.deepEqual((await byCommand(server, "list_contacts", { limit: 5 })).envelope, list.body);
});

test("the same call gives the same refusal over REST, MCP, the console and the command line", async (t) => {
  const server = await startServer(t, { signIn });
  for (const id of ["0190aaaa-0000-7000-8000-00000000abcd", "7"]) {
    const rest = await server.rest("GET", `/contacts/${id}`);
    assert.deepEqual(await byMcp(server, "get_contact", { id }), rest.body);
    assert.deepEqual(await byPage(server, "get_contact", { id }), { envelope: rest.body, status: rest.status });
    assert.deepEqual(await byCommand(server, "get_contact", { id }), { envelope: rest.body, status: 1 });
  }
  const rest = await server.rest("POST", "/contacts", { body: { email: "no" } });
  assert.deepEqual(await byPage(server, "create_contact", { email: "no" }), { envelope: rest.body, status: 400 });
  assert.deepEqual((await byCommand(server, "create_contact", { email: "no" })).envelope, rest.body);
});
