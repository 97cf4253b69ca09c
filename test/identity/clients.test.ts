import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Application, approve } from "../support/application.ts";
import type { Agent } from "../support/mcp.ts";
import { asApprover } from "../support/oauth.ts";
import { startServer, type TestServer, temporaryFolder } from "../support/server.ts";
import { until } from "../support/until.ts";

const IDENTITY = { name: "probe", version: "1" };

interface Dialled {
  agent: Agent;
  transport: { finishAuth(answer: any): Promise<void> };
  connect(): Promise<void>;
}

const modern = (mode: any) => (url: URL, application: Application) => {
  const client = new Client(IDENTITY, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: application as any });
  return {
    agent: client as unknown as Agent,
    transport: { finishAuth: (answer: URLSearchParams) => transport.finishAuth(answer) },
    connect: () => client.connect(transport),
  };
};

const OFFICIAL: Record<string, (url: URL, application: Application) => Dialled> = {
  "client 2.x that negotiates": modern("auto"),
  "client 2.x pinned to 2026-07-28": modern({ pin: "2026-07-28" }),
  "client 2.x of the 2025 era": modern("legacy"),
  "sdk 1.x": (url, application) => {
    const client = new Client1(IDENTITY);
    const transport = new Transport1(url, { authProvider: application as any });
    return {
      agent: client as unknown as Agent,
      transport: { finishAuth: (answer: URLSearchParams) => transport.finishAuth(answer.get("code") ?? "") },
      connect: () => client.connect(transport as Parameters<Client1["connect"]>[0]),
    };
  },
};

async function works(agent: Agent): Promise<void> {
  const { tools } = await agent.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["list_socialnet_actions", "socialnet_command"],
  );
  const { structuredContent, isError } = await agent.callTool({
    name: "socialnet_command",
    arguments: { command: "setup" },
  });
  assert.ok(!isError);
  assert.deepEqual([structuredContent?.data.bound, structuredContent?.data.account.label], [true, "Ada"]);
}

async function revokeAll(server: TestServer): Promise<void> {
  for (const { id } of await server.operator("list_keys", { minted_by: "sign_in" })) {
    await server.operator("revoke_key", { key_id: id });
  }
}

suite("given only the address of the endpoint, a person's sign-in lets in", () => {
  for (const [label, dial] of Object.entries(OFFICIAL)) {
    test(`${label}, until its key is revoked, and again after another sign-in`, async (t) => {
      const server = await startServer(t);
      const browser = await asApprover(server);
      const application = new Application();
      for (let round = 0; round < 2; round += 1) {
        const first = dial(server.mcpUrl, application);
        await assert.rejects(first.connect(), /Unauthorized/i);
        assert.ok(application.address, "the person is shown where to sign in");
        assert.equal(application.address.searchParams.get("resource"), server.mcpUrl.href);
        await first.transport.finishAuth(await approve(browser, application.address));
        const { agent, connect } = dial(server.mcpUrl, application);
        await connect();
        t.after(() => agent.close());
        await works(agent);
        application.address = undefined;
        await revokeAll(server);
        await assert.rejects(agent.callTool({ name: "socialnet_command", arguments: { command: "setup" } }));
        assert.ok(application.address, "it asks the person to sign in anew");
        application.invalidateCredentials("tokens");
      }
    });
  }

  test("mcp-remote, until its key is revoked", async (t) => {
    const server = await startServer(t);
    const browser = await asApprover(server);
    const { client, address } = await startRemote(t, server);
    const connecting = client.connect();
    const asked = await address();
    const callback = `${asked.searchParams.get("redirect_uri")}?${await approve(browser, asked)}`;
    assert.equal((await fetch(callback)).status, 200);
    await connecting;
    await works(client.agent);
    const [{ connector_name }] = await server.operator("list_keys", { minted_by: "sign_in" });
    assert.match(connector_name, /mcp-remote|MCP CLI Proxy/i);
    await revokeAll(server);
    const seen = client.asked();
    const late = client.agent.callTool({ name: "socialnet_command", arguments: { command: "setup" } }).then(
      ({ isError }) => (isError ? "refused" : "done"),
      () => "refused",
    );
    await until(() => client.asked() > seen, 20_000);
    await client.agent.close();
    assert.equal(await late, "refused");
  });
});

/** The proxy by which a client without sign-in of its own connects: it speaks stdio, and prints where to sign in. */
async function startRemote(t: TestContext, server: TestServer) {
  const proxy = new URL(import.meta.resolve("mcp-remote/dist/proxy.js")).pathname;
  const home = temporaryFolder(t);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [proxy, server.mcpUrl.href],
    // Whatever would open a browser opens nothing.
    env: { HOME: home, MCP_REMOTE_CONFIG_DIR: home, PATH: "", BROWSER: "true" },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const client = new Client(IDENTITY);
  t.after(() => client.close());
  const addresses = () => [...said.matchAll(/^\s*(https?:\/\/\S+\/console\/authorize\?\S+)/gm)].map(([, url]) => url);
  return {
    client: {
      agent: client as unknown as Agent,
      connect: () => client.connect(transport, { timeout: 60_000 }),
      asked: () => addresses().length,
    },
    async address() {
      await until(() => addresses().length > 0, 30_000);
      return new URL(addresses()[0] ?? "");
    },
  };
}
