import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Application, approve } from "../support/application.ts";
import type { Agent } from "../support/mcp.ts";
import { asApprover, revokeAll, works } from "../support/oauth.ts";
import { startServer } from "../support/server.ts";

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

suite("with only the endpoint's URL, a person's sign-in connects the client", () => {
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
});
